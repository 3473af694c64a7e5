internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Clauses of section 2, asked by Foundation's predicates: stores answer as the evaluation of the
  /// objects in memory does.
  static let predicates: [ConformanceCase] = [
    ConformanceCase("#Predicate: comparisons, logic and optionals", "2.1", "2.10") { context in
      let snacks = try PredicateRun(context, predicateSnacks)
      try snacks.expect([2, 4], #Predicate { $0.name == "hot" })
      try snacks.expect([1, 3, 5], #Predicate { $0.name != "hot" })
      try snacks.expect([3, 4, 5], #Predicate { $0.id > 2 })
      try snacks.expect([1, 2], #Predicate { !($0.id >= 3) })
      try snacks.expect([4], #Predicate { $0.id > 2 && $0.name == "hot" })
      try snacks.expect([1, 2, 4], #Predicate { $0.id == 1 || $0.name == "hot" })
      try snacks.expect([1, 3], #Predicate { $0.taste == nil })
      try snacks.expect([2, 4, 5], #Predicate { $0.taste != nil })
      try snacks.expect([2], #Predicate { $0.taste == "sweet" })
      try snacks.expect([1, 3, 4, 5], #Predicate { $0.taste != "sweet" })
      let wanted: String? = "sour"
      try snacks.expect([4], #Predicate { $0.taste == wanted })
      try snacks.expect([1, 3, 5], #Predicate { ($0.price ?? 0) < 1 })
      try snacks.expect([1, 4], #Predicate { ($0.stock ?? 7) == 7 })
      try snacks.expect([2, 4], #Predicate { $0.taste?.isEmpty == false })
      try snacks.expect([5], #Predicate { $0.taste?.isEmpty == true })
      try snacks.expect([1, 3, 5], #Predicate { $0.taste?.isEmpty != false })
      try snacks.expect([2, 4], #Predicate { $0.price.flatMap { $0 > 1 } == true })
      // Where Foundation's evaluation throws, a row does not match.
      try snacks.expect([2], #Predicate { $0.taste! == "sweet" })
      try snacks.expect([4, 5], #Predicate { !($0.taste! == "sweet") })
      try snacks.expect([1, 3, 4, 5], #Predicate { $0.taste == nil || $0.taste! != "sweet" })
      try snacks.expect([], Predicate.false)
      try snacks.expect([1, 2, 3, 4, 5], Predicate.true)
    },
    ConformanceCase("#Predicate: numbers, ranges and alternatives", "2.6", "2.10") { context in
      let snacks = try PredicateRun(context, predicateSnacks)
      try snacks.expect([5], #Predicate { $0.id * 2 > 8 })
      try snacks.expect([4], #Predicate { $0.id + 1 == 5 })
      try snacks.expect([1, 2], #Predicate { -$0.id > -3 })
      try snacks.expect([4, 5], #Predicate { $0.id / 2 == 2 })
      try snacks.expect([1, 3, 5], #Predicate { $0.id % 2 == 1 })
      try snacks.expect([3], #Predicate { ($0.stock ?? 1) % 3 == -2 })
      try snacks.expect([2], #Predicate { ($0.price ?? 0) / 2 == 0.75 })
      try snacks.expect([2, 3, 4], #Predicate { ($0.id - 2) * ($0.id - 4) <= 0 })
      try snacks.expect([2, 3, 4], #Predicate { (2...4).contains($0.id) })
      try snacks.expect([2, 3], #Predicate { (2..<4).contains($0.id) })
      let range: Range<Int64> = 4..<9
      try snacks.expect([4, 5], #Predicate { range.contains($0.id) })
      let from: PartialRangeFrom<Int64> = 3...
      try snacks.expect([3, 4, 5], #Predicate { from.contains($0.id) })
      // A range from more to less throws.
      try snacks.expect([3], #Predicate { (2..<($0.id)).contains(2) && $0.id == 3 })
      try snacks.expect([2, 3, 4, 5], #Predicate { !(2..<($0.id)).contains(9) })
      try snacks.expect([1, 4], #Predicate { ($0.name == "hot" ? $0.id : $0.id + 3) == 4 })
      try snacks.expect([2, 3], #Predicate { $0.name == "hot" ? $0.id == 2 : $0.id == 3 })
    },
    ConformanceCase("#Predicate: texts", "2.5", "2.10") { context in
      let snacks = try PredicateRun(context, predicateSnacks)
      try snacks.expect([1, 2, 4], #Predicate { $0.name.contains("o") })
      try snacks.expect([2, 4], #Predicate { $0.name.starts(with: "ho") })
      try snacks.expect([3], #Predicate { $0.name.isEmpty })
      try snacks.expect([1], #Predicate { $0.name.unicodeScalars.count == 4 })
      try snacks.expect([2, 4], #Predicate { "a hot day".contains($0.name) && !$0.name.isEmpty })
    },
    ConformanceCase("#Predicate: texts are equal by their scalars", "2.3", "2.10") { context in
      let store = try context.open(Snack.self)
      let snacks = [Snack(1, "\u{E9}"), Snack(2, "e\u{301}")]
      try store.save(snacks)
      let composed = "\u{E9}"
      let predicate = #Predicate<Snack> { $0.name == composed }
      try context.expectEqual(try store.fetch(Snack.all.where(predicate)).map(\.id), [1])
      // Foundation's own evaluation takes both for one.
      try context.expectEqual(try snacks.filter { try predicate.evaluate($0) }.map(\.id), [1, 2])
    },
    ConformanceCase("#Predicate: lists and arrays", "2.7", "2.10") { context in
      let snacks = try PredicateRun(context, predicateSnacks)
      let ids: [Int64] = [1, 5, 9]
      try snacks.expect([1, 5], #Predicate { ids.contains($0.id) })
      try snacks.expect([1, 2], #Predicate { $0.tags.contains("b") })
      try snacks.expect([1, 2], #Predicate { $0.tags.contains { $0 > "a" } })
      try snacks.expect([2, 3, 5], #Predicate { $0.tags.allSatisfy { $0 == "b" } })
      try snacks.expect(
        [2], #Predicate { snack in snack.tags.contains { $0 != snack.name } && snack.id == 2 })
      try snacks.expect([1], #Predicate { $0.tags.count == 2 })
      try snacks.expect([3, 5], #Predicate { $0.tags.isEmpty })
      try snacks.expect([1, 4], #Predicate { $0.tags.first == "a" })
      try snacks.expect([1, 2], #Predicate { $0.tags.last == "b" })
      try snacks.expect([1], #Predicate { $0.tags[1] == "b" })
      try snacks.expect([2, 4], #Predicate { !($0.tags[0] == "a" && $0.id == 1) })
      try snacks.expect([1, 4], #Predicate { $0.tags.min() == "a" })
      try snacks.expect([3, 5], #Predicate { $0.tags.max() == nil })
      try snacks.expect([1, 2], #Predicate { $0.tags.filter { $0 == "b" }.count == 1 })
      try snacks.expect([3, 4, 5], #Predicate { $0.tags.filter { $0 == "b" }.isEmpty })
      try snacks.expect([1, 2], #Predicate { ids.contains { $0 > 5 } && $0.tags.contains("b") })
    },
    ConformanceCase("#Predicate: keys of several parts, enums and dictionaries", "2.2", "2.10") {
      context in
      let rows = try PredicateRun(
        context,
        [
          Enrolment("A", 1, seat: "x"), Enrolment("A", 2), Enrolment("B", 1),
        ])
      let key = Enrolment.ID(room: "A", number: 2)
      try rows.expect([.init(room: "B", number: 1)], #Predicate { $0.id.room == "B" })
      try rows.expect([key], #Predicate { $0.id.room == key.room && $0.id.number == key.number })
      try context.expectError(.invalidCondition, "a key as a whole") {
        _ = try rows.store.fetch(Enrolment.all.where(#Predicate { $0.id == key }))
      }
      var small = Everything(1)
      small.level = .high
      small.bool = true
      let things = try PredicateRun(context, [small, Everything(2)])
      let level = Everything.Level.high
      try things.expect([1], #Predicate { $0.level == level })
      try things.expect([1], #Predicate { $0.bool })
      try things.expect([2], #Predicate { !$0.bool })
      let gauges = try PredicateRun(
        context, [Gauge(1, ["a": 3]), Gauge(2, [:]), Gauge(3, ["a": 4])])
      try gauges.expect([1], #Predicate { $0.readings["a"] == 3 })
      try gauges.expect([2], #Predicate { $0.readings["a"] == nil })
      try gauges.expect([2, 3], #Predicate { $0.readings["a", default: 9] > 3 })
    },
    ConformanceCase("#Predicate: through relationships that are loaded", "2.7", "2.8", "2.10") {
      context in
      let store = try context.openAsking()
      let players = PredicateRun(
        context, store, try store.fetch(Player.all.prefetch(\.team)))
      try players.expect([1, 2, 3], #Predicate { $0.team.loaded?.name == "Reds" })
      try players.expect([6], #Predicate { $0.team.loaded?.name == nil })
      try players.expect([1, 2, 3], #Predicate { $0.team.id == 1 })
      try players.expect([4, 5], #Predicate { $0.team.loaded!.name == "Blues" })
      try players.expect([3], #Predicate { $0.team.loaded!.name == $0.name })
      let link = ToOne<Team>.key(2)
      try players.expect([4, 5], #Predicate { $0.team == link })
      let teams = PredicateRun(context, store, try store.fetch(Team.all.prefetch(\.players)))
      try teams.expect([1, 2], #Predicate { $0.players.loaded!.contains { $0.age > 30 } })
      try teams.expect([1, 3], #Predicate { $0.players.loaded!.allSatisfy { $0.age > 20 } })
      try teams.expect([1], #Predicate { $0.players.loaded!.count == 3 })
      try teams.expect([3], #Predicate { $0.players.loaded!.isEmpty })
      try teams.expect(
        [1], #Predicate { team in team.players.loaded!.contains { $0.name == team.name } })
      try teams.expect([1], #Predicate { $0.players.loaded!.filter { $0.age > 30 }.count == 2 })
    },
    ConformanceCase("#Predicate: the tree is that of a closure", "2.1", "2.10") { context in
      func expect(
        _ predicate: Predicate<Snack>, _ body: (Fields<Snack>) -> Filter<Snack>
      ) throws {
        try context.expectEqual(Filter(predicate), body(Fields()))
      }
      try expect(#Predicate { $0.name == "a" && $0.id > 3 }) { $0.name == "a" && $0.id > 3 }
      try expect(#Predicate { $0.name == "a" || !($0.id <= 3) }) { $0.name == "a" || !($0.id <= 3) }
      try expect(#Predicate { $0.taste != nil }) { $0.taste != nil }
      try expect(#Predicate { $0.id * 2 == 8 }) { $0.id * 2 == 8 }
      try expect(#Predicate { $0.name.contains("a") }) { $0.name.contains("a") }
      try expect(#Predicate { $0.tags.contains("a") }) { $0.tags.contains("a") }
      try expect(#Predicate { (1...3).contains($0.id) }) { $0.id.isBetween(1, 3) }
      try expect(#Predicate { $0.tags.contains { $0 > "a" } }) { $0.tags.any { $0 > "a" } }
      try expect(#Predicate { $0.tags.allSatisfy { $0 > "a" } }) { $0.tags.all { $0 > "a" } }
      try context.expectEqual(
        Filter<Player>(#Predicate { $0.team.loaded?.name == "Reds" }),
        Filter(.compare(.path(.init(["team", "name"])), .equal, .value(.string("Reds")), [])))
      try context.expectEqual(
        Filter<Team>(#Predicate { $0.players.loaded!.contains { $0.age > 30 } }),
        Fields<Team>().players.any { $0.age > 30 })
    },
    ConformanceCase(
      "#Predicate: what has no exact translation is refused by its name", "7.4", "2.10"
    ) {
      context in
      let store = try context.open(Snack.self)
      func expect(_ name: String, _ predicate: Predicate<Snack>) throws {
        let error = try context.expectError(.invalidCondition, entity: "Snack", name) {
          _ = try store.fetch(Snack.all.where(predicate))
        }
        try context.expect(error.message.contains(name), "\(name) in: \(error.message)")
      }
      try expect("count of a text", #Predicate { $0.name.count == 3 })
      try expect("StringContainsRegex", #Predicate { $0.name.contains(/a+/) })
      try expect("CollectionRangeSubscript", #Predicate { $0.tags[0..<1].contains("a") })
      try expect("SequenceStartsWith", #Predicate { $0.tags.starts(with: ["a"]) })
      try expect("TypeCheck", nameThatIsNumber())
      try expect("KeyPath", #Predicate { $0.id.magnitude == 3 })
      try expect(
        "can fail for an element",
        #Predicate { snack in snack.tags.contains { $0 == snack.taste! } })
      // Foundation knows no other way to name an object of another predicate.
      try context.expectError(.unknownAttribute) {
        _ = try store.fetch(Snack.all.where { $0.isNotStored == 3 })
      }
    },
  ]

  /// Apart from the macros: the compiler (6.3.1) gives a closure beside them the symbol of one of
  /// theirs, and one stands for both.
  private static func nameThatIsNumber() -> Predicate<Snack> {
    typealias Name = PredicateExpressions.KeyPath<PredicateExpressions.Variable<Snack>, String>
    return Predicate<Snack> { snack in
      PredicateExpressions.TypeCheck<Name, Int>(Name(root: snack, keyPath: \.name))
    }
  }

  private static let predicateSnacks = [
    Snack(1, "cola", stock: 7, tags: ["a", "b"]),
    Snack(2, "hot", taste: "sweet", price: 1.5, stock: 3, tags: ["b"]),
    Snack(3, "", price: 0.5, stock: -2),
    Snack(4, "hot", taste: "sour", price: 9, tags: ["a"]),
    Snack(5, "ice", taste: "", stock: 0),
  ]
}

extension Snack {
  fileprivate var isNotStored: Int { 3 }
}

/// A model with a dictionary, which is stored as JSON.
private struct Gauge: PrimaryKeyed, Codable, Hashable {
  var id: Int
  var readings: [String: Int]

  init(_ id: Int, _ readings: [String: Int]) {
    self.id = id
    self.readings = readings
  }

  static let entity = Entity<Gauge>("Gauge") {
    .key("id", \.id)
      .json("readings", \.readings)
  }
}

/// Objects in memory and in a store, asked the same.
private struct PredicateRun<Model: PrimaryKeyed> {
  let context: ConformanceContext
  let store: any Store
  let objects: [Model]

  init(_ context: ConformanceContext, _ objects: [Model]) throws {
    self.init(context, try context.open(Model.self), objects)
    try store.save(objects)
  }

  init(_ context: ConformanceContext, _ store: any Store, _ objects: [Model]) {
    self.context = context
    self.store = store
    self.objects = objects
  }

  /// The store finds the rows with these keys, and the evaluation of the objects does.
  func expect(_ keys: [Model.ID], _ predicate: Predicate<Model>, line: Int = #line) throws {
    let found = try store.fetch(Model.all.where(predicate)).map(\.id)
    let subject = "\(Filter(predicate))"
    try context.expectEqual(found, keys, subject, line: line)
    let held = objects.filter { (try? predicate.evaluate($0)) ?? false }.map(\.id)
    try context.expectEqual(held, keys, "in memory, \(subject)", line: line)
  }
}
