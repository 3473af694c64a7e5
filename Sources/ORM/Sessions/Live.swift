public import ORMCore
public import Observation

/// An object of a session: a handle that shows the stored object with the session's changes.
///
/// ```swift
/// let session = Session(store)
/// if let team = try session.find(Team.self, 7) {
///   team.name = "Blues"
///   print(team.changedAttributes, team.original.name)
///   try session.save()
/// }
/// ```
///
/// A session has one handle for each object. It holds handles that are changed, and lets go of others
/// that nobody else holds. Properties of the model are read and set on the handle; the session notes
/// each change. Reading a property inside `withObservationTracking` tracks that attribute alone.
///
/// A handle belongs to its session, and like it to one isolation. After the session is gone or was
/// reset, a handle keeps its values and notes no changes.
@dynamicMemberLookup
public final class Live<Model: PrimaryKeyed> {
  /// The session; nil after it has ended, or was reset.
  public internal(set) weak var session: Session?
  let shape: SessionShape<Model>
  /// The object as it is shown.
  private(set) var current: Model
  /// The object as it was loaded, or as it was inserted.
  private(set) var base: Model
  /// True if the store, or the parent of a child session, has the object.
  private(set) var isStored: Bool
  /// True if the session deleted the object, or the store did and the session had not changed it.
  private(set) var isRemoved = false
  /// True if another deleted the row, so that taking back a delete does not bring it back.
  private var isLost = false
  /// True if the object is not stored any more since a soft delete hides its row.
  private(set) var isHidden = false
  /// The number of edits since the object was deleted.
  private(set) var lateEdits = 0
  /// The newest row of an object that the session has changed, where it is not the base.
  private var newer: NewerRow?
  /// A row that the base is not, and the commit that it is known to have.
  private struct NewerRow {
    /// Nil if the row was deleted.
    let row: Model?
    let number: UInt64
  }

  /// The number of the newest commit that the base is known to have.
  var commit: UInt64 = 0
  /// The values of the key under which the session has the object.
  var key: [StoredValue]
  /// The object of the parent session.
  var parent: Live<Model>? { didSet { parentStamp = parent?.stamp ?? 0 } }
  /// Grows with each change of the handle.
  private(set) var stamp = 0
  private var parentStamp = 0
  private let registrar = ObservationRegistrar()
  /// True once anything of the object was read, so that somebody may track it.
  private var isTracked = false

  init(_ model: Model, isStored: Bool, key: [StoredValue], in session: Session) {
    shape = session.table(of: Model.self).shape
    current = model
    base = shape.copy(model)
    isHidden = isStored && shape.isHidden(model)
    isRemoved = isHidden
    isLost = isHidden
    self.isStored = isStored && !isHidden
    self.key = key
    self.session = session
  }

  // MARK: - Reading

  /// The object as a value, with the session's changes.
  ///
  /// Of a class model it is a new object.
  public var value: Model {
    settle()
    track(Self.wholeUnit)
    return shape.copy(current)
  }

  /// The primary key.
  ///
  /// An inserted object whose key the store gives has a temporary key until it is saved: an integer
  /// far below zero.
  public var id: Model.ID {
    settle()
    shape.observedKey.forEach(track)
    return current.id
  }

  /// The object as it was loaded, or as it was inserted.
  public var original: Model {
    settle()
    track(Self.wholeUnit)
    return shape.copy(base)
  }

  /// Reads and sets a property of the object.
  ///
  /// An edit of a deleted object is kept, and the next save throws `deletedObject`; ``update(_:)``
  /// throws at once. Managed and derived attributes belong to the store, and setting one changes
  /// nothing.
  public subscript<Value>(dynamicMember path: WritableAttributePath<Model, Value>) -> Value {
    get {
      settle()
      track(path)
      return current[keyPath: path]
    }
    set {
      settle()
      let before = current
      var after = shape.copy(before)
      after[keyPath: path] = newValue
      edit(from: before, to: after, path: path)
    }
  }

  /// Reads a property of the object that cannot be set.
  public subscript<Value>(dynamicMember path: AttributePath<Model, Value>) -> Value {
    settle()
    track(path)
    return current[keyPath: path]
  }

  /// Changes several properties of the object as one change to undo.
  ///
  /// ```swift
  /// if let player = try session.find(Player.self, 3) {
  ///   try player.update { $0.name = "Ada"; $0.age = 30 }
  /// }
  /// ```
  ///
  /// - Throws: `deletedObject` for a deleted object, `sessionEnded` if the session is gone or was
  ///   reset, and what the body throws, with nothing changed.
  public func update(_ body: (inout Model) throws -> Void) throws {
    settle()
    guard session != nil else { throw Self.ended() }
    if isRemoved { throw deleted() }
    let before = current
    var after = shape.copy(before)
    try body(&after)
    edit(from: before, to: after, path: nil)
  }

