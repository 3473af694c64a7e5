public import Dispatch
public import ORMCore

/// The verbs on the model itself, through the default store (with a completion handler).
extension Persistable {
  /// Every model the query asks for, in its order.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func fetch(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.fetch(query, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// The first model in the query's order; nil when there is none.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func first(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.first(query, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// The only model the query asks for; `ambiguous` when there are several.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func one(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.one(query, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// Whether a row matches the query.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func exists(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.exists(query, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// How many rows the query has.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func count(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.count(query, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// The exact sum of an attribute, 0 over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func sum<Value: SummableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Total, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.sum(query, path, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// The mean of an attribute, rounded once; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func average<Value: SummableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Double?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.average(query, path, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// The least value of an attribute; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func min<Value: ComparableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.min(query, path, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// The greatest value of an attribute; nil over nothing.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func max<Value: ComparableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value.Present?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.max(query, path, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// How the store would answer the query; `running` runs it and counts the rows read.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func explain(
    _ query: Query<Self>, running: Bool = false, newestCommit: Bool = false,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.explain(query, running: running, newestCommit: newestCommit, on: queue, $1)
    }
  }

  /// Inserts a model without a key of its own.
  ///
  /// Returns at once; `completion` is called on the queue.
  @_disfavoredOverload
  public func insert(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.insert(self, on: queue, $1) }
  }

  /// Inserts a batch of models without keys of their own.
  ///
  /// Returns at once; `completion` is called on the queue.
  @_disfavoredOverload
  public static func insert(
    _ models: [Self], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.insert(models, on: queue, $1) }
  }

  /// Saves an object into the rows that match a filter.
  ///
  /// Returns at once; `completion` is called on the queue.
  public func save(
    matching filter: Filter<Self>, onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Self> = .replace, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.save(
        self, matching: filter, onMissing: onMissing, matches: matches, merge: merge, on: queue, $1)
    }
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func save(
    _ models: [Self], matching match: BatchMatch<Self>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Self> = .replace, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.save(
        models, matching: match, onMissing: onMissing, matches: matches, merge: merge, on: queue, $1
      )
    }
  }

  /// Changes attributes of every row the query asks for, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func update(
    _ query: Query<Self>, _ changes: (inout Changes<Self>) -> Void, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.update(query, changes, on: queue, $1) }
  }

  /// Changes what the closure names of every row the query asks for.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func patch(
    _ query: Query<Self>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.patch(query, onMissing: onMissing, changes, on: queue, $1)
    }
  }

  /// Deletes every row the query asks for, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func delete(
    _ query: Query<Self>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(query, on: queue, $1) }
  }

  /// Deletes the first row in the query's order; says whether there was one.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func deleteFirst(
    _ query: Query<Self>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.deleteFirst(query, on: queue, $1) }
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// Returns at once; `completion` is called on the queue.
  public static func deleteAll(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.deleteAll(Self.self, on: queue, $1) }
  }
}
