internal import ORMValues

/// A comparison of the schema a store holds with the one a program declares (clause 7.5).
///
/// ```swift
/// let changes = try SchemaComparison.compare(stored: stored, declared: schema.stored)
/// ```
///
/// New entities, new columns that are optional or have a default (the timestamp of an insert counts,
/// new UUIDs do not), and new indexes are additions.
/// Entities and columns that the program does not declare stay, and so do indexes over such
/// columns; an index over declared columns alone that the program no longer declares is dropped.
/// Anything else is a difference that cannot be met. Under the strict policy everything is one.
/// Order of declaration, names in the program and where UUID keys come from are no differences.
///
/// A declaration that keeps its name in the program and is stored elsewhere (an entity, an
/// attribute, the links of a relationship) is a difference: it would seem to have lost its values.
/// A program of a lower version than the store's is refused, unless the store admits its version.
/// Then nothing is added, and the schema to be stored is the store's (clause 10.10). Declarations under
/// former names are compared by the aliases that the store records.
public struct SchemaComparison {
  let stored: StoredSchema
  let declared: StoredSchema
  private let policy: StoreOptions.SchemaPolicy
  let isReadOnly: Bool
  /// True for an older program that the store admits.
  var isOlder = false
  var changes: SchemaChanges
  private var failures: [StoreError] = []

  /// Compares a store's schema with a program's, and returns the additions.
  ///
  /// - Throws: `schemaMismatch`, with every difference in `failures`, when the program needs more
  ///   than additions, or only reads and needs additions; `schemaTooNew` when a program of a higher
  ///   version has opened the store, and the store does not admit this one with the access it asks for.
  public static func compare(
    stored: StoredSchema, declared: StoredSchema, policy: StoreOptions.SchemaPolicy = .additive,
    isReadOnly: Bool = false
  ) throws -> SchemaChanges {
    var comparison = SchemaComparison(
      stored: stored, declared: declared, policy: policy, isReadOnly: isReadOnly)
    return try comparison.run()
  }

  private init(
    stored: StoredSchema, declared: StoredSchema, policy: StoreOptions.SchemaPolicy,
    isReadOnly: Bool
  ) {
    self.stored = stored
    self.declared = declared.following(aliasesOf: stored)
    self.policy = policy
    self.isReadOnly = isReadOnly
    var union = stored
    union.entities = []
    self.changes = SchemaChanges(union: union)
  }

  private mutating func run() throws -> SchemaChanges {
    try compareVersions()
    for entity in stored.entities {
      if let wanted = declared.entities.first(where: { $0.name == entity.name }) {
        changes.union.entities.append(join(entity, wanted))
      } else {
        changes.union.entities.append(entity)
        refuseIfStrict("the store has an entity that the program does not declare", entity)
      }
    }
    for entity in declared.entities where stored.index(of: entity.name) == nil {
      changes.union.entities.append(entity)
      changes.addedEntities.append(entity.name)
      refuseIfStrict("the store lacks an entity that the program declares", entity)
    }
    findSharedIndexNames()
    findMovedEntities()
    findRenamedEntities()
    compareRelationships()
    keepUndeclaredRelationships()
    compareDerived()
    refuseAdditions()
    guard failures.isEmpty else {
      let count = failures.count == 1 ? "one difference" : "\(failures.count) differences"
      throw StoreError(
        .schemaMismatch, "the store's schema does not fit the program's: \(count)",
        failures: failures)
    }
    if addsNothing { return SchemaChanges(union: stored) }
    if let version = declared.version {
      changes.union.raise(to: version, keeping: stored.access(to: changes.union))
    }
    return changes
  }

  private mutating func join(_ old: StoredEntity, _ new: StoredEntity) -> StoredEntity {
    var union = old
    refuseIfRespelled(old.name, new.name, new)
    union.modelName = new.modelName
    union.keySource = new.keySource
    union.relationships = new.relationships
    union.templates = new.templates
    union.rules = new.rules
    union.columns = joinColumns(old, new)
    if old.key.map({ old.columns[$0].name }) != new.key.map({ new.columns[$0].name }) {
      refuse(
        "the store and the program declare different primary "
          + "keys", new, keyNames(old) + keyNames(new))
    } else if generation(old) != generation(new) {
      refuse("the store and the program generate primary keys differently", new, keyNames(new))
    }
    union.indexes = joinIndexes(old, new, union)
    // A store that is past the limit already is opened as it is.
    if union.width > max(StoredEntity.maximumColumns, old.width) {
      refuse(
        "with the columns that are only in the store it would have \(union.width), and the limit "
          + "is "
          + "\(StoredEntity.maximumColumns)", new)
    }
    union.subentities = joinSubentities(old, new)
    return union
  }