  // MARK: - State

  /// True if a save would write the object: it is inserted, changed or deleted.
  public var hasChanges: Bool {
    settle()
    track(Self.wholeUnit)
    return pending != .none
  }

  /// The names of the attributes and relationships that differ from the original, in declared order.
  ///
  /// An embedded struct that may be nil is one attribute. Managed and derived attributes are the
  /// store's, and never among them. Links that were not loaded are changed if they were set, or if
  /// members were added or removed.
  public var changedAttributes: [String] {
    settle()
    track(Self.wholeUnit)
    return shape.difference(base, current).map { shape.units[$0].name }
  }

  /// The stored values of the changed attributes, by their names in the store's rows.
  ///
  /// ```swift
  /// if let player = try session.find(Player.self, 3) {
  ///   player.age = 30
  ///   print(player.changedValues["age"]?.old ?? .null)
  /// }
  /// ```
  ///
  /// A to-one is named by the attributes of its key, such as `team_id`. Other links have no values
  /// here.
  public var changedValues: [String: (old: StoredValue, new: StoredValue)] {
    settle()
    track(Self.wholeUnit)
    let old = shape.row(of: base).values
    let new = shape.row(of: current).values
    var values: [String: (old: StoredValue, new: StoredValue)] = [:]
    for number in shape.difference(base, current) {
      for position in shape.units[number].positions
      where !old[position].isIdentical(to: new[position]) {
        values[shape.names[position]] = (old[position], new[position])
      }
    }
    return values
  }

  /// True if the store has another version of an object that the session has changed.
  ///
  /// Known as far as commits were noticed; a save compares with the store in any case.
  public var isStale: Bool {
    settle()
    track(Self.stateUnit)
    return newer != nil && pending != .none
  }

  /// True if the session deleted the object, or if it is not stored any more.
  public var isDeleted: Bool {
    settle()
    track(Self.stateUnit)
    return isRemoved
  }

  /// True if the session inserted the object and has not saved it yet.
  public var isInserted: Bool {
    settle()
    track(Self.stateUnit)
    return !isStored && !isRemoved
  }

  /// The write that a save would do.
  enum Pending { case none, insert, update, delete }

  var pending: Pending {
    // Of a row that the session's soft delete hid, an insert restores it.
    if !isStored { return isRemoved ? .none : .insert }
    if isRemoved { return .delete }
    return shape.difference(base, current).isEmpty ? .none : .update
  }

  // MARK: - Changing

  /// Changes the object to another value, as one change to undo.
  func edit(to model: Model) { edit(from: current, to: shape.copy(model), path: nil) }

  private func edit(
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
    let isChanged = mutate {
      current = after
      if isRemoved { lateEdits += 1 }
    }
    rekey(in: session)
    // Setting a value again is no level of undo, unless the object is deleted.
    if isChanged || isRemoved {
      session.undoStack.add(EditStep(self, from: before, to: after, path: path), session)
    }
    catchUp()
  }

