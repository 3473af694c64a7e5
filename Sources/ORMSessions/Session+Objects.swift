public import ORMCore

// The objects of a session.
extension Session {
  /// Returns the object with this key; nil if there is none, or if the session deleted it.
  ///
  /// ```swift
  /// let team = try session.find(Team.self, 7)
  /// ```
  ///
  /// Reads the store, and brings an unchanged handle up to date.
  ///
  /// - Throws: the errors of reading; `closed`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID
  ) throws -> Live<Model>? {
    try prepare(Model.self)
    if let known = try unsaved(model, id) { return known }
    if let parent { return try parent.find(model, id).flatMap { adopted($0) } }
    let (row, number) = try read { try $0.find(model, id) }
    return try handle(of: row, id, at: number)
  }

  /// Returns the object with this key; nil if there is none, or if the session deleted it.
  ///
  /// ```swift
  /// let team = try await session.find(Team.self, 7)
  /// ```
  ///
  /// - Throws: the errors of reading; `closed`.
  public func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID
  ) async throws -> Live<Model>? {
    try prepare(Model.self)
    if let known = try unsaved(model, id) { return known }
    if let parent { return try await parent.find(model, id).flatMap { adopted($0) } }
    let number = newestCommit
    let row = try await store.find(model, id)
    return try handle(of: row, id, at: number)
  }

  /// Returns the stored objects that a query selects, in its order, without those that the session
  /// deleted.
  ///
  /// ```swift
  /// let teams = try session.fetch(Team.all.where { $0.name == "Reds" })
  /// ```
  ///
  /// The store answers the query: changes that are not saved are not part of the condition and the
  /// order, but the handles show them.
  ///
  /// - Throws: the errors of the query; `closed`.
  public func fetch<Model: PrimaryKeyed>(_ query: Query<Model>) throws -> [Live<Model>] {
    try prepare(Model.self)
    if let parent { return try parent.fetch(query).compactMap { adopted($0) } }
    let (rows, number) = try read { try $0.fetch(query) }
    return handles(of: rows, at: number)
  }

  /// Returns the stored objects that a query selects, in its order, without those that the session
  /// deleted.
  ///
  /// ```swift
  /// let teams = try await session.fetch(Team.all.where { $0.name == "Reds" })
  /// ```
  ///
  /// - Throws: the errors of the query; `closed`.
  public func fetch<Model: PrimaryKeyed>(_ query: Query<Model>) async throws -> [Live<Model>] {
    try prepare(Model.self)
    if let parent { return try await parent.fetch(query).compactMap { adopted($0) } }
    let number = newestCommit
    let rows = try await store.fetch(query)
    return handles(of: rows, at: number)
  }

  /// Returns the first stored object that a query selects, in its order; nil if there is none.
  ///
  /// ```swift
  /// let team = try session.first(Team.all.where { $0.name == "Reds" })
  /// ```
  ///
  /// As `fetch` it leaves out objects that the session deleted, and returns the next.
  ///
  /// - Throws: the errors of the query; `closed`.
  public func first<Model: PrimaryKeyed>(_ query: Query<Model>) throws -> Live<Model>? {
    if query.paging == .all, let found = try fetch(query.limit(1)).first { return found }
    return try fetch(query).first
  }

  /// Returns the first stored object that a query selects, in its order; nil if there is none.
  ///
  /// ```swift
  /// let team = try await session.first(Team.all.where { $0.name == "Reds" })
  /// ```
  ///
  /// - Throws: the errors of the query; `closed`.
  public func first<Model: PrimaryKeyed>(_ query: Query<Model>) async throws -> Live<Model>? {
    if query.paging == .all, let found = try await fetch(query.limit(1)).first {
      return found
    }
    return try await fetch(query).first
  }

  /// Adds an object, to be inserted by the next save.
  ///
  /// ```swift
  /// let player = session.insert(Player(name: "Ada"))
  /// ```
  ///
  /// An object without a key gets a UUID at once; an integer key comes with the save, and until then
  /// the handle has a temporary one, which links may use.
  @discardableResult
  public func insert<Model: PrimaryKeyed>(_ model: Model) -> Live<Model> {
    let live = inserted(model)
    undoStack.add(PresenceStep(live, isRemoved: false), self)
    return live
  }

  /// Deletes an object with the next save, by the delete rules of its relationships.
  ///
  /// ```swift
  /// if let team = try session.find(Team.self, 7) { try session.delete(team) }
  /// ```
  ///
  /// Deleting an object twice changes nothing. If the entity has a soft delete, the save hides the row,
  /// and an undo restores it.
  ///
  /// - Throws: `sessionEnded` for a handle of another session.
  public func delete<Model: PrimaryKeyed>(_ live: Live<Model>) throws {
    try check(live)
    remove(live)
  }

  /// Takes back the delete of an object.
  ///
  /// - Returns: false if the object is not to be brought back, since others deleted it.
  func revive<Model: PrimaryKeyed>(_ live: Live<Model>) -> Bool {
    live.settle()
    if !live.isRemoved { return true }
    live.setRemoved(false)
    if live.isRemoved { return false }
    undoStack.add(PresenceStep(live, isRemoved: false), self)
    return true
  }

  /// Deletes an object of the session.
  func remove<Model: PrimaryKeyed>(_ live: Live<Model>) {
    live.settle()
    if live.isRemoved { return }
    live.setRemoved(true)
    undoStack.add(PresenceStep(live, isRemoved: true), self)
  }

  private func inserted<Model: PrimaryKeyed>(_ model: Model) -> Live<Model> {
    let table = table(of: Model.self)
    let shape = table.shape
    var model = shape.copy(model)
    var key = shape.key(of: model)
    if shape.keySource.isUnassigned(key) {
      let uuid = UUIDGenerator.key(for: shape.keySource, by: store.runtime.options.uuids)
      let made: StoredValue = uuid.map { .uuid($0) } ?? .int(temporaryKeys.next())
      if let id = try? Model.ID(keyValues: [made]) {
        model.id = id
        key = [made]
      }
    }
    let live = Live(model, isStored: false, key: key, in: self)
    table.add(live)
    table.hold(live)
    // A store that is closed says so at the next operation that may throw.
    try? follow(Model.self)
    return live
  }

  /// The handle that the session has changed, or nil if the store is to be asked.
  private func unsaved<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID
  ) throws -> Live<Model>? {
    guard let known = table(of: model).handle(try id.keyValues()) else { return nil }
    return known.isStored || known.isRemoved ? nil : known
  }

  private func handle<Model: PrimaryKeyed>(
    of row: Model?, _ id: Model.ID, at number: UInt64
  ) throws -> Live<Model>? {
    guard let row else {
      guard let known = try table(of: Model.self).handle(id.keyValues()) else { return nil }
      known.didDelete(at: number)
      // A handle that is changed stays, for the save to report the conflict.
      return known.isRemoved ? nil : known
    }
    let live = handle(of: row, at: number)
    return live.isRemoved ? nil : live
  }

  private func handle<Model: PrimaryKeyed>(of row: Model, at number: UInt64) -> Live<Model> {
    handle(of: row, in: table(of: Model.self), at: number)
  }

  private func handle<Model: PrimaryKeyed>(
    of row: Model, in table: SessionTable<Model>, at number: UInt64
  ) -> Live<Model> {
    let key = table.shape.key(of: row)
    if let known = table.handle(key) {
      known.didRead(row, at: number)
      return known
    }
    let live = Live(row, isStored: true, key: key, in: self)
    live.commit = number
    table.add(live)
    return live
  }

  private func handles<Model: PrimaryKeyed>(of rows: [Model], at number: UInt64) -> [Live<Model>] {
    let table = table(of: Model.self)
    // A query may ask for hidden rows.
    return rows.map { handle(of: $0, in: table, at: number) }
      .filter { !$0.isRemoved || $0.isHidden && $0.pending == .none }
  }

  /// The session's own handle of an object of its parent.
  private func adopt<Model: PrimaryKeyed>(_ object: Live<Model>) -> Live<Model> {
    let table = table(of: Model.self)
    if let known = table.handle(object.key), known.parent === object || known.pending != .none {
      known.settle()
      return known
    }
    let live = Live(object.current, isStored: true, key: object.key, in: self)
    live.parent = object
    table.add(live)
    return live
  }

  private func adopted<Model: PrimaryKeyed>(_ object: Live<Model>) -> Live<Model>? {
    let live = adopt(object)
    return live.isRemoved ? nil : live
  }
}
