internal import ORMStorage

/// A plan for a request: the keys read, the test left for each row, and whether rows come in the
/// order asked for.
///
/// Made from a shape alone; values are bound later.
struct Plan {
  /// The access path to the rows.
  var access: Access
  /// The condition tested of each row reached.
  var residual: Condition
  /// True if keys are read from the last to the first.
  var isReversed = false
  /// True if rows come in the order asked for.
  var isOrdered: Bool
  /// True if the least and greatest values of one attribute are asked for, and it is the term that
  /// comes next in the key or index.
  ///
  /// The ends of the ranges then hold its extremes.
  var isExtreme = false
  /// True if rows come in the order of the groups that are asked for, one group after another.
  var isGrouped = false
  /// The lists that are looked for among other rows first; the plan's conditions name their values.
  var lists: [MaterializedList] = []

  /// The access path to the rows.
  enum Access {
    /// No row can match, so that none is reached.
    case nothing
    /// One key or index.
    case one(KeyAccess)
    /// The rows of any of several, each once.
    case union([KeyAccess], Joining)
    /// The rows that all of several accesses give, in the order of the primary key.
    case intersection([KeyAccess])
  }

  /// The method by which the results of several accesses become one sequence of rows.
  enum Joining: String {
    /// Their primary keys are collected and looked up in order.
    case union
    /// Each comes in the order asked for, and they are merged in it.
    case merge
    /// They are ranges of one key or index, read as it has them.
    case ranges
  }

  /// The part of the primary key, or of an index, that is read.
  struct KeyAccess {
    /// The index, by its position among those of the entity; nil for the primary key.
    var index: Int?
    /// The part of it that is read.
    var part = KeyPart()
    /// True if it is read from the last to the first, where it is merged with others.
    var isReversed = false
  }

  /// A part of a key or index.
  struct KeyPart {
    /// The constraints that leave single values of each leading term: all of them together are
    /// read.
    var points: [TermConstraint] = []
    /// The constraints on the term after them.
    var ranges: [TermConstraint] = []
    /// The parts of the condition that these are, in their words.
    var conditions: [Condition] = []
    /// True if they name whole primary keys, rather than ranges.
    var isKeys = false

    /// True if every key is read.
    var isEverything: Bool { points.isEmpty && ranges.isEmpty }
    /// True if the keys read are bounded by values: not every key, nor all that are not null.
    var isBounded: Bool {
      !points.isEmpty || ranges.contains { if case .isPresent = $0.test { false } else { true } }
    }
  }
}

extension Plan {
  /// True if one key or index is read at most.
  var isOneAccess: Bool {
    switch access {
    case .nothing, .one: lists.isEmpty
    case .union, .intersection: false
    }
  }

  /// The plan on one line: the keys read, the tests of rows, and the way rows get into order.
  func description(_ entity: EntityStorage) -> String {
    var text = lists.map { "with \($0), " }.joined()
    switch access {
    case .nothing: return "nothing"
    case .one(let one): text += one.description(entity)
    case .union(let parts, let joining):
      text += "\(joining.rawValue) of "
      text += parts.map { "(\($0.description(entity)))" }.joined(separator: ", ")
    case .intersection(let parts):
      text += "intersection of "
      text += parts.map { "(\($0.description(entity)))" }.joined(separator: ", ")
    }
    if isReversed { text += ", reversed" }
    if residual != .constant(true) { text += ", where \(residual)" }
    if !isOrdered { text += ", sorted" }
    if isExtreme { text += ", its ends" }
    return text
  }

  /// Returns the explanation of the plan, in the form that all stores share.
  func explanation(_ entity: EntityStorage) -> Explanation {
    var explanation = Explanation(
      access: .nothing, isOrderFromAccess: isOrdered, detail: description(entity))
    if residual != .constant(true) {
      if case .all(let parts) = residual {
        explanation.coreConditions = parts.map(\.description)
      } else {
        explanation.coreConditions = [residual.description]
      }
    }
    switch access {
    case .nothing: break
    case .one(let one):
      let part = one.explanation(entity)
      explanation.access = part.access
      explanation.index = part.index
      explanation.ranges = part.ranges
    case .union(let parts, _):
      explanation.access = .union
      explanation.parts = parts.map { $0.explanation(entity) }
    case .intersection(let parts):
      explanation.access = .intersection
      explanation.parts = parts.map { $0.explanation(entity) }
    }
    return explanation
  }
}

extension Plan.KeyAccess {
  fileprivate func description(_ entity: EntityStorage) -> String {
    if let index {
      let name = "index \(entity.indexes[index].index.name)"
      return part.isEverything ? name : "\(name) \(part.text)"
    }
    if part.isEverything { return "scan" }
    return (part.isKeys ? "keys " : "key range ") + part.text
  }

  fileprivate func explanation(_ entity: EntityStorage) -> Explanation.Part {
    let access: Explanation.Access =
      if index != nil { .indexRange } else if part.isEverything { .scan } else {
        part.isKeys ? .keyLookup : .keyRange
      }
    return Explanation.Part(
      access: access, index: index.map { entity.indexes[$0].index.name },
      ranges: part.conditions.map(\.description))
  }
}

extension Plan.KeyPart {
  /// The conditions that it answers.
  fileprivate var text: String {
    conditions.count == 1 ? conditions[0].description : Condition.all(conditions).description
  }
}
