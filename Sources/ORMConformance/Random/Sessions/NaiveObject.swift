internal import ORM
internal import ORMSessions

/// The part of a row that the random sessions change.
struct DraftRow: Equatable, CustomStringConvertible {
  var text: String
  var number: Int?
  /// The version, where the entity has one.
  var version = 0
  /// The number of the write that left the row, where managed attributes distinguish writes; else 0.
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
  /// The entity by which the handle shows the row, where there are several.
  let entity: String
  var isStored: Bool
  var isRemoved = false
  /// True if another deleted it.
  var isLost = false
  /// True if a soft delete hides its row.
  var isHidden = false
  var lateEdits = 0
  var base: DraftRow
  var now: DraftRow
  /// The newest row that was noticed while the object was changed; the inner nil is its absence.
  var newer: DraftRow??

  init(_ id: Int64, _ row: DraftRow, isStored: Bool, of entity: String = "") {
    self.id = id
    self.entity = entity
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

  /// Takes notice of a row that a soft delete hides.
  func noticeHidden(_ row: DraftRow) {
    notice(nil)
    guard !isStored, isRemoved, lateEdits == 0 else { return }
    (base, now, isHidden) = (row, row, true)
  }

  /// Takes the row that a save left, or its absence.
  func didSave(_ row: DraftRow?, isSoft: Bool) {
    newer = nil
    if let row {
      (isStored, isRemoved, isLost, isHidden) = (true, false, false, false)
      (base, now) = (row, row)
    } else {
      isLost = pending != .delete
      isHidden = isSoft && pending == .delete
      (isStored, isRemoved) = (false, true)
    }
  }

  private func settle(_ row: DraftRow?) {
    newer = nil
    if let row {
      (isStored, isRemoved, isLost, isHidden, lateEdits) = (true, false, false, false, 0)
      (base, now) = (row, row)
    } else if isStored {
      (isStored, isRemoved, isLost, isHidden) = (false, true, true, false)
    }
  }

  /// Takes the newest row once nothing is changed, or its absence once it is deleted here too.
  func catchUp() {
    guard let newer else { return }
    if pending == .none || pending == .delete && newer == nil { settle(newer) }
  }
}
