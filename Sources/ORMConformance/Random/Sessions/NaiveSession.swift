internal import ORM
internal import ORMSessions

/// A session as its clauses describe it, with no code of the one that is tested.
final class NaiveSession: NaiveEditing {
  enum Policy: CaseIterable {
    case `throw`, storeWins, sessionWins, mergeOrThrow, mergeMine, mergeBase
  }

  enum Outcome: String { case saved, nothing, conflict, duplicate, deletedObject }

  let isVersioned: Bool
  /// True if deletes hide rows.
  let isSoft: Bool
  /// The committed rows.
  var rows: [Int64: DraftRow] = [:]
  /// The committed rows that a soft delete hides.
  var hidden: [Int64: DraftRow] = [:]
  private var writes = 0

  init(isVersioned: Bool, isSoft: Bool) {
    self.isVersioned = isVersioned
    self.isSoft = isSoft
  }

  /// The number of the next write.
  func nextWrite() -> Int {
    if isVersioned { writes += 1 }
    return writes
  }

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

  // MARK: - Saving

  func save(_ policy: Policy) -> Outcome {
    if objects.contains(where: { $0.lateEdits > 0 }) { return .deletedObject }
    let pending = objects.filter { $0.pending != .none }
    if pending.isEmpty { return .nothing }
    var new = rows
    var newHidden = hidden
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
          if isSoft, let old = rows[object.id] { newHidden[object.id] = old }
          new[object.id] = nil
        }
      }
    }
    if isConflict { return .conflict }
    for object in pending where object.pending == .insert {
      if object.isHidden, var row = newHidden.removeValue(forKey: object.id) ?? new[object.id] {
        // The row is restored, with the edits since.
        if object.now.text != object.base.text { row.text = object.now.text }
        if object.now.number != object.base.number { row.number = object.now.number }
        new[object.id] = row
        continue
      }
      if new[object.id] != nil || newHidden[object.id] != nil { return .duplicate }
      new[object.id] = DraftRow(
        text: object.now.text, number: object.now.number, version: isVersioned ? 1 : 0,
        write: nextWrite())
    }
    rows = new
    hidden = newHidden
    for object in pending { object.didSave(new[object.id], isSoft: isSoft) }
    endJoining()
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
