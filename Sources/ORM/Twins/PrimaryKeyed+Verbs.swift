public import ORMCore

/// The verbs on the model itself, through the default store (on the calling thread).
extension PrimaryKeyed {
  /// The model with this key; nil when there is none.
  public static func find(_ id: Self.ID, newestCommit: Bool = false) throws -> Self? {
    try Persistence.store.find(Self.self, id, newestCommit: newestCommit)
  }

  /// The models with these keys, in the order of the keys; missing ones are left out.
  public static func find(_ ids: [Self.ID], newestCommit: Bool = false) throws -> [Self] {
    try Persistence.store.find(Self.self, ids, newestCommit: newestCommit)
  }

  /// Inserts the model or updates the row with its key, and gives it back as stored.
  @discardableResult
  public func save(merge: MergePolicy<Self> = .replace) throws -> Self {
    try Persistence.store.save(self, merge: merge)
  }

  /// Inserts the model; `duplicate` when its key exists.
  @discardableResult
  public func insert() throws -> Self {
    try Persistence.store.insert(self)
  }

  /// Updates the row with the model's key; `notFound` when there is none.
  @discardableResult
  public func update() throws -> Self {
    try Persistence.store.update(self)
  }

  /// Saves a batch of any size as one verb.
  @discardableResult
  public static func save(
    _ models: [Self], merge: MergePolicy<Self> = .replace, duplicates: DuplicatePolicy = .last
  ) throws -> SaveResult<Self> {
    try Persistence.store.save(models, merge: merge, duplicates: duplicates)
  }

  /// Inserts a batch as one verb.
  @discardableResult
  public static func insert(_ models: [Self]) throws -> SaveResult<Self> {
    try Persistence.store.insert(models)
  }

  /// Updates a batch as one verb.
  @discardableResult
  public static func update(_ models: [Self]) throws -> SaveResult<Self> {
    try Persistence.store.update(models)
  }

  /// Changes what the closure names of the row with this key.
  @discardableResult
  public static func patch(
    _ id: Self.ID, onMissing: OnMissing = .throw, _ changes: (inout Changes<Self>) -> Void
  ) throws -> Int {
    try Persistence.store.patch(Self.self, id, onMissing: onMissing, changes)
  }

  /// Deletes the row with the model's key; says whether there was one.
  @discardableResult
  public func delete() throws -> Bool {
    try Persistence.store.delete(self)
  }

  /// Deletes the row with this key; says whether there was one.
  @discardableResult
  public static func delete(id: Self.ID) throws -> Bool {
    try Persistence.store.delete(Self.self, id: id)
  }

  /// Deletes the rows with these keys, and counts them.
  @discardableResult
  public static func delete(ids: [Self.ID]) throws -> Int {
    try Persistence.store.delete(Self.self, ids: ids)
  }
}
