internal import ORM

/// The mapping of an entity's rows by names, worked out.
struct DynamicPlan {
  let record: RecordPlan
  let writing: WriteTree
  let writesNulls: Bool
  let list: DynamicMapping.List
  let kind: KindRule?
  /// The to-ones that are found by an attribute of their targets.
  let lookups: [Lookup]

  /// A to-one that is found by an attribute of its target.
  struct Lookup {
    let found: FoundLink
    /// The position of the attribute's value among those of a record, after the attributes.
    let column: Int
    /// The attributes with the key.
    let names: [String]
  }

  /// The kinds of records that have entities of their own.
  let kinds: [DynamicPlan]
  /// The kinds by their texts; nil for records of one kind.
  let table: KindTable?
  /// True if rows of the entity itself can be written.
  let writesOwn: Bool
  /// The entity, with the relationships of those above that its records have.
  let entity: DynamicEntity

  /// Compiles the mapping of an entity in one direction.
  ///
  /// - Parameters:
  ///   - mapping: the mapping.
  ///   - name: the entity's name.
  ///   - schema: the schema of the store.
  ///   - direction: reading or writing.
  /// - Throws: `unknownEntity`, `invalidMapping` with every fault.
  init(
    _ mapping: DynamicMapping, of name: String, in schema: StoredSchema, _ direction: JSONDirection
  ) throws {
    let entities = try Schema(schema)
    guard let entity = entities[name] else {
      throw StoreError(.unknownEntity, "the store has no entity of this name", entity: name)
    }
    let rules = MappingRules(mapping)
    let draft = RowDraft(rules, DynamicEntity(entity), reads: direction == .reading) {
      entities[$0]
    }
    draft.addAll()
    try draft.throwFaults()
    var kinds: [DynamicPlan] = []
    if let rule = rules.kind, !rule.models.isEmpty {
      kinds = try draft.kinds(rule, entities)
      // In records of CSV, members of other kinds are there and empty.
      draft.addOthers(kinds.flatMap(\.readPaths))
    }
    self.init(draft, kinds)
  }

  /// Compiles the mapping of the records of a kind.
  init(_ draft: RowDraft, _ kinds: [DynamicPlan] = []) {
    let rules = draft.rules
    let name = draft.whole.name
    record = RecordPlan(draft, columnCount: draft.columns.count)
    writing = draft.writing
    writesNulls = rules.writesNulls
    list = rules.list
    // A rule that keeps every record says nothing when one is read.
    kind = rules.kind.flatMap { $0.otherwise == .keep ? nil : $0 }
    lookups = draft.lookups
    entity = draft.whole
    self.kinds = kinds
    table =
      kinds.isEmpty ? nil : rules.kind?.path.map { KindTable($0, draft.kindModels.map(\.kinds)) }
    writesOwn = rules.kind.map { $0.otherwise == .keep || $0.text(of: name) != nil } ?? true
  }

  /// The paths that are read.
  var readPaths: [[PathStep]] { record.columns.flatMap(\.sources) }
}
