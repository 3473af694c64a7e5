// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// The reads of models with a completion handler, each in a transaction of its own.
///
/// A read waits for the pending writes of completion overloads, unless `consistency` is
/// `.latestCommit`.
extension Store {
  /// Fetches every model that matches the query, in its order.
  ///
  /// ```swift
  /// store.fetch(Snack.where { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func fetch<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.fetch(query) }
  }

  /// Fetches every object that matches the query as an instance of its own subentity.
  ///
  /// ```swift
  /// store.fetchConcrete(Vehicle.all, on: .main) { print($0) }
  /// ```
  ///
  /// See ``ReadTransaction/fetchConcrete(_:with:)``.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `invalidCondition` if the objects of a kind are no rows of the query's model; the
  /// errors of `read`.
  public func fetchConcrete<Model: Persistable>(
    _ query: Query<Model>, with kinds: ConcretePrefetch...,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[any Persistable], any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.fetchConcrete(query, kinds: kinds)
    }
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// ```swift
  /// store.first(Snack.all.sorted(by: .ascending(\.price)), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func first<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.first(query) }
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// ```swift
  /// store.one(Snack.where { $0.name == "Chips" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `ambiguous` if there are several; the errors of `read`.
  public func one<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Model?, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.one(query) }
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// store.exists(Snack.where { $0.name == "Chips" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func exists<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.exists(query) }
  }

  /// Counts the rows of the query.
  ///
  /// ```swift
  /// store.count(Snack.where { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func count<Model: Persistable>(
    _ query: Query<Model>, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.count(query) }
  }

  /// Counts the rows of the model.
  ///
  /// ```swift
  /// store.count(Snack.self, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func count<Model: Persistable>(
    _ model: Model.Type, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) { try $0.count(model) }
  }

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// store.explain(Snack.where { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`.
  public func explain<Model: Persistable>(
    _ query: Query<Model>, analyze: Bool = false,
    consistency: ReadConsistency = .afterPendingWrites, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.explain(query, analyze: analyze)
    }
  }

  /// Loads the targets of a to-many, as they are stored.
  ///
  /// ```swift
  /// store.load(team, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownAttribute` if the property is no declared relationship; the errors of `read`.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToMany<Target>>,
    consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Target], any Error>) -> Void)? = nil
  ) {
    let tree = nested(Prefetch()).tree
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.load(model, path, tree: tree)
    }
  }

  /// Loads the target of a to-one; the result is nil if there is none.
  ///
  /// ```swift
  /// store.load(team, \.coach, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownAttribute` if the property is no declared relationship; the errors of `read`.
  public func load<Model: Persistable, Target>(
    _ model: Model, _ path: AttributePath<Model, ToOne<Target>>,
    consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Target?, any Error>) -> Void)? = nil
  ) {
    let tree = nested(Prefetch()).tree
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.load(model, path, tree: tree)
    }
  }

  /// Loads one relationship of all objects by one request; the result is the same objects with it.
  ///
  /// ```swift
  /// store.load(teams, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownAttribute` if the property is no declared relationship; the errors of `read`.
  public func load<Model: Persistable, Value: RelationshipValue>(
    _ models: [Model], _ path: AttributePath<Model, Value>,
    consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 },
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Model], any Error>) -> Void)? = nil
  ) {
    let tree = nested(Prefetch()).tree
    submitRead(consistency: consistency, on: queue, completion) {
      try $0.load(models, path, tree: tree)
    }
  }
}

/// The reads of models with a completion handler, through the default store.
extension Persistable {
  /// Fetches every model that matches the query, in its order.
  ///
  /// ```swift
  /// Snack.fetch(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func fetch(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.fetch(query, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the first model in the query's order; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.first(Snack.all.sorted(by: .ascending(\.price)), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func first(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.first(query, consistency: consistency, on: queue, $1)
    }
  }

  /// Fetches the only model that matches the query; the result is nil if there is none.
  ///
  /// ```swift
  /// Snack.one(Snack.where { $0.name == "Chips" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `ambiguous` if there are several; the errors of `read`; `notConfigured` without a
  /// default store.
  public static func one(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Self?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.one(query, consistency: consistency, on: queue, $1)
    }
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// Snack.exists(Snack.where { $0.name == "Chips" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func exists(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.exists(query, consistency: consistency, on: queue, $1)
    }
  }

  /// Counts the rows of the query.
  ///
  /// ```swift
  /// Snack.count(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func count(
    _ query: Query<Self> = Self.all, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.count(query, consistency: consistency, on: queue, $1)
    }
  }

  /// Explains how the store would answer the query; `analyze` runs it and counts the rows read.
  ///
  /// ```swift
  /// Snack.explain(Snack.where { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `read`; `notConfigured` without a default store.
  public static func explain(
    _ query: Query<Self>, analyze: Bool = false, consistency: ReadConsistency = .afterPendingWrites,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Explanation, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.explain(query, analyze: analyze, consistency: consistency, on: queue, $1)
    }
  }

  /// Loads the targets of a to-many, as they are stored.
  ///
  /// ```swift
  /// team.load(\.players, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownAttribute` if the property is no declared relationship; the errors of `read`;
  /// `notConfigured` without a default store.
  public func load<Target>(
    _ path: AttributePath<Self, ToMany<Target>>, consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<[Target], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.load(self, path, consistency: consistency, then: nested, on: queue, $1)
    }
  }

  /// Loads the target of a to-one; the result is nil if there is none.
  ///
  /// ```swift
  /// team.load(\.coach, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownAttribute` if the property is no declared relationship; the errors of `read`;
  /// `notConfigured` without a default store.
  public func load<Target>(
    _ path: AttributePath<Self, ToOne<Target>>, consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Target>) -> Prefetch<Target> = { $0 }, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Target?, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.load(self, path, consistency: consistency, then: nested, on: queue, $1)
    }
  }

  /// Loads one relationship of all objects by one request; the result is the same objects with it.
  ///
  /// ```swift
  /// Team.load(teams, \.players, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `unknownAttribute` if the property is no declared relationship; the errors of `read`;
  /// `notConfigured` without a default store.
  public static func load<Value: RelationshipValue>(
    _ models: [Self], _ path: AttributePath<Self, Value>,
    consistency: ReadConsistency = .afterPendingWrites,
    then nested: (Prefetch<Value.Target>) -> Prefetch<Value.Target> = { $0 },
    on queue: DispatchQueue, _ completion: (@Sendable (Result<[Self], any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.load(models, path, consistency: consistency, then: nested, on: queue, $1)
    }
  }
}
