public import ORMCore

/// The reads, each in a transaction of its own, on the calling thread.
///
/// A read waits for writes that are pending through completion twins, unless `newestCommit` asks
/// not to (semantics 6.2).
extension Store {
  // Inlined, since a store of any type cannot be specialised for: what is called is, for the model.
  /// The model with this key; nil when there is none.
  @inlinable @inline(__always)
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, newestCommit: Bool = false
  ) throws -> Model? {
    try read(newestCommit: newestCommit) { try $0.find(model, id) }
  }

  /// The models with these keys, in the order of the keys; missing ones are left out.
  @inlinable @inline(__always)
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ ids: [Model.ID], newestCommit: Bool = false
  ) throws -> [Model] {
    try read(newestCommit: newestCommit) { try $0.find(model, ids) }
  }

  /// Every model the query asks for, in its order.
  public func fetch<Model: Persistable>(_ query: Query<Model>, newestCommit: Bool = false) throws
    -> [Model]
  {
    try read(newestCommit: newestCommit) { try $0.fetch(query) }
  }

  /// The first model in the query's order; nil when there is none.
  public func first<Model: Persistable>(_ query: Query<Model>, newestCommit: Bool = false) throws
    -> Model?
  {
    try read(newestCommit: newestCommit) { try $0.first(query) }
  }

  /// The only model the query asks for; `ambiguous` when there are several.
  public func one<Model: Persistable>(_ query: Query<Model>, newestCommit: Bool = false) throws
    -> Model?
  {
    try read(newestCommit: newestCommit) { try $0.one(query) }
  }

  /// Whether a row matches the query.
  public func exists<Model: Persistable>(_ query: Query<Model>, newestCommit: Bool = false) throws
    -> Bool
  {
    try read(newestCommit: newestCommit) { try $0.exists(query) }
  }

  /// How many rows the query has.
  public func count<Model: Persistable>(_ query: Query<Model>, newestCommit: Bool = false) throws
    -> Int
  {
    try read(newestCommit: newestCommit) { try $0.count(query) }
  }

  /// How many rows the model has.
  public func count<Model: Persistable>(_ model: Model.Type, newestCommit: Bool = false) throws
    -> Int
  {
    try read(newestCommit: newestCommit) { try $0.count(model) }
  }

  /// The exact sum of an attribute, 0 over nothing.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false
  ) throws -> Value.Total {
    try read(newestCommit: newestCommit) { try $0.sum(query, path) }
  }

  /// The mean of an attribute, rounded once; nil over nothing.
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false
  ) throws -> Double? {
    try read(newestCommit: newestCommit) { try $0.average(query, path) }
  }

  /// The least value of an attribute; nil over nothing.
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false
  ) throws -> Value.Present? {
    try read(newestCommit: newestCommit) { try $0.min(query, path) }
  }

  /// The greatest value of an attribute; nil over nothing.
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, _ path: AttributePath<Model, Value>, newestCommit: Bool = false
  ) throws -> Value.Present? {
    try read(newestCommit: newestCommit) { try $0.max(query, path) }
  }

  /// How the store would answer the query; `running` runs it and counts the rows read.
  public func explain<Model: Persistable>(
    _ query: Query<Model>, running: Bool = false, newestCommit: Bool = false
  ) throws
    -> Explanation
  {
    try read(newestCommit: newestCommit) { try $0.explain(query, running: running) }
  }
}
