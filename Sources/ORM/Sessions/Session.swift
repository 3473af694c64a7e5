internal import FoundationEssentials
public import ORMCore

/// A place to edit objects before they are saved, with undo.
///
/// ```swift
/// let session = Session(store)
/// if let team = try session.find(Team.self, 7) {
///   team.name = "Blues"
///   let player = session.insert(Player(name: "Ada"))
///   team.players.append(player)
///   print(session.hasChanges, session.changes[Team.self].rows.count)
///   session.undo()
///   try session.save()
/// }
/// ```
///
/// A session gives out objects as handles, ``Live``, one for each key. It notes what is changed on
/// them, and writes all of it in one transaction when it is saved. Handles that are not changed follow
/// the commits of the store; those that are keep their base, and are stale once the store has another
/// version.
///
/// A session belongs to the isolation that it is made in, and is not `Sendable`: one made on the main
/// actor is used there.
public final class Session {
  /// The store.
  public let store: any Store
  /// The session that a save writes to; nil for one that saves to the store.
  public let parent: Session?
  /// The rule for objects that others changed since they were loaded; `.throw` unless set.
  public var conflictPolicy: ConflictPolicy
  /// The time within which changes of one attribute join in one level of undo; half a second unless
  /// set.
  public var coalescing: Duration {
    get { undoStack.coalescing }
    set { undoStack.coalescing = newValue }
  }
  /// The clock by which changes are joined.
  package var now: () -> ContinuousClock.Instant = { .now }

  let undoStack = UndoStack()
  private var tables: [ObjectIdentifier: any SessionTableKind] = [:]
  /// The tables in the order in which they were made.
  private(set) var order: [any SessionTableKind] = []
  private(set) var compared: [String: Set<String>] = [:]
  private let feed: SessionFeed?
  private let temporaryKeys: TemporaryKeys
  var isSaving = false
  /// The tables of the save that runs.
  var savedTables: [any SessionTableKind] = []
  private var isSettling = false

  /// Creates a session on a store.
  public init(_ store: any Store) {
    self.store = store
    parent = nil
    conflictPolicy = .throw
    feed = SessionFeed()
    temporaryKeys = TemporaryKeys()
  }

  init(childOf parent: Session) {
    store = parent.store
    self.parent = parent
    conflictPolicy = parent.conflictPolicy
    feed = nil
    temporaryKeys = parent.temporaryKeys
    compared = parent.compared
    now = parent.now
    undoStack.coalescing = parent.undoStack.coalescing
  }

