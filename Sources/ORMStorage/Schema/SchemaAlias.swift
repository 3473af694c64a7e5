internal import ORMValues

/// An earlier name of an entity, an attribute or a relationship, which programs of older versions go on
/// using (clause 10.10).
///
/// ```swift
/// let alias = SchemaAlias(name: "flavour", of: "taste", in: "Snack", version: 2)
/// ```
public struct SchemaAlias: Hashable, Codable, Sendable {
  /// The earlier name in the program.
  public var name: String
  /// The entity by its name now: the one that was renamed, or the one that has the property.
  public var entity: String
  /// The attribute or relationship by its name now; nil if the entity itself was renamed.
  public var property: String?
  /// The version of the migration that gave the other name; the alias ends with the next version.
  public var version: Int

  /// Makes an alias.
  ///
  /// - Parameters:
  ///   - name: the earlier name in the program.
  ///   - property: the attribute or relationship; nil for the entity itself.
  ///   - entity: the entity.
  ///   - version: the version that gave the other name.
  public init(name: String, of property: String? = nil, in entity: String, version: Int) {
    self.name = name
    self.entity = entity
    self.property = property
    self.version = version
  }
}

extension SchemaAlias: CustomStringConvertible {
  /// The alias in a line: `Snack.taste was flavour before version 2`.
  public var description: String {
    "\(entity)\(property.map { ".\($0)" } ?? "") was \(name) before version \(version)"
  }
}

extension StoredSchema {
  /// True if the store keeps, beside the rows, records with the names that programs have for entities and
  /// attributes: a history, or the journal of a coordinator.
  ///
  /// They do not follow aliases, so that no older program is admitted by one.
  package var keepsNames: Bool {
    entities.contains { $0.holdsHistory || CoordinatorEntity.isEntity($0) }
  }

  /// Forgets the aliases that a version before this one gave, and admits no program that needs them.
  package mutating func endAliases() {
    guard let version, let known = aliases else { return }
    let current = known.filter { $0.version == version }
    aliases = current.isEmpty ? nil : current
    guard let ended = known.map(\.version).filter({ $0 < version }).max() else { return }
    limit(
      writers: max(minimumWriter ?? version, ended), readers: max(minimumReader ?? version, ended))
  }

  /// Returns the schema of a program with the names that a newer store has for its parts, if the store
  /// keeps the earlier names as aliases.
  ///
  /// Only names in the store change: the program goes on with its own. The schema of any other program
  /// is returned as it is, with the migrations that the store went through. A store looks its entities and columns up by the result, and returns it as
  /// ``Store/schema``:
  ///
  /// ```swift
  /// func lookUp(_ declared: StoredSchema, in stored: StoredSchema) throws {
  ///   let changes = try SchemaComparison.compare(stored: stored, declared: declared)
  ///   let program = declared.following(aliasesOf: changes.union)
  ///   let layout = changes.union.naming(attributesAs: program)
  ///   print(program.entities.count, layout.entities.count)
  /// }
  /// ```
  ///
  /// It compares versions, so call it once for each opening, on the schema that the program declares:
  /// two names that were exchanged would be exchanged again.
  ///
  /// - Parameter stored: the schema that the store holds, after its migration and additions.
  public func following(aliasesOf stored: StoredSchema) -> StoredSchema {
    var program = self
    program.migrations = stored.migrations
    guard let version, let held = stored.version, version < held else { return program }
    let aliases = (stored.aliases ?? []).filter { $0.version > version }
    if aliases.isEmpty { return program }
    var names = AliasedNames(program, stored, aliases)
    names.pair()
    return names.schema ?? program
  }

  /// Returns the schema that a store holds with the attributes' names of a program.
  ///
  /// Conditions and errors name attributes as the program does. Entities that it does not declare stay
  /// as they are.
  ///
  /// - Parameter program: the schema of the program, which follows the aliases of the store.
  public func naming(attributesAs program: StoredSchema) -> StoredSchema {
    var schema = self
    schema.entities = entities.map { entity in
      program[entity.name].map { entity.naming(attributesAs: $0) } ?? entity
    }
    return schema
  }

  /// Throws `schemaMismatch` if an entity has another name in the store than in the schema of a program
  /// that has the store open.
  ///
  /// Requests that the program keeps name entities as the store did.
  package func checkEntities(areThoseOf known: StoredSchema) throws {
    if everyEntity.map(\.name) == known.everyEntity.map(\.name) { return }
    throw StoreError(
      .schemaMismatch,
      "another program has renamed entities that this program declares; open the store again")
  }
}

extension StoredEntity {
  /// Returns the entity with the attributes' names of a program, for its conditions and the errors about
  /// its writes.
  ///
  /// - Parameter program: the entity in the schema of the program, which follows the aliases of the
  ///   store.
  public func naming(attributesAs program: StoredEntity) -> StoredEntity {
    var entity = self
    for column in program.columns {
      if let position = entity.column(named: column.name) {
        entity.columns[position].attribute = column.attribute
      }
    }
    return entity
  }
}

/// The names in a newer store of the parts that an older program declares.
private struct AliasedNames {
  /// The schema of the program.
  private let declared: StoredSchema
  private let stored: StoredSchema
  /// The names now of entities, by their earlier names in the program.
  private var renamedEntities: [String: String] = [:]
  /// The names now of attributes and relationships, by their earlier names.
  private var renamedProperties: [Property: String] = [:]
  /// The names in the store of entities, by the names in the store that the program declares.
  private var entities: [String: String] = [:]
  /// The names in the store of columns, by those that the program declares for them in a root.
  private var columns: [SchemaChanges.Part: String] = [:]

