internal import ORM

/// A mapping worked out for its model: the members that are read, and the tree that is written.
final class MappingPlan<Model: Persistable>: Sendable {
  /// The attributes and the members that are read.
  let record: RecordPlan
  let links: [any LinkPlan<Model>]
  let writing: WriteTree
  /// The same for a record that is one object of attributes, which no hook looks at; nil for others.
  let flat: FlatWriting?
  /// True if the mapping has hooks of `afterWriting`, which see the JSON of each object.
  // Here and below: an array of generic closures has a type that is looked up each time.
  let hasWritingHooks: Bool
  /// True if the mapping has links.
  let leadsAway: Bool
  let writesNulls: Bool
  let list: DynamicMapping.List
  /// The rule by which records are left out or refused.
  let kind: KindRule?
  /// The kinds that have models of their own; nil for records of one kind.
  let kinds: KindPlans<Model>?
  let before: [@Sendable (inout JSONValue) throws -> JSONDecision]
  let after: [@Sendable (inout Model, JSONValue) throws -> JSONDecision]
  let afterWriting: [@Sendable (inout JSONValue, Model) throws -> Void]
  /// The mappings of targets that declare none.
  let targets = SharedTargets()

  /// The entity's name.
  var entity: String { record.entity }
  /// The attributes, in declared order.
  var columns: [ColumnPlan] { record.columns }
  /// The column that the member names of a list are.
  var keyColumn: Int? { record.keyColumn }

  /// Checks a mapping and works it out.
  ///
  /// - Throws: `invalidMapping`.
  init(_ rules: MappingRules, _ hooks: MappingHooks<Model>) throws {
    let draft = ModelDraft(rules, hooks)
    draft.addAttributes()
    draft.addRelationships()
    draft.addKindAndBeside()
    draft.addKinds()
    draft.checkReading(draft.reading)
    try draft.throwFaults()
    record = RecordPlan(draft, columnCount: draft.entity.attributes.count)
    links = draft.links
    writing = draft.writing
    hasWritingHooks = !hooks.afterWriting.isEmpty
    leadsAway = !draft.links.isEmpty
    flat = hasWritingHooks ? nil : FlatWriting(draft.writing, draft.columns)
    writesNulls = rules.writesNulls
    list = rules.list
    // A rule that keeps every record says nothing when one is read.
    kind = rules.kind.flatMap { $0.otherwise == .keep ? nil : $0 }
    kinds = rules.kind.flatMap { KindPlans($0, draft.kinds) }
    before = rules.before
    after = hooks.after
    afterWriting = hooks.afterWriting
  }

  /// The paths that attributes and relationships are read from.
  var readPaths: [[PathStep]] { columns.flatMap(\.sources) + links.flatMap(\.sources) }

  /// True if a record is looked at before it is read, or after.
  var hasReadingHooks: Bool { !before.isEmpty || !after.isEmpty }
}