  private mutating func joinColumns(
    _ old: StoredEntity, _ new: StoredEntity
  ) -> [StoredColumn] {
    var columns = old.columns
    for (position, column) in old.columns.enumerated() {
      guard let wanted = new.column(named: column.name).map({ new.columns[$0] }) else {
        if !column.isOptional && column.defaultValue == nil && !isReader {
          refuse(
            "the store has a required attribute without a default that the program does not "
              + "declare", new, [column.attribute])
        } else {
          refuseIfStrict(
            "the store has an attribute that the program does not declare", new,
            [column.attribute])
        }
        continue
      }
      refuseIfRespelled(column.name, wanted.name, new, [wanted.attribute])
      compare(column, wanted, in: new)
      columns[position] = wanted
    }
    for column in new.columns where old.column(named: column.name) == nil {
      columns.append(column)
      changes.addedColumns.append(.init(new.name, column.name))
      if refuseIfRenamed(column, old, new) {
        continue
      } else if !column.canBeAdded {
        refuse(
          "the store lacks a required attribute that has no default", new, [column.attribute])
      } else {
        refuseIfStrict(
          "the store lacks an attribute that the program declares", new, [column.attribute])
      }
    }
    return columns
  }

  /// Refuses a name that is canonically equal to the store's, and has other scalars.
  private mutating func refuseIfRespelled(
    _ old: String, _ new: String, _ entity: StoredEntity, _ attributes: [String] = []
  ) {
    if old.hasSameScalars(as: new) { return }
    refuse(
      "the store has the name in other Unicode scalars; declare it as the store has it", entity,
      attributes)
  }

  private mutating func compare(
    _ old: StoredColumn, _ new: StoredColumn, in entity: StoredEntity
  ) {
    let attribute = [new.attribute]
    if old.type != new.type {
      refuse("the type is \(old.type) in the store, \(new.type) in the program", entity, attribute)
    }
    if differsInOptionality(old, new) {
      let state = old.isOptional ? "optional in the store" : "required in the store"
      refuse("\(state), but not in the program", entity, attribute)
    }
    if old.isNormalized != new.isNormalized {
      let state = old.isNormalized ? "normalized in the store" : "not normalized in the store"
      refuse("\(state), but not in the program", entity, attribute)
    }
    if (old.externalThreshold == nil) != (new.externalThreshold == nil) {
      let state =
        old.externalThreshold == nil
        ? "stored in the row by the store" : "stored externally by the store"
      refuse("\(state), but not in the program", entity, attribute)
    }
    if old.defaultValue != new.defaultValue || old.computedDefault != new.computedDefault {
      refuseIfStrict("the defaults differ", entity, attribute)
    }
  }

  private mutating func joinIndexes(
    _ old: StoredEntity, _ new: StoredEntity, _ union: StoredEntity
  ) -> [StoredIndex] {
    var indexes: [StoredIndex] = []
    for index in old.indexes {
      let knowsEveryColumn = index.terms.allSatisfy {
        new.column(named: old.columns[$0.column].name) != nil
      }
      let wanted = new.indexes.first { $0.name == index.name }.map { move($0, new, union) }
      if wanted == index || (wanted == nil && !knowsEveryColumn) {
        indexes.append(index)
      } else {
        changes.droppedIndexes.append(.init(new.name, index.name))
        refuseIfStrict(
          "the program does not declare the index \(index.name) as the store has it", new,
          index.terms.map { old.columns[$0.column].attribute })
      }
    }
    for index in new.indexes where !indexes.contains(where: { $0.name == index.name }) {
      indexes.append(move(index, new, union))
      changes.addedIndexes.append(.init(new.name, index.name))
      refuseIfStrict(
        "the store lacks the index \(index.name)", new,
        index.terms.map { new.columns[$0.column].attribute })
    }
    return indexes
  }

  /// An index of `entity` with its positions counted in `union`'s columns.
  private func move(
    _ index: StoredIndex, _ entity: StoredEntity, _ union: StoredEntity
  ) -> StoredIndex {
    var moved = index
    moved.terms = index.terms.map { term in
      var term = term
      term.column = union.column(named: entity.columns[term.column].name) ?? term.column
      return term
    }
    return moved
  }

  private mutating func findSharedIndexNames() {
    var owners: [String: String] = [:]
    for entity in changes.union.entities {
      for index in entity.indexes {
        if let owner = owners.updateValue(entity.name, forKey: index.name), owner != entity.name {
          refuse("the index name \(index.name) is taken by \(owner)", entity)
        }
      }
    }
  }

  /// Returns the key source as the store sees it: `program` unless the store generates the keys.
  private func generation(_ entity: StoredEntity) -> StoredEntity.KeySource {
    entity.generatesKeys ? entity.keySource : .program
  }

  private func keyNames(_ entity: StoredEntity) -> [String] {
    entity.key.map { entity.columns[$0].attribute }
  }

  mutating func refuse(
    _ message: String, _ entity: StoredEntity, _ attributes: [String] = []
  ) {
    let names = entity.programNames(of: attributes)
    let failure = StoreError(
      .schemaMismatch, message, entity: names.entity, attributes: names.attributes)
    if !failures.contains(failure) { failures.append(failure) }
  }

  mutating func refuseIfStrict(
    _ message: String, _ entity: StoredEntity, _ attributes: [String] = []
  ) {
    if policy.isStrict { refuse(message, entity, attributes) }
  }

  /// Refuses a difference of the whole schema under the strict policy.
  mutating func refuseIfStrict(_ message: String) {
    if policy.isStrict { failures.append(StoreError(.schemaMismatch, message)) }
  }
}
