public import Dispatch
public import ORMCore

/// The reads with a completion handler. A write is pending from the call on: every read
/// issued afterwards, on any thread, sees it. Without a handler a failure goes to the store's
/// `onError`.
extension Store {
  /// The model with this key; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.find(model, id) }
  }

  /// The models with these keys, in the order of the keys; missing ones are left out.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ ids: [Model.ID], newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.find(model, ids) }
  }

  /// Every model the query asks for, in its order.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func fetch<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.fetch(query) }
  }

  /// The first model in the query's order; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func first<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.first(query) }
  }

  /// The only model the query asks for; `ambiguous` when there are several.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func one<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.one(query) }
  }

  /// Whether a row matches the query.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func exists<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.exists(query) }
  }

  /// How many rows the query has.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func count<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.count(query) }
  }

  /// How many rows the model has.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func count<Model: Persistable>(
    _ model: Model.Type, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.count(model) }
  }

  /// The exact sum of an attribute, 0 over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Total, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.sum(query, path) }
  }

  /// The mean of an attribute, rounded once; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Double?, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.average(query, path) }
  }

  /// The least value of an attribute; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.min(query, path) }
  }

  /// The greatest value of an attribute; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) { try $0.max(query, path) }
  }

  /// How the store would answer the query; `running` runs it and counts the rows read.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func explain<Model: Persistable>(
    _ query: Query<Model>, running: Bool = false, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.explain(query, running: running)
    }
  }
}
