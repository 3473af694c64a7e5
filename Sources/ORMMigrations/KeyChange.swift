internal import ORMRows
internal import ORMStorage

/// A change of an entity's primary key, and of the columns that refer to it.
///
/// Rows are copied into a draft of the entity under the new key. Columns of other entities that hold
/// the old key get drafts beside them, and join entities, whose keys they are part of, are copied too.
struct KeyChange {
  /// The entity as it was.
  var old: StoredEntity
  /// The attributes of its rows that hold the new key.
  let key: [String]
  /// The names of the attributes of the new key, after which columns that refer to it are named.
  let names: [String]
  /// The types of the new key.
  let types: [AttributeType]
  /// True if the store makes the new keys from then on.
  var isGenerated = false
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
  }

  /// The name of a copy, which no program can give.
  static func draft(of name: String) -> String { "\(name)$key" }
}

extension SchemaDraft {
  /// Runs an operation on the rows that a store has under a draft; without data, does nothing.
  typealias Pass = (inout SchemaDraft, (WriteTransaction) throws -> Void) throws -> Void

  /// Changes the key of an entity, and its rows by the passes.
  mutating func changeKey(
    of name: String, to names: [String], isGenerated: Bool, _ pass: Pass
  ) throws {
    var change = try keyChange(of: name, to: names, isGenerated: isGenerated)
    try pass(&self) { tx in try change.check(in: tx) }
    try changeLinks(by: change, pass)
    change.old = try entity(name)
    try addCopy(of: change)
    try pass(&self) { tx in try change.copyRows(in: tx) }
    let relationships = change.old.relationships
    if let position = schema.index(of: change.old.name) { removeRoot(at: position) }
    try renameEntity(KeyChange.draft(of: name), to: name)
    describe { schema in
      schema.editEntities { if $0.modelName == name { $0.relationships = relationships } }
    }
  }

  /// Replaces the columns that hold the old key by columns with the new one.
  mutating func changeLinks(by change: KeyChange, _ pass: Pass) throws {
    if change.references.isEmpty, change.joins.isEmpty { return }
    try addDrafts(of: change)
    try pass(&self) { tx in try change.copyLinks(in: tx) }
    try finish(change)
  }

  /// Finds the entities and columns that a change of a key concerns.
  ///
  /// - Throws: `invalidPlan` for attributes that cannot be a key, and for entities of a hierarchy.
  private func keyChange(
    of name: String, to names: [String], isGenerated: Bool
  ) throws -> KeyChange {
    let entity = try self.entity(name)
    guard entity.parent == nil, entity.subentities.isEmpty else {
      throw fault("the key of a hierarchy cannot be changed", name)
    }
    guard !names.isEmpty, Set(names).count == names.count else {
      throw fault("a key is made of one or more attributes, each once", name, names)
    }
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
    var change = KeyChange(
      old: entity, key: names, names: names, types: types, isGenerated: isGenerated)
    try addLinks(to: &change)
    return change
  }

  /// A relationship whose links hold keys of an entity, with the entity that has the columns.
  struct KeyReferrer {
    var owner: String
    var relationship: RelationshipDescription
    var entity: String
    var names: [String]
    var isJoin = false
  }

  /// Finds the columns that hold keys of an entity, those of join entities among them.
  func keyReferrers(of name: String) -> [KeyReferrer] {
    var referrers: [KeyReferrer] = []
    for owner in schema.everyEntity {
      let parent = owner.parent.flatMap { schema.entity(named: $0) }
      for relationship in owner.relationships
      where parent?.relationship(named: relationship.name) == nil {
        var referrer = KeyReferrer(
          owner: owner.modelName, relationship: relationship, entity: owner.modelName, names: [])
        switch relationship.storage {
        case .own(let names, position: _) where relationship.target == name: referrer.names = names
        case .target(let names, position: _)
        where owner.modelName == name && relationship.inverse == nil:
          referrer.entity = relationship.target
          referrer.names = names
        case .join(let join, let own, let target, position: _) where relationship.through == nil:
          if referrers.contains(where: { $0.isJoin && $0.entity == join }) { continue }
          referrer.entity = join
          referrer.isJoin = true
          referrer.names =
            (owner.modelName == name ? own : []) + (relationship.target == name ? target : [])
        default: break
        }
        if !referrer.names.isEmpty { referrers.append(referrer) }
      }
    }
    return referrers
  }

