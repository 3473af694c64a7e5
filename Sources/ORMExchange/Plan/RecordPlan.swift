internal import ORM

/// The attributes of a record and the members that they are read from, apart from a Swift type.
final class RecordPlan: Sendable {
  let entity: String
  /// The number of values that a row has, keys of to-ones among them.
  let columnCount: Int
  /// The attributes, in declared order.
  let columns: [ColumnPlan]
  /// The members that are read.
  let root: MemberNode
  /// The number of slots of all nodes.
  let slotCount: Int
  let isStrict: Bool
  /// The column that the member names of a list are.
  let keyColumn: Int?
  /// The embedded structs that may be nil.
  let structs: [OptionalStruct]

  /// An embedded struct that may be nil, with the initial values of its attributes where it is present.
  struct OptionalStruct: Sendable {
    let mark: Int
    let columns: [(column: Int, initial: ColumnPlan.InitialValue)]
  }

  /// The paths that are read inside of an embedded struct that may be nil; nil for a path at which there
  /// is no such struct.
  func parts(ofStructAt path: [PathStep]) -> [[PathStep]]? {
    var node = root
    for step in path {
      guard case .name(let name) = step,
        let slot = ByteOrder.withBytes(of: name, { node.slot(named: $0) }),
        node.slots[slot].action == .object
      else { return nil }
      node = node.nodes[node.slots[slot].index]
    }
    if node.presence == nil { return nil }
    return node.below.compactMap { step in
      if case .column = step.target { step.path } else { nil }
    }
  }

  /// Returns whether an attribute that is never nil says that a struct is there.
  ///
  /// - Parameters:
  ///   - mark: the mark of the struct.
  ///   - columns: the attributes that are written.
  func isSaid(_ mark: Int, by columns: Set<Int>) -> Bool {
    structs.first { $0.mark == mark }?.columns.contains { column, initial in
      guard columns.contains(column), column < self.columns.count else { return false }
      if case .custom = self.columns[column].written { return false }
      if case .value(.null) = initial { return false }
      return true
    } ?? false
  }

  init(_ draft: MappingDraft, columnCount: Int) {
    entity = draft.entity.name
    self.columnCount = columnCount
    columns = draft.columns
    var count = 0
    root = MemberNode(draft.reading, count: &count)
    slotCount = count
    isStrict = draft.rules.unknown == .refuse
    keyColumn = draft.keyColumn
    structs = draft.structs
  }
}
