public import Dispatch
public import ORMCore

/// The reads of links with a completion handler.
extension Store {
  /// The targets of a to-many, as they are stored.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToMany<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Target], any Error>) -> Void)? = nil
  ) {
    let tree = nested(Prefetch()).tree
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.load(model, path, tree: tree)
    }
  }

  /// The target of a to-one; nil where there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToOne<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Target?, any Error>) -> Void)? = nil
  ) {
    let tree = nested(Prefetch()).tree
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.load(model, path, tree: tree)
    }
  }

  /// The same objects with one relationship loaded: one request for all of them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func load<Model: Persistable, Value: RelationshipValue>(
    _ models: [Model], _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 },
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    let tree = nested(Prefetch()).tree
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.load(models, path, tree: tree)
    }
  }

  /// The model with this key and relationships; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ id: Model.ID, newestCommit: Bool = false,
    prefetch path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.find(model, id, tree: tree)
    }
  }

  /// The models with these keys and relationships, in the order of the keys; missing ones are left
  /// out.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ ids: [Model.ID], newestCommit: Bool = false,
    prefetch path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.find(model, ids, tree: tree)
    }
  }
}
