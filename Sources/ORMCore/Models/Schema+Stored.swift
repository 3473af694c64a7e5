public import ORMStorage

extension Schema {
  /// The schema of a store as a program would declare it: for tools that know a store by its
  /// location alone.
  ///
  /// - Throws: `invalidSchema` if the stored schema breaks a rule.
  public init(_ stored: StoredSchema) throws {
    try self.init(
      entities: stored.everyEntity.filter { !$0.isInternal }.map { EntityDescription($0) },
      version: stored.version)
  }
}

extension EntityDescription {
  /// The description of an entity of a store.
  package init(_ entity: StoredEntity) {
    // In a file that gained attributes later the hidden key is not the last column.
    let isHidden = entity.keySource == .hidden
    let columns = entity.columns.indices.filter { !isHidden || !entity.key.contains($0) }
      .map { entity.columns[$0] }.filter { !$0.isInternal }
    self.init(
      name: entity.modelName, storedName: entity.name,
      attributes: columns.map { column in
        AttributeDescription(
          column.attribute, column.type, storedName: column.ownName, isOptional: column.isOptional,
          defaultValue: column.describedDefault, isNormalized: column.isNormalized,
          role: column.role, derived: column.derived, externalThreshold: column.externalThreshold)
      },
      key: isHidden ? [] : entity.key.map { entity.columns[$0].attribute },
      keySource: entity.keySource,
      indexes: entity.indexes.filter { index in
        !index.terms.contains { entity.columns[$0.column].isInternal }
      }.map { index in
        IndexDescription(
          index.terms.map { term in
            IndexDescription.Term(
              entity.columns[term.column].attribute, isDescending: term.isDescending,
              form: term.form)
          }, isUnique: index.isUnique)
      },
      relationships: entity.relationships, rules: entity.rules, parent: entity.parent)
  }
}

extension StoredColumn {
  /// The default as a program declares it.
  fileprivate var describedDefault: AttributeDescription.DefaultValue? {
    if derived != nil { return nil }
    return switch computedDefault {
    case .now: .now
    case .uuid: .uuid
    case nil: programDefault.map { .value($0) }
    }
  }
}
