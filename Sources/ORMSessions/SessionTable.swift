internal import ORMCore

/// The objects of one model in a session.
protocol SessionTableKind: AnyObject {
  var entity: String { get }
  /// True if a save would write an object.
  var hasChanges: Bool { get }
  /// The changes of the objects, in the order of their keys.
  func rowChanges() -> [RowChange]
  /// The function that begins a save of the changes; nil if there are none.
  func pendingSave(in session: Session) throws -> (@Sendable () -> any TableRun)?
  /// Takes the rows that a save left.
  func take(_ outcome: any Sendable, at number: UInt64)
  func forgetSave()
  /// Compares the changes to be saved with the objects of the parent session.
  func resolve(
    _ run: any TableRun, _ policy: ConflictPolicy, _ compared: [String: Set<String>]
  ) throws -> [SessionConflict]
  /// Puts the changes into the parent session.
  func write(_ run: any TableRun, to parent: Session)
  func revert()
  /// Ends the handles of the session.
  func detach()
  func apply(_ set: ChangeSet)
  var mayBeOld: Bool { get set }
  /// Reads the living objects again.
  func refresh(in session: Session) throws
}

/// A handle in a save, with the object as it is saved.
struct SavedHandle<Model: PrimaryKeyed> {
  let live: Live<Model>
  /// The object; nil if it is deleted.
  let planned: Model?
  /// The handle's stamp: another one means that the handle has changed since.
  let stamp: Int

  init(_ live: Live<Model>, isDeleted: Bool = false) {
    self.live = live
    planned = isDeleted ? nil : live.shape.copy(live.current)
    stamp = live.stamp
  }
}

/// The handles of one model: one for each key.
final class SessionTable<Model: PrimaryKeyed>: SessionTableKind {
  private struct Entry { weak var live: Live<Model>? }

  let shape: SessionShape<Model>
  private var entries: [GroupKey: Entry] = [:]
  private var purgeCount = 64
  /// The handles that are changed, or may be, in the order in which they were.
  private(set) var held: [Live<Model>] = []
  /// True if an object was inserted with the key of one that is to be deleted.
  private var sharesKeys = false
  /// The handles of the save that runs.
  var saving: [SavedHandle<Model>] = []
  /// The integer keys that inserted objects were given by saves, by their temporary keys.
  var assigned: [GroupKey: [StoredValue]] = [:]
  /// True if commits may have changed rows that are not known one by one.
  var mayBeOld = false

  init(in store: any Store) { shape = SessionShape(in: store) }

  var entity: String { shape.entity }

  /// The handle with a key; one that is not deleted before one that is.
  func handle(_ key: [StoredValue]) -> Live<Model>? { entries[GroupKey(key)]?.live }

  /// Makes the handle the one with its key, unless another that is not deleted has it.
  func add(_ live: Live<Model>) {
    if let other = handle(live.key), other !== live {
      if !other.isRemoved { return }
      if !other.isDiscarded { sharesKeys = true }
    }
    entries[GroupKey(live.key)] = Entry(live: live)
    guard entries.count > purgeCount else { return }
    entries = entries.filter { $1.live != nil }
    purgeCount = max(64, entries.count * 2)
  }

  /// Takes notice that a handle was deleted, or is not any more.
  func didChangePresence(of live: Live<Model>) {
    if !live.isDiscarded { return add(live) }
    guard sharesKeys, handle(live.key) === live else { return }
    // Another object with the key was deleted before this one was inserted.
    let other = held.first {
      $0 !== live && !$0.isDiscarded && GroupKey($0.key) == GroupKey(live.key)
    }
    if let other { entries[GroupKey(live.key)] = Entry(live: other) }
  }

  /// Gives a handle another key.
  func move(_ live: Live<Model>, to key: [StoredValue]) {
    let old = GroupKey(live.key)
    if entries[old]?.live === live { entries[old] = nil }
    live.key = key
    add(live)
  }

  /// Holds a handle until it is found to be unchanged.
  func hold(_ live: Live<Model>) {
    if live.isHeld { return }
    live.isHeld = true
    held.append(live)
  }

  /// The living handles.
  private var living: [Live<Model>] { entries.values.compactMap(\.live) }

  var hasChanges: Bool {
    releaseUnchanged()
    return held.contains { $0.pending != .none }
  }

  func releaseUnchanged() {
    held.removeAll { live in
      if live.pending != .none || live.editsAfterDelete > 0 { return false }
      live.isHeld = false
      live.forgetRow()
      return true
    }
  }

  func revert() {
    let all = held
    held = []
    for live in all {
      live.isHeld = false
      live.revert()
    }
  }

  func detach() {
    for live in held + living { live.session = nil }
    entries = [:]
    held = []
    saving = []
  }

  // MARK: - Changes

  func rowChanges() -> [RowChange] {
    held.flatMap { $0.rowChanges() }.sorted(by: RowChange.isBefore)
  }

  // MARK: - Following

  func apply(_ set: ChangeSet) {
    let concerned = set.entities.filter { $0.entity == entity || $0.parents.contains(entity) }
    if concerned.contains(where: \.isEverything) { mayBeOld = true }
    let rows = concerned.flatMap(\.rows)
    // A row that was deleted as one entity may be there as another.
    let retained =
      concerned.count < 2 ? [] : Set(rows.filter { $0.kind.leavesRow }.map { GroupKey($0.key) })
    for change in rows where change.kind.leavesRow || !retained.contains(GroupKey(change.key)) {
      apply(change, at: set.commit.number)
    }
  }

  private func apply(_ change: RowChange, at number: UInt64) {
    guard let live = handle(change.key), number > live.commit else { return }
    switch change.kind {
    case .deleted, .hidden: live.didDelete(at: number)
    case .inserted, .updated, .restored:
      // A row that is none of the model's is found by the next reading.
      if let row = try? change.new(as: Model.self) {
        live.didRead(row, at: number)
      } else {
        mayBeOld = true
      }
    case .linked, .unlinked, .moved: break
    }
  }

  func refresh(in session: Session) throws {
    mayBeOld = false
    let all = living.filter { $0.isStored }
    if all.isEmpty { return }
    do {
      let (rows, number) = try session.read { try $0.find(Model.self, each: all.map(\.current.id)) }
      for (live, row) in zip(all, rows) {
        if let row { live.didRead(row, at: number) } else { live.didDelete(at: number) }
      }
    } catch {
      mayBeOld = true
      throw error
    }
  }
}

extension RowChange.Kind {
  /// True if the row is there after the change.
  fileprivate var leavesRow: Bool {
    switch self {
    case .inserted, .updated, .restored: true
    case .deleted, .hidden, .linked, .unlinked, .moved: false
    }
  }
}
