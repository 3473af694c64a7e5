// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import FoundationEssentials
public import ORMCore

/// Deletes, and operations on hidden rows off the calling thread, each in a transaction of its own.
extension Store {
  /// Deletes the row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// try await store.delete(snack)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model) async throws -> Bool {
    return try await writeOperation(rows: rows(deleting: 1, of: Model.self)) {
      try $0.delete(model)
    }
  }

  /// Deletes the row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// try await store.delete(Snack.self, id: 1)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) async throws -> Bool {
    return try await writeOperation(rows: rows(deleting: 1, of: Model.self)) {
      try $0.delete(model, id: id)
    }
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// ```swift
  /// let count = try await store.delete(Snack.self, ids: [1, 3])
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(
    _ model: Model.Type, ids: [Model.ID]
  ) async throws -> Int {
    return try await writeOperation(rows: rows(deleting: ids.count, of: Model.self)) {
      try $0.delete(model, ids: ids)
    }
  }

  /// Deletes the rows with the models' keys as one operation, and counts them.
  ///
  /// ```swift
  /// let count = try await store.delete(snacks)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ models: [Model]) async throws -> Int {
    return try await writeOperation(rows: rows(deleting: models.count, of: Model.self)) {
      try $0.delete(models)
    }
  }

  /// Deletes every row that matches the query, and counts them.
  ///
  /// ```swift
  /// let count = try await store.delete(Snack.where { $0.price < 3 })
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: Persistable>(_ query: Query<Model>) async throws -> Int {
    return try await writeOperation(rows: .max) { try $0.delete(query) }
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// ```swift
  /// let count = try await store.delete(snack, matchingOn: \.name, \.taste)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) async throws -> Int {
    let filter = try Filter.equal(model, on: path, repeat each others)
    return try await writeOperation(rows: .max) { try $0.delete(Query<Model>().where(filter)) }
  }

  /// Deletes the first row in the query's order; the result is false if there was none.
  ///
  /// ```swift
  /// try await store.deleteFirst(Snack.all.sorted(by: .ascending(\.price)))
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func deleteFirst<Model: Persistable>(_ query: Query<Model>) async throws -> Bool {
    return try await writeOperation(rows: .max) { try $0.deleteFirst(query) }
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// ```swift
  /// let count = try await store.deleteAll(Snack.self)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func deleteAll<Model: Persistable>(_ model: Model.Type) async throws -> Int {
    return try await writeOperation(rows: .max) { try $0.deleteAll(model) }
  }

  /// Restores the hidden rows that match the query, and counts them.
  ///
  /// ```swift
  /// let count = try await store.restore(Project.where { $0.name == "Site" })
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `missingTarget` if a row needs a target that is hidden or missing;
  ///   `validationFailed`; the errors of `write`.
  @discardableResult
  public func restore<Model: Persistable>(_ query: Query<Model>) async throws -> Int {
    return try await writeOperation(rows: .max) { try $0.restore(query) }
  }

  /// Restores the hidden row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// try await store.restore(Project.self, id: 1)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `missingTarget` if the row needs a target that is hidden or missing;
  ///   `validationFailed`; the errors of `write`.
  @discardableResult
  public func restore<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) async throws -> Bool {
    return try await writeOperation(rows: rows(deleting: 1, of: Model.self)) {
      try $0.restore(model, id: id)
    }
  }

  /// Restores the hidden row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// try await store.restore(project)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `missingTarget` if the row needs a target that is hidden or missing;
  ///   `validationFailed`; the errors of `write`.
  @discardableResult
  public func restore<Model: PrimaryKeyed>(_ model: Model) async throws -> Bool {
    return try await writeOperation(rows: rows(deleting: 1, of: Model.self)) {
      try $0.restore(model)
    }
  }

  /// Deletes the hidden rows that match the query for good, and counts them.
  ///
  /// ```swift
  /// let count = try await store.purge(Project.where { $0.name == "Site" })
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func purge<Model: Persistable>(_ query: Query<Model>) async throws -> Int {
    return try await writeOperation(rows: .max) { try $0.purge(query) }
  }

  /// Deletes the hidden row with this key for good; the result is false if there was none.
  ///
  /// ```swift
  /// try await store.purge(Project.self, id: 1)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func purge<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) async throws -> Bool {
    return try await writeOperation(rows: rows(deleting: 1, of: Model.self)) {
      try $0.purge(model, id: id)
    }
  }

  /// Deletes the hidden row with the model's key for good; the result is false if there was none.
  ///
  /// ```swift
  /// try await store.purge(project)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func purge<Model: PrimaryKeyed>(_ model: Model) async throws -> Bool {
    return try await writeOperation(rows: rows(deleting: 1, of: Model.self)) { try $0.purge(model) }
  }

  /// Deletes the rows hidden before a timestamp for good, or all hidden rows, and counts them.
  ///
  /// ```swift
  /// let count = try await store.purgeAll(Project.self, before: monday)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func purgeAll<Model: Persistable>(
    _ model: Model.Type, before timestamp: Date? = nil
  ) async throws -> Int {
    return try await writeOperation(rows: .max) { try $0.purgeAll(model, before: timestamp) }
  }
}

