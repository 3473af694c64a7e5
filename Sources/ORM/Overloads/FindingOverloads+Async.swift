// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import ORMCore

/// Finds by key off the calling thread, each in a transaction of its own.
///
/// A read waits for the pending writes of blocks with a completion handler, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Finds the model with this key; the result is nil if there is none.
  ///
  /// ```swift
  /// let chips = try await store.find(Snack.self, 1)
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Model? {
    return try await read(consistency: consistency) { try $0.find(model, id, seesDeleted: false) }
  }

  /// Finds the model of each key by one request: one answer for each, in their order.
  ///
  /// ```swift
  /// let found = try await store.find(Snack.self, each: [3, 99, 3])
  /// ```
  ///
  /// The answer is nil where there is no such row. A key that is there twice is answered twice.
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, each ids: [Model.ID], consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [Model?] {
    return try await read(consistency: consistency) { try $0.find(model, each: ids) }
  }

  /// Finds the models with these keys by one request, in a dictionary by their keys.
  ///
  /// ```swift
  /// let found = try await store.find(Snack.self, byKey: [3, 99])
  /// ```
  ///
  /// Missing ones have no entry. Keys that Swift holds equal share one, such as two spellings of a
  /// text.
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, byKey ids: [Model.ID], consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [Model.ID: Model] {
    return try await read(consistency: consistency) { try $0.find(model, byKey: ids) }
  }

  /// Finds the models with these keys by one request, in the order of the keys, and leaves missing ones out.
  ///
  /// ```swift
  /// let found = try await store.find(Snack.self, [3, 99, 1])
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ ids: [Model.ID], consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [Model] {
    return try await read(consistency: consistency) { try $0.find(model, ids) }
  }

  /// Finds the model with this key, with relationships; the result is nil if there is none.
  ///
  /// ```swift
  /// let team = try await store.find(Team.self, 7, prefetch: \.players, \.coach)
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ id: Model.ID, consistency: ReadConsistency = .afterPendingWrites,
    prefetch path: AttributePath<Model, Value>, _ others: repeat AttributePath<Model, each Other>
  ) async throws -> Model? {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    return try await read(consistency: consistency) { try $0.find(model, id, tree: tree) }
  }

  /// Finds the models with these keys, with relationships.
  ///
  /// ```swift
  /// let teams = try await store.find(Team.self, [7, 8], prefetch: \.players)
  /// ```
  ///
  /// The models come in the order of the keys; missing ones are left out.
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed, Value: RelationshipValue, each Other: RelationshipValue>(
    _ model: Model.Type, _ ids: [Model.ID], consistency: ReadConsistency = .afterPendingWrites,
    prefetch path: AttributePath<Model, Value>, _ others: repeat AttributePath<Model, each Other>
  ) async throws -> [Model] {
    let tree = Prefetch().prefetch(path).prefetch(repeat each others).tree
    return try await read(consistency: consistency) { try $0.find(model, ids, tree: tree) }
  }

  /// Finds the object with this key as an instance of its own subentity; nil if there is none.
  ///
  /// ```swift
  /// let vehicle = try await store.find(Vehicle.self, 3, as: .concrete)
  /// ```
  ///
  /// - Throws: the errors of `read`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, as models: ConcreteModels,
    consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> (any Persistable)? {
    return try await read(consistency: consistency) { try $0.find(model, id, as: models) }
  }
}

/// Finds by key off the calling thread, through the default store.
extension PrimaryKeyed {
  /// Finds the model with this key; the result is nil if there is none.
  ///
  /// ```swift
  /// let chips = try await Snack.find(1)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func find(
    _ id: Self.ID, consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> Self? {
    try await Persistence.store.find(Self.self, id, consistency: consistency)
  }

  /// Finds the model of each key by one request: one answer for each, in their order.
  ///
  /// ```swift
  /// let found = try await Snack.find(each: [3, 99, 3])
  /// ```
  ///
  /// The answer is nil where there is no such row. A key that is there twice is answered twice.
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func find(
    each ids: [Self.ID], consistency: ReadConsistency = .afterPendingWrites
  ) async throws -> [Self?] {
    try await Persistence.store.find(Self.self, each: ids, consistency: consistency)
  }

  /// Finds the model with this key, with relationships; the result is nil if there is none.
  ///
  /// ```swift
  /// let team = try await Team.find(7, prefetch: \.players, \.coach)
  /// ```
  ///
  /// - Throws: the errors of `read`; `notConfigured` without a default store.
  public static func find<Value: RelationshipValue, each Other: RelationshipValue>(
    _ id: Self.ID, consistency: ReadConsistency = .afterPendingWrites,
    prefetch path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>
  ) async throws -> Self? {
    try await Persistence.store.find(
      Self.self, id, consistency: consistency, prefetch: path, repeat each others)
  }
}
