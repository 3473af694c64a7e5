internal import ORMStorage

/// A lowering of relationships to columns that no model sees, and to join entities.
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
        addKey(of: entity, as: attributes, by: relationship, to: &schema.entities[index])
      }
      if let position {
        addPosition(position, of: relationship, entity, to: &schema.entities[index])
        addOrder(of: attributes, by: position, to: &schema.entities[index])
      }
    case .join(let name, let own, let target, let position):
      guard relationship.through == nil,
        let other = entities.first(where: { $0.name == relationship.target })
      else { return }
      if let known = schema.entities.firstIndex(where: { $0.modelName == name }) {
        if let position {
          addPosition(position, of: relationship, entity, to: &schema.entities[known])
          addOrder(of: own, by: position, to: &schema.entities[known])
        }
        return
      }
      let isFirst = relationship.names(joinEntity: name, of: entity)
      let ends = isFirst ? (entity, other) : (other, entity)
      let first =
        isFirst ? relationship : relationship.inverse.flatMap { other.relationship(named: $0) }
      schema.entities.append(
        join(
          name, of: first ?? relationship, own: (isFirst ? own : target, ends.0),
          target: (isFirst ? target : own, ends.1)))
      let new = schema.entities.count - 1
      if let position {
        addPosition(position, of: relationship, entity, to: &schema.entities[new])
        addOrder(of: own, by: position, to: &schema.entities[new])
      }
    case .own, nil: break
    }
  }

  /// Columns for the key of a referrer that the target's model does not name, and their index.
  private func addKey(
    of referrer: EntityDescription, as attributes: [String],
    by relationship: RelationshipDescription, to entity: inout StoredEntity
  ) {
    var terms: [StoredIndex.Term] = []
    for (name, part) in zip(attributes, Self.keyAttributes(of: referrer)) {
      terms.append(.init(entity.columns.count))
      entity.columns.append(
        StoredColumn(
          relationship.storedName(of: name, in: referrer, by: naming), part.type, attribute: name,
          isOptional: true, isInternal: true))
    }
    entity.indexes.append(
      StoredIndex(Self.indexName(entity.name, terms.map { entity.columns[$0.column] }), terms))
  }

  private func addPosition(
    _ name: String, of relationship: RelationshipDescription, _ owner: EntityDescription,
    to entity: inout StoredEntity
  ) {
    guard entity.column(ofAttribute: name) == nil else { return }
    entity.columns.append(
      StoredColumn(
        relationship.storedName(of: name, in: owner, by: naming), .int64, attribute: name,
        isOptional: true, isInternal: true))
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
  ///
  /// - Parameter first: the relationship that names it.
  private func join(
    _ name: String, of first: RelationshipDescription, own: ([String], EntityDescription),
    target: ([String], EntityDescription)
  ) -> StoredEntity {
    var columns: [StoredColumn] = []
    for (name, part) in zip(own.0, Self.keyAttributes(of: own.1)) {
      columns.append(StoredColumn(naming.attributeName(name), part.type, attribute: name))
    }
    for (name, part) in zip(target.0, Self.keyAttributes(of: target.1)) {
      columns.append(
        StoredColumn(
          first.storedName(of: name, in: own.1, by: naming), part.type, attribute: name))
    }
    let key = Array(columns.indices)
    let terms = key.dropFirst(own.0.count).map { StoredIndex.Term($0) }
    let storedName = first.storedJoinName(in: own.1) ?? naming.entityName(name)
    let index = StoredIndex(
      Self.indexName(storedName, terms.map { columns[$0.column] }), terms)
    return StoredEntity(
      name: storedName, modelName: name, columns: columns, key: key, indexes: [index],
      isInternal: true)
  }

  private static func indexName(_ entity: String, _ columns: [StoredColumn]) -> String {
    ([entity] + columns.map(\.name)).joined(separator: ".")
  }

  private static func keyAttributes(of entity: EntityDescription) -> [AttributeDescription] {
    entity.key.compactMap { entity.position(of: $0) }.map { entity.attributes[$0] }
  }
}

extension RelationshipDescription {
  /// Returns the name in the store of an attribute that holds links, by a strategy.
  ///
  /// The parts around the stored name of a relationship are named one by one.
  ///
  /// - Parameters:
  ///   - attribute: the attribute's name in the program: `team_id`, `_Team_players_id`.
  ///   - entity: the entity that declares the relationship.
  func storedName(
    of attribute: String, in entity: EntityDescription, by naming: NamingStrategy
  ) -> String {
    guard let storedName else { return naming.attributeName(attribute) }
    for prefix in ["", "_\(entity.name)_"] where attribute.hasPrefix("\(prefix)\(name)_") {
      let start = prefix.isEmpty ? "" : "_\(naming.attributeName(entity.name))_"
      let end = String(attribute.dropFirst("\(prefix)\(name)_".count))
      return start + storedName + "_" + StoredNamePath.name((end, nil), by: naming)
    }
    return naming.attributeName(attribute)
  }

  /// The name in the store of the join entity that the relationship names; nil if that follows from
  /// its name in the program.
  func storedJoinName(in entity: EntityDescription) -> String? {
    storedName.map { "\(entity.storedName ?? entity.name)_\($0)" }
  }

  /// Returns whether a join entity is named after the relationship, and not after its inverse.
  func names(joinEntity: String, of entity: EntityDescription) -> Bool {
    joinEntity == "\(entity.name)_\(name)"
  }

  /// True if no name in the store is formed from that of the relationship: its inverse names them, or
  /// the model between the two.
  func namesNothing(in entity: EntityDescription) -> Bool {
    switch storage {
    case .own, nil: false
    case .target(_, let position): inverse != nil && position == nil
    case .join(let name, _, _, let position):
      through != nil || (position == nil && !names(joinEntity: name, of: entity))
    }
  }
}
