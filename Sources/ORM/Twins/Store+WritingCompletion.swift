public import Dispatch
public import ORMCore

/// The writes with a completion handler. A write is pending from the call on: every read
/// issued afterwards, on any thread, sees it. Without a handler a failure goes to the store's
/// `onError`.
extension Store {
  /// Inserts the model or updates the row with its key, and gives it back as stored.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func save<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model> = .replace, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) { try $0.save(model, merge: merge) }
  }

  /// Inserts the model; `duplicate` when its key exists.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func insert<Model: PrimaryKeyed>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) { try $0.insert(model) }
  }

  /// Updates the row with the model's key; `notFound` when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func update<Model: PrimaryKeyed>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) { try $0.update(model) }
  }

  /// Inserts a model without a key of its own.
  ///
  /// Returns at once; `completion` is called on the queue.
  @_disfavoredOverload
  public func insert<Model: Persistable>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) { try $0.insert(model) }
  }

  /// Saves a batch of any size as one verb.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func save<Model: PrimaryKeyed>(
    _ models: [Model], merge: MergePolicy<Model> = .replace, duplicates: DuplicatePolicy = .last,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Model>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: models), on: queue, completion) {
      try $0.save(models, merge: merge, duplicates: duplicates)
    }
  }

  /// Inserts a batch as one verb.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func insert<Model: PrimaryKeyed>(
    _ models: [Model], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Model>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: models), on: queue, completion) { try $0.insert(models) }
  }

  /// Updates a batch as one verb.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func update<Model: PrimaryKeyed>(
    _ models: [Model], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Model>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: models), on: queue, completion) { try $0.update(models) }
  }

  /// Inserts a batch of models without keys of their own.
  ///
  /// Returns at once; `completion` is called on the queue.
  @_disfavoredOverload
  public func insert<Model: Persistable>(
    _ models: [Model], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: models), on: queue, completion) { try $0.insert(models) }
  }

  /// Saves an object into the rows that match a filter.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func save<Model: Persistable>(
    _ model: Model, matching filter: Filter<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) {
      try $0.save(model, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func save<Model: Persistable>(
    _ models: [Model], matching match: BatchMatch<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) {
      try $0.save(models, matching: match, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Changes attributes of every row the query asks for, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func update<Model: Persistable>(
    _ query: Query<Model>, _ changes: (inout Changes<Model>) -> Void, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let collected = Changes.collected(changes)
    submitWrite(on: queue, completion) { try $0.update(query, collected) }
  }

  /// Changes what the closure names of the row with this key.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let collected = Changes.collected(changes)
    submitWrite(rows: 1, on: queue, completion) {
      try $0.patch(model, id, onMissing: onMissing, collected)
    }
  }

  /// Changes what the closure names of every row the query asks for.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func patch<Model: Persistable>(
    _ query: Query<Model>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Model>) -> Void,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let collected = Changes.collected(changes)
    submitWrite(on: queue, completion) { try $0.patch(query, onMissing: onMissing, collected) }
  }

  /// Deletes the row with the model's key; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func delete<Model: PrimaryKeyed>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: 1, on: queue, completion) { try $0.delete(model) }
  }

  /// Deletes the row with this key; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func delete<Model: PrimaryKeyed>(
    _ model: Model.Type, id: Model.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: 1, on: queue, completion) { try $0.delete(model, id: id) }
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func delete<Model: PrimaryKeyed>(
    _ model: Model.Type, ids: [Model.ID], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: ids.count, on: queue, completion) { try $0.delete(model, ids: ids) }
  }

  /// Deletes every row the query asks for, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func delete<Model: Persistable>(
    _ query: Query<Model>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.delete(query) }
  }

  /// Deletes the first row in the query's order; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func deleteFirst<Model: Persistable>(
    _ query: Query<Model>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.deleteFirst(query) }
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func deleteAll<Model: Persistable>(
    _ model: Model.Type, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.deleteAll(model) }
  }
}
