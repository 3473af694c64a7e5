internal import ORM
internal import ORMCore

/// A to-many of a row, whose elements are another scope's rows.
private func elements(_ names: String..., of outer: Int = 0, as scope: Int) -> Elements {
  Elements(.init(names, scope: outer), scope: scope)
}

/// A way from the row of a scope.
private func path(_ names: String..., of scope: Int = 0) -> Operand {
  .path(.init(names, scope: scope))
}

extension Store {
  /// Reds (1) with a coach and the players 11 (20) and 12 (31), Blues (2) with 13 (31), Empty (3);
  /// player 14 (40) without a team.
  ///
  /// IS 1 holds Reds and Blues, IS 2 Blues, NO 1 none.
  fileprivate func fillLeagues() throws {
    let reds = try save(
      Team(
        0, "Reds", coach: ToOne(Coach("Cora")),
        players: [Player(11, "a", age: 20), Player(12, "Reds", age: 31)]))
    let blues = try save(Team(0, "Blues", players: [Player(13, "b", age: 31)]))
    try save(Team(0, "Empty"))
    try save(Player(14, "c", age: 40))
    try save([League("IS", 1), League("IS", 2), League("NO", 1)])
    try attach([reds.id, blues.id], to: League("IS", 1).id, \League.teams)
    try attach([blues.id], to: League("IS", 2).id, \League.teams)
  }

  /// The number of every league that matches, with its country.
  fileprivate func leagues(_ condition: Condition) throws -> [String] {
    try read { try $0.fetch(DynamicQuery("League", where: condition)) }.map { row in
      guard case .string(let country) = row["country"], case .int(let number) = row["number"]
      else { return "?" }
      return "\(country) \(number)"
    }
  }
}

