public import ORMCore

/// The verbs on the model itself, through the default store (off the cooperative pool).
extension PrimaryKeyed {
  /// The model with this key; nil when there is none.
  ///
  /// Runs off the calling thread.
  public static func find(_ id: Self.ID, newestCommit: Bool = false) async throws -> Self? {
    try await Persistence.store.find(Self.self, id, newestCommit: newestCommit)
  }

  /// The models with these keys, in the order of the keys; missing ones are left out.
  ///
  /// Runs off the calling thread.
  public static func find(_ ids: [Self.ID], newestCommit: Bool = false) async throws -> [Self] {
    try await Persistence.store.find(Self.self, ids, newestCommit: newestCommit)
  }

  /// Inserts the model or updates the row with its key, and gives it back as stored.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func save(merge: MergePolicy<Self> = .replace) async throws -> Self {
    try await Persistence.store.save(self, merge: merge)
  }

  /// Inserts the model; `duplicate` when its key exists.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func insert() async throws -> Self {
    try await Persistence.store.insert(self)
  }

  /// Updates the row with the model's key; `notFound` when there is none.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func update() async throws -> Self {
    try await Persistence.store.update(self)
  }

  /// Saves a batch of any size as one verb.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func save(
    _ models: [Self], merge: MergePolicy<Self> = .replace, duplicates: DuplicatePolicy = .last
  ) async throws -> SaveResult<Self> {
    try await Persistence.store.save(models, merge: merge, duplicates: duplicates)
  }

  /// Inserts a batch as one verb.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func insert(_ models: [Self]) async throws -> SaveResult<Self> {
    try await Persistence.store.insert(models)
  }

  /// Updates a batch as one verb.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func update(_ models: [Self]) async throws -> SaveResult<Self> {
    try await Persistence.store.update(models)
  }

  /// Changes what the closure names of the row with this key.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func patch(
    _ id: Self.ID, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void
  ) async throws -> Int {
    try await Persistence.store.patch(Self.self, id, onMissing: onMissing, changes)
  }

  /// Deletes the row with the model's key; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public func delete() async throws -> Bool {
    try await Persistence.store.delete(self)
  }

  /// Deletes the row with this key; says whether there was one.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func delete(id: Self.ID) async throws -> Bool {
    try await Persistence.store.delete(Self.self, id: id)
  }

  /// Deletes the rows with these keys, and counts them.
  ///
  /// Runs off the calling thread.
  @discardableResult
  public static func delete(ids: [Self.ID]) async throws -> Int {
    try await Persistence.store.delete(Self.self, ids: ids)
  }
}
