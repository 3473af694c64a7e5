internal import ORMCore

/// One change of a session that can be undone.
protocol UndoStep: AnyObject {
  func undo()
  func redo()
  /// Takes in a step that follows at once; false if it is no continuation of this one.
  func join(_ next: any UndoStep) -> Bool
}

/// A change of an object's value.
final class EditStep<Model: PrimaryKeyed>: UndoStep {
  private let live: Live<Model>
  private let before: Model
  private var after: Model
  /// The one property that was set; nil if there may be more.
  private let path: AnyKeyPath?

  init(_ live: Live<Model>, from before: Model, to after: Model, path: AnyKeyPath?) {
    self.live = live
    self.before = before
    self.after = after
    self.path = path
  }

  func undo() { live.take(from: after, to: before, countsEditsAfterDelete: -1) }
  func redo() { live.take(from: before, to: after, countsEditsAfterDelete: 1) }

  func join(_ next: any UndoStep) -> Bool {
    guard let next = next as? EditStep<Model>, next.live === live, let path, next.path == path,
      !live.isRemoved
    else { return false }
    after = next.after
    return true
  }
}

/// An insert or a delete.
final class PresenceStep<Model: PrimaryKeyed>: UndoStep {
  private let live: Live<Model>
  private let isRemoved: Bool

  init(_ live: Live<Model>, isRemoved: Bool) {
    self.live = live
    self.isRemoved = isRemoved
  }

  func undo() { live.setRemoved(!isRemoved) }
  func redo() { live.setRemoved(isRemoved) }
  func join(_ next: any UndoStep) -> Bool { false }
}

/// The levels of undo and redo of a session.
final class UndoStack {
  private struct Group {
    var name: String?
    var steps: [any UndoStep] = []
  }

  /// The most undo levels.
  static var capacity: Int { 100 }
  var coalescing = Duration.milliseconds(500)
  private var done: [Group] = []
  private var undone: [Group] = []
  private var open: Group?
  private var depth = 0
  /// The time of the last step, if the next one may continue it.
  private var lastTime: ContinuousClock.Instant?

  var canUndo: Bool { depth == 0 && !done.isEmpty }
  var canRedo: Bool { depth == 0 && !undone.isEmpty }
  var undoName: String? { done.last?.name }
  var redoName: String? { undone.last?.name }

  /// Adds a change that was made.
  func add(_ step: any UndoStep, _ session: Session) {
    undone = []
    if depth > 0 {
      open?.steps.append(step)
      return
    }
    let now = session.now()
    if let lastTime, now - lastTime <= coalescing, let last = done.last, last.steps.count == 1,
      last.name == nil, last.steps[0].join(step)
    {
      self.lastTime = now
      return
    }
    push(Group(steps: [step]))
    lastTime = now
  }

  private func push(_ group: Group) {
    done.append(group)
    if done.count > Self.capacity { done.removeFirst(done.count - Self.capacity) }
  }

  /// Makes one level of undo of all changes that the body makes.
  func group<Result>(_ name: String?, _ body: () throws -> Result) rethrows -> Result {
    if depth == 0 { open = Group(name: name) }
    depth += 1
    defer {
      depth -= 1
      if depth == 0 {
        if let open, !open.steps.isEmpty { push(open) }
        open = nil
        lastTime = nil
      }
    }
    return try body()
  }

  func undo() -> Bool {
    guard canUndo, let group = done.popLast() else { return false }
    for step in group.steps.reversed() { step.undo() }
    undone.append(group)
    lastTime = nil
    return true
  }

  func redo() -> Bool {
    guard canRedo, let group = undone.popLast() else { return false }
    for step in group.steps { step.redo() }
    done.append(group)
    lastTime = nil
    return true
  }

  /// Lets the next change begin a level of its own.
  func endCoalescing() { lastTime = nil }

  func clear() {
    done = []
    undone = []
    if open != nil { open?.steps = [] }
    lastTime = nil
  }
}

extension Session {
  /// Makes one level of undo of the changes in the body.
  ///
  /// ```swift
  /// session.group("Rename") { team.name = "Blues" }
  /// ```
  ///
  /// A group inside another is part of it. If the body throws, its changes stay, and are a level.
  public func group<Result>(_ name: String?, _ body: () throws -> Result) rethrows -> Result {
    try undoStack.group(name, body)
  }

  /// Undoes the newest level of changes.
  ///
  /// ```swift
  /// if session.canUndo { session.undo() }
  /// ```
  ///
  /// After a save it makes changes again, which the next save writes. A session keeps 100 levels.
  ///
  /// - Returns: false if there is nothing to undo, or inside of a group.
  @discardableResult
  public func undo() -> Bool {
    settle()
    return undoStack.undo()
  }

  /// Makes the changes again that were undone last.
  ///
  /// - Returns: false if there is nothing to redo, or inside of a group.
  @discardableResult
  public func redo() -> Bool {
    settle()
    return undoStack.redo()
  }

  /// True if there are changes to undo.
  public var canUndo: Bool { undoStack.canUndo }
  /// True if there are changes to make again.
  public var canRedo: Bool { undoStack.canRedo }
  /// The name of the group that ``undo()`` undoes; nil if it has none.
  public var undoName: String? { undoStack.undoName }
  /// The name of the group that ``redo()`` makes again; nil if it has none.
  public var redoName: String? { undoStack.redoName }

  /// Makes a session that saves into this one.
  ///
  /// ```swift
  /// let draft = session.child()
  /// if let team = try draft.find(Team.self, 7) { team.name = "Greens" }
  /// try draft.save()
  /// session.undo()
  /// ```
  ///
  /// It sees this session's objects with their unsaved changes. Its save makes changes here, as one
  /// level of undo. Conflicts are those with changes made here meanwhile.
  public func child() -> Session { Session(childOf: self) }
}