  /// Takes the newest row once nothing is changed any more.
  private func catchUp() {
    guard let newer, pending == .none else { return }
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
  func take(from before: Model, to after: Model, countsLateEdits change: Int = 0) {
    let numbers = shape.difference(before, after)
    let isSame = isSameRow(before, current) && shape.difference(before, current).isEmpty
    let new =
      isSame
      ? after
      : (try? shape.model(current, taking: numbers, from: after)).map {
        shape.model($0, retracingLinksOf: current, from: before, to: after, numbers)
      } ?? after
    mutate {
      current = session?.translated(new) ?? new
      if isRemoved { lateEdits = max(0, lateEdits + change) }
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
      lateEdits = 0
    }
    guard let table = session?.table(of: Model.self) else { return }
    table.hold(self)
    table.didChangePresence(of: self)
    catchUp()
  }

  // MARK: - Following

  /// Brings the handle up to date with what its session has noticed.
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
      let isNewer = !shape.difference(base, row).isEmpty || !isSameRow(base, row)
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
      current = new
      base = shape.copy(new)
      return
    }
    mutate {
      current = new
      base = shape.copy(new)
      isStored = true
      isRemoved = false
      newer = nil
      isLost = false
      isHidden = false
      lateEdits = 0
    }
  }

  /// Takes a row that a soft delete hides, as of a commit: to the session it is deleted.
  private func didHide(_ row: Model, at number: UInt64) {
    didDelete(at: number)
    guard isGone, lateEdits == 0 else { return }
    commit = number
    var new = row
    shape.keepLinks(of: current, in: &new)
    mutate {
      current = new
      base = shape.copy(new)
      isHidden = true
    }
  }

  private func note(_ newer: NewerRow?) { mutate { self.newer = newer } }

  private func isSameRow(_ a: Model, _ b: Model) -> Bool {
    let first = shape.row(of: a)
    let second = shape.row(of: b)
    return first.isComplete && second.isComplete
      && zip(first.values, second.values).allSatisfy { $0.isIdentical(to: $1) }
  }

  /// Takes notice that the row is gone, as of a commit.
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
  /// - Parameter planned: the object as it was saved; nil if it was deleted.
  func didSave(_ row: Model?, key: [StoredValue], planned: Model?, at number: UInt64) {
    let wasRemoved = isRemoved
    guard let row else {
      mutate {
        isStored = false
        isLost = planned != nil
        isHidden = planned == nil && shape.deletedAt != nil
        newer = nil
        // An edit or an undo during the save stays to be saved.
        if planned != nil || wasRemoved { isRemoved = true }
        if planned == nil, wasRemoved { lateEdits = 0 }
        // An edit during the save is not lost without a word.
        if let planned, !shape.difference(planned, current).isEmpty { lateEdits += 1 }
      }
      commit = number
      return
    }
    var new = row
    let edited = planned.map { shape.difference($0, current) } ?? []
    shape.keepLinks(of: current, in: &new)
    let merged =
      edited.isEmpty ? new : (try? shape.model(new, taking: edited, from: current)) ?? current
    mutate {
      base = shape.copy(new)
      current = merged
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
    guard pending != .none || lateEdits > 0 else { return }
    mutate {
      if isStored {
        current = shape.copy(base)
        isRemoved = false
      } else {
        isRemoved = true
      }
      lateEdits = 0
    }
    catchUp()
  }

  // MARK: - Errors

  /// The error of using a deleted object.
  func deleted() -> StoreError {
    StoreError(
      .deletedObject, "the object was deleted, so it cannot be changed", entity: shape.entity,
      key: key)
  }

  static func ended() -> StoreError {
    StoreError(
      .sessionEnded, "the object belongs to another session, or to one that has ended",
      entity: Model.entity.description.name)
  }

  // MARK: - Observation

  /// The number that stands for the whole object, and for its state.
  private static var wholeUnit: Int { -1 }
  private static var stateUnit: Int { -2 }

  /// Stands for an attribute in the registrar of observations.
  private subscript(unit number: Int) -> Int { number }

  /// The key paths that stand for the state, for the whole object, and for units and attributes.
  static func unitPaths(_ count: Int) -> [any KeyPath<Live, Int> & Sendable] {
    (stateUnit..<count).map { number in \Live.[unit: number] }
  }

  private func path(_ number: Int) -> any KeyPath<Live, Int> & Sendable {
    shape.unitPaths[number - Self.stateUnit]
  }

  private func track(_ number: Int) {
    isTracked = true
    registrar.access(self, keyPath: path(number))
  }

  private func track(_ path: any AnyKeyPath & Sendable) {
    (shape.observedNumbers(at: path) ?? [Self.wholeUnit]).forEach(track)
  }

  /// Makes a change, and wakes those who track what it changes.
  ///
  /// - Returns: false if it changed no attribute and no link.
  @discardableResult
  private func mutate(_ body: () -> Void) -> Bool {
    let old = (current, isRemoved, isStored, newer)
    let wasStale = newer != nil && pending != .none
    body()
    stamp += 1
    let new = (current, isRemoved, isStored, newer)
    let isStale = newer != nil && pending != .none
    let (units, owned) = shape.observedDifference(old.0, new.0)
    let isSameState = old.1 == new.1 && old.2 == new.2 && wasStale == isStale
    let numbers = units + owned + [Self.wholeUnit] + (isSameState ? [] : [Self.stateUnit])
    // Observers expect to be called before the change.
    (current, isRemoved, isStored, newer) = old
    let paths = isTracked ? numbers.map(path) : []
    for path in paths { registrar.willSet(self, keyPath: path) }
    (current, isRemoved, isStored, newer) = new
    for path in paths { registrar.didSet(self, keyPath: path) }
    return !units.isEmpty
  }
}

extension Live: Observable {}

@available(*, unavailable)
extension Live: Sendable {}
