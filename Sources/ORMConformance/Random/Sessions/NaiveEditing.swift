internal import ORM
internal import ORMSessions

/// The edits of a session, and its levels of undo, as their clauses describe them.
class NaiveEditing {
  enum Step {
    case edit(NaiveObject, from: DraftRow, to: DraftRow, attribute: String?)
    case presence(NaiveObject, isRemoved: Bool)
  }

  var objects: [NaiveObject] = []
  private(set) var done: [[Step]] = []
  private(set) var undone: [[Step]] = []
  private var lastTime: Int?

  func delete(_ object: NaiveObject) {
    if object.isRemoved { return }
    (object.isRemoved, object.lateEdits) = (true, 0)
    object.catchUp()
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
}
