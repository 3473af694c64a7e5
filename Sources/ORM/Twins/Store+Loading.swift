public import ORMCore

/// The reads of links, each in a transaction of its own, on the calling thread.
extension Store {
  /// The targets of a to-many, as they are stored.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToMany<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> [Target] {
    try read(newestCommit: newestCommit) { try $0.load(model, path, then: nested) }
  }

  /// The target of a to-one; nil where there is none.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToOne<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> Target? {
    try read(newestCommit: newestCommit) { try $0.load(model, path, then: nested) }
  }

  /// The same objects with one relationship loaded: one request for all of them.
  public func load<Model: Persistable, Value: RelationshipValue>(
    _ models: [Model], _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 }
  ) throws -> [Model] {
    try read(newestCommit: newestCommit) { try $0.load(models, path, then: nested) }
  }

  /// The model with this key and relationships; nil when there is none.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ id: Model.ID, newestCommit: Bool = false,
    prefetch path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) throws -> Model? {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    return try read(newestCommit: newestCommit) { try $0.find(model, id, tree: tree) }
  }

  /// The models with these keys and relationships, in the order of the keys; missing ones are left
  /// out.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ ids: [Model.ID], newestCommit: Bool = false,
    prefetch path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) throws -> [Model] {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    return try read(newestCommit: newestCommit) { try $0.find(model, ids, tree: tree) }
  }
}

/// The reads of links, each in a transaction of its own, off the cooperative pool.
extension Store {
  /// The targets of a to-many, as they are stored.
  ///
  /// Runs off the calling thread.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToMany<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) async throws -> [Target] {
    let tree = nested(Prefetch()).tree
    return try await read(newestCommit: newestCommit) { try $0.load(model, path, tree: tree) }
  }

  /// The target of a to-one; nil where there is none.
  ///
  /// Runs off the calling thread.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToOne<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) async throws -> Target? {
    let tree = nested(Prefetch()).tree
    return try await read(newestCommit: newestCommit) { try $0.load(model, path, tree: tree) }
  }

  /// The same objects with one relationship loaded: one request for all of them.
  ///
  /// Runs off the calling thread.
  public func load<Model: Persistable, Value: RelationshipValue>(
    _ models: [Model], _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 }
  ) async throws -> [Model] {
    let tree = nested(Prefetch()).tree
    return try await read(newestCommit: newestCommit) { try $0.load(models, path, tree: tree) }
  }

  /// The model with this key and relationships; nil when there is none.
  ///
  /// Runs off the calling thread.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ id: Model.ID, newestCommit: Bool = false,
    prefetch path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) async throws -> Model? {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    return try await read(newestCommit: newestCommit) { try $0.find(model, id, tree: tree) }
  }

  /// The models with these keys and relationships, in the order of the keys; missing ones are left
  /// out.
  ///
  /// Runs off the calling thread.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ ids: [Model.ID], newestCommit: Bool = false,
    prefetch path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) async throws -> [Model] {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    return try await read(newestCommit: newestCommit) { try $0.find(model, ids, tree: tree) }
  }
}
