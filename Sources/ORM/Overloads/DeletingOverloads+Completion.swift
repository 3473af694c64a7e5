// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import Dispatch
public import FoundationEssentials
public import ORMCore

/// Deletes, and operations on hidden rows with a completion handler, each in a transaction of its
/// own.
///
/// A write is pending from the call on: every read issued afterwards, on any thread, sees it.
extension Store {
  /// Deletes the row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// store.delete(snack, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func delete<Model: PrimaryKeyed>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(deleting: 1, of: Model.self), on: queue, completion) {
      try $0.delete(model)
    }
  }

  /// Deletes the row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// store.delete(Snack.self, id: 1, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func delete<Model: PrimaryKeyed>(
    _ model: Model.Type, id: Model.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(deleting: 1, of: Model.self), on: queue, completion) {
      try $0.delete(model, id: id)
    }
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// ```swift
  /// store.delete(Snack.self, ids: [1, 3], on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func delete<Model: PrimaryKeyed>(
    _ model: Model.Type, ids: [Model.ID], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(deleting: ids.count, of: Model.self), on: queue, completion) {
      try $0.delete(model, ids: ids)
    }
  }

  /// Deletes the rows with the models' keys as one operation, and counts them.
  ///
  /// ```swift
  /// store.delete(snacks, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func delete<Model: PrimaryKeyed>(
    _ models: [Model], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(deleting: models.count, of: Model.self), on: queue, completion) {
      try $0.delete(models)
    }
  }

  /// Deletes every row that matches the query, and counts them.
  ///
  /// ```swift
  /// store.delete(Snack.where { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func delete<Model: Persistable>(
    _ query: Query<Model>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.delete(query) }
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// ```swift
  /// store.delete(snack, matchingOn: \.name, \.taste, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func delete<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    let filter = Filter.carryingEqual(try .equal(model, on: path, repeat each others))
    submitWrite(on: queue, completion) { try $0.delete(Query<Model>().where(filter)) }
  }

  /// Deletes the first row in the query's order; the result is false if there was none.
  ///
  /// ```swift
  /// store.deleteFirst(Snack.all.sorted(by: .ascending(\.price)), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func deleteFirst<Model: Persistable>(
    _ query: Query<Model>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.deleteFirst(query) }
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// ```swift
  /// store.deleteAll(Snack.self, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func deleteAll<Model: Persistable>(
    _ model: Model.Type, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.deleteAll(model) }
  }

  /// Restores the hidden rows that match the query, and counts them.
  ///
  /// ```swift
  /// store.restore(Project.where { $0.name == "Site" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget` if a row needs a target that is hidden or missing; `validationFailed`;
  /// the errors of `write`.
  public func restore<Model: Persistable>(
    _ query: Query<Model>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.restore(query) }
  }

  /// Restores the hidden row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// store.restore(Project.self, id: 1, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget` if the row needs a target that is hidden or missing;
  /// `validationFailed`; the errors of `write`.
  public func restore<Model: PrimaryKeyed>(
    _ model: Model.Type, id: Model.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(deleting: 1, of: Model.self), on: queue, completion) {
      try $0.restore(model, id: id)
    }
  }

  /// Restores the hidden row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// store.restore(project, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget` if the row needs a target that is hidden or missing;
  /// `validationFailed`; the errors of `write`.
  public func restore<Model: PrimaryKeyed>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(deleting: 1, of: Model.self), on: queue, completion) {
      try $0.restore(model)
    }
  }

  /// Deletes the hidden rows that match the query for good, and counts them.
  ///
  /// ```swift
  /// store.purge(Project.where { $0.name == "Site" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func purge<Model: Persistable>(
    _ query: Query<Model>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.purge(query) }
  }

  /// Deletes the hidden row with this key for good; the result is false if there was none.
  ///
  /// ```swift
  /// store.purge(Project.self, id: 1, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func purge<Model: PrimaryKeyed>(
    _ model: Model.Type, id: Model.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(deleting: 1, of: Model.self), on: queue, completion) {
      try $0.purge(model, id: id)
    }
  }

  /// Deletes the hidden row with the model's key for good; the result is false if there was none.
  ///
  /// ```swift
  /// store.purge(project, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func purge<Model: PrimaryKeyed>(
    _ model: Model, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    submitWrite(rows: rows(deleting: 1, of: Model.self), on: queue, completion) {
      try $0.purge(model)
    }
  }

  /// Deletes the rows hidden before a timestamp for good, or all hidden rows, and counts them.
  ///
  /// ```swift
  /// store.purgeAll(Project.self, before: monday, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`.
  public func purgeAll<Model: Persistable>(
    _ model: Model.Type, before timestamp: Date? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    submitWrite(on: queue, completion) { try $0.purgeAll(model, before: timestamp) }
  }
}

