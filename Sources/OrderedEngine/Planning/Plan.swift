internal import ORMCore

/// How a request is answered: which keys are read, what is still tested of each row, and whether
/// rows come in the order asked for.
///
/// Made from a shape alone; values are bound later.
struct Plan {
  /// How rows are reached.
  var access: Access
  /// What is tested of each row reached.
  var residual: Condition
  /// Whether keys are read from the last to the first.
  var isReversed = false
  /// Whether rows come in the order asked for.
  var isOrdered: Bool

  /// How rows are reached.
  enum Access {
    /// Not at all: no row can match.
    case nothing
    /// By the primary key.
    case key(KeyPart)
    /// By an index: its place among those of the entity.
    case index(Int, KeyPart)
  }

  /// Which part of a key or index is read.
  struct KeyPart {
    /// What leaves one value of each leading term.
    var points: [TermConstraint] = []
    /// What is said of the term after them.
    var ranges: [TermConstraint] = []
    /// The parts of the condition that these are, in their words.
    var conditions: [Condition] = []
    /// Whether they name whole primary keys, rather than ranges.
    var isKeys = false

    /// Whether every key is read.
    var isEverything: Bool { points.isEmpty && ranges.isEmpty }
  }
}

extension Plan {
  /// The plan on one line: the keys read, what is tested, and how rows get into order.
  func description(_ entity: EntityStorage) -> String {
    var text: String
    switch access {
    case .nothing: return "nothing"
    case .key(let part):
      if part.isEverything {
        text = "scan"
      } else {
        text = (part.isKeys ? "keys " : "key range ") + part.text
      }
    case .index(let index, let part):
      text = "index \(entity.indexes[index].index.name)"
      if !part.isEverything { text += " " + part.text }
    }
    if isReversed { text += ", reversed" }
    if residual != .constant(true) { text += ", where \(residual)" }
    if !isOrdered { text += ", sorted" }
    return text
  }

  /// What every store tells of a plan.
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
    case .key(let part):
      explanation.access = part.isEverything ? .scan : (part.isKeys ? .keyLookup : .keyRange)
      explanation.ranges = part.conditions.map(\.description)
    case .index(let index, let part):
      explanation.access = .indexRange
      explanation.index = entity.indexes[index].index.name
      explanation.ranges = part.conditions.map(\.description)
    }
    return explanation
  }
}

extension Plan.KeyPart {
  /// The conditions that it answers.
  fileprivate var text: String {
    conditions.count == 1 ? conditions[0].description : Condition.all(conditions).description
  }
}
