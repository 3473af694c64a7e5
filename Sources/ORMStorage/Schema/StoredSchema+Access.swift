// Older programs beside newer ones: an older program maintains only the parts that it declares. It may
// write as long as the store maintains all new parts by itself.

extension StoredSchema {
  /// Returns the access that programs of this schema may have to a store that keeps a newer one.
  ///
  /// ```swift
  /// let old = try Schema(Snack.self, version: 1).stored
  /// let new = try Schema(Snack.self, Team.self, version: 2).stored
  /// print(old.access(to: new))
  /// ```
  ///
  /// A function of both schemas alone. It pairs parts by their names in the store, so it cannot see
  /// that two of them have exchanged their names.
  public func access(to newer: StoredSchema) -> SchemaAccess {
    var access = SchemaAccess.writing
    for entity in everyEntity {
      guard let other = newer[entity.name], root(of: entity).name == newer.root(of: other).name,
        (entity.parent == nil) == (other.parent == nil)
      else { return .none }
      access = min(
        access, entity.access(to: other), derivations(of: entity, in: newer, other),
        relationships(of: entity, in: newer, other))
    }
    for entity in newer.everyEntity {
      let isKnown = self[entity.name] != nil
      if !isKnown, self[newer.root(of: entity).name] != nil { access = min(access, .reading) }
      for relationship in entity.relationships
      where self[entity.name]?.relationship(named: relationship.name) == nil {
        access = min(access, accessBeside(relationship, of: entity, in: newer))
      }
      if !isKnown, entity.columns.contains(where: { derives($0, in: entity, of: newer) }) {
        access = min(access, .reading)
      }
    }
    return access
  }

  /// Returns the schema with the derivations of another for the same columns, where it has none itself.
  func keepingDerivations(of other: StoredSchema) -> StoredSchema {
    func completed(_ entity: StoredEntity) -> StoredEntity {
      var entity = entity
      for position in entity.columns.indices where entity.columns[position].derived == nil {
        let former = other[entity.name]
        entity.columns[position].derived =
          former?.column(named: entity.columns[position].name).flatMap {
            former?.columns[$0].derived
          }
      }
      entity.subentities = entity.subentities.map(completed)
      return entity
    }
    var schema = self
    schema.entities = entities.map(completed)
    return schema
  }

  /// Returns whether a column of an entity that is new is derived of rows that this schema knows.
  private func derives(
    _ column: StoredColumn, in entity: StoredEntity, of newer: StoredSchema
  ) -> Bool {
    guard let derived = column.derived,
      let target = entity.relationship(named: derived.relationship)?.target
    else { return false }
    return newer.entity(named: target).map { self[$0.name] != nil } ?? true
  }

  /// Returns the access beside derived attributes: new ones are not maintained, others are read
  /// otherwise.
  private func derivations(
    of entity: StoredEntity, in newer: StoredSchema, _ other: StoredEntity
  ) -> SchemaAccess {
    var access = SchemaAccess.writing
    for column in entity.columns {
      guard let position = other.column(named: column.name) else { continue }
      let old = derivation(of: column, in: entity)
      let new = newer.derivation(of: other.columns[position], in: other)
      if old != new { access = min(access, old == nil ? .reading : .none) }
    }
    return access
  }

  /// Returns the access beside the relationships of an entity that both schemas have.
  private func relationships(
    of entity: StoredEntity, in newer: StoredSchema, _ other: StoredEntity
  ) -> SchemaAccess {
    var access = SchemaAccess.writing
    for old in entity.relationships {
      guard let new = other.relationship(named: old.name),
        self.entity(named: old.target)?.name == newer.entity(named: new.target)?.name,
        let location = StoredLinkLocation(old, of: entity, in: self),
        StoredLinkLocation(new, of: other, in: newer)?.finds(location) == true
      else { return .none }
      // That the columns have one name was compared.
      var renamed = old
      renamed.storedName = new.storedName
      if renamed != new { access = .reading }
    }
    return access
  }

  /// Returns the access beside a relationship that is new: an older program that deletes rows does not
  /// follow its delete rules.
  private func accessBeside(
    _ relationship: RelationshipDescription, of entity: StoredEntity, in newer: StoredSchema
  ) -> SchemaAccess {
    let target = newer.entity(named: relationship.target)
    let knowsTarget = target.map { self[$0.name] != nil } ?? true
    let knowsOwner = self[entity.name] != nil
    if relationship.count != nil, knowsOwner { return .reading }
    switch relationship.storage {
    case .own:
      let inverse = relationship.inverse.flatMap { target?.relationship(named: $0) }
      let rule = inverse?.deleteRule ?? relationship.targetDeleteRule
      return knowsTarget && rule != .noAction ? .reading : .writing
    case .target:
      return knowsOwner && relationship.deleteRule != .noAction ? .reading : .writing
    case .join, nil:
      return knowsOwner || knowsTarget ? .reading : .writing
    }
  }
}

extension StoredEntity {
  /// Returns the access of programs of this entity to rows of a newer one, by the entities alone and not by
  /// their relationships.
  fileprivate func access(to newer: StoredEntity) -> SchemaAccess {
    guard key.map({ columns[$0].name }) == newer.key.map({ newer.columns[$0].name }),
      generatesKeys == newer.generatesKeys, !generatesKeys || keySource == newer.keySource,
      uniqueTerms.isSubset(of: newer.uniqueTerms)
    else { return .none }
    var access = SchemaAccess.writing
    for column in columns {
      guard let position = newer.column(named: column.name) else { return .none }
      access = min(access, column.access(to: newer.columns[position]))
    }
    for column in newer.columns where self.column(named: column.name) == nil {
      let isPlain = column.role == nil && column.derived == nil && column.externalThreshold == nil
      // The root of a hierarchy gives no defaults to the rows of one subentity.
      let isFilled = column.isOptional || (column.defaultValue != nil && parent == nil)
      if !isPlain || !isFilled { access = min(access, .reading) }
    }
    let formats = Set(rules.map(\.format))
    return newer.rules.allSatisfy { formats.contains($0.format) } ? access : min(access, .reading)
  }

  /// The terms of unique rules, by names of columns.
  private var uniqueTerms: Set<[UniqueTerm]> {
    Set(
      indexes.filter(\.isUnique).map { index in
        index.terms.map { UniqueTerm(column: columns[$0.column].name, form: $0.form) }
      })
  }

  private struct UniqueTerm: Hashable {
    var column: String
    var form: StoredIndex.Form
  }
}

extension StoredColumn {
  fileprivate func access(to newer: StoredColumn) -> SchemaAccess {
    guard type == newer.type, isNormalized == newer.isNormalized,
      isInternal == newer.isInternal,
      (externalThreshold == nil) == (newer.externalThreshold == nil),
      isOptional || !newer.isOptional
    else { return .none }
    return isOptional == newer.isOptional && role == newer.role ? .writing : .reading
  }
}