  private struct Property: Hashable {
    /// The entity by its name now.
    var entity: String
    var name: String
  }

  init(_ declared: StoredSchema, _ stored: StoredSchema, _ aliases: [SchemaAlias]) {
    self.declared = declared
    self.stored = stored
    // A name that was given and taken within one version comes after the one from before.
    for alias in aliases {
      if let property = alias.property {
        let alias = Property(entity: alias.entity, name: alias.name)
        if renamedProperties[alias] == nil { renamedProperties[alias] = property }
      } else if renamedEntities[alias.name] == nil {
        renamedEntities[alias.name] = alias.entity
      }
    }
  }

  /// Pairs entities, columns and links.
  mutating func pair() {
    for entity in declared.everyEntity {
      guard let held = held(entity) else { continue }
      entities[entity.name] = held.name
      pairColumns(of: entity, held)
    }
    for entity in declared.everyEntity {
      guard let held = held(entity) else { continue }
      for relationship in entity.relationships { pair(relationship, of: entity, held) }
    }
  }

  private func held(_ entity: StoredEntity) -> StoredEntity? {
    renamedEntities[entity.modelName].map { stored.entity(named: $0) } ?? stored[entity.name]
  }

  private mutating func pairColumns(of entity: StoredEntity, _ held: StoredEntity) {
    let isRenamed = renamedEntities[entity.modelName] != nil
    for column in entity.columns where !column.isInternal {
      let name = renamedProperties[Property(entity: held.modelName, name: column.attribute)]
      if name != nil || isRenamed {
        pair([column.attribute], of: entity, [name ?? column.attribute], of: held)
      }
    }
  }

  /// Pairs the columns or the join entities that hold the links of a relationship.
  private mutating func pair(
    _ relationship: RelationshipDescription, of entity: StoredEntity, _ held: StoredEntity
  ) {
    let name = renamedProperties[Property(entity: held.modelName, name: relationship.name)]
    guard let other = held.relationship(named: name ?? relationship.name) else { return }
    switch (relationship.storage, other.storage) {
    case (.own(let before, let position), .own(let after, let newPosition)):
      pair(before, position, of: entity, after, newPosition, of: held)
    case (.target(let before, let position), .target(let after, let newPosition)):
      guard let target = declared.entity(named: relationship.target),
        let heldTarget = stored.entity(named: other.target)
      else { return }
      pair(before, position, of: target, after, newPosition, of: heldTarget)
    case (
      .join(let join, let own, let target, let position),
      .join(let newJoin, let newOwn, let newTarget, let newPosition)
    ):
      guard let links = declared.entity(named: join),
        let heldLinks = stored.entity(named: newJoin)
      else { return }
      if relationship.through == nil { entities[links.name] = heldLinks.name }
      pair(own + target, position, of: links, newOwn + newTarget, newPosition, of: heldLinks)
    default: break
    }
  }

  private mutating func pair(
    _ before: [String], _ position: String?, of entity: StoredEntity, _ after: [String],
    _ newPosition: String?, of held: StoredEntity
  ) {
    pair(before, of: entity, after, of: held)
    if let position, let newPosition {
      pair([position], of: entity, [newPosition], of: held)
    }
  }

  private mutating func pair(
    _ before: [String], of entity: StoredEntity, _ after: [String], of held: StoredEntity
  ) {
    guard before.count == after.count else { return }
    for (old, new) in zip(before, after) {
      guard let column = entity.column(ofAttribute: old), let other = held.column(ofAttribute: new)
      else { continue }
      columns[.init(declared.root(of: entity).name, entity.columns[column].name)] =
        held.columns[other].name
    }
  }

  /// The schema of the program with the names of the store; nil if two parts have one name by it.
  var schema: StoredSchema? {
    var schema = declared
    for position in schema.entities.indices {
      let root = declared.entities[position]
      rename(&schema.entities[position], in: root)
      schema.entities[position].subentities = root.subentities.map { view in
        var view = view
        rename(&view, in: root)
        return view
      }
      let names = schema.entities[position].columns.map(\.name)
      guard Set(names).count == names.count else { return nil }
      nameIndexes(of: &schema.entities[position])
    }
    let names = schema.everyEntity.map(\.name)
    return Set(names).count == names.count ? schema : nil
  }

  private func rename(_ entity: inout StoredEntity, in root: StoredEntity) {
    entity.name = entities[entity.name] ?? entity.name
    for position in entity.columns.indices {
      let name = entity.columns[position].name
      entity.columns[position].name = columns[.init(root.name, name)] ?? name
    }
  }

  /// Gives indexes over the same terms the names that they have in the store.
  private func nameIndexes(of entity: inout StoredEntity) {
    guard let held = stored[entity.name] else { return }
    for position in entity.indexes.indices {
      let index = entity.indexes[position]
      let terms = index.terms.map { IndexTerm($0, in: entity) }
      let same = held.indexes.filter {
        $0.isUnique == index.isUnique && $0.terms.map { IndexTerm($0, in: held) } == terms
      }
      guard let first = same.first, !same.contains(where: { $0.name == index.name }) else {
        continue
      }
      entity.indexes[position].name = first.name
    }
  }

  /// A term of an index by the name of its column.
  private struct IndexTerm: Equatable {
    let column: String?
    let isDescending: Bool
    let form: StoredIndex.Form

    init(_ term: StoredIndex.Term, in entity: StoredEntity) {
      column =
        entity.columns.indices.contains(term.column) ? entity.columns[term.column].name : nil
      isDescending = term.isDescending
      form = term.form
    }
  }
}