/// Deletes, and operations on hidden rows off the calling thread, through the default store.
extension Persistable {
  /// Deletes every row that matches the query, and counts them.
  ///
  /// ```swift
  /// let count = try await Snack.delete(Snack.where { $0.price < 3 })
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func delete(_ query: Query<Self>) async throws -> Int {
    try await Persistence.store.delete(query)
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// ```swift
  /// let count = try await snack.delete(matchingOn: \.name, \.taste)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public func delete<Value, each Other>(
    matchingOn path: AttributePath<Self, Value>, _ others: repeat AttributePath<Self, each Other>
  ) async throws -> Int {
    try await Persistence.store.delete(self, matchingOn: path, repeat each others)
  }

  /// Deletes the first row in the query's order; the result is false if there was none.
  ///
  /// ```swift
  /// try await Snack.deleteFirst(Snack.all.sorted(by: .ascending(\.price)))
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func deleteFirst(_ query: Query<Self>) async throws -> Bool {
    try await Persistence.store.deleteFirst(query)
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// ```swift
  /// let count = try await Snack.deleteAll()
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func deleteAll() async throws -> Int {
    try await Persistence.store.deleteAll(Self.self)
  }

  /// Restores the hidden rows that match the query, and counts them.
  ///
  /// ```swift
  /// let count = try await Project.restore(Project.where { $0.name == "Site" })
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `missingTarget` if a row needs a target that is hidden or missing;
  ///   `validationFailed`; the errors of `write`; `notConfigured` without a default store.
  @discardableResult
  public static func restore(_ query: Query<Self>) async throws -> Int {
    try await Persistence.store.restore(query)
  }

  /// Deletes the hidden rows that match the query for good, and counts them.
  ///
  /// ```swift
  /// let count = try await Project.purge(Project.where { $0.name == "Site" })
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func purge(_ query: Query<Self>) async throws -> Int {
    try await Persistence.store.purge(query)
  }

  /// Deletes the rows hidden before a timestamp for good, or all hidden rows, and counts them.
  ///
  /// ```swift
  /// let count = try await Project.purgeAll(before: monday)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func purgeAll(before timestamp: Date? = nil) async throws -> Int {
    try await Persistence.store.purgeAll(Self.self, before: timestamp)
  }
}

/// Deletes, and operations on hidden rows off the calling thread, through the default store.
extension PrimaryKeyed {
  /// Deletes the row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// try await snack.delete()
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public func delete() async throws -> Bool {
    try await Persistence.store.delete(self)
  }

  /// Deletes the row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// try await Snack.delete(id: 1)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func delete(id: Self.ID) async throws -> Bool {
    try await Persistence.store.delete(Self.self, id: id)
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// ```swift
  /// let count = try await Snack.delete(ids: [1, 3])
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func delete(ids: [Self.ID]) async throws -> Int {
    try await Persistence.store.delete(Self.self, ids: ids)
  }

  /// Deletes the rows with the models' keys as one operation, and counts them.
  ///
  /// ```swift
  /// let count = try await Snack.delete(snacks)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func delete(_ models: [Self]) async throws -> Int {
    try await Persistence.store.delete(models)
  }

  /// Restores the hidden row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// try await Project.restore(id: 1)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `missingTarget` if the row needs a target that is hidden or missing;
  ///   `validationFailed`; the errors of `write`; `notConfigured` without a default store.
  @discardableResult
  public static func restore(id: Self.ID) async throws -> Bool {
    try await Persistence.store.restore(Self.self, id: id)
  }

  /// Restores the hidden row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// try await project.restore()
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `missingTarget` if the row needs a target that is hidden or missing;
  ///   `validationFailed`; the errors of `write`; `notConfigured` without a default store.
  @discardableResult
  public func restore() async throws -> Bool {
    try await Persistence.store.restore(self)
  }

  /// Deletes the hidden row with this key for good; the result is false if there was none.
  ///
  /// ```swift
  /// try await Project.purge(id: 1)
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func purge(id: Self.ID) async throws -> Bool {
    try await Persistence.store.purge(Self.self, id: id)
  }

  /// Deletes the hidden row with the model's key for good; the result is false if there was none.
  ///
  /// ```swift
  /// try await project.purge()
  /// ```
  ///
  /// Runs off the calling thread.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public func purge() async throws -> Bool {
    try await Persistence.store.purge(self)
  }
}
