public import Dispatch
public import ORMCore

/// Objects of a hierarchy as what they are, each in a transaction of its own.
extension Store {
  /// Every object the query asks for as what it is; see ``ReadTransaction/fetchConcrete(_:with:)``.
  public func fetchConcrete<Model: Persistable>(
    _ query: Query<Model>, with kinds: ConcretePrefetch..., newestCommit: Bool = false
  ) throws -> [any Persistable] {
    try read(newestCommit: newestCommit) { try $0.fetchConcrete(query, kinds: kinds) }
  }

  /// Every object the query asks for as what it is.
  ///
  /// Runs off the calling thread.
  public func fetchConcrete<Model: Persistable>(
    _ query: Query<Model>, with kinds: ConcretePrefetch..., newestCommit: Bool = false
  ) async throws -> [any Persistable] {
    return try await read(newestCommit: newestCommit) { try $0.fetchConcrete(query, kinds: kinds) }
  }

  /// Every object the query asks for as what it is.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func fetchConcrete<Model: Persistable>(
    _ query: Query<Model>, with kinds: ConcretePrefetch..., newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[any Persistable], any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.fetchConcrete(query, kinds: kinds)
    }
  }

  /// The object with this key as what it is; nil when there is none.
  public func findConcrete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, with kinds: ConcretePrefetch...,
    newestCommit: Bool = false
  ) throws -> (any Persistable)? {
    try read(newestCommit: newestCommit) { try $0.findConcrete(model, id, kinds: kinds) }
  }

  /// The object with this key as what it is; nil when there is none.
  ///
  /// Runs off the calling thread.
  public func findConcrete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, with kinds: ConcretePrefetch...,
    newestCommit: Bool = false
  ) async throws -> (any Persistable)? {
    return try await read(newestCommit: newestCommit) {
      try $0.findConcrete(model, id, kinds: kinds)
    }
  }

  /// The object with this key as what it is; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func findConcrete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, with kinds: ConcretePrefetch...,
    newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<(any Persistable)?, any Error>) -> Void)? = nil
  ) {
    submitRead(newestCommit: newestCommit, on: queue, completion) {
      try $0.findConcrete(model, id, kinds: kinds)
    }
  }
}

/// The same on the model itself, through the default store.
extension Persistable {
  /// Every object the query asks for as what it is.
  public static func fetchConcrete(
    _ query: Query<Self> = Self.all, with kinds: ConcretePrefetch..., newestCommit: Bool = false
  ) throws -> [any Persistable] {
    try Persistence.store.read(newestCommit: newestCommit) {
      try $0.fetchConcrete(query, kinds: kinds)
    }
  }

  /// Every object the query asks for as what it is.
  ///
  /// Runs off the calling thread.
  public static func fetchConcrete(
    _ query: Query<Self> = Self.all, with kinds: ConcretePrefetch..., newestCommit: Bool = false
  ) async throws -> [any Persistable] {
    return try await Persistence.store.read(newestCommit: newestCommit) {
      try $0.fetchConcrete(query, kinds: kinds)
    }
  }
}
