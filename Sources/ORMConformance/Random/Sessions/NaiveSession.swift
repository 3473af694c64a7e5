internal import ORM

/// The part of a row that the random sessions change.
struct DraftRow: Equatable, CustomStringConvertible {
  var text: String
  var number: Int?
  /// The version, where the entity has one.
  var version = 0
  /// The number of the write that left the row, where managed attributes tell writes apart; else 0.
  var write = 0

  static func == (a: DraftRow, b: DraftRow) -> Bool {
    a.hasSameDraft(as: b) && a.version == b.version
  }

  /// Returns whether it is the same row to the bit, managed attributes included.
  func isRow(_ other: DraftRow?) -> Bool {
    guard let other else { return false }
    return self == other && write == other.write
  }

  /// Equal but for the version.
  func hasSameDraft(as other: DraftRow) -> Bool { text == other.text && number == other.number }

  var description: String { "(\(text), \(number.map { "\($0)" } ?? "nil"), v\(version))" }
}

/// An object of a naive session.
final class NaiveObject {
  let id: Int64
  var isStored: Bool
  var isRemoved = false
  /// True if another deleted it.
  var isLost = false
  var lateEdits = 0
  var base: DraftRow
  var now: DraftRow
  /// The newest row that was noticed while the object was changed; the inner nil is its absence.
  var newer: DraftRow??

  init(_ id: Int64, _ row: DraftRow, isStored: Bool) {
    self.id = id
    base = row
    now = row
    self.isStored = isStored
  }

  enum Pending: String { case none, insert, update, delete }

  var pending: Pending {
    if !isStored { return isRemoved ? .none : .insert }
    if isRemoved { return .delete }
    return base.hasSameDraft(as: now) ? .none : .update
  }

  /// Takes notice of the row.
  func notice(_ row: DraftRow?) {
    switch pending {
    case .insert: return
    case .none: settle(row)
    case .update: newer = base.isRow(row) ? nil : .some(row)
    case .delete:
      if row == nil { settle(nil) } else { newer = base.isRow(row) ? nil : .some(row) }
    }
  }

  private func settle(_ row: DraftRow?) {
    newer = nil
    if let row {
      (isStored, isRemoved, isLost, lateEdits) = (true, false, false, 0)
      (base, now) = (row, row)
    } else if isStored {
      (isStored, isRemoved, isLost) = (false, true, true)
    }
  }

  /// Takes the newest row once nothing is changed.
  func catchUp() {
    if pending == .none, let newer { settle(newer) }
  }
}

/// A session as its clauses describe it, with no code of the one that is tested.
final class NaiveSession {
  enum Step {
    case edit(NaiveObject, from: DraftRow, to: DraftRow, attribute: String?)
    case presence(NaiveObject, isRemoved: Bool)
  }

  enum Policy: CaseIterable {
    case `throw`, storeWins, sessionWins, mergeOrThrow, mergeMine, mergeBase
  }

  enum Outcome: String { case saved, nothing, conflict, duplicate, deletedObject }

  let isVersioned: Bool
  /// The committed rows.
  var rows: [Int64: DraftRow] = [:]
  var objects: [NaiveObject] = []
  var done: [[Step]] = []
  var undone: [[Step]] = []
  private var lastTime: Int?
  private var writes = 0

  /// The number of the next write.
  func nextWrite() -> Int {
    if isVersioned { writes += 1 }
    return writes
  }

  init(isVersioned: Bool) { self.isVersioned = isVersioned }

  // MARK: - Changes

  func object(_ id: Int64) -> NaiveObject? { objects.first { $0.id == id } }

  func find(_ id: Int64) -> NaiveObject? {
    if let known = object(id) {
      if known.pending != .insert { known.notice(rows[id]) }
      return known.isRemoved ? nil : known
    }
    guard let row = rows[id] else { return nil }
    let new = NaiveObject(id, row, isStored: true)
    objects.append(new)
    return new
  }

  func insert(_ id: Int64, _ row: DraftRow) -> NaiveObject {
    let new = NaiveObject(id, row, isStored: false)
    objects.append(new)
    add([.presence(new, isRemoved: false)])
    return new
  }

  func delete(_ object: NaiveObject) {
    if object.isRemoved { return }
    (object.isRemoved, object.lateEdits) = (true, 0)
    add([.presence(object, isRemoved: true)])
  }

  /// - Parameter time: the milliseconds of the clock.
  func edit(
    _ object: NaiveObject, attribute: String, at time: Int, _ body: (inout DraftRow) -> Void
  ) {
    let old = object.now
    body(&object.now)
    let isChanged = !old.hasSameDraft(as: object.now)
    if object.isRemoved { object.lateEdits += 1 }
    if isChanged || object.isRemoved {
      undone = []
      if let lastTime, time - lastTime <= 500, !object.isRemoved, let last = done.last,
        last.count == 1, case .edit(let other, let from, _, attribute) = last[0], other === object
      {
        done[done.count - 1] = [.edit(object, from: from, to: object.now, attribute: attribute)]
      } else {
        add([.edit(object, from: old, to: object.now, attribute: attribute)])
      }
      lastTime = time
    }
    object.catchUp()
  }

