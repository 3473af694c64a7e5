public import Dispatch
public import ORMCore

// The twins of `countDistinct`: of an attribute, and of what a closure works out of each row.

extension Store {
  /// How many different values an attribute has; nil is not one.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false
  ) throws -> Int {
    try read(newestCommit: newestCommit) { try $0.countDistinct(query, path) }
  }

  /// How many different values a closure works out; nil is not one.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Int {
    try read(newestCommit: newestCommit) { try $0.countDistinct(query, of: body) }
  }

  /// How many different values an attribute has; nil is not one.
  ///
  /// Runs off the calling thread.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false
  ) async throws -> Int {
    return try await read(newestCommit: newestCommit) { try $0.countDistinct(query, path) }
  }

  /// How many different values a closure works out; nil is not one.
  ///
  /// Runs off the calling thread.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>
  ) async throws -> Int {
    let field = body(Fields())
    return try await read(newestCommit: newestCommit) {
      try $0.countDistinct(query) { _ in field }
    }
  }

  /// How many different values an attribute has; nil is not one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.countDistinct(query, path)
    }
  }

  /// How many different values a closure works out; nil is not one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, newestCommit: Bool = false,
    of body: (Fields<Model>) -> Field<Model, Value>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let field = body(Fields())
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.countDistinct(query) { _ in field }
    }
  }
}

extension Persistable {
  /// How many different values an attribute has; nil is not one.
  public static func countDistinct<Value: AttributeValue>(
    _ query: Query<Self> = Self.all, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) throws -> Int {
    try Persistence.store.countDistinct(query, path, newestCommit: newestCommit)
  }

  /// How many different values an attribute has; nil is not one.
  ///
  /// Runs off the calling thread.
  public static func countDistinct<Value: AttributeValue>(
    _ query: Query<Self> = Self.all, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) async throws -> Int {
    try await Persistence.store.countDistinct(query, path, newestCommit: newestCommit)
  }

  /// How many different values an attribute has; nil is not one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func countDistinct<Value: AttributeValue>(
    _ query: Query<Self> = Self.all, _ path: AttributePath<Self, Value>,
    newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.countDistinct(query, path, newestCommit: newestCommit, on: queue, $1)
    }
  }
}
