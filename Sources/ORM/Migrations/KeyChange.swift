internal import ORMCore

/// A change of an entity's primary key, and of the columns that refer to it.
///
/// Rows are copied into a draft of the entity under the new key. Columns of other entities that hold
/// the old key get drafts beside them, and join entities, whose keys they are part of, are copied too.
struct KeyChange {
  /// The entity as it was.
  let old: StoredEntity
  /// The attributes of the new key.
  let key: [String]
  /// True if the store makes the new keys from then on.
  let isGenerated: Bool
  /// The columns that refer to the key.
  var references: [Reference] = []
  /// The join entities that refer to the key, with the attributes that hold it.
  var joins: [(entity: StoredEntity, names: [String])] = []

  /// Columns of an entity that hold the old key.
  struct Reference {
    /// The root that has the columns, by its name in the program.
    var entity: String
    /// The attributes with the old key.
    var names: [String]
    /// The attributes that replace them.
    var newNames: [String]
    /// The types of the new key.
    var types: [AttributeType]
    /// True if links must lead somewhere.
    var isRequired: Bool
    /// True if no model sees the columns.
    var isInternal: Bool
    /// The relationship of the declaration, by owner and name.
    var relationship: (entity: String, name: String)
  }

  /// The name of a copy, which no program can give.
  static func draft(of name: String) -> String { "\(name)$key" }
}

extension SchemaDraft {
  /// Changes a schema as a change of a key does.
  mutating func changeKey(of entity: String, to names: [String], isGenerated: Bool) throws {
    let change = try keyChange(of: entity, to: names, isGenerated: isGenerated)
    try addCopies(of: change)
    try finish(change)
  }

  /// Finds what a change of a key concerns.
  ///
  /// - Throws: `invalidPlan` for attributes that cannot be a key, and for entities of a hierarchy.
  func keyChange(
    of name: String, to names: [String], isGenerated: Bool
  ) throws -> KeyChange {
    let entity = try self.entity(name)
    guard entity.parent == nil, entity.subentities.isEmpty else {
      throw fault("the key of a hierarchy cannot be changed", name)
    }
    guard !names.isEmpty, Set(names).count == names.count else {
      throw fault("a key is made of one or more attributes, each once", name, names)
    }
    var change = KeyChange(old: entity, key: names, isGenerated: isGenerated)
    let types = try names.map { attribute in
      guard let column = entity.column(ofAttribute: attribute) else {
        throw fault("the entity has no attribute of this name at this version", name, [attribute])
      }
      guard entity.columns[column].type.isScalar, entity.columns[column].externalThreshold == nil
      else { throw fault("an attribute of this type cannot be a key", name, [attribute]) }
      return entity.columns[column].type
    }
    if isGenerated, types != [.int64] {
      throw fault("a store makes keys of one int64 attribute", name, names)
    }
    for owner in schema.entities {
      for relationship in owner.relationships {
        let held: (entity: String, names: [String])?
        switch relationship.storage {
        case .own(let names, position: _) where relationship.target == name:
          held = (owner.modelName, names)
        case .target(let names, position: _)
        where owner.modelName == name && relationship.inverse == nil:
          held = (relationship.target, names)
        case .join(let join, let own, let target, position: _) where relationship.through == nil:
          guard let joined = schema.entity(named: join),
            !change.joins.contains(where: { $0.entity.name == joined.name })
          else { continue }
          let names =
            (owner.modelName == name ? own : []) + (relationship.target == name ? target : [])
          if !names.isEmpty { change.joins.append((joined, names)) }
          continue
        default: held = nil
        }
        guard let held else { continue }
        guard let root = schema.entity(named: held.entity), root.parent == nil,
          root.subentities.isEmpty
        else {
          throw fault(
            "a subentity refers to the key, which cannot be changed then", held.entity,
            [relationship.name])
        }
        if root.keyAttributes.contains(where: held.names.contains) {
          throw fault(
            "the key of another entity refers to it; change that first", held.entity,
            [relationship.name])
        }
        let columns = held.names.compactMap { root.column(ofAttribute: $0) }
        guard let first = columns.first else { continue }
        let stem =
          root.columns[first].isInternal
          ? "_\(owner.modelName)_\(relationship.name)" : relationship.name
        change.references.append(
          KeyChange.Reference(
            entity: held.entity, names: held.names, newNames: names.map { "\(stem)_\($0)" },
            types: types, isRequired: !root.columns[first].isOptional,
            isInternal: root.columns[first].isInternal,
            relationship: (owner.modelName, relationship.name)))
      }
    }
    return change
  }

