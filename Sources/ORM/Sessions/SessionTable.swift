internal import ORMCore

/// The objects of one model in a session.
protocol SessionTableKind: AnyObject {
  var entity: String { get }
  /// True if a save would write an object.
  var hasChanges: Bool { get }
  /// The number of handles that the session holds.
  var heldCount: Int { get }
  /// Lets go of handles that are not changed.
  func letGo()
  /// The changes of the objects, in the order of their keys.
  func rowChanges() -> [RowChange]
  /// The changes to be saved; nil if there are none.
  func pendingSave(in session: Session) throws -> (any TableSave)?
  /// Takes the rows that a save left.
  func take(_ outcome: any TableOutcome, at number: UInt64)
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

/// The handles of one model: one for each key.
final class SessionTable<Model: PrimaryKeyed>: SessionTableKind {
  private struct Entry { weak var live: Live<Model>? }

  let shape: SessionShape<Model>
  private var entries: [GroupKey: Entry] = [:]
  private var purgeCount = 64
  /// The handles that are changed, or may be, in the order in which they were.
  private var held: [ObjectIdentifier: (order: Int, live: Live<Model>)] = [:]
  private var order = 0
  /// True if an object was inserted with the key of one that is to be deleted.
  private var sharesKeys = false
  /// The handles of the save that runs, with the objects as it saves them.
  private var saving: [(live: Live<Model>, planned: Model?)] = []
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
      if !other.isGone { sharesKeys = true }
    }
    entries[GroupKey(live.key)] = Entry(live: live)
    guard entries.count > purgeCount else { return }
    entries = entries.filter { $1.live != nil }
    purgeCount = max(64, entries.count * 2)
  }

  /// Takes notice that a handle was deleted, or is not any more.
  func didChangePresence(of live: Live<Model>) {
    if !live.isGone { return add(live) }
    guard sharesKeys, handle(live.key) === live else { return }
    // Another object with the key was deleted before this one was inserted.
    let other = inOrder.first {
      $0 !== live && !$0.isGone && GroupKey($0.key) == GroupKey(live.key)
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
    if held[ObjectIdentifier(live)] != nil { return }
    held[ObjectIdentifier(live)] = (order, live)
    order += 1
  }

  private var inOrder: [Live<Model>] { held.values.sorted { $0.order < $1.order }.map(\.live) }

  /// The living handles.
  private var living: [Live<Model>] { entries.values.compactMap(\.live) }

  var hasChanges: Bool {
    letGo()
    return held.values.contains { $0.live.pending != .none }
  }

  var heldCount: Int { held.count }

  func letGo() {
    for (id, entry) in held where entry.live.pending == .none && entry.live.lateEdits == 0 {
      held[id] = nil
    }
  }

  func revert() {
    let all = inOrder
    held = [:]
    for live in all { live.revert() }
  }

  func detach() {
    for live in inOrder + living { live.session = nil }
    entries = [:]
    held = [:]
    saving = []
  }

  // MARK: - Changes

  func rowChanges() -> [RowChange] {
    inOrder.flatMap { $0.rowChanges() }.sorted(by: RowChange.isBefore)
  }

  // MARK: - Saving

  func pendingSave(in session: Session) throws -> (any TableSave)? {
    letGo()
    var changes: [ObjectSave<Model>] = []
    saving = []
    for live in inOrder {
      if live.lateEdits > 0 { throw live.deleted() }
      let base = shape.copy(live.base)
      switch live.pending {
      case .none: continue
      case .delete:
        changes.append(ObjectSave(kind: .delete, base: base, value: base, key: live.key))
        saving.append((live, nil))
      case .update:
        if shape.key(of: live.current) != live.key {
          throw StoreError(
            .invalidValue, "the key of a stored object cannot be changed", entity: entity,
            key: live.key, attributes: shape.key.map { shape.names[$0] })
        }
        _ = try Mapper.attributeValues(of: live.current)
        changes.append(
          ObjectSave(
            kind: .update, base: base,
            value: session.linked(shape.model(live.current, statingLinksSince: live.base)),
            key: live.key, loads: shape.knownChanges(of: live.current, since: live.base)))
        saving.append((live, shape.copy(live.current)))
      case .insert:
        _ = try Mapper.attributeValues(of: live.current)
        changes.append(
          ObjectSave(
            kind: live.isHidden
              ? .restore : session.isTemporary(live.key, shape) ? .insertWithoutKey : .insert,
            base: base, value: session.linked(live.current), key: live.key,
            loads: shape.knownChanges(of: live.current, since: live.base)))
        saving.append((live, shape.copy(live.current)))
      }
    }
    return changes.isEmpty ? nil : TablePlan(shape: shape, changes: changes)
  }

  func forgetSave() { saving = [] }

  func take(_ outcome: any TableOutcome, at number: UInt64) {
    guard let outcome = outcome as? SavedRows<Model>, outcome.rows.count == saving.count else {
      return
    }
    let saving = saving
    self.saving = []
    for (position, (live, planned)) in saving.enumerated() where live.session != nil {
      let key = outcome.keys[position]
      if live.key != key { assigned[GroupKey(live.key)] = key }
      let old = live.key
      live.didSave(outcome.rows[position], key: live.key, planned: planned, at: number)
      if old != key { move(live, to: key) }
    }
    letGo()
  }

  func resolve(
    _ run: any TableRun, _ policy: ConflictPolicy, _ compared: [String: Set<String>]
  ) throws -> [SessionConflict] {
    guard let run = run as? TableSaving<Model> else { return [] }
    var rows: [Int: Model?] = [:]
    for (position, (live, _)) in saving.enumerated() {
      if let parent = live.parent, !parent.isRemoved { rows[position] = parent.current }
    }
    return try run.resolve(rows, policy, compared)
  }

  func write(_ run: any TableRun, to parent: Session) {
    guard let run = run as? TableSaving<Model> else { return }
    let saving = saving
    self.saving = []
    let deleted = Set(run.deletes)
    for (position, (live, planned)) in saving.enumerated() {
      if let model = run.writes[position] {
        if let object = live.parent, parent.revive(object) {
          object.edit(to: model)
        } else {
          live.parent = parent.insert(model)
        }
      } else if deleted.contains(position), let object = live.parent {
        parent.remove(object)
      }
      let object = live.parent
      live.didSave(
        object?.isRemoved == false ? object?.current : nil, key: live.key, planned: planned, at: 0)
      live.didFollow()
    }
    letGo()
  }

  // MARK: - Following

  func apply(_ set: ChangeSet) {
    let concerned = set.entities.filter { $0.entity == entity || $0.parents.contains(entity) }
    if concerned.contains(where: \.isEverything) { mayBeOld = true }
    let rows = concerned.flatMap(\.rows)
    // A row that was deleted as one entity may be there as another.
    let kept =
      concerned.count < 2 ? [] : Set(rows.filter { $0.kind.leavesRow }.map { GroupKey($0.key) })
    for change in rows where change.kind.leavesRow || !kept.contains(GroupKey(change.key)) {
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

extension Live {
  /// True if the object is neither stored nor to be inserted.
  var isGone: Bool { !isStored && isRemoved }

  /// The changes of the object and of its links.
  func rowChanges() -> [RowChange] {
    let old = shape.row(of: base).values
    let new = shape.row(of: current).values
    let names = shape.names
    switch pending {
    case .none: return []
    case .delete:
      let kind: RowChange.Kind = shape.deletedAt == nil ? .deleted : .hidden
      return [RowChange(kind, key: key, names: names, old: old)]
    case .insert:
      let row =
        isHidden
        ? RowChange(.restored, key: key, names: names, old: old, new: new)
        : RowChange(.inserted, key: key, names: names, new: new)
      return [row] + linkChanges(isNew: !isHidden)
    case .update:
      let changed = Set(shape.difference(base, current).flatMap { shape.units[$0].positions })
        .sorted().filter { !old[$0].isIdentical(to: new[$0]) }
      let links = linkChanges(isNew: false)
      if changed.isEmpty { return links }
      let row = RowChange(
        .updated, key: key, attributes: changed.map { names[$0] }, names: names, old: old, new: new)
      return [row] + links
    }
  }

  /// The links that the row does not hold.
  private func linkChanges(isNew: Bool) -> [RowChange] {
    shape.units.flatMap { unit -> [RowChange] in
      guard let end = unit.end, unit.positions.isEmpty else { return [] }
      return linkChanges(end, isNew: isNew)
    }
  }

  private func linkChanges<End: RelationshipEnd>(_ end: End, isNew: Bool) -> [RowChange]
  where End.Model == Model {
    let name = end.declaration.name
    func change(_ kind: RowChange.Kind, _ target: GroupKey) -> RowChange {
      RowChange(kind, key: key, relationship: name, target: target.values)
    }
    let now = SessionLinks(end, of: current)
    let before = isNew ? SessionLinks() : SessionLinks(end, of: base)
    if let keys = now.keys {
      let known = before.keys ?? []
      let added = keys.filter { !known.contains($0) }.map { change(.linked, $0) }
      return added + known.filter { !keys.contains($0) }.map { change(.unlinked, $0) }
    }
    return now.steps.map { step in
      switch step {
      case .append(let key, _), .insert(let key, _): change(.linked, key)
      case .remove(let key): change(.unlinked, key)
      }
    }
  }
}
