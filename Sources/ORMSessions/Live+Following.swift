internal import ORMCore

// Rows of the store, and of the parent of a child session, as they reach a handle.
extension Live {
  /// Applies to the handle the changes that its session has noticed.
  func settle() {
    session?.settle()
    guard let parent else { return }
    parent.settle()
    if parentStamp != parent.stamp { follow(parent) }
  }

  private func follow(_ parent: Live<Model>) {
    parentStamp = parent.stamp
    if !key.elementsEqual(parent.key, by: { $0.isIdentical(to: $1) }) {
      session?.table(of: Model.self).move(self, to: parent.key)
      mutate {
        current = session?.translated(current) ?? current
        base = session?.translated(base) ?? base
      }
    }
    if parent.isRemoved {
      didDelete(at: 0)
    } else {
      didRead(parent.current, at: 0)
    }
  }

  /// Notes that the handle is as its parent's object.
  func didFollow() { parentStamp = parent?.stamp ?? 0 }

  /// Takes a row that was read, as of a commit.
  ///
  /// A changed object keeps its base and learns that the store has moved on.
  func didRead(_ row: Model, at number: UInt64) {
    if number != 0, number < commit { return }
    if shape.isHidden(row) { return didHide(row, at: number) }
    guard pending == .none else {
      guard isStored else { return }
      let new = shape.row(of: row)
      let isNewer =
        !baseRow.isSame(as: new) || !shape.difference(base, baseRow, row, new).isEmpty
      if isNewer {
        note(NewerRow(row: row, number: number))
      } else {
        commit = number
        if newer != nil { note(nil) }
      }
      return
    }
    commit = number
    var new = row
    shape.keepLinks(of: current, in: &new)
    if isStored, !isRemoved, isSameRow(current, new), shape.hasSameLinks(current, new) {
      // The objects of links may have been loaded.
      setUnchanged(new)
      return
    }
    mutate {
      setUnchanged(new)
      isStored = true
      isRemoved = false
      newer = nil
      isLost = false
      isHidden = false
      editsAfterDelete = 0
    }
  }

  /// Takes a row that a soft delete hides, as of a commit: to the session it is deleted.
  private func didHide(_ row: Model, at number: UInt64) {
    didDelete(at: number)
    guard isDiscarded, editsAfterDelete == 0 else { return }
    commit = number
    var new = row
    shape.keepLinks(of: current, in: &new)
    mutate {
      setUnchanged(new)
      isHidden = true
    }
  }

  /// Makes a row both the base and the object that is shown.
  private func setUnchanged(_ row: Model) {
    current = row
    base = shape.copy(row)
    knownChanges = []
  }

  private func note(_ newer: NewerRow?) { mutate { self.newer = newer } }

  private func isSameRow(_ a: Model, _ b: Model) -> Bool {
    shape.row(of: a).isSame(as: shape.row(of: b))
  }

  /// Notes that the row was deleted, as of a commit.
  func didDelete(at number: UInt64) {
    if number != 0, number < commit { return }
    let pending = pending
    if pending == .insert { return }
    if pending == .update { return note(NewerRow(row: nil, number: number)) }
    commit = number
    guard isStored else { return }
    mutate {
      isStored = false
      isRemoved = true
      isLost = true
      isHidden = false
      newer = nil
    }
  }

  /// Takes the row that a save left, or its absence; edits since then stay.
  ///
  /// - Parameter saved: the object as it was saved.
  func didSave(_ row: Model?, key: [StoredValue], _ saved: SavedHandle<Model>, at number: UInt64) {
    let planned = saved.planned
    let wasRemoved = isRemoved
    guard let row else {
      mutate {
        isStored = false
        isLost = planned != nil
        isHidden = planned == nil && shape.deletedAt != nil
        newer = nil
        // An edit or an undo during the save stays to be saved.
        if planned != nil || wasRemoved { isRemoved = true }
        if planned == nil, wasRemoved { editsAfterDelete = 0 }
        // An edit during the save is not lost without a word.
        if let planned, !shape.difference(planned, current).isEmpty { editsAfterDelete += 1 }
      }
      commit = number
      return
    }
    var new = row
    let edited =
      stamp == saved.stamp ? [] : planned.map { shape.difference($0, current) } ?? []
    shape.keepLinks(of: current, in: &new)
    let merged =
      edited.isEmpty ? new : (try? shape.model(new, taking: edited, from: current)) ?? current
    mutate {
      base = shape.copy(new)
      current = merged
      if edited.isEmpty { knownChanges = [] }
      isStored = true
      isRemoved = planned != nil && wasRemoved
      isLost = false
      isHidden = false
      newer = nil
    }
    commit = number
    self.key = key
  }

  /// Gives up the session's changes of the object.
  func revert() {
    guard pending != .none || editsAfterDelete > 0 else { return }
    mutate {
      if isStored {
        current = shape.copy(base)
        isRemoved = false
      } else {
        isRemoved = true
      }
      editsAfterDelete = 0
    }
    catchUp()
  }
}
