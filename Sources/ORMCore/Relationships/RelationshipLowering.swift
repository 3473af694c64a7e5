internal import ORMStorage

/// From relationships to what stores know: columns that no model sees, and join entities.
struct RelationshipLowering {
  let naming: NamingStrategy

  /// The checked entities as stores see them, join entities last.
  func lowered(_ entities: [EntityDescription]) -> StoredSchema {
    var stored = StoredSchema(entities: entities.map { $0.lowered() })
    for entity in entities {
      for relationship in entity.relationships {
        add(relationship, of: entity, to: &stored, entities)
      }
    }
    return stored
  }

  private func add(
    _ relationship: RelationshipDescription, of entity: EntityDescription,
    to schema: inout StoredSchema, _ entities: [EntityDescription]
  ) {
    switch relationship.storage {
    case .target(let attributes, let position):
      guard let index = schema.entities.firstIndex(where: { $0.modelName == relationship.target })
      else { return }
      if relationship.inverse == nil {
        addKey(of: entity, as: attributes, to: &schema.entities[index])
      }
      if let position {
        addPosition(position, to: &schema.entities[index])
        addOrder(of: attributes, by: position, to: &schema.entities[index])
      }
    case .join(let name, let own, let target, let position):
      guard relationship.through == nil,
        let other = entities.first(where: { $0.name == relationship.target })
      else { return }
      if let known = schema.entities.firstIndex(where: { $0.modelName == name }) {
        if let position {
          addPosition(position, to: &schema.entities[known])
          addOrder(of: own, by: position, to: &schema.entities[known])
        }
        return
      }
      let isFirst = name == "\(entity.name)_\(relationship.name)"
      schema.entities.append(
        join(
          name, own: isFirst ? (own, entity) : (target, other),
          target: isFirst ? (target, other) : (own, entity), position: position))
      if let position {
        addOrder(of: own, by: position, to: &schema.entities[schema.entities.count - 1])
      }
    case .own, nil: break
    }
  }

  /// Columns for the key of a referrer that the target's model does not name, and their index.
  private func addKey(
    of referrer: EntityDescription, as attributes: [String], to entity: inout StoredEntity
  ) {
    var terms: [StoredIndex.Term] = []
    for (name, part) in zip(attributes, Self.keyAttributes(of: referrer)) {
      terms.append(.init(entity.columns.count))
      entity.columns.append(
        StoredColumn(
          naming.attributeName(name), part.type, attribute: name, isOptional: true,
          isInternal: true))
    }
    entity.indexes.append(
      StoredIndex(Self.indexName(entity.name, terms.map { entity.columns[$0.column] }), terms))
  }

  private func addPosition(_ name: String, to entity: inout StoredEntity) {
    guard entity.column(ofAttribute: name) == nil else { return }
    entity.columns.append(
      StoredColumn(
        naming.attributeName(name), .int64, attribute: name, isOptional: true, isInternal: true))
  }

  /// An index that gives the targets of an owner in their order, and the last of them.
  private func addOrder(
    of keys: [String], by position: String, to entity: inout StoredEntity
  ) {
    let columns = (keys + [position]).compactMap { entity.column(ofAttribute: $0) }
    let name = Self.indexName(entity.name, columns.map { entity.columns[$0] })
    guard !entity.indexes.contains(where: { $0.name == name }) else { return }
    entity.indexes.append(StoredIndex(name, columns.map { .init($0) }))
  }

  /// The entity whose rows are the links between two others: keyed by both keys, indexed by the
  /// second.
  private func join(
    _ name: String, own: ([String], EntityDescription), target: ([String], EntityDescription),
    position: String?
  ) -> StoredEntity {
    var columns: [StoredColumn] = []
    for (names, entity) in [own, target] {
      for (name, part) in zip(names, Self.keyAttributes(of: entity)) {
        columns.append(StoredColumn(naming.attributeName(name), part.type, attribute: name))
      }
    }
    let key = Array(columns.indices)
    let terms = key.dropFirst(own.0.count).map { StoredIndex.Term($0) }
    let storedName = naming.entityName(name)
    let index = StoredIndex(
      Self.indexName(storedName, terms.map { columns[$0.column] }), terms)
    var entity = StoredEntity(
      name: storedName, modelName: name, columns: columns, key: key, indexes: [index],
      isInternal: true)
    if let position { addPosition(position, to: &entity) }
    return entity
  }

  private static func indexName(_ entity: String, _ columns: [StoredColumn]) -> String {
    ([entity] + columns.map(\.name)).joined(separator: ".")
  }

  private static func keyAttributes(of entity: EntityDescription) -> [AttributeDescription] {
    entity.key.compactMap { entity.position(of: $0) }.map { entity.attributes[$0] }
  }
}
