public import Dispatch
public import ORMCore

/// The verbs that find their rows by attributes of the object, each in a transaction of its own.
extension Store {
  /// Saves an object into the rows that equal it in some attributes; nil equals nil.
  @discardableResult
  public func save<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace
  ) throws -> SaveCounts {
    try save(
      model, matching: Filter.equal(model, on: path, repeat each others), onMissing: onMissing,
      matches: matches, merge: merge)
  }

  /// Saves an object into the rows that equal it in some attributes; nil equals nil.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func save<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace
  ) async throws -> SaveCounts {
    let filter = try Filter.equal(model, on: path, repeat each others)
    return try await save(
      model, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
  }

  /// Saves an object into the rows that equal it in some attributes; nil equals nil.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func save<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    let filter = Filter.carryingEqual(try .equal(model, on: path, repeat each others))
    save(
      model, matching: filter, onMissing: onMissing, matches: matches, merge: merge, on: queue,
      completion)
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  @discardableResult
  public func delete<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) throws -> Int {
    try delete(Query<Model>().where(Filter.equal(model, on: path, repeat each others)))
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func delete<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) async throws -> Int {
    let filter = try Filter.equal(model, on: path, repeat each others)
    return try await delete(Query<Model>().where(filter))
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func delete<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let filter = Filter.carryingEqual(try .equal(model, on: path, repeat each others))
    delete(Query<Model>().where(filter), on: queue, completion)
  }
}
