internal import ORM
internal import ORMCore

/// A model of which random sessions change a text and a number.
private protocol Draftable: PrimaryKeyed where ID == Int64 {
  static var isVersioned: Bool { get }
  static func make(_ id: Int64, _ text: String, _ number: Int?) -> Self
  var draftText: String { get set }
  var draftNumber: Int? { get set }
  var draftVersion: Int { get }
  static func change(_ query: Query<Self>, _ number: Int, _ store: any Store) throws
}

extension Draftable {
  var draft: DraftRow { DraftRow(text: draftText, number: draftNumber, version: draftVersion) }
}

extension Snack: Draftable {
  fileprivate static var isVersioned: Bool { false }
  fileprivate static func make(_ id: Int64, _ text: String, _ number: Int?) -> Snack {
    Snack(id, text, stock: number)
  }
  fileprivate var draftText: String {
    get { name }
    set { name = newValue }
  }
  fileprivate var draftNumber: Int? {
    get { stock }
    set { stock = newValue }
  }
  fileprivate var draftVersion: Int { 0 }
  fileprivate static func change(_ query: Query<Snack>, _ number: Int, _ store: any Store) throws {
    try store.update(query) { $0.stock = number }
  }
}

extension Article: Draftable {
  fileprivate static var isVersioned: Bool { true }
  fileprivate static func make(_ id: Int64, _ text: String, _ number: Int?) -> Article {
    Article(id, text, rank: number)
  }
  fileprivate var draftText: String {
    get { title }
    set { title = newValue }
  }
  fileprivate var draftNumber: Int? {
    get { rank }
    set { rank = newValue }
  }
  fileprivate var draftVersion: Int { version }
  fileprivate static func change(
    _ query: Query<Article>, _ number: Int, _ store: any Store
  ) throws {
    try store.update(query) { $0.rank = number }
  }
}

/// A session beside a naive one, and random steps.
private final class RandomEditing<Model: Draftable> {
  private final class Clock { var time = 0 }

  var random: RandomSource
  private let store: any Store
  private let session: Session
  private let naive = NaiveSession(isVersioned: Model.isVersioned)
  private let clock = Clock()
  /// The handle of each object.
  private var handles: [ObjectIdentifier: Live<Model>] = [:]
  private var nextID: Int64 = 100
  private static var texts: [String] { ["a", "b", "c"] }

  init(_ random: RandomSource, _ store: any Store) {
    self.random = random
    self.store = store
    session = Session(store)
    let start = ContinuousClock.now
    session.now = { [clock] in start + .milliseconds(clock.time) }
  }