  func add(_ group: [Step]) {
    undone = []
    done.append(group)
    if done.count > 100 { done.removeFirst() }
    // Steps that are no edit of one attribute join with nothing; the clock of the session moves on.
  }

  /// Ends the time in which edits join.
  func endJoining() { lastTime = nil }

  /// Notes that a level was made at a time.
  func noteLevel(at time: Int) { lastTime = time }

  func undo() -> Bool {
    lastTime = nil
    guard let group = done.popLast() else { return false }
    for step in group.reversed() { run(step, isUndo: true) }
    undone.append(group)
    return true
  }

  func redo() -> Bool {
    guard let group = undone.popLast() else { return false }
    lastTime = nil
    for step in group { run(step, isUndo: false) }
    done.append(group)
    return true
  }

  private func run(_ step: Step, isUndo: Bool) {
    switch step {
    case .edit(let object, let from, let to, _):
      let (old, new) = isUndo ? (to, from) : (from, to)
      if old.text != new.text { object.now.text = new.text }
      if old.number != new.number { object.now.number = new.number }
      if object.isRemoved { object.lateEdits = max(0, object.lateEdits + (isUndo ? -1 : 1)) }
      object.catchUp()
    case .presence(let object, let isRemoved):
      if object.isLost { return }
      (object.isRemoved, object.lateEdits) = (isUndo ? !isRemoved : isRemoved, 0)
      object.catchUp()
    }
  }

  func rollback() {
    done = []
    undone = []
    lastTime = nil
    for object in objects where object.pending != .none || object.lateEdits > 0 {
      if object.isStored {
        object.now = object.base
        object.isRemoved = false
      } else {
        object.isRemoved = true
      }
      object.lateEdits = 0
      object.catchUp()
    }
  }

  var hasChanges: Bool { objects.contains { $0.pending != .none } }

  // MARK: - Saving

  func save(_ policy: Policy) -> Outcome {
    if objects.contains(where: { $0.lateEdits > 0 }) { return .deletedObject }
    let pending = objects.filter { $0.pending != .none }
    if pending.isEmpty { return .nothing }
    var new = rows
    var isConflict = false
    for object in pending where object.pending != .insert {
      let mine = object.pending == .delete ? nil : object.now
      switch resolve(object.base, mine, rows[object.id], policy) {
      case .conflict: isConflict = true
      case .row(let row):
        if var row, let old = rows[object.id], !row.hasSameDraft(as: old) {
          row.version = old.version + (isVersioned ? 1 : 0)
          row.write = nextWrite()
          new[object.id] = row
        } else if row == nil {
          new[object.id] = nil
        }
      }
    }
    if isConflict { return .conflict }
    for object in pending where object.pending == .insert {
      if new[object.id] != nil { return .duplicate }
      new[object.id] = DraftRow(
        text: object.now.text, number: object.now.number, version: isVersioned ? 1 : 0,
        write: nextWrite())
    }
    rows = new
    for object in pending {
      object.newer = nil
      if let row = new[object.id] {
        (object.isStored, object.isRemoved, object.isLost) = (true, false, false)
        (object.base, object.now) = (row, row)
      } else {
        object.isLost = object.pending != .delete
        (object.isStored, object.isRemoved) = (false, true)
      }
    }
    lastTime = nil
    return .saved
  }

  private enum Resolution { case conflict, row(DraftRow?) }

  private func resolve(
    _ base: DraftRow, _ mine: DraftRow?, _ theirs: DraftRow?, _ policy: Policy
  ) -> Resolution {
    guard let theirs else {
      if mine == nil || policy == .storeWins { return .row(nil) }
      return .conflict
    }
    guard let mine else {
      let isSame = isVersioned ? base.version == theirs.version : base.hasSameDraft(as: theirs)
      if isSame || policy == .sessionWins { return .row(nil) }
      return policy == .storeWins ? .row(theirs) : .conflict
    }
    if policy == .throw, isVersioned, base.version != theirs.version { return .conflict }
    var row = theirs
    var isConflict = false
    func merge<Value: Equatable>(_ path: WritableKeyPath<DraftRow, Value>) {
      let (b, m, t) = (base[keyPath: path], mine[keyPath: path], theirs[keyPath: path])
      if m == b { return }
      guard t != b, t != m else {
        row[keyPath: path] = m
        return
      }
      switch policy {
      case .throw, .mergeOrThrow: isConflict = true
      case .storeWins: break
      case .sessionWins, .mergeMine: row[keyPath: path] = m
      case .mergeBase: row[keyPath: path] = b
      }
    }
    merge(\.text)
    merge(\.number)
    return isConflict ? .conflict : .row(row)
  }
}
