internal import ORMStorage

// Earlier names, which the schema keeps for programs of the version before.
extension SchemaDraft {
  /// Renames an entity in the aliases, and retains its name as an alias if that is asked for.
  mutating func renameInAliases(entity name: String, to new: String, alias: Bool) {
    let version = version
    describe { schema in
      schema.editAliases { known in
        if known.entity == name { known.entity = new }
      }
      if alias { schema.add(SchemaAlias(name: name, in: new, version: version)) }
    }
  }

  /// Renames an attribute or a relationship of some entities in the aliases, and retains its name as an
  /// alias if that is asked for.
  mutating func renameInAliases(
    property name: String, to new: String, of owners: [String], alias: Bool
  ) {
    let version = version
    describe { schema in
      schema.editAliases { known in
        if known.property == name, owners.contains(known.entity) { known.property = new }
      }
      if !alias { return }
      for owner in owners {
        schema.add(SchemaAlias(name: name, of: new, in: owner, version: version))
      }
    }
  }

  /// The names that parts of a schema have here by the aliases of a version; nil for no aliases.
  ///
  /// - Parameters:
  ///   - earlier: the schema before the version.
  ///   - number: the version.
  func aliasedNames(of earlier: StoredSchema, before number: Int) -> AliasedParts? {
    if schema.aliases?.contains(where: { $0.version == number }) != true { return nil }
    var (program, store) = (earlier, schema)
    program.version = number - 1
    store.version = number
    return AliasedParts(earlier, program.following(aliasesOf: store))
  }
}

/// The names in the store before and after the renames that aliases stand for.
struct AliasedParts {
  private var entities: [String: String] = [:]
  private var columns: [SchemaChanges.Part: SchemaChanges.Part] = [:]

  /// Pairs the parts of two schemas that have the same parts in the same order.
  fileprivate init(_ before: StoredSchema, _ after: StoredSchema) {
    for (entity, other) in zip(before.entities, after.entities) {
      entities[entity.name] = other.name
      for (column, renamed) in zip(entity.columns, other.columns) {
        columns[.init(entity.name, column.name)] = .init(other.name, renamed.name)
      }
    }
  }

  /// Returns whether an entity has its new name by an alias.
  func has(entity before: String, as name: String) -> Bool { entities[before] == name }

  /// Returns whether a column has its new name by an alias.
  func has(column before: SchemaChanges.Part, as part: SchemaChanges.Part) -> Bool {
    columns[before] == part
  }
}

extension StoredSchema {
  fileprivate mutating func add(_ alias: SchemaAlias) { aliases = (aliases ?? []) + [alias] }

  fileprivate mutating func editAliases(_ change: (inout SchemaAlias) -> Void) {
    guard var known = aliases else { return }
    for position in known.indices { change(&known[position]) }
    aliases = known
  }
}