  /// Adds the draft of the entity, of join entities and of columns that refer to the key.
  mutating func addCopies(of change: KeyChange) throws {
    var copy = change.old
    copy.name = KeyChange.draft(of: copy.name)
    copy.modelName = KeyChange.draft(of: copy.modelName)
    copy.relationships = []
    copy.templates = []
    copy.rules = []
    copy.keySource = change.isGenerated ? .generated : .program
    copy.key = change.key.compactMap { copy.column(ofAttribute: $0) }
    for position in copy.key {
      copy.columns[position].isOptional = false
      copy.columns[position].defaultValue = nil
    }
    copy.indexes = copy.indexes.map { index in
      var index = index
      index.name = KeyChange.draft(of: index.name)
      return index
    }
    try add(copy)
    for (entity, names) in change.joins {
      var join = entity
      join.name = KeyChange.draft(of: join.name)
      join.modelName = KeyChange.draft(of: join.modelName)
      let types = change.key.compactMap { name in
        change.old.column(ofAttribute: name).map { change.old.columns[$0].type }
      }
      guard types.count == change.old.key.count, names.count.isMultiple(of: types.count) else {
        throw fault(
          "a many-to-many leads to it, whose links hold \(change.old.key.count) attributes of the key",
          change.old.modelName)
      }
      for (position, name) in names.enumerated() {
        guard let column = join.column(ofAttribute: name) else { continue }
        join.columns[column].type = types[position % types.count]
      }
      join.indexes = join.indexes.map { index in
        var index = index
        index.name = KeyChange.draft(of: index.name)
        return index
      }
      try add(join)
    }
    for reference in change.references {
      guard let root = schema.entity(named: reference.entity),
        let position = schema.index(of: root.name)
      else { continue }
      for (name, type) in zip(reference.newNames, reference.types) {
        try add(
          StoredColumn(
            KeyChange.draft(of: name), type, attribute: KeyChange.draft(of: name),
            isOptional: true), to: position)
      }
    }
  }

  /// Puts the drafts in the place of what they were made of.
  mutating func finish(_ change: KeyChange) throws {
    for reference in change.references {
      for name in reference.names {
        guard schema.entity(named: reference.entity)?.column(ofAttribute: name) != nil else {
          continue
        }
        remove(try place(name, of: reference.entity))
      }
      for name in reference.newNames {
        try renameAttribute(KeyChange.draft(of: name), to: name, in: reference.entity)
        if reference.isRequired { try setOptional(name, in: reference.entity, false) }
        edit(try place(name, of: reference.entity)) { column, _ in
          column.isInternal = reference.isInternal
        }
      }
    }
    let relationships = change.old.relationships
    for join in change.joins {
      let draft = KeyChange.draft(of: join.entity.modelName)
      if let position = schema.index(of: join.entity.name) { removeRoot(at: position) }
      try renameEntity(draft, to: join.entity.modelName)
    }
    if let position = schema.index(of: change.old.name) { removeRoot(at: position) }
    try renameEntity(
      KeyChange.draft(of: change.old.modelName), to: change.old.modelName)
    let name = change.old.modelName
    describe { schema in
      schema.editEntities { entity in
        if entity.modelName == name { entity.relationships = relationships }
        for position in entity.relationships.indices {
          let relationship = entity.relationships[position]
          func replaced(_ names: [String]) -> [String] {
            change.references.first {
              $0.names == names
                && ($0.entity == entity.modelName || $0.entity == relationship.target)
            }?.newNames ?? names
          }
          switch relationship.storage {
          case .own(let names, let place) where relationship.target == name:
            entity.relationships[position].storage = .own(replaced(names), position: place)
          case .target(let names, let place) where entity.modelName == name:
            entity.relationships[position].storage = .target(replaced(names), position: place)
          default: break
          }
        }
      }
    }
  }
}

