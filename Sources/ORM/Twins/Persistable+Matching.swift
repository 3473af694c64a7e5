public import Dispatch
public import ORMCore

/// The verbs on the model itself that find their rows by its attributes, through the default store.
extension Persistable {
  /// Saves the object into the rows that equal it in some attributes; nil equals nil.
  @discardableResult
  public func save<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>,
    onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Self> = .replace
  ) throws -> SaveCounts {
    try Persistence.store.save(
      self, matchingOn: path, repeat each others, onMissing: onMissing, matches: matches,
      merge: merge)
  }

  /// Saves the object into the rows that equal it in some attributes; nil equals nil.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func save<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>,
    onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Self> = .replace
  ) async throws -> SaveCounts {
    try await Persistence.store.save(
      self, matchingOn: path, repeat each others, onMissing: onMissing, matches: matches,
      merge: merge)
  }

  /// Saves the object into the rows that equal it in some attributes; nil equals nil.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func save<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>,
    onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Self> = .replace, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    let filter = Filter.carryingEqual(try .equal(self, on: path, repeat each others))
    save(
      matching: filter, onMissing: onMissing, matches: matches, merge: merge, on: queue, completion)
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  @discardableResult
  public func delete<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>
  ) throws -> Int {
    try Persistence.store.delete(self, matchingOn: path, repeat each others)
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func delete<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>
  ) async throws -> Int {
    try await Persistence.store.delete(self, matchingOn: path, repeat each others)
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func delete<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let filter = Filter.carryingEqual(try .equal(self, on: path, repeat each others))
    Self.delete(Query<Self>().where(filter), on: queue, completion)
  }
}
