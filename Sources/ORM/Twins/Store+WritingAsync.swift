public import ORMCore

/// The writes, each in a transaction of its own, off the cooperative pool.
extension Store {
  /// Inserts the model or updates the row with its key, and gives it back as stored.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func save<Model: PrimaryKeyed>(_ model: Model, merge: MergePolicy<Model> = .replace)
    async throws -> Model
  {
    return try await writeVerb(rows: rows(of: [model])) { try $0.save(model, merge: merge) }
  }

  /// Inserts the model; `duplicate` when its key exists.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ model: Model) async throws -> Model {
    return try await writeVerb(rows: rows(of: [model])) { try $0.insert(model) }
  }

  /// Updates the row with the model's key; `notFound` when there is none.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ model: Model) async throws -> Model {
    return try await writeVerb(rows: rows(of: [model])) { try $0.update(model) }
  }

  /// Inserts a model without a key of its own.
  ///
  /// Runs off the calling thread.
  public func insert<Model: Persistable>(_ model: Model) async throws {
    try await writeVerb(rows: rows(of: [model])) { try $0.insert(model) }
  }

  /// Saves a batch of any size as one verb.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func save<Model: PrimaryKeyed>(
    _ models: [Model], merge: MergePolicy<Model> = .replace, duplicates: DuplicatePolicy = .last
  ) async throws -> SaveResult<Model> {
    return try await writeVerb(rows: rows(of: models)) {
      try $0.save(models, merge: merge, duplicates: duplicates)
    }
  }

  /// Inserts a batch as one verb.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ models: [Model]) async throws -> SaveResult<Model> {
    return try await writeVerb(rows: rows(of: models)) { try $0.insert(models) }
  }

  /// Updates a batch as one verb.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func update<Model: PrimaryKeyed>(_ models: [Model]) async throws -> SaveResult<Model> {
    return try await writeVerb(rows: rows(of: models)) { try $0.update(models) }
  }

  /// Inserts a batch of models without keys of their own.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func insert<Model: Persistable>(_ models: [Model]) async throws -> SaveCounts {
    return try await writeVerb(rows: rows(of: models)) { try $0.insert(models) }
  }

  /// Saves an object into the rows that match a filter.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func save<Model: Persistable>(
    _ model: Model, matching filter: Filter<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace
  ) async throws -> SaveCounts {
    return try await write {
      try $0.save(model, matching: filter, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Saves a batch whose objects find their rows by attributes.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func save<Model: Persistable>(
    _ models: [Model], matching match: BatchMatch<Model>, onMissing: OnMissing = .insert,
    matches: MatchPolicy = .all, merge: MergePolicy<Model> = .replace
  ) async throws -> SaveCounts {
    return try await write {
      try $0.save(models, matching: match, onMissing: onMissing, matches: matches, merge: merge)
    }
  }

  /// Changes attributes of every row the query asks for, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func update<Model: Persistable>(
    _ query: Query<Model>, _ changes: (inout Changes<Model>) -> Void
  ) async throws -> Int {
    let collected = Changes.collected(changes)
    return try await write { try $0.update(query, collected) }
  }

  /// Changes what the closure names of the row with this key.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func patch<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, onMissing: OnMissing = .throw,
    _ changes: (inout Changes<Model>) -> Void
  ) async throws -> Int {
    let collected = Changes.collected(changes)
    return try await writeVerb { try $0.patch(model, id, onMissing: onMissing, collected) }
  }

  /// Changes what the closure names of every row the query asks for.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func patch<Model: Persistable>(
    _ query: Query<Model>, onMissing: OnMissing = .throw, _ changes: (inout Changes<Model>) -> Void
  ) async throws -> Int {
    let collected = Changes.collected(changes)
    return try await write { try $0.patch(query, onMissing: onMissing, collected) }
  }

  /// Deletes the row with the model's key; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model) async throws -> Bool {
    return try await writeVerb { try $0.delete(model) }
  }

  /// Deletes the row with this key; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model.Type, id: Model.ID) async throws -> Bool {
    return try await writeVerb { try $0.delete(model, id: id) }
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func delete<Model: PrimaryKeyed>(_ model: Model.Type, ids: [Model.ID]) async throws -> Int
  {
    return try await writeVerb(rows: ids.count) { try $0.delete(model, ids: ids) }
  }

  /// Deletes every row the query asks for, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func delete<Model: Persistable>(_ query: Query<Model>) async throws -> Int {
    return try await write { try $0.delete(query) }
  }

  /// Deletes the first row in the query's order; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func deleteFirst<Model: Persistable>(_ query: Query<Model>) async throws -> Bool {
    return try await write { try $0.deleteFirst(query) }
  }

  /// Deletes every row of the model, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func deleteAll<Model: Persistable>(_ model: Model.Type) async throws -> Int {
    return try await write { try $0.deleteAll(model) }
  }
}
