internal import Dispatch
internal import Foundation
internal import ORM
internal import ORMCore

/// A value made from a projection.
private struct PriceTag: Equatable, Sendable {
  var name: String
  var price: Double?
}

/// A value made from a projection across relationships.
private struct PlayerLine: Equatable, Sendable {
  var name: String
  var team: String?
  var mates: Int
  var double: Int
}

extension Snack {
  /// Snacks by the lengths of their names, with arithmetic of aggregates.
  fileprivate static var computedByLength: Grouping<Snack, (Int?, Int, Int)> {
    all.grouped(by: { $0.name.length() }) {
      ($0.sum(\.stock) * 10, $0.sum { $0.stock * 2 } - $0.count())
    }
  }
}

extension ConformanceCase {
  /// Clauses 3.2, 4.1, 4.2 and 2.7: values instead of models, as typed tuples.
  static let projections: [ConformanceCase] = [
    ConformanceCase(
      "a projection gives values in the order and page of its query", "3.2", "3.3", "4.3"
    ) {
      context in
      let store = try context.openGroupSnacks()
      let named = try store.fetch(Snack.all.where { $0.price > 0.75 }.select(\.name, \.price))
      try context.expectEqual(named.map(\.0), ["chips", "nuts", "pretzel"])
      try context.expectEqual(named.map(\.1), [1, 3, 1])
      let names: [String] = try store.fetch(
        Snack.all.select(\.name).sorted(by: .descending(\.price)).limit(2).offset(1))
      // Price descending: nuts 3, pretzel 1, chips 1 (the key descends too), cake 0.5, …
      try context.expectEqual(names, ["pretzel", "chips"])
      let worked = try store.fetch(
        Snack.all.where { $0.taste == "salty" }
          .select { ($0.name.length(), $0.price * 2, $0.tags, $0.stock) })
      try context.expectEqual(worked.map(\.0), [5, 4, 7])
      try context.expectEqual(worked.map(\.1), [2, 6, 2])
      try context.expectEqual(worked.map(\.2), [["x"], ["x", "y"], []])
      try context.expectEqual(worked.map(\.3), [1, 5, nil])
      try context.expectEqual(
        try store.fetch(Snack.all.select(\.name, \.price).limit(2).map(PriceTag.init)),
        [PriceTag(name: "chips", price: 1), PriceTag(name: "nuts", price: 3)])
      let fourth: String? = try store.first(Snack.all.select(\.name).page(1, size: 3))
      try context.expectEqual(fourth, "cake")
      let none: String? = try store.first(Snack.all.where { $0.id > 9 }.select(\.name))
      try context.expectEqual(none, nil)
      try context.expectEqual(try store.count(Snack.all.select(\.taste)), 7)
      try context.expectError(.unknownAttribute, entity: "Snack") {
        try store.fetch(Snack.all.select(\.tags.count))
      }
    },
    ConformanceCase(
      "a projection into a shape of the program's own, across relationships", "2.8", "4.3"
    ) {
      context in
      let snacks = try context.openGroupSnacks()
      try context.expectEqual(
        try snacks.fetch(
          Snack.all.select(into: PriceTag.init, \.name, \.price).sorted(by: "price DESC").limit(2)),
        [PriceTag(name: "nuts", price: 3), PriceTag(name: "pretzel", price: 1)])
      try context.expectEqual(
        try snacks.fetch(
          Snack.all.select(into: { "\($0): \($1 ?? 0)" }, \.name, \.stock).limit(1)),
        ["chips: 1"])
      try context.expectError(.invalidValue) {
        try snacks.fetch(
          Snack.all.select(
            into: { (_: String) -> Int in throw StoreError(.invalidValue, "made so") }, \.name))
      }
      let store = try context.openProjectionTeams()
      let lines = try store.fetch(
        Player.all.select(into: PlayerLine.init) {
          ($0.name, $0.team.name, $0.team.players.count, $0.age * 2)
        }.limit(1))
      try context.expectEqual(
        lines, [PlayerLine(name: "Ann", team: "Reds", mates: 2, double: 62)])
    },
    ConformanceCase("distinct rows are those that differ, by value", "4.2", "1.2", "4.3") {
      context in
      let store = try context.openGroupSnacks()
      let tastes = try store.fetch(Snack.all.select(\.taste).distinct())
      try context.expectEqual(tastes, [nil, "salty", "sweet"])
      let pairs = Snack.all.where { $0.taste != nil }.select(\.price, \.taste).distinct()
      let found = try store.fetch(pairs)
      try context.expectEqual(found.map(\.0), [nil, 0.5, 1, 3])
      try context.expectEqual(found.map(\.1), ["sweet", "sweet", "salty", "salty"])
      try context.expectEqual(try store.count(pairs), 4)
      let sorted = try store.fetch(
        pairs.sorted(by: .descending(\.taste), .ascending(\.price)).limit(2))
      // The order's last term ascends, and so do the columns after it.
      try context.expectEqual(sorted.map(\.0), [nil, 0.5])
      try context.expectError(.invalidCondition, entity: "Snack", "an order by what is not there") {
        try store.fetch(pairs.sorted(by: .ascending(\.name)))
      }
      try context.expectEqual(try store.countDistinct(Snack.all, \.taste), 2)
      try context.expectEqual(try store.countDistinct(Snack.all) { $0.name.length() }, 3)
      let zeros = try context.open(Measure.self)
      try zeros.save([Measure(1) { $0.double = -0.0 }, Measure(2) { $0.double = 0 }])
      func signs(_ numbers: [Double?]) -> [String] {
        numbers.map { $0?.sign == .minus ? "-" : "+" }
      }
      let zero = try zeros.fetch(Measure.all.select(\.double).distinct())
      try context.expectEqual(signs(zero), ["+"])
      try context.expectEqual(
        signs(try zeros.fetch(Measure.all.select(\.double))), ["-", "+"])
    },
    ConformanceCase(
      "a projection goes through to-ones and counts to-manys", "2.7", "2.8", "4.1", "4.3"
    ) {
      context in
      let store = try context.openProjectionTeams()
      let players = try store.fetch(
        Player.all.select { ($0.name, $0.team.name, $0.team.coach.name, $0.team.players.count) })
      try context.expectEqual(players.map(\.0), ["Ann", "Bob", "Cid", "Dan", "Eve"])
      try context.expectEqual(players.map(\.1), ["Reds", "Reds", "Whites", "Blues", nil])
      try context.expectEqual(players.map(\.2), ["Kay", "Kay", nil, nil, nil])
      try context.expectEqual(players.map(\.3), [2, 2, 1, 1, 0])
      let teams = try store.fetch(
        Team.all.select { team in
          (
            team.name, team.players.count { $0.age > 30 }, team.players.max(\.age),
            team.players.average(\.age), team.players.sum(\.age)
          )
        }.sorted(by: .descending { $0.players.count }, .ascending(\.name)))
      try context.expectEqual(teams.map(\.0), ["Reds", "Blues", "Whites", "Empties"])
      try context.expectEqual(teams.map(\.1), [1, 0, 1, 0])
      try context.expectEqual(teams.map(\.2), [31, 19, 40, nil])
      try context.expectEqual(teams.map(\.3), [28, 19, 40, nil])
      try context.expectEqual(teams.map(\.4), [56, 19, 40, 0])
    },
    ConformanceCase("groups as typed tuples, with a condition, an order and a page", "4.2", "4.1") {
      context in
      let store = try context.openGroupSnacks()
      let tastes = Snack.all.grouped(by: \.taste) { ($0.count(), $0.average(\.price)) }
      let all = try store.fetch(tastes)
      try context.expectEqual(all.map(\.0), [nil, "salty", "sweet"])
      try context.expectEqual(all.map(\.1), [2, 3, 2])
      try context.expectEqual(all.map(\.2), [nil, 5.0 / 3, 0.5])
      func names(_ grouping: Grouping<Snack, (String?, Int, Double?)>) throws -> [String?] {
        try store.fetch(grouping).map(\.0)
      }
      try context.expectEqual(try names(tastes.having { $0.count() > 2 }), ["salty"])
      try context.expectEqual(
        try names(tastes.having { $0.sum(\.stock) > 3 && $0.taste != nil }), ["salty"],
        "an aggregate that the rows do not hold")
      try context.expectEqual(
        try names(tastes.having { $0.count() == 2 }.having { $0.max(\.name) < "g" }), ["sweet"],
        "two conditions")
      try context.expectEqual(
        try names(tastes.sorted(by: .descending { $0.count() }, .ascending(\.taste, nils: .last))),
        ["salty", "sweet", nil])
      try context.expectEqual(
        try names(tastes.sorted(by: .ascending(nils: .last) { $0.average(\.price) }).limit(1)),
        ["sweet"])
      try context.expectEqual(
        try names(tastes.sorted(by: .descending { $0.sum(\.stock) / $0.count() }).offset(1)),
        [nil, "sweet"])
      try context.expectEqual(try names(tastes.page(1, size: 2)), ["sweet"])
      try context.expectEqual(try store.count(tastes.having { $0.count() == 2 }), 2)
      try context.expectEqual(try store.first(tastes)?.1, 2)
      let single = try store.fetch(Snack.all.grouped(by: \.taste) { $0.count() })
      try context.expectEqual(single.map { "\($0.0 ?? "-")\($0.1)" }, ["-2", "salty3", "sweet2"])
      let pairs = try store.fetch(
        Snack.all.grouped(by: \.taste, \.price) {
          ($0.count(), $0.min(\.name), $0.countDistinct(\.stock), $0.count(\.stock))
        })
      try context.expectEqual(pairs.map(\.0), [nil, "salty", "salty", "sweet", "sweet"])
      try context.expectEqual(pairs.map(\.1), [nil, 1, 3, nil, 0.5])
      try context.expectEqual(pairs.map(\.2), [2, 2, 1, 1, 1])
      try context.expectEqual(pairs.map(\.3), ["cola", "chips", "nuts", "fudge", "cake"])
      try context.expectEqual(pairs.map(\.4), [1, 1, 1, 0, 0])
      try context.expectEqual(pairs.map(\.5), [1, 1, 1, 0, 0])
      let worked = try store.fetch(Snack.computedByLength)
      // 4: nuts 5, cake, cola 4; 5: chips 1, fudge, water; 7: pretzel.
      try context.expectEqual(worked.map(\.0), [4, 5, 7])
      try context.expectEqual(worked.map(\.1), [90, 10, 0])
      try context.expectEqual(worked.map(\.2), [15, -1, -1])
      try context.expectError(.invalidCondition, entity: "Snack", "no key") {
        try store.fetch(tastes.having { $0.price > 1 })
      }
      try context.expectError(.invalidPage, entity: "Snack", "groups of a page") {
        try store.fetch(Snack.all.limit(3).grouped(by: \.taste) { $0.count() })
      }
    },
    ConformanceCase("groups through to-ones and of to-manys, typed", "4.2", "2.7", "2.8") {
      context in
      let store = try context.openProjectionTeams()
      let teams = try store.fetch(
        Player.all.grouped(by: { $0.team.name }) { ($0.count(), $0.max(\.age)) }
          .having { $0.team.name != nil })
      try context.expectEqual(teams.map(\.0), ["Blues", "Reds", "Whites"])
      try context.expectEqual(teams.map(\.1), [1, 2, 1])
      try context.expectEqual(teams.map(\.2), [19, 31, 40])
      let sizes = try store.fetch(
        Team.all.grouped(by: { $0.players.count }) { ($0.count(), $0.min(\.name)) }
          .sorted(by: .descending { $0.players.count }))
      try context.expectEqual(sizes.map(\.0), [2, 1, 0])
      try context.expectEqual(sizes.map(\.1), [1, 2, 1])
      try context.expectEqual(sizes.map(\.2), ["Reds", "Blues", "Empties"])
      let coaches = try store.fetch(
        Player.all.grouped(by: { ($0.team.coach.name, $0.age / 20) }) {
          $0.sum { $0.team.players.count }
        })
      try context.expectEqual(coaches.map(\.0), [nil, nil, "Kay"])
      try context.expectEqual(coaches.map(\.1), [0, 2, 1])
      try context.expectEqual(coaches.map(\.2), [1, 1, 4])
    },
    ConformanceCase("chunks of projections and of groups are of one snapshot", "3.2", "6.1", "4.3")
    {
      context in
      let store = try context.open(Snack.self)
      try store.save((0..<1000).map { Snack($0, "n\($0 % 10)", stock: Int($0)) })
      var stocks: [Int?] = []
      var sizes: [Int] = []
      try store.chunks(Snack.all.select(\.stock), size: 300) { rows in
        sizes.append(rows.count)
        stocks += rows
      }
      try context.expectEqual(sizes, [300, 300, 300, 100])
      try context.expectEqual(stocks, (0..<1000).map { $0 })
      var groups: [(String, Int)] = []
      try store.chunks(Snack.all.grouped(by: \.name) { $0.count() }, size: 4) { groups += $0 }
      try context.expectEqual(groups.map(\.0), (0..<10).map { "n\($0)" })
      try context.expectEqual(groups.map(\.1), Array(repeating: 100, count: 10))
      try store.write { transaction in
        try transaction.chunks(Snack.all.select(\.id), size: 600) { ids in
          for id in ids.prefix(2) { try transaction.delete(Snack.self, id: id) }
        }
      }
      try context.expectEqual(try store.count(Snack.self), 996)
    },
    ConformanceCase(
      async: "projections and groups by the asynchronous operations", "4.2", "6.2", "4.3"
    ) {
      context in
      let store = try context.openGroupSnacks()
      let names = try await store.fetch(Snack.all.select(\.name).limit(1))
      try context.expectEqual(names, ["chips"])
      let tastes = Snack.all.grouped(by: \.taste) { $0.count() }
      let counts = try await store.fetch(tastes).map(\.1)
      try context.expectEqual(counts, [2, 3, 2])
      let groups = try await store.count(tastes)
      try context.expectEqual(groups, 3)
      let distinct = try await store.countDistinct(Snack.all, \.taste)
      try context.expectEqual(distinct, 2)
      let first = try await store.first(tastes)
      try context.expectEqual(first?.1, 2)
      let heard: [Int] = try await withCheckedThrowingContinuation { continuation in
        store.read(on: .global()) {
          try $0.fetch(tastes)
        } completion: { result in
          continuation.resume(with: result.map { $0.map(\.1) })
        }
      }
      try context.expectEqual(heard, [2, 3, 2])
      var streamed: [String] = []
      for try await (name, _) in store.stream(Snack.all.select(\.name, \.price)) {
        streamed.append(name)
      }
      try context.expectEqual(
        streamed, ["chips", "nuts", "pretzel", "cake", "fudge", "cola", "water"])
      var sizes: [Int] = []
      for try await (_, size) in store.stream(tastes) { sizes.append(size) }
      try context.expectEqual(sizes, [2, 3, 2])
      let bound = try await Persistence.with(store) {
        try await Snack.all.select(\.id).fetch()
      }
      try context.expectEqual(bound, Array(1...7))
    },
  ]
}

extension ConformanceContext {
  /// Reds (1) with a coach and players 1 and 2, Blues (2) with 4, Whites (3) with 3, Empties (4);
  /// player 5 alone.
  func openProjectionTeams() throws -> any Store {
    let store = try open(Team.self, Coach.self, Player.self, League.self)
    try store.insert([Team(1, "Reds"), Team(2, "Blues"), Team(3, "Whites"), Team(4, "Empties")])
    try store.insert([
      Player(1, "Ann", age: 31, team: .key(1)), Player(2, "Bob", age: 25, team: .key(1)),
      Player(3, "Cid", age: 40, team: .key(3)), Player(4, "Dan", age: 19, team: .key(2)),
      Player(5, "Eve", age: 50),
    ])
    try store.insert(Coach("Kay", team: .key(1)))
    return store
  }
}
