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

  /// An embedded struct that may be nil, and what its attributes need where it is there.
  struct OptionalStruct: Sendable {
    let mark: Int
    let columns: [(column: Int, initial: ColumnPlan.InitialValue)]
  }

  init(
    entity: String, columnCount: Int, columns: [ColumnPlan], reading: PathTree, isStrict: Bool,
    keyColumn: Int? = nil, structs: [OptionalStruct] = []
  ) {
    self.entity = entity
    self.columnCount = columnCount
    self.columns = columns
    var count = 0
    root = MemberNode(reading, count: &count)
    slotCount = count
    self.isStrict = isStrict
    self.keyColumn = keyColumn
    self.structs = structs
  }
}