extension KeyChange {
  /// Throws `missingValue` if the new key is nil in any row.
  func check(in tx: WriteTransaction) throws {
    let isNil = Condition.any(
      key.map { .compare(.attribute($0), .equal, .value(.null), []) })
    try tx.expectNone(
      DynamicQuery(old.modelName, where: isNil), .missingValue,
      "the value is nil, which no primary key is", key)
    if isGenerated {
      let isTooSmall = Condition.any(
        key.map { .compare(.attribute($0), .less, .value(.int(1)), []) })
      try tx.expectNone(
        DynamicQuery(old.modelName, where: isTooSmall), .invalidValue,
        "a key that the store makes is greater than 0", key)
    }
  }

  /// Copies the rows, then the links.
  func run(in tx: WriteTransaction) throws {
    let draft = Self.draft(of: old.modelName)
    let flat = try EntityPlan(old.modelName, in: tx.store).entity
    try tx.migrationBatches(of: flat) { rows in
      do {
        try tx.copy(rows.map { DynamicRow(draft, $0.values) })
      } catch var error as StoreError where error.code == .duplicate {
        error.entity = old.modelName
        error.attributes = key
        throw error
      }
    }
    for reference in references {
      let entity = try EntityPlan(reference.entity, in: tx.store).entity
      let isThere = Condition.all(
        reference.names.map { .compare(.attribute($0), .notEqual, .value(.null), []) })
      try tx.migrationBatches(of: entity, where: isThere) { rows in
        let keys = try newKeys(of: rows.map { row in reference.names.map { row[$0] } }, in: tx)
        try tx.rewrite(
          rows.compactMap { row in
            guard let key = keys[reference.names.map { row[$0] }] else { return nil }
            var new = DynamicRow(entity.modelName, row.key(of: entity))
            for (name, value) in zip(reference.newNames, key) {
              new[Self.draft(of: name)] = value
            }
            return new
          }, of: entity)
      }
    }
    for (entity, names) in joins {
      let flat = try EntityPlan(entity.modelName, in: tx.store).entity
      let ends = stride(from: 0, to: names.count, by: old.key.count).map {
        Array(names[$0..<min($0 + old.key.count, names.count)])
      }
      try tx.migrationBatches(of: flat) { rows in
        let keys = try newKeys(of: rows.flatMap { row in ends.map { $0.map { row[$0] } } }, in: tx)
        try tx.copy(
          rows.compactMap { row in
            var new = DynamicRow(Self.draft(of: entity.modelName), row.values)
            for end in ends {
              guard let key = keys[end.map { row[$0] }] else { return nil }
              for (name, value) in zip(end, key) { new[name] = value }
            }
            return new
          })
      }
    }
  }

  /// The new keys of rows by their old ones; a key that leads nowhere has none.
  private func newKeys(
    of oldKeys: [[StoredValue]], in tx: WriteTransaction
  ) throws -> [[StoredValue]: [StoredValue]] {
    let names = old.keyAttributes
    let wanted = Set(oldKeys)
    if wanted.isEmpty { return [:] }
    let condition: Condition =
      names.count == 1
      ? .isIn(.attribute(names[0]), list: .value(.array(wanted.map { $0[0] })), [])
      : .any(
        wanted.map { key in
          .all(zip(names, key).map { .compare(.attribute($0), .equal, .value($1), []) })
        })
    var keys: [[StoredValue]: [StoredValue]] = [:]
    for row in try tx.fetch(DynamicQuery(old.modelName, where: condition, deleted: .included)) {
      keys[names.map { row[$0] }] = key.map { row[$0] }
    }
    return keys
  }
}
