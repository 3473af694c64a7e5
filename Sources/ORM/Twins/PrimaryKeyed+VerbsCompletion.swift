public import Dispatch
public import ORMCore

/// The verbs on the model itself, through the default store (with a completion handler).
extension PrimaryKeyed {
  /// The model with this key; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func find(
    _ id: Self.ID, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(Self.self, id, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// The models with these keys, in the order of the keys; missing ones are left out.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func find(
    _ ids: [Self.ID], newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.find(Self.self, ids, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// Inserts the model or updates the row with its key, and gives it back as stored.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func save(
    merge: MergePolicy<Self> = .replace, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Self, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.save(self, merge: merge, on: queue, $1) }
  }

  /// Inserts the model; `duplicate` when its key exists.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func insert(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Self, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.insert(self, on: queue, $1) }
  }

  /// Updates the row with the model's key; `notFound` when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func update(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Self, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.update(self, on: queue, $1) }
  }

  /// Saves a batch of any size as one verb.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func save(
    _ models: [Self], merge: MergePolicy<Self> = .replace, duplicates: DuplicatePolicy = .last,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Self>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.save(models, merge: merge, duplicates: duplicates, on: queue, $1)
    }
  }

  /// Inserts a batch as one verb.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func insert(
    _ models: [Self], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Self>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.insert(models, on: queue, $1) }
  }

  /// Updates a batch as one verb.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func update(
    _ models: [Self], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Self>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.update(models, on: queue, $1) }
  }

  /// Changes what the closure names of the row with this key.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func patch(
    _ id: Self.ID, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.patch(Self.self, id, onMissing: onMissing, changes, on: queue, $1)
    }
  }

  /// Deletes the row with the model's key; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func delete(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(self, on: queue, $1) }
  }

  /// Deletes the row with this key; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func delete(
    id: Self.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(Self.self, id: id, on: queue, $1) }
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func delete(
    ids: [Self.ID], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(Self.self, ids: ids, on: queue, $1) }
  }
}