/// Deletes, and operations on hidden rows with a completion handler, through the default store.
extension Persistable {
  /// Deletes every row that matches the query, and counts them.
  ///
  /// ```swift
  /// Snack.delete(Snack.where { $0.price < 3 }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func delete(
    _ query: Query<Self>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(query, on: queue, $1) }
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// ```swift
  /// snack.delete(matchingOn: \.name, \.taste, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public func delete<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>,
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.delete(self, matchingOn: path, repeat each others, on: queue, $1)
    }
  }

  /// Deletes the first row in the query's order; the result is false if there was none.
  ///
  /// ```swift
  /// Snack.deleteFirst(Snack.all.sorted(by: .ascending(\.price)), on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func deleteFirst(
    _ query: Query<Self>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.deleteFirst(query, on: queue, $1) }
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// ```swift
  /// Snack.deleteAll(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func deleteAll(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.deleteAll(Self.self, on: queue, $1) }
  }

  /// Restores the hidden rows that match the query, and counts them.
  ///
  /// ```swift
  /// Project.restore(Project.where { $0.name == "Site" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget` if a row needs a target that is hidden or missing; `validationFailed`;
  /// the errors of `write`; `notConfigured` without a default store.
  public static func restore(
    _ query: Query<Self>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.restore(query, on: queue, $1) }
  }

  /// Deletes the hidden rows that match the query for good, and counts them.
  ///
  /// ```swift
  /// Project.purge(Project.where { $0.name == "Site" }, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func purge(
    _ query: Query<Self>, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.purge(query, on: queue, $1) }
  }

  /// Deletes the rows hidden before a timestamp for good, or all hidden rows, and counts them.
  ///
  /// ```swift
  /// Project.purgeAll(before: monday, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func purgeAll(
    before timestamp: Date? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) {
      $0.purgeAll(Self.self, before: timestamp, on: queue, $1)
    }
  }
}

/// Deletes, and operations on hidden rows with a completion handler, through the default store.
extension PrimaryKeyed {
  /// Deletes the row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// snack.delete(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public func delete(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(self, on: queue, $1) }
  }

  /// Deletes the row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// Snack.delete(id: 1, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func delete(
    id: Self.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(Self.self, id: id, on: queue, $1) }
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// ```swift
  /// Snack.delete(ids: [1, 3], on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func delete(
    ids: [Self.ID], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(Self.self, ids: ids, on: queue, $1) }
  }

  /// Deletes the rows with the models' keys as one operation, and counts them.
  ///
  /// ```swift
  /// Snack.delete(snacks, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func delete(
    _ models: [Self], on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Int, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.delete(models, on: queue, $1) }
  }

  /// Restores the hidden row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// Project.restore(id: 1, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget` if the row needs a target that is hidden or missing;
  /// `validationFailed`; the errors of `write`; `notConfigured` without a default store.
  public static func restore(
    id: Self.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.restore(Self.self, id: id, on: queue, $1) }
  }

  /// Restores the hidden row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// project.restore(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `missingTarget` if the row needs a target that is hidden or missing;
  /// `validationFailed`; the errors of `write`; `notConfigured` without a default store.
  public func restore(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.restore(self, on: queue, $1) }
  }

  /// Deletes the hidden row with this key for good; the result is false if there was none.
  ///
  /// ```swift
  /// Project.purge(id: 1, on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public static func purge(
    id: Self.ID, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.purge(Self.self, id: id, on: queue, $1) }
  }

  /// Deletes the hidden row with the model's key for good; the result is false if there was none.
  ///
  /// ```swift
  /// project.purge(on: .main) { print($0) }
  /// ```
  ///
  /// Returns at once, and calls `completion` on the queue; without one, errors go to `onError`.
  ///
  /// Errors: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a default
  /// store.
  public func purge(
    on queue: DispatchQueue, _ completion: (@Sendable (Result<Bool, any Error>) -> Void)? = nil
  ) {
    Persistence.submit(on: queue, completion) { $0.purge(self, on: queue, $1) }
  }
}
