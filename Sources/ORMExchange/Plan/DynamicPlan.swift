internal import ORM

/// The mapping of an entity's rows by names, worked out.
struct DynamicPlan {
  let record: RecordPlan
  let writing: WriteTree
  let writesNulls: Bool
  let list: ListForm
  let kind: KindRule?
  /// The to-ones that are found by an attribute of their targets.
  let lookups: [Lookup]

  /// A to-one that is found by an attribute of its target.
  struct Lookup {
    let relationship: String
    let target: String
    /// The attribute of the target.
    let attribute: String
    /// The position of the attribute's value among those of a record, after the attributes.
    let column: Int
    /// The attributes with the key.
    let names: [String]
    let isRequired: Bool
  }

  /// The kinds of records that have entities of their own.
  let kinds: [DynamicKind]
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
    var draft = DynamicDraft(mapping, DynamicEntity(entity), direction) { entities[$0] }
    draft.makeColumns()
    draft.addKind()
    try draft.throwFaults()
    var kinds: [DynamicKind] = []
    if let rule = mapping.kind, !rule.entities.isEmpty {
      kinds = try draft.kinds(rule, entities)
      // In records of CSV, members of other kinds are there and empty.
      for path in kinds.flatMap(\.plan.readPaths) { draft.addOther(path) }
    }
    self.init(draft, mapping, kinds)
  }

  /// Compiles the mapping of the records of a kind.
  init(_ draft: DynamicDraft, _ mapping: DynamicMapping, _ kinds: [DynamicKind] = []) {
    record = RecordPlan(
      entity: draft.entity.name, columnCount: draft.columns.count, columns: draft.columns,
      reading: draft.tree, isStrict: mapping.unknown == .refuse, keyColumn: draft.keyColumn,
      structs: draft.structs)
    writing = draft.writing
    writesNulls = !mapping.leavesOutNulls
    list = mapping.list == .keyed ? .keyed : mapping.list == .oneOrMany ? .oneOrMany : .array
    // A rule that keeps every record says nothing when one is read.
    kind = draft.kind.flatMap { $0.otherwise == .keep ? nil : $0 }
    lookups = draft.lookups
    entity = draft.whole
    self.kinds = kinds
    let path = mapping.kind.flatMap { KindRule($0).path }
    table = kinds.isEmpty ? nil : path.map { KindTable($0, kinds.map(\.texts)) }
    let name = draft.whole.name
    writesOwn = draft.kind.map { $0.otherwise == .keep || $0.text(of: name) != nil } ?? true
  }

  /// The paths that are read.
  var readPaths: [[PathStep]] { record.columns.flatMap(\.sources) }
}
