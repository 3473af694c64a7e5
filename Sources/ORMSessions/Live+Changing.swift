internal import ORMCore

// Changes of an object, by the program, by undo and by redo.
extension Live {
  /// Changes the object to another value, as one change to undo.
  func edit(to model: Model) { edit(from: current, to: shape.copy(model), path: nil) }

  /// Changes the object from one value to another.
  ///
  /// - Parameter path: the one property that was set; nil if there may be more.
  func edit(
    from before: Model, to after: Model, path: (any AnyKeyPath & Sendable)?
  ) {
    let position = path.flatMap { Model.entity.position(of: $0) }
    let after =
      position.map { shape.owned.contains($0) } ?? true
      ? shape.model(after, keepingOwnedOf: before) : after
    guard let session else {
      mutate { current = after }
      return
    }
    session.table(of: Model.self).hold(self)
    let row = shape.row(of: after)
    let changes = shape.difference(base, baseRow, after, row)
    let isChanged =
      changedUnits.isEmpty
      ? !changes.isEmpty
      : !shape.difference(before, shape.row(of: before), after, row).isEmpty
    mutate {
      current = after
      knownChanges = changes
      if isRemoved { editsAfterDelete += 1 }
    }
    rekey(in: session)
    // Setting a value again is no level of undo, unless the object is deleted.
    if isChanged || isRemoved {
      session.undoStack.add(EditStep(self, from: before, to: after, path: path), session)
    }
    catchUp()
  }

  /// Takes the newest row once nothing is changed any more, or its absence once it is deleted here too.
  func catchUp() {
    guard let newer, pending == .none || pending == .delete && newer.row == nil else { return }
    self.newer = nil
    if let row = newer.row {
      didRead(row, at: newer.number)
    } else {
      didDelete(at: newer.number)
    }
  }

  /// Notes the key that the program gave to an inserted object.
  private func rekey(in session: Session) {
    guard !isStored else { return }
    let new = shape.key(of: current)
    if !key.elementsEqual(new, by: { $0.isIdentical(to: $1) }) {
      session.table(of: Model.self).move(self, to: new)
    }
  }

  /// Gives the object the units in which two models differ, from the second.
  func take(from before: Model, to after: Model, countsEditsAfterDelete change: Int = 0) {
    let (old, now) = (shape.row(of: before), shape.row(of: current))
    let numbers = shape.difference(before, old, after, shape.row(of: after))
    let isSame = old.isSame(as: now) && shape.difference(before, old, current, now).isEmpty
    let new =
      isSame
      ? after
      : (try? shape.model(current, taking: numbers, from: after)).map {
        shape.model($0, retracingLinksOf: current, from: before, to: after, numbers)
      } ?? after
    mutate {
      current = session?.translated(new) ?? new
      if isRemoved { editsAfterDelete = max(0, editsAfterDelete + change) }
    }
    if let session {
      session.table(of: Model.self).hold(self)
      rekey(in: session)
    }
    catchUp()
  }

  /// Sets the object's deletion; edits of a deleted object count from then.
  func setRemoved(_ isRemoved: Bool) {
    if isLost { return }
    mutate {
      self.isRemoved = isRemoved
      editsAfterDelete = 0
    }
    guard let table = session?.table(of: Model.self) else { return }
    table.hold(self)
    table.didChangePresence(of: self)
    catchUp()
  }
}
