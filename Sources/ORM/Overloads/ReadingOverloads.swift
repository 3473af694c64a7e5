// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// The reads of models on the calling thread, each in a transaction of its own.
///
/// A read waits for the pending writes of completion overloads, unless `newestCommit` is true.
extension Store {
  /// Finds the model with this key; the result is nil if there is none.
  ///
  /// - Throws: the errors of `read`.
  @inlinable @inline(__always)
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, newestCommit: Bool = false
  ) throws -> Model? {
    try read(newestCommit: newestCommit) { try $0.find(model, id, seesDeleted: false) }
  }

  /// Finds the models with these keys, in the order of the keys, and leaves missing ones out.
  ///
  /// - Throws: the errors of `read`.
  @inlinable @inline(__always)
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ ids: [Model.ID], newestCommit: Bool = false
  ) throws -> [Model] {
    try read(newestCommit: newestCommit) { try $0.find(model, ids) }
  }

  /// Finds the model with this key, with relationships; the result is nil if there is none.
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ id: Model.ID, newestCommit: Bool = false,
    prefetch path: AttributePath<Model, Value>, _ others: repeat AttributePath<Model, each Other>
  ) throws -> Model? {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    return try read(newestCommit: newestCommit) { try $0.find(model, id, tree: tree) }
  }

  /// Finds the models with these keys, with relationships.
  ///
  /// The models come in the order of the keys; missing ones are left out.
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ ids: [Model.ID], newestCommit: Bool = false,
    prefetch path: AttributePath<Model, Value>, _ others: repeat AttributePath<Model, each Other>
  ) throws -> [Model] {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    return try read(newestCommit: newestCommit) { try $0.find(model, ids, tree: tree) }
  }

  /// Finds the object with this key as an instance of its own subentity; nil if there is none.
  ///
  /// - Throws: the errors of `read`.
  public func findConcrete<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, with kinds: ConcretePrefetch..., newestCommit: Bool = false
  ) throws -> (any Persistable)? {
    try read(newestCommit: newestCommit) { try $0.findConcrete(model, id, kinds: kinds) }
  }

  /// Fetches every model that matches the query, in its order.
  ///
  /// - Throws: the errors of `read`.
  public func fetch<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false
  ) throws -> [Model] {
    try read(newestCommit: newestCommit) { try $0.fetch(query) }
  }

  /// Fetches every object that matches the query as an instance of its own subentity.
  ///
  /// See ``ReadTransaction/fetchConcrete(_:with:)``.
  ///
  /// - Throws: `invalidCondition` if the objects of a kind are no rows of the query's model; the
  ///   errors of `read`.
  public func fetchConcrete<Model: Persistable>(
    _ query: Query<Model>, with kinds: ConcretePrefetch..., newestCommit: Bool = false
  ) throws -> [any Persistable] {
    try read(newestCommit: newestCommit) { try $0.fetchConcrete(query, kinds: kinds) }
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// - Throws: the errors of `read`.
  public func first<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false
  ) throws -> Model? {
    try read(newestCommit: newestCommit) { try $0.first(query) }
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// - Throws: `ambiguous` if there are several; the errors of `read`.
  public func one<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false
  ) throws -> Model? {
    try read(newestCommit: newestCommit) { try $0.one(query) }
  }

  /// Checks if a row matches the query.
  ///
  /// - Throws: the errors of `read`.
  public func exists<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false
  ) throws -> Bool {
    try read(newestCommit: newestCommit) { try $0.exists(query) }
  }

  /// Counts the rows of the query.
  ///
  /// - Throws: the errors of `read`.
  public func count<Model: Persistable>(
    _ query: Query<Model>, newestCommit: Bool = false
  ) throws -> Int {
    try read(newestCommit: newestCommit) { try $0.count(query) }
  }

  /// Counts the rows of the model.
  ///
  /// - Throws: the errors of `read`.
  public func count<Model: Persistable>(
    _ model: Model.Type, newestCommit: Bool = false
  ) throws -> Int {
    try read(newestCommit: newestCommit) { try $0.count(model) }
  }

  /// Explains how the store would answer the query; `running` runs it and counts the rows read.
  ///
  /// - Throws: the errors of `read`.
  public func explain<Model: Persistable>(
    _ query: Query<Model>, running: Bool = false, newestCommit: Bool = false
  ) throws -> Explanation {
    try read(newestCommit: newestCommit) { try $0.explain(query, running: running) }
  }

  /// Loads the targets of a to-many, as they are stored.
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToMany<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> [Target] {
    try read(newestCommit: newestCommit) { try $0.load(model, path, then: nested) }
  }

  /// Loads the target of a to-one; the result is nil if there is none.
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToOne<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> Target? {
    try read(newestCommit: newestCommit) { try $0.load(model, path, then: nested) }
  }

  /// Loads one relationship of all objects by one request; the result is the same objects with it.
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`.
  public func load<Model: Persistable, Value: RelationshipValue>(
    _ models: [Model], _ path: AttributePath<Model, Value>, newestCommit: Bool = false,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 }
  ) throws -> [Model] {
    try read(newestCommit: newestCommit) { try $0.load(models, path, then: nested) }
  }
}

/// The reads of models on the calling thread, through the default store.
extension Persistable {
  /// Fetches every model that matches the query, in its order.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func fetch(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false
  ) throws -> [Self] {
    try Persistence.store.fetch(query, newestCommit: newestCommit)
  }

  /// Fetches every object that matches the query as an instance of its own subentity.
  ///
  /// See ``ReadTransaction/fetchConcrete(_:with:)``.
  ///
  /// - Throws: `invalidCondition` if the objects of a kind are no rows of the query's model; the
  ///   errors of `read`; `notConfigured` without a default store.
  public static func fetchConcrete(
    _ query: Query<Self> = Self.all, with kinds: ConcretePrefetch..., newestCommit: Bool = false
  ) throws -> [any Persistable] {
    try Persistence.store.read(newestCommit: newestCommit) {
      try $0.fetchConcrete(query, kinds: kinds)
    }
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false
  ) throws -> Self? {
    try Persistence.store.first(query, newestCommit: newestCommit)
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// - Throws: `ambiguous` if there are several; the errors of `read`; `notConfigured` without a
  ///   default store.
  public static func one(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false
  ) throws -> Self? {
    try Persistence.store.one(query, newestCommit: newestCommit)
  }

  /// Checks if a row matches the query.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false
  ) throws -> Bool {
    try Persistence.store.exists(query, newestCommit: newestCommit)
  }

  /// Counts the rows of the query.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    _ query: Query<Self> = Self.all, newestCommit: Bool = false
  ) throws -> Int {
    try Persistence.store.count(query, newestCommit: newestCommit)
  }

  /// Explains how the store would answer the query; `running` runs it and counts the rows read.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func explain(
    _ query: Query<Self>, running: Bool = false, newestCommit: Bool = false
  ) throws -> Explanation {
    try Persistence.store.explain(query, running: running, newestCommit: newestCommit)
  }

  /// Loads the targets of a to-many, as they are stored.
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`; `notConfigured` without a default store.
  public func load<Target>(
    _ path: AttributePath<Self, ToMany<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> [Target] {
    try Persistence.store.load(self, path, newestCommit: newestCommit, then: nested)
  }

  /// Loads the target of a to-one; the result is nil if there is none.
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`; `notConfigured` without a default store.
  public func load<Target>(
    _ path: AttributePath<Self, ToOne<Target>>, newestCommit: Bool = false,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) throws -> Target? {
    try Persistence.store.load(self, path, newestCommit: newestCommit, then: nested)
  }

  /// Loads one relationship of all objects by one request; the result is the same objects with it.
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`; `notConfigured` without a default store.
  public static func load<Value: RelationshipValue>(
    _ models: [Self], _ path: AttributePath<Self, Value>, newestCommit: Bool = false,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 }
  ) throws -> [Self] {
    try Persistence.store.load(models, path, newestCommit: newestCommit, then: nested)
  }
}

