internal import ORM
internal import ORMCore
internal import ORMObservation

/// An observation beside the same question asked of the store.
private final class WatchedQuestion: RandomObserver {
  let name: String
  private let compare: (String) throws -> Void

  init<Value: Sendable & Equatable>(
    _ name: String, _ observation: StoreObservation<Value>, fetch: @escaping () throws -> Value
  ) throws {
    self.name = name
    let seen = try observation.follow()
    var last: Value?
    compare = { subject in
      let values = try seen.take()
      for value in values {
        if value == last {
          throw RandomDifference(
            "\(subject): two equal values of \(name)", expected: "another", got: "\(value)")
        }
        last = value
      }
      try RandomDifference.check("\(subject): \(name)", last, try fetch())
    }
  }

  /// Throws unless the values since the last check differ from one another, and the last is the answer.
  func check(_ subject: String) throws { try compare(subject) }
}

/// Random questions about snacks and players, and random writes.
struct RandomWatching {
  typealias Body = @Sendable (Fields<Snack>) -> Filter<Snack>

  var random: SeededGenerator
  let store: any Store

  static let names = ["a", "A", "b", "ab", "B", "", "c"]

  // MARK: - Questions

  private mutating func price() -> Double? {
    random.chance(5) ? nil : Double(random.number(-4...8)) / 2 + 0.25
  }

  private mutating func leaf() -> (String, Body) {
    let number = random.number(0...9)
    let name = random.pick(Self.names)
    switch random.number(0...7) {
    case 0:
      let price = Double(number) / 2
      return ("price < \(price)", { $0.price < price })
    case 1: return ("price == nil", { $0.price == nil })
    case 2: return ("name == \(name)", { $0.name == name })
    case 3: return ("name like \(name)*", { $0.name.like(name + "*") })
    case 4: return ("stock >= \(number)", { $0.stock >= number })
    case 5: return ("id < \(number)", { $0.id < Int64(number) })
    case 6: return ("tags contain \(name)", { $0.tags.contains(name) })
    default: return ("taste == \(name)", { $0.taste == name })
    }
  }

  mutating func filter(_ depth: Int = 2) -> (String, Body) {
    if depth == 0 || random.chance(2) { return leaf() }
    let (a, first) = filter(depth - 1)
    let (b, second) = filter(depth - 1)
    switch random.number(0...2) {
    case 0: return ("(\(a) and \(b))", { first($0) && second($0) })
    case 1: return ("(\(a) or \(b))", { first($0) || second($0) })
    default: return ("not \(a)", { !first($0) })
    }
  }

  private mutating func query() -> (String, Query<Snack>) {
    let (text, body) = filter()
    var query = random.chance(4) ? Snack.all : Snack.all.where { body($0) }
    let orders: [Query<Snack>.Order] = [
      .ascending(\.price), .descending(\.price, nils: .first), .ascending(\.name, .caseInsensitive),
      .descending(\.stock), .ascending(\.taste, nils: .last), .descending(\.id),
    ]
    query.order = (0..<random.number(0...2)).map { _ in random.pick(orders) }
    switch random.number(0...5) {
    case 0...2: break
    case 3, 4: query = query.limit(random.number(0...4))
    default: query = query.page(1, size: random.number(1...3))
    }
    return ("\(query) [\(text)]", query)
  }

  fileprivate mutating func question() throws -> WatchedQuestion {
    let store = store
    let delivery: ObservationDelivery = random.chance(3) ? .onEveryCommit : .newest
    let (text, query) = query()
    var whole = query
    whole.paging = .all
    let all = whole
    switch random.number(0...11) {
    case 0...4:
      return try WatchedQuestion(text, store.observe(query, delivery)) { try store.fetch(query) }
    case 5:
      return try WatchedQuestion("count of \(text)", store.observe(count: query, delivery)) {
        try store.count(query)
      }
    case 6:
      return try WatchedQuestion("sum of \(text)", store.observe(sum: \.stock, of: all, delivery)) {
        try store.sum(all, \.stock)
      }
    case 7:
      let names = query.select(\.name)
      return try WatchedQuestion("names of \(text)", store.observe(names, delivery)) {
        try store.fetch(names)
      }
    case 8:
      let id = Int64(random.number(0...8))
      return try block("snack \(id) and the first of \(text)", delivery) { tx in
        [try tx.find(Snack.self, id)?.name, try tx.first(query)?.name]
      }
    case 9:
      return try block("groups of \(text)", delivery) { tx in
        try tx.fetch(all.grouped(by: \.taste) { $0.count() }).map { "\($0.0 ?? "nil") \($0.1)" }
      }
    case 10:
      let name = random.pick(Self.names)
      let players = Player.all.where { $0.team.name == name || $0.age < 3 }
        .sorted(by: .ascending { $0.team.name }, .descending(\.age))
      return try WatchedQuestion("players of \(name)", store.observe(players, delivery)) {
        try store.fetch(players)
      }
    default:
      let teams = Team.all.where { $0.players.count < 3 }.prefetch(\.players)
      return try block("teams with players", delivery) { tx in
        try tx.fetch(teams).map { "\($0.name) \($0.players.loaded?.map(\.name) ?? [])" }
      }
    }
  }

