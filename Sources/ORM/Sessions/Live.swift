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
  var current: Model
  /// The object as it was loaded, or as it was inserted.
  var base: Model
  /// True if the store, or the parent of a child session, has the object.
  var isStored: Bool
  /// True if the session deleted the object, or the store did and the session had not changed it.
  var isRemoved = false
  /// True if another deleted the row, so that taking back a delete does not bring it back.
  var isLost = false
  /// True if the object is not stored any more since a soft delete hides its row.
  var isHidden = false
  /// The number of edits since the object was deleted.
  var lateEdits = 0
  /// The newest row of an object that the session has changed, where it is not the base.
  var newer: NewerRow?
  /// A row that the base is not, and the commit that it is known to have.
  struct NewerRow {
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
  var parentStamp = 0
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
  func catchUp() {
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
  func mutate(_ body: () -> Void) -> Bool {
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
