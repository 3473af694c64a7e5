internal import ORM
internal import ORMCore
internal import ORMSessions

/// A session over a herd beside a naive one, and random steps.
final class RandomHerdEditing {
  private final class Clock { var time = 0 }

  var random: SeededGenerator
  let store: any Store
  let session: Session
  let naive = NaiveHerdSession()
  private let clock = Clock()
  /// The handle of each object.
  private var handles: [ObjectIdentifier: any DraftHandle] = [:]
  private var nextID: Int64 = 100
  private static var entities: [String] { ["Beast", "Lion", "Cub", "Den", "BeastTag"] }

  /// Begins with two lions, three cubs, two dens and two tags, and with more tags of no beast.
  init(_ random: SeededGenerator, _ store: any Store, tags: [Int]) throws {
    self.random = random
    self.store = store
    session = Session(store)
    let start = ContinuousClock.now
    session.now = { [clock] in start + .milliseconds(clock.time) }
    var herd = NaiveHerd()
    func add(_ entity: String, _ id: Int64, _ row: DraftRow) throws {
      try store.insert(entity, id, row)
      herd.insert(entity, id, row)
    }
    for id in 1...2 { try add("Lion", Int64(id), DraftRow(text: "a", number: 1)) }
    for id in 3...5 { try add("Cub", Int64(id), DraftRow(text: "a", number: id % 2 + 1)) }
    try add("Den", 1, DraftRow(text: "", number: nil))
    try add("Den", 2, DraftRow(text: "", number: 2))
    for id in 1...2 { try add("BeastTag", Int64(id), DraftRow(text: "", number: id + 1)) }
    for key in tags { herd.insert("BeastTag", Int64(key), DraftRow(text: "", number: nil)) }
    try store.insert(tags.map { BeastTag.make(Int64($0), "", nil) })
    naive.commit(herd)
  }

  // MARK: - Handles

  private func insertObject(_ entity: String, _ id: Int64, _ row: DraftRow) -> any DraftHandle {
    switch entity {
    case "Beast": session.insert(Beast.make(id, row.text, row.number))
    case "Lion": session.insert(Lion.make(id, row.text, row.number))
    case "Cub": session.insert(Cub.make(id, row.text, row.number))
    case "Den": session.insert(Den.make(id, row.text, row.number))
    default: session.insert(BeastTag.make(id, row.text, row.number))
    }
  }

  private func findObject(_ entity: String, _ id: Int64) throws -> (any DraftHandle)? {
    switch entity {
    case "Beast": try session.find(Beast.self, id)
    case "Lion": try session.find(Lion.self, id)
    case "Cub": try session.find(Cub.self, id)
    case "Den": try session.find(Den.self, id)
    default: try session.find(BeastTag.self, id)
    }
  }

  func handle(_ object: NaiveObject) throws -> any DraftHandle {
    guard let live = handles[ObjectIdentifier(object)] else {
      throw RandomDifference(name(object), expected: "a handle", got: "none")
    }
    return live
  }

  func name(_ object: NaiveObject) -> String { "\(object.entity) \(object.id)" }

  // MARK: - Steps

  func step() throws -> String {
    clock.time += random.pick([0, 200, 600])
    switch random.number(0...21) {
    case 0...4: return try find()
    case 5...8: return try edit()
    case 9: return try insert()
    case 10, 11: return try delete()
    case 12, 13:
      try RandomDifference.check("undo", session.undo(), naive.undo())
      return "undo"
    case 14:
      try RandomDifference.check("redo", session.redo(), naive.redo())
      return "redo"
    case 15...18: return try save()
    case 19:
      if !random.chance(3) { return try edit() }
      return rollback()
    default: return try outside()
    }
  }

  private func rollback() -> String {
    session.rollback()
    naive.rollback()
    return "rollback"
  }

  /// A key of the herd, mostly of a row that the entity shows.
  private func pickID(_ entity: String) -> Int64 {
    let ids =
      switch entity {
      case "Den": naive.herd.dens.keys.sorted()
      case "BeastTag": naive.herd.tags.keys.sorted()
      default: naive.herd.animals.keys.filter { naive.herd.row(entity, $0) != nil }.sorted()
      }
    return ids.isEmpty || random.chance(6) ? Int64(random.number(1...5)) : random.pick(ids)
  }

  /// A number that the entity's rows may have: a link's is of a row that is there, or was.
  private func pickNumber(_ entity: String) -> Int? {
    switch entity {
    case "Lion": random.number(0...2)
    case "Beast": random.chance(3) ? nil : Int(pickID("Den"))
    case "BeastTag": random.chance(3) ? nil : Int(pickID("Beast"))
    default: random.chance(3) ? nil : Int(pickID("Lion"))
    }
  }