  // MARK: - Objects

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
    if shape.isUnassigned(key) {
      let uuid = UUIDGenerator.key(for: shape.keySource)
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

  // MARK: - Handles

  func table<Model: PrimaryKeyed>(of model: Model.Type) -> SessionTable<Model> {
    if let known = tables[ObjectIdentifier(model)] as? SessionTable<Model> { return known }
    let table = SessionTable<Model>(in: store)
    tables[ObjectIdentifier(model)] = table
    order.append(table)
    return table
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
    let table = table(of: Model.self)
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
    // A query may ask for hidden rows.
    rows.map { handle(of: $0, at: number) }
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

  /// - Throws: `sessionEnded` for a handle of another session.
  func check<Model: PrimaryKeyed>(_ live: Live<Model>) throws {
    guard live.session === self else { throw Live<Model>.ended() }
  }

  // MARK: - Changes

  /// True if a save would write anything.
  public var hasChanges: Bool {
    settle()
    return order.reduce(false) { $1.hasChanges || $0 }
  }

  /// The changes that are not saved, net: what a save would write, as far as the session knows it.
  ///
  /// ```swift
  /// for change in session.changes[Player.self].rows { print(change.kind, try change.old()?.name ?? "") }
  /// ```
  ///
  /// The rows have old and new values. Links that are not part of a row are `linked` and `unlinked`.
  /// The number of the commit is 0.
  public var changes: ChangeSet {
    settle()
    let schema = try? store.recordedSchema()
    var rows: [String: [RowChange]] = [:]
    for table in order { rows[table.entity, default: []] += table.rowChanges() }
    let names = schema?.names ?? rows.keys.sorted()
    return ChangeSet(
      commit: CommitStamp(
        number: 0, timestamp: Date(), author: Persistence.author, isFromOtherProcess: false),
      entities: names.compactMap { name in
        guard let rows = rows[name], !rows.isEmpty else { return nil }
        return EntityChanges(
          entity: name, parents: schema?.parents[name] ?? [], rows: EntityRows(rows))
      })
  }

  /// Compares attributes of a model for conflicts even if the session has not changed them.
  ///
  /// ```swift
  /// try session.detectConflicts(on: \Snack.price, \.stock)
  /// ```
  ///
  /// For entities without a version; an attribute with another stored value is a conflict under
  /// `.throw`.
  public func detectConflicts<Model: Persistable, Value, each Other>(
    on path: AttributePath<Model, Value>, _ others: repeat AttributePath<Model, each Other>
  ) throws {
    let names = try Model.propertyNames(path, repeat each others)
    compared[Model.entity.description.name, default: []].formUnion(names)
  }

  /// Gives up all changes, and the levels of undo.
  ///
  /// ```swift
  /// session.rollback()
  /// ```
  ///
  /// Inserted objects are then deleted handles.
  public func rollback() {
    settle()
    undoStack.clear()
    for table in order { table.revert() }
  }

  /// Gives up all changes, and lets go of all handles.
  ///
  /// Handles from before keep their values, and belong to the session no more.
  public func reset() {
    undoStack.clear()
    for table in order { table.detach() }
    tables = [:]
    order = []
    feed?.stop()
  }

  // MARK: - Following the store

  /// Reads an object again, and gives up the session's changes of it.
  ///
  /// ```swift
  /// if let team = try session.find(Team.self, 7) { try session.refresh(team) }
  /// ```
  ///
  /// - Throws: `deletedObject` if it is not stored any more, or was never; `sessionEnded` for a handle
  ///   of another session.
  public func refresh<Model: PrimaryKeyed>(_ live: Live<Model>) throws {
    try check(live)
    try prepare(Model.self)
    guard live.isStored else { throw live.deleted() }
    if let parent = live.parent {
      live.revert()
      live.settle()
      if parent.isRemoved { throw live.deleted() }
      return
    }
    let id = try Model.ID(keyValues: live.key)
    let (row, number) = try read { try $0.find(Model.self, id) }
    live.revert()
    guard let row else {
      live.didDelete(at: number)
      throw live.deleted()
    }
    live.didRead(row, at: number)
  }

  /// Reads all unchanged objects again that are in use.
  ///
  /// ```swift
  /// try session.refresh()
  /// ```
  ///
  /// Changed objects keep their changes, and are stale if the store has another version.
  ///
  /// - Throws: the errors of reading; `closed`.
  public func refresh() throws {
    if let parent { return try parent.refresh() }
    settle()
    for table in order { try table.refresh(in: self) }
  }

  /// Reads on one snapshot, and gives the number of its newest commit.
  func read<Value>(_ body: (ReadTransaction) throws -> Value) throws -> (Value, UInt64) {
    let number = newestCommit
    return (try store.read { try body($0) }, number)
  }

  private var newestCommit: UInt64 { store.runtime.transactions.notices.newest }

  /// Makes sure that the commits of a model are noticed, and rows that may be old are read again.
  private func prepare<Model: PrimaryKeyed>(_ model: Model.Type) throws {
    _ = table(of: model)
    if parent != nil { return settle() }
    try follow(model)
    settle()
    for table in order where table.mayBeOld { try table.refresh(in: self) }
  }

  private func follow<Model: PrimaryKeyed>(_ model: Model.Type) throws {
    try feed?.follow(model.entity.description.name, of: store)
  }

  /// Brings unchanged handles up to date with the commits that were noticed.
  func settle() {
    if let parent { return parent.settle() }
    guard let feed, !isSettling, feed.hasNews else { return }
    isSettling = true
    defer { isSettling = false }
    for set in feed.take() {
      for table in order { table.apply(set) }
    }
  }
}

@available(*, unavailable)
extension Session: Sendable {}
