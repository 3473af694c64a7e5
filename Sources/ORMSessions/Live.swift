public import ORMCore
internal import Observation

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
/// A session has one handle for each object. It retains handles that are changed; any other lives as long
/// as the program holds it. Properties of the model are read and set on the handle; the session notes
/// each change. Reading a property inside `withObservationTracking` tracks that attribute alone.
///
/// A handle belongs to its session, and like it to one isolation. After the session was released or
/// reset, a handle keeps its values and notes no changes.
@dynamicMemberLookup
public final class Live<Model: PrimaryKeyed> {
  /// The session; nil after it has ended, or was reset.
  public internal(set) weak var session: Session?
  let shape: SessionShape<Model>
  /// The object as it is shown.
  var current: Model { didSet { knownChanges = nil } }
  /// The object as it was loaded, or as it was inserted.
  var base: Model {
    didSet {
      knownChanges = nil
      knownBaseRow = nil
    }
  }
  /// The units in which the object differs from its base; nil if they are to be found out.
  var knownChanges: [Int]? = []
  private var knownBaseRow: SessionRow?
  /// True while the session's table holds the handle.
  var isHeld = false
  /// True if the store, or the parent of a child session, has the object.
  var isStored: Bool
  /// True if the session deleted the object, or the store did and the session had not changed it.
  var isRemoved = false
  /// True if another deleted the row, so that taking back a delete does not bring it back.
  var isLost = false
  /// True if the object is not stored any more since a soft delete hides its row.
  var isHidden = false
  /// The number of edits since the object was deleted.
  var editsAfterDelete = 0
  /// The newest row of an object that the session has changed, where it is not the base.
  var newer: NewerRow?
  /// A row that the base is not, and the commit that it is known to have.
  struct NewerRow {
    /// The row; nil if it was deleted.
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
  var stamp = 0
  var parentStamp = 0
  let registrar = ObservationRegistrar()
  /// True once a property of the object was read, which `withObservationTracking` may have tracked.
  var isTracked = false

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
  /// An edit of a deleted object stays, and the next save throws `deletedObject`; ``update(_:)``
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
  /// - Throws: `deletedObject` for a deleted object, `sessionEnded` if the session was released or reset,
  ///   and the body's error, with nothing changed.
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
    return changedUnits.map { shape.units[$0].name }
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
    let old = baseRow.values
    let new = shape.row(of: current).values
    var values: [String: (old: StoredValue, new: StoredValue)] = [:]
    for number in changedUnits {
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
    return changedUnits.isEmpty ? .none : .update
  }

  /// The numbers of the units in which the object differs from its base.
  var changedUnits: [Int] {
    if let knownChanges { return knownChanges }
    let numbers = shape.difference(base, baseRow, current, shape.row(of: current))
    knownChanges = numbers
    return numbers
  }

  /// The row of the base, retained until ``forgetRow()``.
  var baseRow: SessionRow {
    if let knownBaseRow { return knownBaseRow }
    let row = shape.row(of: base)
    knownBaseRow = row
    return row
  }

  /// Releases the row of the base, which an unchanged object does not need.
  func forgetRow() { knownBaseRow = nil }

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
}

@available(*, unavailable)
extension Live: Sendable {}
