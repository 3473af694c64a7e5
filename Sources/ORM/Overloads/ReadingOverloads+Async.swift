// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// The reads of models off the calling thread, each in a transaction of its own.
///
/// A read waits for the pending writes of blocks with a completion handler, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Fetches every model that matches the query, in its order.
  ///
  /// ```swift
  /// let cheap = try await store.fetch(Snack.where { $0.price < 3 })
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func fetch<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [Model] {
    return try await read(consistency: consistency) { try $0.fetch(query) }
  }

  /// Fetches every object that matches the query as an instance of its own subentity.
  ///
  /// ```swift
  /// let vehicles = try await store.fetch(Vehicle.all, as: .concrete)
  /// ```
  ///
  /// See ``ReadTransaction/fetch(_:as:)``.
  ///
  /// - Throws: `invalidCondition` if the objects of a named model are no rows of the query's model;
  ///   the errors of `read`.
  public func fetch<Model: Persistable>(
    _ query: Query<Model>, as models: ConcreteModels,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [any Persistable] {
    return try await read(consistency: consistency) { try $0.fetch(query, as: models) }
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// ```swift
  /// let cheapest = try await store.first(Snack.all.sorted(by: .ascending(\.price)))
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func first<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Model? {
    return try await read(consistency: consistency) { try $0.first(query) }
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// ```swift
  /// let chips = try await store.one(Snack.where { $0.name == "Chips" })
  /// ```
  ///
  /// - Throws: `ambiguous` if there are several; the errors of `read`.
  public func one<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Model? {
    return try await read(consistency: consistency) { try $0.one(query) }
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// let isSold = try await store.exists(Snack.where { $0.name == "Chips" })
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func exists<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Bool {
    return try await read(consistency: consistency) { try $0.exists(query) }
  }

  /// Counts the rows of the query.
  ///
  /// ```swift
  /// let count = try await store.count(Snack.where { $0.price < 3 })
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func count<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Int {
    return try await read(consistency: consistency) { try $0.count(query) }
  }

  /// Counts the rows of the model.
  ///
  /// ```swift
  /// let count = try await store.count(Snack.self)
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func count<Model: Persistable>(
    _ model: Model.Type, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Int {
    return try await read(consistency: consistency) { try $0.count(model) }
  }

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// try await print(store.explain(Snack.where { $0.price < 3 }))
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func explain<Model: Persistable>(
    _ query: Query<Model>, analyze: Bool = false, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Explanation {
    return try await read(consistency: consistency) { try $0.explain(query, analyze: analyze) }
  }

  /// Loads the targets of a to-many, as they are stored.
  ///
  /// ```swift
  /// let players = try await store.load(team, \.players)
  /// ```
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToMany<Target>>,
    consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) async throws -> [Target] {
    let tree = nested(Prefetch()).tree
    return try await read(consistency: consistency) { try $0.load(model, path, tree: tree) }
  }

  /// Loads the target of a to-one; the result is nil if there is none.
  ///
  /// ```swift
  /// let coach = try await store.load(team, \.coach)
  /// ```
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToOne<Target>>,
    consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) async throws -> Target? {
    let tree = nested(Prefetch()).tree
    return try await read(consistency: consistency) { try $0.load(model, path, tree: tree) }
  }

  /// Loads one relationship of all objects by one request; the result is the same objects with it.
  ///
  /// ```swift
  /// let loaded = try await store.load(teams, \.players)
  /// ```
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`.
  public func load<Model: Persistable, Value: RelationshipValue>(
    _ models: [Model], _ path: AttributePath<Model, Value>,
    consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 }
  ) async throws -> [Model] {
    let tree = nested(Prefetch()).tree
    return try await read(consistency: consistency) { try $0.load(models, path, tree: tree) }
  }
}

/// The reads of models off the calling thread, through the default store.
extension Persistable {
  /// Fetches every model that matches the query, in its order.
  ///
  /// ```swift
  /// let snacks = try await Snack.fetch()
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func fetch(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [Self] {
    try await Persistence.store.fetch(query, consistency: consistency)
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// ```swift
  /// let cheapest = try await Snack.first(Snack.all.sorted(by: .ascending(\.price)))
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Self? {
    try await Persistence.store.first(query, consistency: consistency)
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// let isSold = try await Snack.exists(Snack.where { $0.name == "Chips" })
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Bool {
    try await Persistence.store.exists(query, consistency: consistency)
  }

  /// Counts the rows of the query.
  ///
  /// ```swift
  /// let count = try await Snack.count()
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Int {
    try await Persistence.store.count(query, consistency: consistency)
  }

  /// Loads the targets of a to-many, as they are stored.
  ///
  /// ```swift
  /// let players = try await team.load(\.players)
  /// ```
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`; `notConfigured` without a default store.
  public func load<Target>(
    _ path: AttributePath<Self, ToMany<Target>>, consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) async throws -> [Target] {
    try await Persistence.store.load(self, path, consistency: consistency, then: nested)
  }

  /// Loads the target of a to-one; the result is nil if there is none.
  ///
  /// ```swift
  /// let coach = try await team.load(\.coach)
  /// ```
  ///
  /// - Throws: `unknownAttribute` if the property is no declared relationship; the errors of
  ///   `read`; `notConfigured` without a default store.
  public func load<Target>(
    _ path: AttributePath<Self, ToOne<Target>>, consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }
  ) async throws -> Target? {
    try await Persistence.store.load(self, path, consistency: consistency, then: nested)
  }
}