/// The reads of models on the calling thread, through the default store.
extension PrimaryKeyed {
  /// Finds the model with this key; the result is nil if there is none.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func find(_ id: Self.ID, newestCommit: Bool = false) throws -> Self? {
    try Persistence.store.find(Self.self, id, newestCommit: newestCommit)
  }

  /// Finds the models with these keys, in the order of the keys, and leaves missing ones out.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func find(_ ids: [Self.ID], newestCommit: Bool = false) throws -> [Self] {
    try Persistence.store.find(Self.self, ids, newestCommit: newestCommit)
  }

  /// Finds the model with this key, with relationships; the result is nil if there is none.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ id: Self.ID, newestCommit: Bool = false, prefetch path: AttributePath<Self, Value>,
    _ others: repeat AttributePath<Self, each Other>
  ) throws -> Self? {
    try Persistence.store.find(
      Self.self, id, newestCommit: newestCommit, prefetch: path, repeat each others)
  }

  /// Finds the models with these keys, with relationships.
  ///
  /// The models come in the order of the keys; missing ones are left out.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ ids: [Self.ID], newestCommit: Bool = false, prefetch path: AttributePath<Self, Value>,
    _ others: repeat AttributePath<Self, each Other>
  ) throws -> [Self] {
    try Persistence.store.find(
      Self.self, ids, newestCommit: newestCommit, prefetch: path, repeat each others)
  }
}
