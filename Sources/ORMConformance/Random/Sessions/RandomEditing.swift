internal import ORM
internal import ORMCore
internal import ORMSessions

/// A session beside a naive one, and random steps.
final class RandomEditing<Model: BatchDraftable> {
  private final class Clock { var time = 0 }

  var random: SeededGenerator
  let store: any Store
  let session: Session
  let naive = NaiveSession(isVersioned: Model.isVersioned, isSoft: Model.isSoft)
  private let clock = Clock()
  /// The handle of each object.
  private var handles: [ObjectIdentifier: Live<Model>] = [:]
  private var nextID: Int64 = 100
  static var texts: [String] { ["a", "b", "c"] }

  init(_ random: SeededGenerator, _ store: any Store) {
    self.random = random
    self.store = store
    session = Session(store)
    let start = ContinuousClock.now
    session.now = { [clock] in start + .milliseconds(clock.time) }
  }

  /// Saves rows that are there before the session begins.
  func begin(with keys: [Int]) throws {
    if keys.isEmpty { return }
    try store.insert(keys.map { Model.make(Int64($0), "a", $0 % 3) })
    for key in keys {
      var row = DraftRow(text: "a", number: key % 3)
      row.version = Model.isVersioned ? 1 : 0
      row.write = naive.nextWrite()
      naive.rows[Int64(key)] = row
    }
  }

  func handle(_ object: NaiveObject) throws -> Live<Model> {
    guard let live = handles[ObjectIdentifier(object)] else {
      throw RandomDifference("handle of \(object.id)", expected: "one", got: "none")
    }
    return live
  }

  private func find(_ id: Int64) throws {
    let object = naive.find(id)
    let live = try session.find(Model.self, id)
    try RandomDifference.check("find \(id)", live != nil, object != nil)
    guard let object, let live else { return }
    if let known = handles[ObjectIdentifier(object)] {
      try RandomDifference.check("one handle for \(id)", known === live, true)
    }
    handles[ObjectIdentifier(object)] = live
  }

  // MARK: - Steps

  func step() throws -> String {
    clock.time += random.pick([0, 200, 600])
    switch random.number(0...19) {
    case 0...2:
      let id = Int64(random.number(1...5))
      try find(id)
      return "find \(id)"
    case 3...7: return try edit()
    case 8: return try insert()
    case 9: return try delete()
    case 10, 11:
      try RandomDifference.check("undo", session.undo(), naive.undo())
      return "undo"
    case 12:
      try RandomDifference.check("redo", session.redo(), naive.redo())
      return "redo"
    case 13, 14: return try save()
    case 15:
      if !random.chance(3) { return try edit() }
      session.rollback()
      naive.rollback()
      return "rollback"
    case 16, 17, 18: return try outside()
    default: return try child()
    }
  }

  private func pick() -> NaiveObject? {
    naive.objects.isEmpty ? nil : random.pick(naive.objects)
  }

  private func edit() throws -> String {
    guard let object = pick() else { return "edit nothing" }
    let live = try handle(object)
    // Late edits are rare: they stop every save.
    if object.isRemoved, !random.chance(8) { return "leave \(object.id)" }
    if random.chance(2) {
      let text = random.pick(Self.texts)
      live.draftText = text
      naive.edit(object, attribute: "text", at: clock.time) { $0.text = text }
      return "\(object.id).text = \(text)"
    }
    let number = random.chance(4) ? nil : random.number(0...2)
    live.draftNumber = number
    naive.edit(object, attribute: "number", at: clock.time) { $0.number = number }
    return "\(object.id).number = \(number.map { "\($0)" } ?? "nil")"
  }

  private func insert() throws -> String {
    // Mostly a new key; else one that the store may have, and the session has not.
    var id = nextID
    let low = Int64(random.number(1...5))
    if random.chance(3), naive.object(low) == nil { id = low } else { nextID += 1 }
    let row = DraftRow(text: random.pick(Self.texts), number: random.number(0...2))
    let live = session.insert(Model.make(id, row.text, row.number))
    let object = naive.insert(id, row)
    naive.noteLevel(at: clock.time)
    handles[ObjectIdentifier(object)] = live
    return "insert \(id) \(row)"
  }

  private func delete() throws -> String {
    guard let object = pick() else { return "delete nothing" }
    try session.delete(try handle(object))
    let isNew = !object.isRemoved
    naive.delete(object)
    if isNew { naive.noteLevel(at: clock.time) }
    return "delete \(object.id)"
  }

  private func save() throws -> String {
    let policy = random.pick(NaiveSession.Policy.allCases)
    session.conflictPolicy =
      switch policy {
      case .throw: .throw
      case .storeWins: .storeWins
      case .sessionWins: .sessionWins
      case .mergeOrThrow: .merge()
      case .mergeMine: .merge { _, _ in .mine }
      case .mergeBase: .merge { _, _ in .base }
      }
    var got = NaiveSession.Outcome.nothing
    do {
      if try session.save() { got = .saved }
    } catch let error as StoreError {
      guard let outcome = NaiveSession.Outcome(rawValue: error.code.rawValue) else { throw error }
      got = outcome
    }
    let expected = naive.save(policy)
    try RandomDifference.check("save \(policy)", got, expected)
    return "save \(policy): \(got)"
  }

  /// Edits in a child, which are saved or dropped.
  private func child() throws -> String {
    let child = session.child()
    var steps: [NaiveSession.Step] = []
    var text = "child:"
    let visible = naive.objects.filter { !$0.isRemoved }
    for object in visible where random.chance(2) {
      let live = try handle(object)
      // A parent's object is found by its key, and brought up to date from the store.
      try find(object.id)
      guard let own = try child.find(Model.self, object.id) else { continue }
      if object.isRemoved { continue }
      try RandomDifference.check("child's \(object.id)", own.draftText, live.draftText)
      if random.chance(4) {
        try child.delete(own)
        steps.append(.presence(object, isRemoved: true))
        text += " delete \(object.id)"
      } else {
        var row = object.now
        row.text = random.pick(Self.texts)
        row.number = random.number(0...2)
        own.draftText = row.text
        own.draftNumber = row.number
        text += " \(object.id) = \(row)"
        if !row.hasSameDraft(as: object.now) {
          steps.append(.edit(object, from: object.now, to: row, attribute: nil))
        }
      }
    }
    try RandomDifference.check("child's changes", child.hasChanges, !steps.isEmpty)
    guard random.chance(2) else { return text + " dropped" }
    try RandomDifference.check("child's save", try child.save(), !steps.isEmpty)
    if steps.isEmpty { return text }
    for step in steps {
      switch step {
      case .edit(let object, _, let to, _):
        object.now.text = to.text
        object.now.number = to.number
        object.catchUp()
      case .presence(let object, let isRemoved):
        (object.isRemoved, object.lateEdits) = (isRemoved, 0)
        object.catchUp()
      }
    }
    naive.add(steps)
    naive.endJoining()
    return text + " saved"
  }
}