extension ConformanceCase {
  /// Clauses 2.7 to 2.9 and 4.1: conditions, orders and aggregates through relationships.
  static let relatedAsking: [ConformanceCase] = [
    ConformanceCase(
      "a sum over related infinities of both signs is nil, over no rows 0", "2.7", "4.1"
    ) {
      context in
      let store = try context.open(Worker.self, Project.self, Firm.self)
      try store.save([
        Worker(1), Worker(2, rate: .infinity, manager: .key(1)),
        Worker(3, rate: -.infinity, manager: .key(1)), Worker(4),
      ])
      try context.expectEqual(
        try store.fetch(Worker.all.where { $0.reports.sum(\.rate) == 0 }).map(\.id), [2, 3, 4])
      // Nil comes first.
      let sorted = Worker.all.sorted(by: .ascending { $0.reports.sum(\.rate) }, .descending(\.id))
      try context.expectEqual(try store.fetch(sorted).map(\.id), [1, 4, 3, 2])
    },
    ConformanceCase("ANY, ALL and NONE of a to-many, through rows between too", "2.7") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.fillLeagues()
      let isOld = path("age", of: 1).compare(.greater, int(30))
      let old = Condition.some(elements("players", as: 1), isOld)
      try context.expectEqual(try store.ids("Team", old), [1, 2])
      try context.expectEqual(try store.ids("Team", .not(old)), [3])
      try context.expectEqual(
        try store.ids("Team", .not(.some(elements("players", as: 1), .not(isOld)))), [2, 3])
      // An inner condition names the outer row.
      try context.expectEqual(
        try store.ids(
          "Team",
          .some(
            elements("players", as: 1), path("name", of: 1).compare(.equal, attribute("name")))),
        [1])
      try context.expectEqual(
        try store.ids(
          "Team",
          .some(
            elements("players", as: 1),
            path("name", of: 1).text(.contains, attribute("name"), .caseInsensitive))), [1])
      // A many-to-many from both sides, and several hops at once.
      try context.expectEqual(
        try store.ids(
          "Team",
          .some(elements("leagues", as: 1), path("number", of: 1).compare(.equal, int(2)))), [2])
      try context.expectEqual(
        try store.leagues(
          .some(elements("teams", as: 1), path("name", of: 1).compare(.equal, text("Reds")))),
        ["IS 1"])
      try context.expectEqual(
        try store.leagues(
          .some(elements("teams", "players", as: 1), path("age", of: 1).compare(.less, int(25)))),
        ["IS 1"])
      try context.expectEqual(
        try store.leagues(.not(.some(elements("teams", "players", as: 1), .constant(true)))),
        ["NO 1"])
      // Team mates: through the team and back.
      try context.expectEqual(
        try store.ids(
          "Player",
          .some(
            elements("team", "players", as: 1), path("id", of: 1).compare(.notEqual, path("id")))),
        [11, 12])
    },
    ConformanceCase("counts, sums, least and greatest of a to-many", "2.7", "4.1") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.fillLeagues()
      func of(_ kind: Aggregate.Kind, _ name: String?, _ condition: Condition = .constant(true))
        -> Operand
      {
        .ofElements(kind, name.map { path($0, of: 1) }, elements("players", as: 1), condition)
      }
      let count = of(.count, nil)
      try context.expectEqual(try store.ids("Team", count.compare(.greater, int(1))), [1])
      try context.expectEqual(try store.ids("Team", count.compare(.equal, int(0))), [3])
      try context.expectEqual(
        try store.ids("Team", of(.sum, "age").compare(.lessOrEqual, int(31))), [2, 3])
      try context.expectEqual(
        try store.ids("Team", of(.average, "age").compare(.equal, real(25.5))), [1])
      try context.expectEqual(
        try store.ids("Team", of(.minimum, "age").compare(.equal, nothing)), [3])
      try context.expectEqual(
        try store.ids("Team", of(.maximum, "name").compare(.equal, text("a"))), [1])
      let filtered = of(.count, nil, path("age", of: 1).compare(.greater, int(30)))
      try context.expectEqual(try store.ids("Team", filtered.compare(.equal, int(1))), [1, 2])
      try context.expectEqual(
        try store.ids("Team", .constant(true), order: [SortTerm(count, isDescending: true)]),
        [1, 2, 3])
      try context.expectEqual(
        try store.aggregate("Team", Aggregate(.sum, of(.sum, "age"))), .int(82))
      try context.expectEqual(
        try store.aggregate(
          "Team", Aggregate(.maximum, count), where: count.compare(.less, int(2))),
        .int(1))
      // Several hops flatten: Blues' player is counted in each league.
      let players = Operand.ofElements(
        .count, nil, elements("teams", "players", as: 1), .constant(true))
      try context.expectEqual(
        try store.leagues(players.compare(.equal, int(3))), ["IS 1"])
      try context.expectEqual(try store.aggregate("League", Aggregate(.sum, players)), .int(4))
    },
    ConformanceCase("values through to-ones, nil where one is nil", "2.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.fillLeagues()
      let name = path("team", "name")
      try context.expectEqual(
        try store.ids("Player", name.compare(.equal, text("Reds"))), [11, 12])
      try context.expectEqual(
        try store.ids("Player", name.compare(.notEqual, text("Reds"))), [13, 14])
      try context.expectEqual(try store.ids("Player", name.compare(.equal, nothing)), [14])
      try context.expectEqual(
        try store.ids("Player", path("team", "coach", "name").compare(.equal, text("Cora"))),
        [11, 12])
      try context.expectEqual(
        try store.ids("Player", path("team", "coach").compare(.equal, nothing)), [13, 14])
      try context.expectEqual(
        try store.ids(
          "Player", .constant(true), order: [SortTerm(name, isDescending: true)]),
        [12, 11, 13, 14])
      try context.expectEqual(
        try store.aggregate("Player", Aggregate(.countDistinct, name)), .int(2))
    },
    ConformanceCase("changes by related rows see what was there before them", "2.7") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.fillLeagues()
      let hasMate = Condition.some(
        elements("team", "players", as: 1), path("id", of: 1).compare(.notEqual, path("id")))
      let sum = Operand.ofElements(
        .sum, path("age", of: 1), elements("team", "players", as: 1), .constant(true))
      try context.expectEqual(
        try store.write { try $0.update(DynamicQuery("Player", where: hasMate), ["age": sum]) }, 2)
      try context.expectEqual(
        try store.ids("Player", attribute("age").compare(.equal, int(51))), [11, 12])
      try context.expectEqual(
        try store.write { try $0.delete(DynamicQuery("Player", where: hasMate)) }, 2)
      try context.expectEqual(try store.ids("Player", .constant(true)), [13, 14])
    },
  ]
}