  private func block<Value: Sendable & Equatable>(
    _ name: String, _ delivery: ObservationDelivery,
    _ body: @escaping @Sendable (ReadTransaction) throws -> Value
  ) throws -> WatchedQuestion {
    let store = store
    return try WatchedQuestion(name, store.observe(delivery, body)) {
      try store.read { try body($0) }
    }
  }

  // MARK: - Writes

  mutating func snack(_ id: Int64? = nil) -> Snack {
    Snack(
      id ?? Int64(random.number(0...12)), random.pick(Self.names),
      taste: random.chance(3) ? nil : random.pick(Self.names), price: price(),
      stock: random.chance(4) ? nil : random.number(0...9),
      tags: (0..<random.number(0...2)).map { _ in random.pick(Self.names) })
  }

  private mutating func player() -> Player {
    let team = random.number(0...3)
    return Player(
      Int64(random.number(0...6)), random.pick(Self.names), age: random.number(0...5),
      team: team == 0 ? ToOne() : .key(Int64(team)))
  }

  /// Makes one write, as a text and a closure on a transaction.
  private mutating func write(_ depth: Int = 1) -> (String, (WriteTransaction) throws -> Void) {
    let id = Int64(random.number(0...12))
    let number = random.number(0...9)
    let name = random.pick(Self.names)
    let price = price()
    switch random.number(0...15) {
    case 0...3:
      let snack = snack()
      return ("save \(snack)", { try $0.save(snack) })
    case 4:
      var known: Set<Int64> = []
      let snacks = (0..<3).map { _ in snack() }.filter { known.insert($0.id).inserted }
      return ("save \(snacks)", { try $0.save(snacks) })
    case 5: return ("delete \(id)", { try $0.delete(Snack.self, id: id) })
    case 6, 7:
      return (
        "price of \(id) = \(price.map { "\($0)" } ?? "nil")",
        { try $0.update(Snack.all.where { $0.id == id }) { $0.price = price } }
      )
    case 8:
      let (text, body) = filter()
      return (
        "name = \(name) where \(text)",
        { try $0.update(Snack.all.where { body($0) }) { $0.name = name } }
      )
    case 9:
      let (text, body) = filter()
      return (
        "stock = \(number) where \(text)",
        { try $0.update(Snack.all.where { body($0) }) { $0.stock = number } }
      )
    case 10:
      let (text, body) = filter()
      return ("delete where \(text)", { try $0.delete(Snack.all.where { body($0) }) })
    case 11:
      return random.chance(6)
        ? ("delete all", { try $0.deleteAll(Snack.self) })
        : ("name of team", { try $0.update(Team.all.where { $0.id < 3 }) { $0.name = name } })
    case 12:
      let player = player()
      return ("save player \(player.id)", { try $0.save(player) })
    case 13:
      let key = Int64(number % 7)
      return ("delete player \(key)", { try $0.delete(Player.self, id: key) })
    default:
      if depth == 0 { return ("delete \(id)", { try $0.delete(Snack.self, id: id) }) }
      let writes = (0..<random.number(1...4)).map { _ in write(depth - 1) }
      let isUndone = random.chance(3)
      return (
        "\(isUndone ? "undone " : "")[\(writes.map(\.0).joined(separator: "; "))]",
        { tx in
          do {
            try tx.savepoint { inner in
              for write in writes { try write.1(inner) }
              if isUndone { throw UndoneWrites() }
            }
          } catch is UndoneWrites {}
        }
      )
    }
  }

  /// Makes a write, alone in its transaction.
  mutating func step() throws -> String {
    let (text, body) = write()
    try store.write { try body($0) }
    return text
  }
}

/// The end of writes that are undone on purpose.
private struct UndoneWrites: Error {}

extension RandomRun {
  /// Random queries and blocks under observation, and random writes.
  ///
  /// After each write, or after several, the last value of each observation is compared with a fetch.
  /// Half of the rounds also verify every value inside of the store.
  static let observations = RandomRun("observations", ["11.6", "11.7"], usualCount: 200) {
    round in
    try round.watch("the first value") { try $0.question() }
  }
}

/// An observer of a store that a random run compares with the answer of a new request.
protocol RandomObserver {
  var name: String { get }
  /// Compares; a difference names the subject.
  func check(_ subject: String) throws
}

extension RandomRound {
  /// Makes four observers of one store and checks them after most of twenty steps.
  ///
  /// - Parameter first: the subject of a difference before any step.
  func watch(
    _ first: String, _ observer: (inout RandomWatching) throws -> some RandomObserver
  ) throws {
    let store = try store(
      Schema(models: [Snack.self, Team.self, Coach.self, Player.self, League.self]),
      verifiesObservations: seed % 4 < 2)
    var watching = RandomWatching(random: random, store: store)
    try store.save((1...3).map { Team(Int64($0), "t\($0)") })
    try store.save(largeKeys.map { watching.snack(Int64($0)) })
    try measure(store)
    for _ in 0..<watching.random.number(0...6) { steps.append(try watching.step()) }
    let observers = try (0..<4).map { _ in try observer(&watching) }
    steps.append(contentsOf: observers.map { "observe \($0.name)" })
    for observer in observers { try observer.check(first) }
    for _ in 0..<repetitions(20, ofRows: 200) {
      steps.append(try watching.step())
      // A consumer that does not look finds the newest value or one change later.
      if watching.random.chance(3) { continue }
      for observer in observers { try observer.check("after the step") }
    }
    for observer in observers { try observer.check("at the end") }
  }
}