  /// Adds the columns and the join entities that refer to the key.
  ///
  /// - Throws: `invalidPlan` for columns that cannot follow.
  func addLinks(to change: inout KeyChange) throws {
    for referrer in keyReferrers(of: change.old.modelName) {
      guard let root = schema.entity(named: referrer.entity) else { continue }
      if referrer.isJoin {
        change.joins.append((root, referrer.names))
        continue
      }
      guard root.parent == nil, root.subentities.isEmpty else {
        throw fault(
          "a subentity refers to the key, which cannot be changed then", referrer.entity,
          [referrer.relationship.name])
      }
      if root.modelName != change.old.modelName,
        root.keyAttributes.contains(where: referrer.names.contains)
      {
        throw fault(
          "the key of another entity refers to it; change that first", referrer.entity,
          [referrer.relationship.name])
      }
      let columns = referrer.names.compactMap { root.column(ofAttribute: $0) }
      guard let first = columns.first else { continue }
      let stem =
        root.columns[first].isInternal
        ? "_\(referrer.owner)_\(referrer.relationship.name)" : referrer.relationship.name
      change.references.append(
        KeyChange.Reference(
          entity: referrer.entity, names: referrer.names,
          newNames: change.names.map { "\(stem)_\($0)" }, types: change.types,
          isRequired: !root.columns[first].isOptional, isInternal: root.columns[first].isInternal))
    }
  }

  /// Adds the draft of the entity under its new key.
  private mutating func addCopy(of change: KeyChange) throws {
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
  }

  /// Adds the drafts of join entities and of columns that refer to the key.
  private mutating func addDrafts(of change: KeyChange) throws {
    let types = change.types
    for (entity, names) in change.joins {
      var join = entity
      join.name = KeyChange.draft(of: join.name)
      join.modelName = KeyChange.draft(of: join.modelName)
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

  /// Replaces join entities and columns by their drafts.
  private mutating func finish(_ change: KeyChange) throws {
    for reference in change.references {
      for name in reference.names {
        guard schema.entity(named: reference.entity)?.column(ofAttribute: name) != nil else {
          continue
        }
        remove(try location(name, of: reference.entity))
      }
      for name in reference.newNames {
        try renameAttribute(KeyChange.draft(of: name), to: name, in: reference.entity)
        if reference.isRequired { try setOptional(name, in: reference.entity, false) }
        edit(try location(name, of: reference.entity)) { column, _ in
          column.isInternal = reference.isInternal
        }
      }
    }
    for join in change.joins {
      let draft = KeyChange.draft(of: join.entity.modelName)
      if let position = schema.index(of: join.entity.name) { removeRoot(at: position) }
      try renameEntity(draft, to: join.entity.modelName)
    }
    let name = change.old.modelName
    describe { schema in
      schema.editEntities { entity in
        for position in entity.relationships.indices {
          let relationship = entity.relationships[position]
          func replaced(_ names: [String]) -> [String] {
            change.references.first {
              $0.names == names
                && ($0.entity == entity.modelName || $0.entity == relationship.target)
            }?.newNames ?? names
          }
          switch relationship.storage {
          case .own(let names, let ordering) where relationship.target == name:
            entity.relationships[position].storage = .own(replaced(names), position: ordering)
          case .target(let names, let ordering) where entity.modelName == name:
            entity.relationships[position].storage = .target(replaced(names), position: ordering)
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

  /// Copies the rows.
  func copyRows(in tx: WriteTransaction) throws {
    let draft = Self.draft(of: old.modelName)
    let flat = try EntityPlan(old.modelName, in: tx.store).entity
    try tx.migrationBatches(of: flat) { rows in
      try copy(rows.map { DynamicRow(draft, $0.values) }, in: tx)
    }
  }

  /// Inserts copies of rows; two that get one key are rows of the entity with the same new key.
  private func copy(_ rows: [DynamicRow], in tx: WriteTransaction) throws {
    do { try tx.copy(rows) } catch var error as StoreError where error.code == .duplicate {
      error.entity = old.modelName
      error.attributes = key
      throw error
    }
  }

  /// Copies the links to the rows.
  func copyLinks(in tx: WriteTransaction) throws {
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
        try copy(
          rows.compactMap { row in
            var new = DynamicRow(Self.draft(of: entity.modelName), row.values)
            for end in ends {
              guard let key = keys[end.map { row[$0] }] else { return nil }
              for (name, value) in zip(end, key) { new[name] = value }
            }
            return new
          }, in: tx)
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
    let condition = Condition.isOne(of: Array(wanted), names)
    var keys: [[StoredValue]: [StoredValue]] = [:]
    for row in try tx.fetch(DynamicQuery(old.modelName, where: condition, deleted: .included)) {
      keys[names.map { row[$0] }] = key.map { row[$0] }
    }
    return keys
  }
}

extension Condition {
  /// A condition that attributes have the values of one of several keys.
  static func isOne(of keys: [[StoredValue]], _ names: [String]) -> Condition {
    names.count == 1
      ? .isIn(.attribute(names[0]), list: .value(.array(keys.compactMap(\.first))), [])
      : .any(
        keys.map { key in
          .all(zip(names, key).map { .compare(.attribute($0), .equal, .value($1), []) })
        })
  }
}
