internal import ORMStorage

/// A split of an entity: attributes that move into rows of a new one, and a to-one that leads there.
struct EntitySplit: Codable, Sendable {
  var entity: String
  var into: String
  var names: [String]
  var link: String
  var key: String
}

extension SchemaDraft {
  /// Splits an entity, as ``addTarget(of:)`` and ``dropMoved(by:)`` do one after the other.
  mutating func split(_ split: EntitySplit) throws {
    try addTarget(of: split)
    try dropMoved(by: split)
  }

  /// Adds the new entity, and the to-one with its column.
  mutating func addTarget(of split: EntitySplit) throws {
    let source = try entity(split.entity)
    guard source.parent == nil else {
      throw fault("a subentity cannot be split", split.entity)
    }
    if source.relationship(named: split.link) != nil
      || source.column(ofAttribute: split.link) != nil
    {
      throw fault("there is a property of this name already", split.entity, [split.link])
    }
    if split.names.isEmpty || split.names.contains(split.key) {
      throw fault("a split moves attributes, and none of them is the new key", split.entity)
    }
    var columns = [StoredColumn(split.key, .int64)]
    for name in split.names {
      try checkAssigned(name, in: split.entity)
      let location = try self.location(name, of: split.entity)
      guard var column = source.column(named: location.name).map({ source.columns[$0] }),
        !source.relationships.contains(where: { $0.storage?.names(name) == true })
      else {
        throw fault("only attributes of its own can move", split.entity, [name])
      }
      column.name = name
      column.role = nil
      column.derived = nil
      columns.append(column)
    }
    try add(
      StoredEntity(
        name: split.into, modelName: split.into, columns: columns, key: [0], keySource: .generated))
    let column = "\(split.link)_\(split.key)"
    try addAttribute(column, .int64, in: split.entity, nil)
    let names = Set([split.entity] + source.subentities.map(\.modelName))
    describe { schema in
      schema.editEntities { entity in
        guard names.contains(entity.modelName) else { return }
        entity.relationships.append(
          RelationshipDescription(
            split.link, target: split.into, isToMany: false,
            storage: .own([column], position: nil)))
      }
    }
  }

  /// Drops the attributes that moved.
  mutating func dropMoved(by split: EntitySplit) throws {
    for name in split.names { remove(try location(name, of: split.entity)) }
  }
}
