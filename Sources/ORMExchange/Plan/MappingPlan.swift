internal import ORM

/// A mapping worked out for its model: the members that are read, and the tree that is written.
final class MappingPlan<Model: Persistable>: Sendable {
  let entity: String
  /// The number of values that a row of the model has, keys of to-ones among them.
  let columnCount: Int
  /// The attributes, in declared order.
  let columns: [ColumnPlan]
  let links: [any LinkPlan<Model>]
  /// The members that are read.
  let root: MemberNode
  /// The number of slots of all nodes.
  let slotCount: Int
  let writing: WriteTree
  let isStrict: Bool
  let writesNulls: Bool
  let list: ListForm
  /// The column that the member names of a list are.
  let keyColumn: Int?
  let kind: KindRule?
  let before: [@Sendable (inout JSONValue) throws -> JSONDecision]
  let after: [@Sendable (inout Model, JSONValue) throws -> JSONDecision]
  let afterWriting: [@Sendable (inout JSONValue, Model) throws -> Void]
  /// The mappings of targets that declare none.
  let targets = SharedTargets()
  /// The embedded structs that may be nil.
  let structs: [OptionalStruct]

  /// An embedded struct that may be nil, and what its attributes need where it is there.
  struct OptionalStruct: Sendable {
    let mark: Int
    let columns: [(column: Int, initial: ColumnPlan.InitialValue)]
  }

  /// Checks a mapping and works it out.
  ///
  /// - Throws: `invalidMapping`.
  init(_ rules: MappingRules<Model>) throws {
    var draft = MappingDraft(rules)
    draft.addAttributes()
    draft.addRelationships()
    draft.addKind()
    draft.checkReading()
    try draft.throwFaults()
    entity = draft.description.name
    columnCount = draft.description.attributes.count
    columns = draft.columns
    links = draft.links
    var count = 0
    root = MemberNode(draft.reading, count: &count)
    slotCount = count
    writing = draft.writing
    isStrict = rules.unknown == .refuse
    writesNulls = rules.writesNulls
    list = rules.list
    keyColumn = draft.keyColumn
    kind = rules.kind
    before = rules.before
    after = rules.after
    afterWriting = rules.afterWriting
    structs = draft.optionalStructs
  }

  /// True if a record is looked at before it is read, or after.
  var hasReadingHooks: Bool { !before.isEmpty || !after.isEmpty }
}
