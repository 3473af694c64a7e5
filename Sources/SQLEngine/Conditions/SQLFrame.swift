internal import ORMStorage

/// The arguments of an evaluator's calls, as the columns of a row.
///
/// They come from rows of any scope of the text, or are values that the engine computed from
/// related rows. The evaluation names them as attributes of one row.
package struct SQLFrame: Equatable, Sendable {
  /// The entity of the request's own rows by its name in the program, for errors.
  package var entity: String
  /// The columns, in the order of the arguments.
  package var columns: [Column]

  /// One argument.
  package struct Column: Equatable, Sendable {
    /// The name that the evaluation gives it; unique in the frame.
    package var name: String
    /// The column that it represents: its type, and the names that errors give.
    package var source: SQLRowLayout.Column
  }

  /// The columns as rows are read.
  package var layout: SQLRowLayout {
    SQLRowLayout(entity: entity, columns: columns.map(\.source), key: [])
  }

  /// The frame as an entity, for core to compile by.
  var described: StoredEntity {
    StoredEntity(
      name: entity,
      columns: columns.map { StoredColumn($0.name, $0.source.type, isOptional: true) }, key: [])
  }
}

/// The values that a condition or operand reads from the rows around it.
///
/// Core's evaluator cannot read them itself, since it sees one row.
struct FrameLeaves {
  /// One value read.
  enum Leaf: Hashable {
    /// An attribute of a row.
    case path(Operand.Path)
    /// A value of related rows.
    case related(Operand)
    /// The existence of related rows.
    case exists(Condition)
  }

  /// The leaves in the order of their first use.
  private(set) var leaves: [Leaf] = []
  private var known: Set<Leaf> = []

  private mutating func add(_ leaf: Leaf) {
    if known.insert(leaf).inserted { leaves.append(leaf) }
  }

  mutating func add(_ condition: Condition) {
    switch condition {
    case .constant, .invalid, .some: break
    case .exists: add(Leaf.exists(condition))
    case .not(let inner): add(inner)
    case .all(let conditions), .any(let conditions): for inner in conditions { add(inner) }
    case .compare(let left, _, let right, _):
      add(left)
      add(right)
    case .isIn(let element, let list, _):
      add(element)
      add(list)
    case .text(let text, _, let other, _):
      add(text)
      add(other)
    case .someItem(let array, _, let inner):
      add(array)
      add(inner)
    }
  }

  mutating func add(_ operand: Operand) {
    switch operand {
    case .value, .parameter, .parameterList, .invalid, .ofElements, .item, .variable, .now, .output:
      break
    case .list(let parts): for part in parts { add(part) }
    case .ofItems(_, let array, _, let condition):
      add(array)
      add(condition)
    case .path(let path): add(Leaf.path(path))
    case .relatedAggregate, .relatedValue: add(Leaf.related(operand))
    case .json(let inner, _), .element(let inner, _), .negated(let inner), .function(_, let inner):
      add(inner)
    case .arithmetic(_, let left, let right):
      add(left)
      add(right)
    case .choice(let condition, let first, let second):
      add(condition)
      add(first)
      add(second)
    }
  }
}

/// Replaces the values read by columns of a frame.
struct FrameRewriting {
  /// The operand that replaces each leaf.
  let operands: [FrameLeaves.Leaf: Operand]

  func rewritten(_ condition: Condition) -> Condition {
    switch condition {
    case .constant, .invalid, .some: condition
    case .exists:
      .compare(
        operands[FrameLeaves.Leaf.exists(condition)] ?? .value(.null), .equal, .value(.bool(true)),
        [])
    case .not(let inner): .not(rewritten(inner))
    case .all(let conditions): .all(conditions.map(rewritten))
    case .any(let conditions): .any(conditions.map(rewritten))
    case .compare(let left, let comparator, let right, let options):
      .compare(rewritten(left), comparator, rewritten(right), options)
    case .isIn(let element, let list, let options):
      .isIn(rewritten(element), list: rewritten(list), options)
    case .text(let text, let textOperator, let other, let options):
      .text(rewritten(text), textOperator, rewritten(other), options)
    case .someItem(let array, let scope, let inner):
      .someItem(of: rewritten(array), scope: scope, rewritten(inner))
    }
  }

  func rewritten(_ operand: Operand) -> Operand {
    switch operand {
    case .value, .parameter, .parameterList, .invalid, .ofElements, .item, .variable, .now, .output:
      operand
    case .list(let parts): .list(parts.map(rewritten))
    case .ofItems(let kind, let array, let scope, let condition):
      .ofItems(kind, rewritten(array), scope: scope, rewritten(condition))
    case .path(let path): operands[FrameLeaves.Leaf.path(path)] ?? operand
    case .relatedAggregate, .relatedValue: operands[FrameLeaves.Leaf.related(operand)] ?? operand
    case .json(let inner, let steps): .json(rewritten(inner), steps)
    case .element(let inner, let index): .element(rewritten(inner), index)
    case .negated(let inner): .negated(rewritten(inner))
    case .function(let function, let inner): .function(function, rewritten(inner))
    case .arithmetic(let symbol, let left, let right):
      .arithmetic(symbol, rewritten(left), rewritten(right))
    case .choice(let condition, let first, let second):
      .choice(rewritten(condition), rewritten(first), rewritten(second))
    }
  }
}
