// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Finds by key with a completion handler, each in a transaction of its own.
///
/// A read waits for the pending writes of completion overloads, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Finds the model with this key; the result is nil if there is none.
  ///
  /// ```swift
  /// store.find(Snack.self, 1, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.find(model, id, seesDeleted: false)
    }
  }

  /// Finds the model of each key by one request: one answer for each, in their order.
  ///
  /// ```swift
  /// store.find(Snack.self, each: [3, 99, 3], on: .main) { print($0) }
  /// ```
  ///
  /// The answer is nil where there is no such row. A key that is there twice is answered twice.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, each ids: [Model.ID], consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model?], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.find(model, each: ids) }
  }

  /// Finds the models with these keys by one request, in a dictionary by their keys.
  ///
  /// ```swift
  /// store.find(Snack.self, byKey: [3, 99], on: .main) { print($0) }
  /// ```
  ///
  /// Missing ones have no entry. Keys that Swift holds equal share one, such as two spellings of a
  /// text.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, byKey ids: [Model.ID], consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Model.ID: Model], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.find(model, byKey: ids) }
  }

  /// Finds the models with these keys by one request, in the order of the keys, and leaves missing ones out.
  ///
  /// ```swift
  /// store.find(Snack.self, [3, 99, 1], on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ ids: [Model.ID], consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.find(model, ids) }
  }

  /// Finds the model with this key, with relationships; the result is nil if there is none.
  ///
  /// ```swift
  /// store.find(Team.self, 7, prefetch: \.players, \.coach, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ id: Model.ID, consistency: ReadConsistency = .afterPendingWrites,
    prefetch path: AttributePath<Model, Value>, _ others: repeat AttributePath<Model, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.find(model, id, tree: tree)
    }
  }

  /// Finds the models with these keys, with relationships.
  ///
  /// ```swift
  /// store.find(Team.self, [7, 8], prefetch: \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The models come in the order of the keys; missing ones are left out.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ ids: [Model.ID], consistency: ReadConsistency = .afterPendingWrites,
    prefetch path: AttributePath<Model, Value>, _ others: repeat AttributePath<Model, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.find(model, ids, tree: tree)
    }
  }

  /// Finds the object with this key as an instance of its own subentity; nil if there is none.
  ///
  /// ```swift
  /// store.findConcrete(Vehicle.self, 3, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func findConcrete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, with kinds: ConcretePrefetch...,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<(any Persistable)?, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.findConcrete(model, id, kinds: kinds)
    }
  }
}

/// Finds by key with a completion handler, through the default store.
extension PrimaryKeyed {
  /// Finds the model with this key; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.find(1, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func find(
    _ id: Self.ID, consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(Self.self, id, consistency: consistency, on: queue, $1)
    }
  }

  /// Finds the model of each key by one request: one answer for each, in their order.
  ///
  /// ```swift
  /// Snack.find(each: [3, 99, 3], on: .main) { print($0) }
  /// ```
  ///
  /// The answer is nil where there is no such row. A key that is there twice is answered twice.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func find(
    each ids: [Self.ID], consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Self?], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(Self.self, each: ids, consistency: consistency, on: queue, $1)
    }
  }

  /// Finds the models with these keys by one request, in a dictionary by their keys.
  ///
  /// ```swift
  /// Snack.find(byKey: [3, 99], on: .main) { print($0) }
  /// ```
  ///
  /// Missing ones have no entry. Keys that Swift holds equal share one, such as two spellings of a
  /// text.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func find(
    byKey ids: [Self.ID], consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Self.ID: Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(Self.self, byKey: ids, consistency: consistency, on: queue, $1)
    }
  }

  /// Finds the models with these keys by one request, in the order of the keys, and leaves missing ones out.
  ///
  /// ```swift
  /// Snack.find([3, 99, 1], on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func find(
    _ ids: [Self.ID], consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(Self.self, ids, consistency: consistency, on: queue, $1)
    }
  }

  /// Finds the model with this key, with relationships; the result is nil if there is none.
  ///
  /// ```swift
  /// Team.find(7, prefetch: \.players, \.coach, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ id: Self.ID, consistency: ReadConsistency = .afterPendingWrites,
    prefetch path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(
        Self.self, id, consistency: consistency, prefetch: path, repeat each others, on: queue, $1)
    }
  }

  /// Finds the models with these keys, with relationships.
  ///
  /// ```swift
  /// Team.find([7, 8], prefetch: \.players, on: .main) { print($0) }
  /// ```
  ///
  /// The models come in the order of the keys; missing ones are left out.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ ids: [Self.ID], consistency: ReadConsistency = .afterPendingWrites,
    prefetch path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(
        Self.self, ids, consistency: consistency, prefetch: path, repeat each others, on: queue, $1)
    }
  }
}
