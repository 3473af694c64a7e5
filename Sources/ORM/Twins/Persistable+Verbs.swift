public import ORMCore

/// The verbs on the model itself, through the default store (on the calling thread).
extension Persistable {
  /// Every model the query asks for, in its order.
  public static func fetch(_ query: Query<Self> = Self.all, newestCommit: Bool = false) throws
    -> [Self]
  {
    try Persistence.store.fetch(query, newestCommit: newestCommit)
  }

  /// The first model in the query's order; nil when there is none.
  public static func first(_ query: Query<Self> = Self.all, newestCommit: Bool = false) throws
    -> Self?
  {
    try Persistence.store.first(query, newestCommit: newestCommit)
  }

  /// The only model the query asks for; `ambiguous` when there are several.
  public static func one(_ query: Query<Self> = Self.all, newestCommit: Bool = false) throws
    -> Self?
  {
    try Persistence.store.one(query, newestCommit: newestCommit)
  }

  /// Whether a row matches the query.
  public static func exists(_ query: Query<Self> = Self.all, newestCommit: Bool = false) throws
    -> Bool
  {
    try Persistence.store.exists(query, newestCommit: newestCommit)
  }

  /// How many rows the query has.
  public static func count(_ query: Query<Self> = Self.all, newestCommit: Bool = false) throws
    -> Int
  {
    try Persistence.store.count(query, newestCommit: newestCommit)
  }

  /// The exact sum of an attribute, 0 over nothing.
  public static func sum<Value: SummableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) throws -> Value.Total {
    try Persistence.store.sum(query, path, newestCommit: newestCommit)
  }

  /// The mean of an attribute, rounded once; nil over nothing.
  public static func average<Value: SummableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) throws -> Double? {
    try Persistence.store.average(query, path, newestCommit: newestCommit)
  }

  /// The least value of an attribute; nil over nothing.
  public static func min<Value: ComparableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) throws -> Value.Present? {
    try Persistence.store.min(query, path, newestCommit: newestCommit)
  }

  /// The greatest value of an attribute; nil over nothing.
  public static func max<Value: ComparableAttribute>(
    _ query: Query<Self>, _ path: AttributePath<Self, Value>, newestCommit: Bool = false
  ) throws -> Value.Present? {
    try Persistence.store.max(query, path, newestCommit: newestCommit)
  }

  /// How the store would answer the query; `running` runs it and counts the rows read.
  public static func explain(
    _ query: Query<Self>, running: Bool = false, newestCommit: Bool = false
  ) throws -> Explanation {
    try Persistence.store.explain(query, running: running, newestCommit: newestCommit)
  }

  /// Inserts a model without a key of its own.
  public func insert() throws {
    try Persistence.store.insert(self)
  }

  /// Inserts a batch of models without keys of their own.
  @discardableResult
  public static func insert(_ models: [Self]) throws -> SaveCounts {
    try Persistence.store.insert(models)
  }

  /// Saves an object into the rows that match a filter.
  @discardableResult
  public func save(
    matching filter: Filter<Self>, onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Self> = .replace
  ) throws -> SaveCounts {
    try Persistence.store.save(
      self, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
  }

  /// Saves a batch whose objects find their rows by attributes.
  @discardableResult
  public static func save(
    _ models: [Self], matching match: BatchMatch<Self>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Self> = .replace
  ) throws -> SaveCounts {
    try Persistence.store.save(
      models, matching: match, onMissing: onMissing, matches: matches, merge: merge)
  }

  /// Changes attributes of every row the query asks for, and counts them.
  @discardableResult
  public static func update(_ query: Query<Self>, _ changes: (inout Changes<Self>) -> Void) throws
    -> Int
  {
    try Persistence.store.update(query, changes)
  }

  /// Changes what the closure names of every row the query asks for.
  @discardableResult
  public static func patch(
    _ query: Query<Self>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void
  ) throws -> Int {
    try Persistence.store.patch(query, onMissing: onMissing, changes)
  }

  /// Deletes every row the query asks for, and counts them.
  @discardableResult
  public static func delete(_ query: Query<Self>) throws -> Int {
    try Persistence.store.delete(query)
  }

  /// Deletes the first row in the query's order; says whether there was one.
  @discardableResult
  public static func deleteFirst(_ query: Query<Self>) throws -> Bool {
    try Persistence.store.deleteFirst(query)
  }

  /// Deletes every row of the model, and counts them.
  @discardableResult
  public static func deleteAll() throws -> Int {
    try Persistence.store.deleteAll(Self.self)
  }
}
