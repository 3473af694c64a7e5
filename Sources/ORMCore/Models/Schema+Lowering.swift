package import ORMStorage

extension EntityDescription {
  /// The name of the column that holds a hidden key.
  ///
  /// No attribute may be called so.
  package static let hiddenKeyName = "_key"

  /// The entity as stores see it.
  ///
  /// The description was checked.
  package func lowered() -> StoredEntity {
    var columns = attributes.map { attribute in
      StoredColumn(
        attribute.storedName ?? attribute.name, attribute.type, attribute: attribute.name,
        isOptional: attribute.isOptional, defaultValue: attribute.fixedDefault ?? attribute.empty,
        computedDefault: attribute.computedDefault, isNormalized: attribute.isNormalized,
        role: attribute.role, derived: attribute.derived,
        externalThreshold: attribute.externalThreshold)
    }
    var keyPositions = key.compactMap { position(of: $0) }
    if keyPositions.isEmpty {
      columns.append(StoredColumn(Self.hiddenKeyName, .int64))
      keyPositions = [columns.count - 1]
    }
    let storedName = storedName ?? name
    var entity = StoredEntity(
      name: storedName, modelName: name, columns: columns, key: keyPositions,
      keySource: keyPositions == [attributes.count] ? .hidden : keySource,
      indexes: indexes.map { $0.lowered(in: self, storedName: storedName) },
      relationships: relationships, templates: templates, rules: rules)
    entity.parent = parent
    return entity
  }
}

extension AttributeDescription {
  /// The default that does not depend on the timestamp.
  ///
  /// For a normalized attribute it is normalized.
  fileprivate var fixedDefault: StoredValue? {
    guard case .value(let value) = defaultValue else { return nil }
    if externalThreshold != nil, case .data(let data) = value {
      return .data(ExternalForm.inline(data))
    }
    return isNormalized ? value.normalizedText : value
  }

  /// The value of a derived attribute in a new row, before it has any source; nil for null.
  fileprivate var empty: StoredValue? {
    guard let value = derived?.empty(type), !value.isNull else { return nil }
    return value
  }

  /// The default that does.
  fileprivate var computedDefault: StoredColumn.ComputedDefault? {
    switch defaultValue {
    case .now: .now
    case .uuid: .uuid
    case .value, nil: nil
    }
  }
}

extension IndexDescription {
  /// Returns the index as stores see it, named after the entity and its terms.
  ///
  /// Names of entities and attributes hold neither dots nor dollar signs, so that no two indexes
  /// of a schema share a name, nor an index and an entity.
  fileprivate func lowered(in entity: EntityDescription, storedName: String) -> StoredIndex {
    var name = storedName
    var stored: [StoredIndex.Term] = []
    for term in terms {
      guard let position = entity.position(of: term.attribute) else { continue }
      let attribute = entity.attributes[position]
      name += "." + (attribute.storedName ?? attribute.name)
      switch term.form {
      case .value: break
      case .caseFolded: name += "$folded"
      case .elements: name += "$elements"
      }
      if term.isDescending { name += "$desc" }
      stored.append(.init(position, isDescending: term.isDescending, form: term.form))
    }
    return StoredIndex(isUnique ? name + "$unique" : name, stored, isUnique: isUnique)
  }
}
