// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import ORMCore

/// Inserts, updates and saves with a completion handler, each in a transaction of its own.
///
/// A write is pending from the call on: every read issued afterwards, on any thread, sees it.
extension Store {
  /// Inserts the model or updates the row with its key; the result is the model as stored.
  ///
  /// ```swift
  /// store.save(Snack(name: "Chips", price: 2.5), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `invalidValue`, `missingValue`, `tooLarge`, `keysExhausted`; `duplicate` for a broken
  /// unique rule; of links `missingTarget`, `conflictingLinks`, `requiredCycle`,
  /// `validationFailed`; the errors of `write`.
  public func save<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) { try $0.save(model, merge: merge) }
  }

  /// Saves the model, and reports if its row was inserted, updated or left unchanged.
  ///
  /// ```swift
  /// store.saveReportingOutcome(snack, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; the errors of `write`.
  public func saveReportingOutcome<Model: PrimaryKeyed>(
    _ model: Model, merge: MergePolicy<Model> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<ReportedSave<Model>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) {
      try $0.saveReportingOutcome(model, merge: merge)
    }
  }

  /// Inserts the model; the result is the model as stored.
  ///
  /// ```swift
  /// store.insert(Snack(name: "Chips"), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `duplicate` if the key exists; the errors of `write`.
  public func insert<Model: PrimaryKeyed>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) { try $0.insert(model) }
  }

  /// Updates the row with the model's key; the result is the model as stored.
  ///
  /// ```swift
  /// store.update(snack, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `notFound` if there is no such row; the errors of `write`.
  public func update<Model: PrimaryKeyed>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Model, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) { try $0.update(model) }
  }

  /// Inserts a model without a key of its own.
  ///
  /// ```swift
  /// store.insert(LogLine(text: "Started", time: .now), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; the errors of `write`.
  @_disfavoredOverload
  public func insert<Model: Persistable>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: [model]), on: queue, completion) { try $0.insert(model) }
  }

  /// Saves a batch of any size as one operation.
  ///
  /// ```swift
  /// store.save(snacks, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `invalidBatch` for two objects with one key if `duplicates` asks
  /// for it; the errors of `write`.
  public func save<Model: PrimaryKeyed>(
    _ models: [Model], merge: MergePolicy<Model> = .storeDefault,
    duplicates: DuplicatePolicy = .last, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Model>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: models), on: queue, completion) {
      try $0.save(models, merge: merge, duplicates: duplicates)
    }
  }

  /// Inserts a batch as one operation.
  ///
  /// ```swift
  /// store.insert(snacks, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `insert`; the errors of `write`.
  public func insert<Model: PrimaryKeyed>(
    _ models: [Model], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Model>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: models), on: queue, completion) { try $0.insert(models) }
  }

  /// Updates a batch as one operation.
  ///
  /// ```swift
  /// store.update(snacks, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `update`; the errors of `write`.
  public func update<Model: PrimaryKeyed>(
    _ models: [Model], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Model>, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: models), on: queue, completion) { try $0.update(models) }
  }

  /// Inserts a batch of models without keys of their own.
  ///
  /// ```swift
  /// store.insert(lines, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; the errors of `write`.
  @_disfavoredOverload
  public func insert<Model: Persistable>(
    _ models: [Model], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(of: models), on: queue, completion) { try $0.insert(models) }
  }

  /// Saves an object into the rows that match a filter.
  ///
  /// ```swift
  /// store.save(snack, matching: \.name == "Chips", on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `notFound` and `ambiguous` as `onMissing` and `matches` ask;
  /// `duplicate` if another row has the key of an inserted object; the errors of `write`.
  public func save<Model: Persistable>(
    _ model: Model, matching filter: Filter<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) {
      try $0.save(model, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Saves an object into the rows that equal it in some attributes; nil equals nil.
  ///
  /// ```swift
  /// store.save(snack, matchingOn: \.name, \.taste, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save(_:matching:)`; the errors of `write`.
  public func save<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    let filter = Filter.carryingEqual(try .equal(model, on: path, repeat each others))
    submitWrite(on: queue, completion) {
      try $0.save(model, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// ```swift
  /// store.save(snacks, matching: BatchMatch(contain: [\.name]), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `invalidBatch` if the list of equal attributes has several
  /// values or the list of contained ones is empty; the errors of `write`.
  public func save<Model: Persistable>(
    _ models: [Model], matching match: BatchMatch<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) {
      try $0.save(models, matching: match, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Changes attributes of every row that matches the query, and counts the rows.
  ///
  /// ```swift
  /// store.update(Snack.where { $0.price > 9 }, { $0[\.price] -= 1 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow`, `invalidValue`, `missingValue`, `duplicate`; the errors of `write`.
  public func update<Model: Persistable>(
    _ query: Query<Model>, _ changes: (inout Changes<Model>) -> Void, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let collected = Changes.collected(changes)
    submitWrite(on: queue, completion) { try $0.update(query, collected) }
  }

  /// Changes the attributes that the closure names of the row with this key, and counts the rows.
  ///
  /// ```swift
  /// store.patch(Snack.self, 1, { $0.taste = "hot" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  /// asks; the errors of `write`.
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let collected = Changes.collected(changes)
    submitWrite(rows: 1, on: queue, completion) {
      try $0.patch(model, id, onMissing: onMissing, collected)
    }
  }

  /// Changes the attributes that the closure names of every row that matches the query.
  ///
  /// ```swift
  /// store.patch(Snack.where { $0.taste == nil }, { $0.taste = "mild" }, on: .main) { print($0) }
  /// ```
  ///
  /// The result is the number of rows.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  /// asks; the errors of `write`.
  public func patch<Model: Persistable>(
    _ query: Query<Model>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Model>) -> Void,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let collected = Changes.collected(changes)
    submitWrite(on: queue, completion) { try $0.patch(query, onMissing: onMissing, collected) }
  }

  /// Computes every derived attribute anew, and counts the objects that were wrong.
  ///
  /// ```swift
  /// store.rebuildDerived(on: .main) { print($0) }
  /// ```
  ///
  /// See ``WriteTransaction/rebuildDerived(_:)``.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `write`.
  public func rebuildDerived(
    _ models: [any Persistable.Type] = [], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.rebuildDerived(models) }
  }
}

/// Inserts, updates and saves with a completion handler, through the default store.
extension Persistable {
  /// Inserts a model without a key of its own.
  ///
  /// ```swift
  /// LogLine(text: "Started", time: .now).insert(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; the errors of `write`; `notConfigured` without a default store.
  @_disfavoredOverload
  public func insert(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.insert(self, on: queue, $1) }
  }

  /// Inserts a batch of models without keys of their own.
  ///
  /// ```swift
  /// LogLine.insert(lines, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; the errors of `write`; `notConfigured` without a default store.
  @_disfavoredOverload
  public static func insert(
    _ models: [Self], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.insert(models, on: queue, $1) }
  }

  /// Saves an object into the rows that match a filter.
  ///
  /// ```swift
  /// snack.save(matching: \.name == "Chips", on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `notFound` and `ambiguous` as `onMissing` and `matches` ask;
  /// `duplicate` if another row has the key of an inserted object; the errors of `write`;
  /// `notConfigured` without a default store.
  public func save(
    matching filter: Filter<Self>, onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Self> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.save(
        self, matching: filter, onMissing: onMissing, matches: matches, merge: merge, on: queue, $1)
    }
  }

  /// Saves an object into the rows that equal it in some attributes; nil equals nil.
  ///
  /// ```swift
  /// snack.save(matchingOn: \.name, \.taste, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save(_:matching:)`; the errors of `write`; `notConfigured` without a
  /// default store.
  public func save<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>,
    onMissing: OnMissing = .insert, matches: MatchPolicy = .all,
    merge: MergePolicy<Self> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.save(
        self, matchingOn: path, repeat each others, onMissing: onMissing, matches: matches,
        merge: merge, on: queue, $1)
    }
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// ```swift
  /// Snack.save(snacks, matching: BatchMatch(contain: [\.name]), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `invalidBatch` if the list of equal attributes has several
  /// values or the list of contained ones is empty; the errors of `write`; `notConfigured` without
  /// a default store.
  public static func save(
    _ models: [Self], matching match: BatchMatch<Self>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Self> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveCounts, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.save(
        models, matching: match, onMissing: onMissing, matches: matches, merge: merge, on: queue, $1
      )
    }
  }

  /// Changes attributes of every row that matches the query, and counts the rows.
  ///
  /// ```swift
  /// Snack.update(Snack.where { $0.price > 9 }, { $0[\.price] -= 1 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow`, `invalidValue`, `missingValue`, `duplicate`; the errors of `write`;
  /// `notConfigured` without a default store.
  public static func update(
    _ query: Query<Self>, _ changes: (inout Changes<Self>) -> Void, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.update(query, changes, on: queue, $1) }
  }

  /// Changes the attributes that the closure names of every row that matches the query.
  ///
  /// ```swift
  /// Snack.patch(Snack.where { $0.taste == nil }, { $0.taste = "mild" }, on: .main) { print($0) }
  /// ```
  ///
  /// The result is the number of rows.
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  /// asks; the errors of `write`; `notConfigured` without a default store.
  public static func patch(
    _ query: Query<Self>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.patch(query, onMissing: onMissing, changes, on: queue, $1)
    }
  }
}

