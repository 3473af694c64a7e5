public import ORMCore

/// The writes, each in a transaction of its own, on the calling thread.
extension Store {
  /// Inserts the model or updates the row with its key, and gives it back as stored.
  @discardableResult
  public func save<Model: PrimaryKeyed>(_ model: Model, merge: MergePolicy<Model> = .replace) throws
    -> Model
  {
    try verb { try $0.save(model, merge: merge) }
  }

  /// Inserts the model; `duplicate` when its key exists.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    try verb { try $0.insert(model) }
  }

  /// Updates the row with the model's key; `notFound` when there is none.
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ model: Model) throws -> Model {
    try verb { try $0.update(model) }
  }

  /// Inserts a model without a key of its own.
  public func insert<Model: Persistable>(_ model: Model) throws {
    try verb { try $0.insert(model) }
  }

  /// Saves a batch of any size as one verb.
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ models: [Model], merge: MergePolicy<Model> = .replace, duplicates: DuplicatePolicy = .last
  ) throws -> SaveResult<Model> {
    try verb { try $0.save(models, merge: merge, duplicates: duplicates) }
  }

  /// Inserts a batch as one verb.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ models: [Model]) throws -> SaveResult<Model> {
    try verb { try $0.insert(models) }
  }

  /// Updates a batch as one verb.
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ models: [Model]) throws -> SaveResult<Model> {
    try verb { try $0.update(models) }
  }

  /// Inserts a batch of models without keys of their own.
  @discardableResult
  public func insert<Model: Persistable>(_ models: [Model]) throws -> SaveCounts {
    try verb { try $0.insert(models) }
  }

  /// Saves an object into the rows that match a filter.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model, matching filter: Filter<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace
  ) throws -> SaveCounts {
    try verb {
      try $0.save(model, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Saves a batch whose objects find their rows by attributes.
  @discardableResult
  public func save<Model: Persistable>(
    _ models: [Model], matching match: BatchMatch<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace
  ) throws -> SaveCounts {
    try verb {
      try $0.save(models, matching: match, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Changes attributes of every row the query asks for, and counts them.
  @discardableResult
  public func update<Model: Persistable>(
    _ query: Query<Model>, _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try verb { try $0.update(query, changes) }
  }

  /// Changes what the closure names of the row with this key.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try verb { try $0.patch(model, id, onMissing: onMissing, changes) }
  }

  /// Changes what the closure names of every row the query asks for.
  @discardableResult
  public func patch<Model: Persistable>(
    _ query: Query<Model>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Model>) -> Void
  ) throws -> Int {
    try verb { try $0.patch(query, onMissing: onMissing, changes) }
  }

  /// Deletes the row with the model's key; says whether there was one.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model) throws -> Bool {
    try verb { try $0.delete(model) }
  }

  /// Deletes the row with this key; says whether there was one.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) throws -> Bool {
    try verb { try $0.delete(model, id: id) }
  }

  /// Deletes the rows with these keys, and counts them.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model.Type, ids: [Model.ID]) throws -> Int {
    try verb { try $0.delete(model, ids: ids) }
  }

  /// Deletes every row the query asks for, and counts them.
  @discardableResult
  public func delete<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    try verb { try $0.delete(query) }
  }

  /// Deletes the first row in the query's order; says whether there was one.
  @discardableResult
  public func deleteFirst<Model: Persistable>(_ query: Query<Model>) throws -> Bool {
    try verb { try $0.deleteFirst(query) }
  }

  /// Deletes every row of the model, and counts them.
  @discardableResult
  public func deleteAll<Model: Persistable>(_ model: Model.Type) throws -> Int {
    try verb { try $0.deleteAll(model) }
  }
}
