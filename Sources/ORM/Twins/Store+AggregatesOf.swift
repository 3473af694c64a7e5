public import Dispatch
public import ORMCore

// The twins of the aggregates over what a closure works out of each row. The closure makes a part of
// the request, and runs before the store is asked.

extension Store {
  /// The exact sum of what a closure works out of each row, 0 over nothing; nil is passed over.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Total {
    try read(newestCommit: newestCommit) { try $0.sum(query, of: body) }
  }

  /// The mean of what a closure works out of each row, rounded once; nil over nothing.
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Double? {
    try read(newestCommit: newestCommit) { try $0.average(query, of: body) }
  }

  /// The least of what a closure works out of each row; nil over nothing.
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try read(newestCommit: newestCommit) { try $0.min(query, of: body) }
  }

  /// The greatest of what a closure works out of each row; nil over nothing.
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try read(newestCommit: newestCommit) { try $0.max(query, of: body) }
  }
}

extension Store {
  /// The exact sum of what a closure works out of each row, 0 over nothing; nil is passed over.
  ///
  /// Runs off the calling thread.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) async throws -> Value.Total {
    let field = body(Fields())
    return try await read(newestCommit: newestCommit) { try $0.sum(query) { _ in field } }
  }

  /// The mean of what a closure works out of each row, rounded once; nil over nothing.
  ///
  /// Runs off the calling thread.
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) async throws -> Double? {
    let field = body(Fields())
    return try await read(newestCommit: newestCommit) { try $0.average(query) { _ in field } }
  }

  /// The least of what a closure works out of each row; nil over nothing.
  ///
  /// Runs off the calling thread.
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) async throws -> Value.Present? {
    let field = body(Fields())
    return try await read(newestCommit: newestCommit) { try $0.min(query) { _ in field } }
  }

  /// The greatest of what a closure works out of each row; nil over nothing.
  ///
  /// Runs off the calling thread.
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) async throws -> Value.Present? {
    let field = body(Fields())
    return try await read(newestCommit: newestCommit) { try $0.max(query) { _ in field } }
  }
}

extension Store {
  /// The exact sum of what a closure works out of each row, 0 over nothing; nil is passed over.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Total, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.sum(query) { _ in field }
    }
  }

  /// The mean of what a closure works out of each row, rounded once; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Double?, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.average(query) { _ in field }
    }
  }

  /// The least of what a closure works out of each row; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.min(query) { _ in field }
    }
  }

  /// The greatest of what a closure works out of each row; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.max(query) { _ in field }
    }
  }
}
