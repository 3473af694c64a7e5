public import Dispatch
public import ORMCore

/// The reads of links on the model itself, through the default store (on the calling thread).
extension Persistable {
  /// The targets of a to-many, as they are stored.
  public func load<Target>(
    _ path: AttributePath<Self, ToMany<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> [Target] {
    try Persistence.store.load(self, path, newestCommit: newestCommit, then: nested)
  }

  /// The target of a to-one; nil where there is none.
  public func load<Target>(
    _ path: AttributePath<Self, ToOne<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> Target? {
    try Persistence.store.load(self, path, newestCommit: newestCommit, then: nested)
  }

  /// The same objects with one relationship loaded: one request for all of them.
  public static func load<Value: RelationshipValue>(
    _ models: [Self], _ path: AttributePath<Self, Value>, newestCommit: Bool = false,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 }
  ) throws -> [Self] {
    try Persistence.store.load(models, path, newestCommit: newestCommit, then: nested)
  }
}

/// The reads of links on the model itself, through the default store (off the cooperative pool).
extension Persistable {
  /// The targets of a to-many, as they are stored.
  ///
  /// Runs off the calling thread.
  public func load<Target>(
    _ path: AttributePath<Self, ToMany<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) async throws -> [Target] {
    try await Persistence.store.load(self, path, newestCommit: newestCommit, then: nested)
  }

  /// The target of a to-one; nil where there is none.
  ///
  /// Runs off the calling thread.
  public func load<Target>(
    _ path: AttributePath<Self, ToOne<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) async throws -> Target? {
    try await Persistence.store.load(self, path, newestCommit: newestCommit, then: nested)
  }

  /// The same objects with one relationship loaded: one request for all of them.
  ///
  /// Runs off the calling thread.
  public static func load<Value: RelationshipValue>(
    _ models: [Self], _ path: AttributePath<Self, Value>, newestCommit: Bool = false,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 }
  ) async throws -> [Self] {
    try await Persistence.store.load(models, path, newestCommit: newestCommit, then: nested)
  }
}

/// The reads of links on the model itself, through the default store (with a completion handler).
extension Persistable {
  /// The targets of a to-many, as they are stored.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func load<Target>(
    _ path: AttributePath<Self, ToMany<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Target], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.load(self, path, newestCommit: newestCommit, then: nested, on: queue, $1)
    }
  }

  /// The target of a to-one; nil where there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func load<Target>(
    _ path: AttributePath<Self, ToOne<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Target?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.load(self, path, newestCommit: newestCommit, then: nested, on: queue, $1)
    }
  }

  /// The same objects with one relationship loaded: one request for all of them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func load<Value: RelationshipValue>(
    _ models: [Self], _ path: AttributePath<Self, Value>, newestCommit: Bool = false,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 },
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.load(models, path, newestCommit: newestCommit, then: nested, on: queue, $1)
    }
  }
}