/// Inserts, updates and saves with a completion handler, through the default store.
extension PrimaryKeyed {
  /// Inserts the model or updates the row with its key; the result is the model as stored.
  ///
  /// ```swift
  /// Snack(name: "Chips", price: 2.5).save(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `invalidValue`, `missingValue`, `tooLarge`, `keysExhausted`; `duplicate` for a broken
  /// unique rule; of links `missingTarget`, `conflictingLinks`, `requiredCycle`,
  /// `validationFailed`; the errors of `write`; `notConfigured` without a default store.
  public func save(
    merge: MergePolicy<Self> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Self, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.save(self, merge: merge, on: queue, $1) }
  }

  /// Saves the model, and reports if its row was inserted, updated or left unchanged.
  ///
  /// ```swift
  /// snack.saveReportingOutcome(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; the errors of `write`; `notConfigured` without a default store.
  public func saveReportingOutcome(
    merge: MergePolicy<Self> = .storeDefault, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<ReportedSave<Self>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.saveReportingOutcome(self, merge: merge, on: queue, $1)
    }
  }

  /// Inserts the model; the result is the model as stored.
  ///
  /// ```swift
  /// Snack(name: "Chips").insert(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `duplicate` if the key exists; the errors of `write`;
  /// `notConfigured` without a default store.
  public func insert(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Self, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.insert(self, on: queue, $1) }
  }

  /// Updates the row with the model's key; the result is the model as stored.
  ///
  /// ```swift
  /// snack.update(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `notFound` if there is no such row; the errors of `write`;
  /// `notConfigured` without a default store.
  public func update(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Self, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.update(self, on: queue, $1) }
  }

  /// Saves a batch of any size as one operation.
  ///
  /// ```swift
  /// Snack.save(snacks, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `save`; `invalidBatch` for two objects with one key if `duplicates` asks
  /// for it; the errors of `write`; `notConfigured` without a default store.
  public static func save(
    _ models: [Self], merge: MergePolicy<Self> = .storeDefault, duplicates: DuplicatePolicy = .last,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Self>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.save(models, merge: merge, duplicates: duplicates, on: queue, $1)
    }
  }

  /// Inserts a batch as one operation.
  ///
  /// ```swift
  /// Snack.insert(snacks, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `insert`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func insert(
    _ models: [Self], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Self>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.insert(models, on: queue, $1) }
  }

  /// Updates a batch as one operation.
  ///
  /// ```swift
  /// Snack.update(snacks, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: the errors of `update`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func update(
    _ models: [Self], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<SaveResult<Self>, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.update(models, on: queue, $1) }
  }

  /// Changes the attributes that the closure names of the row with this key, and counts the rows.
  ///
  /// ```swift
  /// Snack.patch(1, { $0.taste = "hot" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `overflow`, `invalidValue`, `missingValue`, `duplicate`; `notFound` as `onMissing`
  /// asks; the errors of `write`; `notConfigured` without a default store.
  public static func patch(
    _ id: Self.ID, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.patch(Self.self, id, onMissing: onMissing, changes, on: queue, $1)
    }
  }
}
