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
    case .some: break
    case .exists: add(Leaf.exists(condition))
    default: condition.forEachPart({ add($0) }, { add($0) })
    }
  }

  mutating func add(_ operand: Operand) {
    switch operand {
    case .ofElements: break
    case .path(let path): add(Leaf.path(path))
    case .relatedAggregate, .relatedValue: add(Leaf.related(operand))
    default: operand.forEachPart({ add($0) }, { add($0) })
    }
  }
}

/// Replaces the values read by columns of a frame.
struct FrameRewriting {
  /// The operand that replaces each leaf.
  let operands: [FrameLeaves.Leaf: Operand]

  func rewritten(_ condition: Condition) -> Condition {
    switch condition {
    case .some: condition
    case .exists:
      .compare(
        operands[FrameLeaves.Leaf.exists(condition)] ?? .value(.null), .equal, .value(.bool(true)),
        [])
    default: condition.mapParts({ rewritten($0) }, { rewritten($0) })
    }
  }

  func rewritten(_ operand: Operand) -> Operand {
    switch operand {
    case .ofElements: operand
    case .path(let path): operands[FrameLeaves.Leaf.path(path)] ?? operand
    case .relatedAggregate, .relatedValue: operands[FrameLeaves.Leaf.related(operand)] ?? operand
    default: operand.mapParts({ rewritten($0) }, { rewritten($0) })
    }
  }
}
