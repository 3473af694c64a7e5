internal import ORMStorage

/// The links of objects in memory that were fetched or set, by the names of relationships.
///
/// A link that is not loaded is `notLoaded`, naming entity and relationship: nothing is known of it,
/// and no answer would be right.
enum ObjectLinks {
  /// The target of a to-one.
  enum Target {
    case none
    case object(any Persistable)
    /// A link to the object with this key, which is not loaded.
    case key([StoredValue])
  }

  /// The relationship of this name, and the model it leads to; nil for a name of something else.
  static func relationship(
    _ name: String, of model: any Persistable.Type
  ) -> (declaration: RelationshipDescription, target: any Persistable.Type)? {
    func target<End: RelationshipEnd>(_ end: End) -> any Persistable.Type { End.Target.self }
    func open<Model: Persistable>(
      _ model: Model.Type
    ) -> (declaration: RelationshipDescription, target: any Persistable.Type)? {
      Model.entity.relationships.first { $0.declaration.name == name }
        .map { ($0.declaration, target($0)) }
    }
    return open(model)
  }

  /// Returns the target of an object's to-one.
  static func target(of object: any Persistable, _ name: String) throws -> Target {
    func read<Model: Persistable, End: RelationshipEnd<Model>>(_ end: End, _ object: Model) throws
      -> Target
    {
      if let targets = end.targets(of: object) {
        return targets.first.map { .object($0) } ?? .none
      }
      guard let id = end.key(of: object) else { throw notLoaded(Model.self, name) }
      return .key(try id.keyValues())
    }
    func open<Model: Persistable>(_ object: Model) throws -> Target {
      guard let end = Model.entity.relationships.first(where: { $0.declaration.name == name })
      else { throw unknown(Model.self, name) }
      return try read(end, object)
    }
    return try open(object)
  }

  /// The objects that a relationship of an object leads to.
  static func targets(of object: any Persistable, _ name: String) throws -> [ObjectInScope] {
    func read<Model: Persistable, End: RelationshipEnd<Model>>(
      _ end: End, _ object: Model
    ) throws -> [ObjectInScope] {
      guard let targets = end.targets(of: object) else { throw notLoaded(Model.self, name) }
      guard let graph = end.graph(of: object).map({ ObjectIdentifier($0) }) else {
        return targets.map { ObjectInScope(object: $0, identity: nil) }
      }
      let model = ObjectIdentifier(End.Target.self)
      return try targets.map { target in
        ObjectInScope(
          object: target,
          identity: .fetched(graph: graph, model: model, GroupKey(try target.id.keyValues())))
      }
    }
    func open<Model: Persistable>(_ object: Model) throws -> [ObjectInScope] {
      guard let end = Model.entity.relationships.first(where: { $0.declaration.name == name })
      else { throw unknown(Model.self, name) }
      return try read(end, object)
    }
    return try open(object)
  }

  /// The values of an object's row, a hidden key nil; the keys of to-ones as the object has them.
  static func values(of object: any Persistable) throws -> [StoredValue] {
    func open<Model: Persistable>(_ object: Model) throws -> [StoredValue] {
      var values = try Mapper.attributeValues(of: object)
      if Model.entity.description.key.isEmpty { values.append(.null) }
      return values
    }
    return try open(object)
  }

  private static func notLoaded<Model: Persistable>(
    _ model: Model.Type, _ name: String
  ) -> StoreError {
    StoreError(
      .notLoaded,
      "the condition uses a relationship that was not loaded; prefetch or load it first",
      entity: Model.entity.declared.name, attributes: [name])
  }

  private static func unknown<Model: Persistable>(
    _ model: Model.Type, _ name: String
  ) -> StoreError {
    StoreError(
      .unknownAttribute, "the entity has no relationship of this name",
      entity: Model.entity.declared.name, attributes: [name])
  }
}

extension Persistable {
  /// The entity as stores see it.
  static var storedEntity: StoredEntity { entity.description.lowered() }

  /// The entities of this model and of all that its relationships lead to, as stores see them.
  ///
  /// - Throws: `invalidSchema`.
  static func reachableSchema() throws -> StoredSchema {
    var models: [any Persistable.Type] = [Self.self]
    var names = Set([entity.declared.name])
    var next = 0
    while next < models.count {
      for model in models[next].targetModels {
        if names.insert(model.entityName).inserted { models.append(model) }
      }
      next += 1
    }
    return try Schema(entities: models.map { $0.resolvedDescription }).stored
  }

  private static var entityName: String { entity.declared.name }
  /// Objects at hand are no rows of a parent.
  private static var resolvedDescription: EntityDescription {
    var description = entity.description
    description.parent = nil
    return description
  }

  private static var targetModels: [any Persistable.Type] {
    func target<End: RelationshipEnd>(_ end: End) -> any Persistable.Type { End.Target.self }
    return entity.relationships.map { target($0) }
  }
}