  private func find() throws -> String {
    let entity = random.pick(Self.entities)
    let id = pickID(entity)
    let object = naive.find(entity, id)
    let live = try findObject(entity, id)
    try RandomDifference.check("find \(entity) \(id)", live != nil, object != nil)
    if let object, let live {
      if let known = handles[ObjectIdentifier(object)] {
        try RandomDifference.check("one handle for \(entity) \(id)", known === live, true)
      }
      handles[ObjectIdentifier(object)] = live
    }
    return "find \(entity) \(id)"
  }

  private func pick() -> NaiveObject? {
    naive.objects.isEmpty ? nil : random.pick(naive.objects)
  }

  private func edit() throws -> String {
    guard let object = pick() else { return "edit nothing" }
    let live = try handle(object)
    // Late edits are rare: they stop every save.
    if object.isRemoved, !random.chance(12) { return "leave \(name(object))" }
    if NaiveHerd.animals.contains(object.entity), random.chance(2) {
      let text = random.pick(["a", "b", "c"])
      live.setText(text)
      naive.edit(object, attribute: "text", at: clock.time) { $0.text = text }
      return "\(name(object)).text = \(text)"
    }
    let number = pickNumber(object.entity)
    live.setNumber(number)
    naive.edit(object, attribute: "number", at: clock.time) { $0.number = number }
    return "\(name(object)).number = \(number.map { "\($0)" } ?? "nil")"
  }

  private func insert() throws -> String {
    // A lion has three cubs at most: no cubs are added.
    let entity = random.pick(["Beast", "Lion", "Den", "BeastTag"])
    let row = DraftRow(
      text: NaiveHerd.animals.contains(entity) ? random.pick(["a", "b"]) : "",
      number: pickNumber(entity))
    let id = nextID
    nextID += 1
    let live = insertObject(entity, id, row)
    let object = naive.insert(entity, id, row)
    naive.noteLevel(at: clock.time)
    handles[ObjectIdentifier(object)] = live
    return "insert \(entity) \(id) \(row)"
  }

  private func delete() throws -> String {
    guard let object = pick() else { return "delete nothing" }
    try handle(object).delete(in: session)
    let isNew = !object.isRemoved
    naive.delete(object)
    if isNew { naive.noteLevel(at: clock.time) }
    return "delete \(name(object))"
  }

  private func save() throws -> String {
    let sessionWins = random.chance(2)
    if naive.save(sessionWins: sessionWins, isTrial: true) == .unclear { return rollback() }
    session.conflictPolicy = sessionWins ? .sessionWins : .throw
    var codes: Set<StoreError.Code> = []
    var isSaved = false
    do {
      isSaved = try session.save()
    } catch let error as StoreError {
      codes = [error.code]
    }
    let text = "save \(sessionWins ? "by session" : "by throw")"
    switch naive.save(sessionWins: sessionWins, isTrial: false) {
    case .refused(let expected):
      try RandomDifference.check(codes: codes, expected)
      // Some faults stay until the edits are rolled back.
      return random.chance(2) ? text + " refused, \(rollback())" : text + " refused"
    case let outcome:
      try RandomDifference.check(codes: codes, [])
      try RandomDifference.check(text, isSaved, outcome == .saved)
      return text
    }
  }

  /// A commit of another.
  private func outside() throws -> String {
    var herd = naive.herd
    let entity = random.pick(Self.entities)
    let id = pickID(entity)
    let old = herd.row(entity, id)
    var text = "outside: \(entity) \(id)"
    guard let old else {
      // A row that was deleted comes again.
      guard ["Lion", "Den"].contains(entity), !herd.has(entity, id) else { return "no \(text)" }
      let row = DraftRow(text: entity == "Lion" ? "a" : "", number: entity == "Lion" ? 2 : nil)
      try store.insert(entity, id, row)
      herd.insert(entity, id, row)
      naive.commit(herd)
      return text + " inserted"
    }
    if random.chance(3) {
      var codes: Set<StoreError.Code> = []
      do {
        try store.delete(entity, id)
      } catch let error as StoreError {
        codes = [error.code]
      }
      let isDeleted = herd.delete([NaiveHerd.RowName(entity: entity, id: id)])
      try RandomDifference.check(codes: codes, isDeleted ? [] : [.denied])
      naive.commit(herd)
      return text + " deleted"
    }
    var number = pickNumber(entity)
    if !herd.hasTarget(entity, number) { number = old.number }
    let name = random.pick(["a", "b", "c"])
    try store.update(entity, id, name, number)
    herd.update(entity, id, text: name, number: .some(number))
    naive.commit(herd)
    text += " = \(name), \(number.map { "\($0)" } ?? "nil")"
    return text
  }
}