  private func handle(_ object: NaiveObject) throws -> Live<Model> {
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

  /// A commit of another.
  private func outside() throws -> String {
    let id = Int64(random.number(1...5))
    let key = random.chance(3) ? (naive.objects.last?.id ?? id) : id
    let old = naive.rows[key]
    switch random.number(0...4) {
    case 0:
      try store.delete(Model.self, id: key)
      naive.rows[key] = nil
      if old != nil { naive.object(key)?.notice(nil) }
      return "outside: delete \(key)"
    case 1 where random.chance(4):
      try store.deleteAll(Model.self)
      naive.rows = [:]
      try session.refresh()
      for object in naive.objects where object.isStored { object.notice(nil) }
      store.runtime.transactions.drainNotices()
      try session.refresh()
      return "outside: delete all"
    case 2:
      let number = random.number(0...2)
      try Model.change(Query<Model>(), number, store)
      for (id, row) in naive.rows where row.number != number {
        var row = row
        row.number = number
        row.version += Model.isVersioned ? 1 : 0
        row.write = naive.nextWrite()
        naive.rows[id] = row
        naive.object(id)?.notice(row)
      }
      return "outside: number = \(number)"
    default:
      var new = DraftRow(text: random.pick(Self.texts), number: random.number(0...2))
      var model = try store.find(Model.self, key) ?? Model.make(key, "", nil)
      model.draftText = new.text
      model.draftNumber = new.number
      try store.save(model)
      if let old, old.hasSameDraft(as: new) { return "outside: same \(key)" }
      new.version = Model.isVersioned ? (old?.version ?? 0) + 1 : 0
      new.write = naive.nextWrite()
      naive.rows[key] = new
      naive.object(key)?.notice(new)
      return "outside: \(key) = \(new)"
    }
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
      }
    }
    naive.add(steps)
    naive.endJoining()
    return text + " saved"
  }

  // MARK: - Comparing

  func compare() throws {
    store.runtime.transactions.drainNotices()
    try RandomDifference.check("has changes", session.hasChanges, naive.hasChanges)
    try RandomDifference.check("can undo", session.canUndo, !naive.done.isEmpty)
    try RandomDifference.check("can redo", session.canRedo, !naive.undone.isEmpty)
    for object in naive.objects {
      let live = try handle(object)
      let name = "object \(object.id)"
      try RandomDifference.check("\(name) is deleted", live.isDeleted, object.isRemoved)
      try RandomDifference.check(
        "\(name) is to be written", live.hasChanges, object.pending != .none)
      try RandomDifference.check("\(name) is inserted", live.isInserted, object.pending == .insert)
      let isStale = object.newer != nil && object.pending != .none
      try RandomDifference.check("\(name) is stale", live.isStale, isStale)
      let value = live.value.draft
      if object.isRemoved {
        try RandomDifference.check(name, value.text, object.now.text)
      } else if object.pending == .none {
        try RandomDifference.check(name, value, object.now)
      } else {
        try RandomDifference.check(name, value.hasSameDraft(as: object.now), true)
      }
      if object.pending == .update {
        var names: [String] = []
        if object.base.text != object.now.text { names.append("text") }
        if object.base.number != object.now.number { names.append("number") }
        try RandomDifference.check("\(name) changes", live.changedAttributes.count, names.count)
      }
    }
    var kinds: [String] = []
    for object in naive.objects.sorted(by: { $0.id < $1.id }) {
      switch object.pending {
      case .none: continue
      case .insert: kinds.append("\(object.id) inserted")
      case .update: kinds.append("\(object.id) updated")
      case .delete: kinds.append("\(object.id) deleted")
      }
    }
    let changes = try session.changes[Model.self].rows.map { "\(try $0.id) \($0.kind.rawValue)" }
    try RandomDifference.check("the changes", changes, kinds)
    let stored = try store.fetch(Query<Model>())
    try RandomDifference.check(
      "the store", Dictionary(uniqueKeysWithValues: stored.map { ($0.id, $0.draft) }), naive.rows)
  }

  /// Undoes everything, and makes it again.
  func undoAll() throws {
    while session.undo() {
      try RandomDifference.check("undo all", naive.undo(), true)
      try compare()
    }
    try RandomDifference.check("undo past the beginning", naive.undo(), false)
    while session.redo() {
      try RandomDifference.check("redo all", naive.redo(), true)
      try compare()
    }
    try RandomDifference.check("redo past the end", naive.redo(), false)
  }
}

extension RandomRun {
  /// Random sessions beside a naive one: edits, inserts, deletes, undo, redo, saves with each policy,
  /// rollback, children, and commits of others.
  static let sessions = RandomRun(
    "sessions", ["11.9", "11.10", "11.11", "11.12", "11.13"], usualCount: 300
  ) { round in
    let store = try round.store(Schema(models: [Snack.self, Article.self]))
    if round.seed % 2 == 0 {
      try run(RandomEditing<Snack>(round.random, store), round)
    } else {
      try run(RandomEditing<Article>(round.random, store), round)
    }
  }

  private static func run<Model: Draftable>(
    _ editing: RandomEditing<Model>, _ round: RandomRound
  ) throws {
    for _ in 0..<60 {
      round.steps.append(try editing.step())
      try editing.compare()
    }
    try editing.undoAll()
  }
}
