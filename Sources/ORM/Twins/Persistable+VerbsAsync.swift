public import ORMCore

/// The verbs on the model itself, through the default store (off the cooperative pool).
extension Persistable {
  /// Every model the query asks for, in its order.
  ///
  /// Runs off the calling thread.
  public static func fetch(_ query: Query<Self> = Self.all, newestCommit: Bool = false) async throws
    -> [Self]
  {
    try await Persistence.store.fetch(query, newestCommit: newestCommit)
  }

  /// The first model in the query's order; nil when there is none.
  ///
  /// Runs off the calling thread.
  public static func first(_ query: Query<Self> = Self.all, newestCommit: Bool = false) async throws
    -> Self?
  {
    try await Persistence.store.first(query, newestCommit: newestCommit)
  }

  /// The only model the query asks for; `ambiguous` when there are several.
  ///
  /// Runs off the calling thread.
  public static func one(_ query: Query<Self> = Self.all, newestCommit: Bool = false) async throws
    -> Self?
  {
    try await Persistence.store.one(query, newestCommit: newestCommit)
  }

  /// Whether a row matches the query.
  ///
  /// Runs off the calling thread.
  public static func exists(_ query: Query<Self> = Self.all, newestCommit: Bool = false)
    async throws -> Bool
  {
    try await Persistence.store.exists(query, newestCommit: newestCommit)
  }

  /// How many rows the query has.
  ///
  /// Runs off the calling thread.
  public static func count(_ query: Query<Self> = Self.all, newestCommit: Bool = false) async throws
    -> Int
  {
    try await Persistence.store.count(query, newestCommit: newestCommit)
  }

  /// The exact sum of an attribute, 0 over nothing.
  ///
  /// Runs off the calling thread.
  public static func sum<Value: SummableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) async throws -> Value.Total {
    try await Persistence.store.sum(query, path, newestCommit: newestCommit)
  }

  /// The mean of an attribute, rounded once; nil over nothing.
  ///
  /// Runs off the calling thread.
  public static func average<Value: SummableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) async throws -> Double? {
    try await Persistence.store.average(query, path, newestCommit: newestCommit)
  }

  /// The least value of an attribute; nil over nothing.
  ///
  /// Runs off the calling thread.
  public static func min<Value: ComparableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) async throws -> Value.Present? {
    try await Persistence.store.min(query, path, newestCommit: newestCommit)
  }

  /// The greatest value of an attribute; nil over nothing.
  ///
  /// Runs off the calling thread.
  public static func max<Value: ComparableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) async throws -> Value.Present? {
    try await Persistence.store.max(query, path, newestCommit: newestCommit)
  }

  /// How the store would answer the query; `running` runs it and counts the rows read.
  ///
  /// Runs off the calling thread.
  public static func explain(
    _ query: Query<Self>, running: Bool = false, newestCommit: Bool = false
  ) async throws
    -> Explanation
  {
    try await Persistence.store.explain(query, running: running, newestCommit: newestCommit)
  }

  /// Inserts a model without a key of its own.
  ///
  /// Runs off the calling thread.
  public func insert() async throws {
    try await Persistence.store.insert(self)
  }

  /// Inserts a batch of models without keys of their own.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func insert(_ models: [Self]) async throws -> SaveCounts {
    try await Persistence.store.insert(models)
  }

  /// Saves an object into the rows that match a filter.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func save(
    matching filter: Filter<Self>, onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Self> = .replace
  ) async throws -> SaveCounts {
    try await Persistence.store.save(
      self, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func save(
    _ models: [Self], matching match: BatchMatch<Self>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Self> = .replace
  ) async throws -> SaveCounts {
    try await Persistence.store.save(
      models, matching: match, onMissing: onMissing, matches: matches, merge: merge)
  }

  /// Changes attributes of every row the query asks for, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func update(_ query: Query<Self>, _ changes: (inout Changes<Self>) -> Void)
    async throws -> Int
  {
    try await Persistence.store.update(query, changes)
  }

  /// Changes what the closure names of every row the query asks for.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func patch(
    _ query: Query<Self>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void
  ) async throws -> Int {
    try await Persistence.store.patch(query, onMissing: onMissing, changes)
  }

  /// Deletes every row the query asks for, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func delete(_ query: Query<Self>) async throws -> Int {
    try await Persistence.store.delete(query)
  }

  /// Deletes the first row in the query's order; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func deleteFirst(_ query: Query<Self>) async throws -> Bool {
    try await Persistence.store.deleteFirst(query)
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func deleteAll() async throws -> Int {
    try await Persistence.store.deleteAll(Self.self)
  }
}
