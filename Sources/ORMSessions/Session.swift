internal import FoundationEssentials
public import ORMCore

/// A workspace to edit objects before they are saved, with undo.
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
/// A session returns objects as handles, ``Live``, one for each key. It notes changes of their
/// properties, and writes all of them in one transaction when it is saved. Handles that are not changed
/// follow the commits of the store; those that are keep their base, and are stale once the store has
/// another version.
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
  let temporaryKeys: TemporaryKeys
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

  // MARK: - Tables

  func table<Model: PrimaryKeyed>(of model: Model.Type) -> SessionTable<Model> {
    if let known = tables[ObjectIdentifier(model)] {
      // The table of a model is its own; a cast that finds this out costs more than the rest.
      return unsafeDowncast(known, to: SessionTable<Model>.self)
    }
    let table = SessionTable<Model>(in: store)
    tables[ObjectIdentifier(model)] = table
    order.append(table)
    return table
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

  /// The net changes that are not saved: those that a save would write, as far as the session knows.
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
        number: 0, timestamp: store.runtime.now, author: Persistence.author,
        isFromOtherProcess: false),
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

  /// Gives up all changes, and releases all handles.
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

  /// Reads an object again, and discards the session's changes of it.
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

  var newestCommit: UInt64 { store.runtime.transactions.notices.newest }

  /// Makes sure that the commits of a model are noticed, and rows that may be old are read again.
  func prepare<Model: PrimaryKeyed>(_ model: Model.Type) throws {
    _ = table(of: model)
    if parent != nil { return settle() }
    try follow(model)
    settle()
    for table in order where table.mayBeOld { try table.refresh(in: self) }
  }

  func follow<Model: PrimaryKeyed>(_ model: Model.Type) throws {
    try feed?.follow(model.entity.description.name, of: store)
  }

  /// Updates unchanged handles to the commits that were noticed.
  func settle() {
    if let parent { return parent.settle() }
    guard let feed, !isSettling, feed.hasNews else { return }
    isSettling = true
    defer { isSettling = false }
    for set in feed.take(of: store) {
      for table in order { table.apply(set) }
    }
  }
}

@available(*, unavailable)
extension Session: Sendable {}
