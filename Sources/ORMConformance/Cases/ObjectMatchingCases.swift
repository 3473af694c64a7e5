internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 2.7 to 2.9 for objects in memory: `filter.matches(object)`.
  static let objectMatching: [ConformanceCase] = [
    ConformanceCase("matches(object): through links that were fetched", "2.7", "2.8", "2.10") {
      context in
      let store = try context.openAsking()
      let players = try store.fetch(
        Player.all.prefetch(\.team) { $0.prefetch(\.coach, \.players) })
      func check(
        _ expected: [Int64], _ subject: String, _ body: (Fields<Player>) -> Filter<Player>
      ) throws {
        let filter = body(Fields())
        try context.expectEqual(
          try players.filter { try filter.matches($0) }.map(\.id), expected, subject)
        try context.expectEqual(
          try store.fetch(Player.all.where(filter)).map(\.id), expected, "the store: \(subject)")
      }
      try check([1, 2, 3], "==") { $0.team.name == "Reds" }
      try check([4, 5, 6], "!=") { $0.team.name != "Reds" }
      try check([6], "== nil") { $0.team.name == nil }
      try check([1, 2, 3], "two hops") { $0.team.coach.name == "Kay" }
      try check([4, 5, 6], "no target after two hops") { $0.team.coach == nil }
      try check([6], "no target") { $0.team == nil }
      try check([1, 2, 3], "a key") { $0.team == 1 }
      try check([4, 5], "the key's attribute") { $0.team.id > 1 }
      try check([3], "beside an attribute") { $0.name == $0.team.name }
      try check([2, 4], "text and numbers") { $0.team.name.matches("Re.*|Blues") && $0.age < 30 }
      try check([1, 2, 3], "a to-many after a to-one") { $0.team.players.count == 3 }
      try check([1, 2, 4], "an outer row") { p in
        p.team.players.any { $0.age > p.age && $0.name != "Ann" }
      }
    },
    ConformanceCase("matches(object): elements and their aggregates", "2.7", "4.1", "2.10") {
      context in
      let store = try context.openAsking()
      let teams = try store.fetch(Team.all.prefetch(\.players, \.leagues))
      func check(
        _ expected: [Int64], _ subject: String, _ body: (Fields<Team>) -> Filter<Team>
      ) throws {
        let filter = body(Fields())
        try context.expectEqual(
          try teams.filter { try filter.matches($0) }.map(\.id), expected, subject)
        try context.expectEqual(
          try store.fetch(Team.all.where(filter)).map(\.id), expected, "the store: \(subject)")
      }
      try check([1, 2], "any") { $0.players.any { $0.age > 30 } }
      try check([1, 3], "all; true over nothing") { $0.players.all { $0.age > 20 } }
      try check([3], "none") { $0.players.none { $0.age > 30 } }
      try check([1], "the outer row") { t in t.players.any { $0.name == t.name } }
      try check([1], "contains") { $0.players.contains(2) }
      try check([1], "a sum") { $0.players.sum(\.age) == 96 }
      try check([3], "a mean of nothing") { $0.players.average(\.age) == nil }
      try check([2], "the least") { $0.players.min(\.age) < 20 }
      try check([1], "a count of some") { $0.players.count { $0.age > 30 } == 2 }
      try check([1, 2], "a many-to-many") { $0.leagues.any { $0.id.country == "is" } }
    },
    ConformanceCase(
      "matches(object): links that were set, and links that are not loaded", "2.9", "2.10"
    ) {
      context in
      let kay = Coach("Kay")
      var reds = Team(0, "Reds", coach: .to(kay))
      reds.players = [Player(1, "Ann", age: 31), Player(2, "Bob", age: 25)]
      func holds(_ body: (Fields<Team>) -> Filter<Team>) throws -> Bool {
        try body(Fields()).matches(reds)
      }
      try context.expect(try holds { $0.coach.name == "Kay" }, "a to-one that was set")
      try context.expect(try holds { $0.players.count == 2 }, "a to-many that was set")
      try context.expect(try holds { $0.players.sum(\.age) == 56 }, "its sum")
      try context.expectError(.notLoaded, entity: "Team", attributes: ["leagues"]) {
        try holds { $0.leagues.isEmpty() }
      }
      reds.leagues = []
      try context.expect(try holds { $0.leagues.isEmpty() }, "set to nothing")
      let ann = Player(1, "Ann", team: .key(7))
      try context.expect(try Filter<Player> { $0.team == 7 }.matches(ann), "a key alone")
      try context.expect(try Filter<Player> { $0.team.id < 8 }.matches(ann), "its attribute")
      try context.expectError(.notLoaded, entity: "Player", attributes: ["team"]) {
        try Filter<Player> { $0.team.name == "Reds" }.matches(ann)
      }
      let bob = Player(2, "Bob", team: .notLoaded)
      try context.expectError(.notLoaded, entity: "Player", attributes: ["team"]) {
        try Filter<Player> { $0.team == nil }.matches(bob)
      }
      reds.players = .notLoaded
      try context.expectError(.notLoaded, entity: "Team", attributes: ["players"]) {
        try holds { $0.players.none { $0.age > 30 } }
      }
      try context.expectError(.unknownAttribute) {
        try Filter<Player>(.compare(.attribute("nonsense"), .equal, .value(.null), [])).matches(ann)
      }
    },
    ConformanceCase("a cursor after an object, in an order through relationships", "3.3", "2.10") {
      context in
      let store = try context.openAsking()
      let players = Player.all.sorted(
        by: .descending { $0.team.name }, .ascending { $0.age })
      let all = try store.fetch(players.prefetch(\.team))
      try context.expectEqual(all.map(\.id), [2, 1, 3, 4, 5, 6])
      for (index, player) in all.enumerated() {
        let rest = try store.fetch(players.after(try players.cursor(after: player)))
        try context.expectEqual(rest.map(\.id), all.dropFirst(index + 1).map(\.id))
      }
      let teams = Team.all.sorted(by: .descending { $0.players.count })
      let counted = try store.fetch(teams.prefetch(\.players))
      let rest = try store.fetch(teams.after(try teams.cursor(after: counted[0])))
      try context.expectEqual(rest.map(\.id), counted.dropFirst().map(\.id))
    },
  ]
}

extension Filter {
  fileprivate init(_ body: (Fields<Model>) -> Filter<Model>) { self = body(Fields()) }
}
