public import Dispatch
public import ORMCore

/// Finds with links on the model itself, through the default store (on the calling thread).
extension PrimaryKeyed {
  /// The model with this key and relationships; nil when there is none.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ id: Self.ID, newestCommit: Bool = false,
    prefetch path: AttributePath<Self, Value>,
    _ others: repeat AttributePath<Self, each Other>
  ) throws -> Self? {
    try Persistence.store.find(
      Self.self, id, newestCommit: newestCommit, prefetch: path, repeat each others)
  }

  /// The models with these keys and relationships, in the order of the keys; missing ones are left
  /// out.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ ids: [Self.ID], newestCommit: Bool = false,
    prefetch path: AttributePath<Self, Value>,
    _ others: repeat AttributePath<Self, each Other>
  ) throws -> [Self] {
    try Persistence.store.find(
      Self.self, ids, newestCommit: newestCommit, prefetch: path, repeat each others)
  }
}

/// Finds with links on the model itself, through the default store (off the cooperative pool).
extension PrimaryKeyed {
  /// The model with this key and relationships; nil when there is none.
  ///
  /// Runs off the calling thread.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ id: Self.ID, newestCommit: Bool = false,
    prefetch path: AttributePath<Self, Value>,
    _ others: repeat AttributePath<Self, each Other>
  ) async throws -> Self? {
    try await Persistence.store.find(
      Self.self, id, newestCommit: newestCommit, prefetch: path, repeat each others)
  }

  /// The models with these keys and relationships, in the order of the keys; missing ones are left
  /// out.
  ///
  /// Runs off the calling thread.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ ids: [Self.ID], newestCommit: Bool = false,
    prefetch path: AttributePath<Self, Value>,
    _ others: repeat AttributePath<Self, each Other>
  ) async throws -> [Self] {
    try await Persistence.store.find(
      Self.self, ids, newestCommit: newestCommit, prefetch: path, repeat each others)
  }
}

/// Finds with links on the model itself, through the default store (with a completion handler).
extension PrimaryKeyed {
  /// The model with this key and relationships; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ id: Self.ID, newestCommit: Bool = false,
    prefetch path: AttributePath<Self, Value>,
    _ others: repeat AttributePath<Self, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(
        Self.self, id, newestCommit: newestCommit, prefetch: path, repeat each others,
        on: queue, $1)
    }
  }

  /// The models with these keys and relationships, in the order of the keys; missing ones are left
  /// out.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ ids: [Self.ID], newestCommit: Bool = false,
    prefetch path: AttributePath<Self, Value>,
    _ others: repeat AttributePath<Self, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(
        Self.self, ids, newestCommit: newestCommit, prefetch: path, repeat each others,
        on: queue, $1)
    }
  }
}
