// Written by Scripts/make-overloads.py from Scripts/overloads.txt: change those, not this.

public import FoundationEssentials
public import ORMCore

/// Deletes, and operations on hidden rows on the calling thread, each in a transaction of its own.
extension Store {
  /// Deletes the row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// try store.delete(snack)
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model) throws -> Bool {
    try singleOperation { try $0.delete(model) }
  }

  /// Deletes the row with this key; the result is false if there was none.
  ///
  /// ```swift
  /// try store.delete(Snack.self, id: 1)
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) throws -> Bool {
    try singleOperation { try $0.delete(model, id: id) }
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// ```swift
  /// let count = try store.delete(Snack.self, ids: [1, 3])
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model.Type, ids: [Model.ID]) throws -> Int {
    try singleOperation { try $0.delete(model, ids: ids) }
  }

  /// Deletes the rows with the models' keys as one operation, and counts them.
  ///
  /// ```swift
  /// let count = try store.delete(snacks)
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ models: [Model]) throws -> Int {
    try singleOperation { try $0.delete(models) }
  }

  /// Deletes every row that the query selects, and counts them; one with `limit(1)` selects the first.
  ///
  /// ```swift
  /// let count = try store.delete(Snack.where { $0.price < 3 })
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    try singleOperation { try $0.delete(query) }
  }

  /// Deletes the rows that equal the object in some attributes, and counts them; nil equals nil.
  ///
  /// ```swift
  /// let count = try store.delete(snack, matchingOn: \.name, \.taste)
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func delete<Model: Persistable, Value, each Other>(
    _ model: Model, matchingOn path: AttributePath<Model, Value>,
    _ others: repeat AttributePath<Model, each Other>
  ) throws -> Int {
    let filter = try Filter.equal(model, on: path, repeat each others)
    return try singleOperation { try $0.delete(Query<Model>().where(filter)) }
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// ```swift
  /// let count = try store.deleteAll(Snack.self)
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func deleteAll<Model: Persistable>(_ model: Model.Type) throws -> Int {
    try singleOperation { try $0.deleteAll(model) }
  }

  /// Restores the hidden rows that match the query, and counts them.
  ///
  /// ```swift
  /// let count = try store.restore(Project.where { $0.name == "Site" })
  /// ```
  ///
  /// - Throws: `missingTarget` if a row needs a target that is hidden or missing;
  ///   `validationFailed`; the errors of `write`.
  @discardableResult
  public func restore<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    try singleOperation { try $0.restore(query) }
  }

  /// Deletes the hidden rows that match the query for good, all or those hidden before a timestamp.
  ///
  /// ```swift
  /// let count = try store.purge(Project.all, before: monday)
  /// ```
  ///
  /// The result is the number of rows.
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`.
  @discardableResult
  public func purge<Model: Persistable>(
    _ query: Query<Model>, before timestamp: Date? = nil
  ) throws -> Int {
    try singleOperation { try $0.purge(query, before: timestamp) }
  }
}

/// Deletes, and operations on hidden rows on the calling thread, through the default store.
extension Persistable {
  /// Deletes every row of the model, and counts them.
  ///
  /// ```swift
  /// let count = try Snack.deleteAll()
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public static func deleteAll() throws -> Int {
    try Persistence.store.deleteAll(Self.self)
  }
}

/// Deletes, and operations on hidden rows on the calling thread, through the default store.
extension PrimaryKeyed {
  /// Deletes the row with the model's key; the result is false if there was none.
  ///
  /// ```swift
  /// try snack.delete()
  /// ```
  ///
  /// - Throws: `denied`, `validationFailed`; the errors of `write`; `notConfigured` without a
  ///   default store.
  @discardableResult
  public func delete() throws -> Bool {
    try Persistence.store.delete(self)
  }
}
