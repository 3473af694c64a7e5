internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension Store {
  /// Reds (1) with a coach and the players 11 (a, 20) and 12 (Reds, 31), Blues (2) with 13 (b, 31),
  /// Empty (3); player 14 (c, 40) without a team.
  ///
  /// IS 1 holds Reds and Blues, NO 1 none.
  fileprivate func fillTeams() throws {
    let reds = try save(
      Team(
        0, "Reds", coach: ToOne(Coach("Cora")),
        players: [Player(11, "a", age: 20), Player(12, "Reds", age: 31)]))
    let blues = try save(Team(0, "Blues", players: [Player(13, "b", age: 31)]))
    try save(Team(0, "Empty"))
    try save(Player(14, "c", age: 40))
    try save([League("IS", 1), League("NO", 1)])
    try attach([reds.id, blues.id], to: League("IS", 1).id, \League.teams)
  }

  fileprivate func ids<Model: PrimaryKeyed>(
    _ model: Model.Type, _ format: String, _ arguments: (any FormatArgument)?...
  ) throws -> [Int64] where Model.ID == Int64 {
    let filter = try Filter<Model>(format: format, arguments: arguments)
    return try fetch(Model.all.where(filter)).map(\.id)
  }
}

extension ConformanceCase {
  /// Clauses 2.1 to 2.8, 7.1 and 7.4 in the words of predicate formats.
  static let formats: [ConformanceCase] = [
    ConformanceCase("formats: comparisons, nil, lists and texts", "2.1", "2.4", "2.5", "2.10") {
      context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "Chips", taste: "salty", price: 2.5, stock: 7, tags: ["hot", "new"]),
        Snack(2, "straße", price: 1, tags: ["cold"]), Snack(3, "Čaj", taste: "Sweet", stock: 3),
        Snack(4, "a*c", taste: "", price: 10, stock: 0, tags: ["hot"]),
      ])
      let table: [(String, [Int64])] = [
        ("TRUEPREDICATE", [1, 2, 3, 4]), ("FALSEPREDICATE", []), ("price > 2", [1, 4]),
        ("NOT price > 2", [2, 3]), ("price <= 2", [2]), ("taste == nil", [2]),
        ("taste != nil", [1, 3, 4]), ("price BETWEEN {1, 2.5}", [1, 2]),
        ("stock IN {7, 0, nil}", [1, 2, 4]), ("NOT stock IN {7}", [2, 3, 4]),
        ("stock IN {}", []), ("name ==[c] 'STRASSE'", [2]), ("name BEGINSWITH[cd] 'c'", [1, 3]),
        ("name CONTAINS 'a'", [2, 3, 4]), ("name ENDSWITH 's'", [1]), ("name LIKE 'a\\*?'", [4]),
        ("name LIKE '*a*'", [2, 3, 4]), ("taste CONTAINS ''", [1, 3, 4]),
        ("ANY tags == 'hot'", [1, 4]), ("NONE tags == 'hot'", [2, 3]),
        ("ALL tags == 'hot'", [3, 4]),
        ("ANY tags BEGINSWITH 'n'", [1]), ("tags[0] == 'hot'", [1, 4]),
        ("tags[LAST] == 'new'", [1]),
        ("tags[SIZE] == 1", [2, 4]), ("tags CONTAINS 'cold' OR stock == 3", [2, 3]),
        ("price * 2 == 5", [1]), ("stock / 2 == 3", [1]), ("stock / 0 == nil", [1, 2, 3, 4]),
        ("stock - 1 >= 2", [1, 3]), ("price ** 2 > 99", [4]), ("abs(-stock) == 7", [1]),
        ("length(name) == 6", [2]), ("uppercase(name) == 'STRASSE'", [2]),
        ("max(stock, 5) == 5", [2, 3, 4]), ("price == stock OR 1 == 2", []),
        ("taste IN name OR stock == 3", [3, 4]),
        ("SUBQUERY(tags, $t, length($t) == 3).@count == 2", [1]),
        ("1 == 1 AND NOT (stock == 7 OR price == 1)", [3, 4]), ("SELF IN {1, 3}", [1, 3]),
      ]
      for (format, ids) in table {
        try context.expectEqual(try store.ids(Snack.self, format), ids, format)
        let printed = try Filter<Snack>(format: format).formatString
        try context.expectEqual(try store.ids(Snack.self, printed), ids, printed)
        let normalized = try Filter<Snack>(format: format).normalized
        try context.expectEqual(
          try store.fetch(Snack.all.where(normalized)).map(\.id), ids, "\(normalized)")
      }
      try context.expectEqual(
        try store.ids(Snack.self, "%K IN %@ AND name LIKE[cd] %@", "id", [1, 3, 4], "c*"), [1, 3])
      try context.expectEqual(
        try store.fetch(
          Snack.all.where(
            try Filter<Snack>(format: "stock > $LOW").binding(["LOW": 2]))
        ).map(\.id), [1, 3])
    },
    ConformanceCase("formats: relationships", "2.7", "2.8", "2.9", "4.1", "2.10") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.fillTeams()
      let teams: [(String, [Int64])] = [
        ("ANY players.age > 30", [1, 2]), ("ALL players.age > 30", [2, 3]),
        ("NONE players.age > 30", [3]), ("ANY players", [1, 2]), ("NONE players", [3]),
        ("ANY players.name == name", [1]), ("players.@count == 2", [1]),
        ("players.@sum.age == 51", [1]), ("players.@avg.age == 25.5", [1]),
        ("players.@max.age == nil", [3]), ("players.@min.age < 31", [1]),
        ("SUBQUERY(players, $p, $p.age > 30 AND $p.name != name).@count == 1", [2]),
        ("ANY SUBQUERY(players, $p, $p.age == 31 AND $p.team.coach == nil)", [2]),
        ("coach == nil", [2, 3]), ("coach.name BEGINSWITH 'C'", [1]), ("12 IN players", [1]),
        ("players.@distinctUnionOfObjects.age.@count == 1", [2]),
        ("'b' IN players.name", [2]), ("ANY leagues.country == 'IS'", [1, 2]),
        ("leagues.@count == 0", [3]),
      ]
      for (format, ids) in teams {
        try context.expectEqual(try store.ids(Team.self, format), ids, format)
        let normalized = try Filter<Team>(format: format).normalized
        try context.expectEqual(
          try store.fetch(Team.all.where(normalized)).map(\.id), ids, "\(normalized)")
      }
      let players: [(String, [Int64])] = [
        ("team.name == 'Reds'", [11, 12]), ("team == nil", [14]), ("team != nil", [11, 12, 13]),
        ("team == 2", [13]), ("team IN {1, 2}", [11, 12, 13]),
        ("team.players.@count > 1 AND age < 30", [11]),
        ("ANY team.leagues.number == 1", [11, 12, 13]),
        ("team.coach.name == nil", [13, 14]),
      ]
      for (format, ids) in players {
        try context.expectEqual(try store.ids(Player.self, format), ids, format)
      }
    },
    ConformanceCase("formats: a literal that is wrong throws at first use", "7.4", "2.10") {
      context in
      let store = try context.open(Snack.self)
      let wrong = Snack.all.where("prize > 1")
      try context.expectError(.unknownAttribute, entity: "Snack") { try store.fetch(wrong) }
      try context.expectError(.unknownAttribute, entity: "Snack") { try store.count(wrong) }
      try context.expectError(.unknownAttribute, entity: "Snack") { try store.delete(wrong) }
      try context.expectError(.invalidCondition, entity: "Snack") {
        try store.fetch(Snack.all.where("price > $LOW"))
      }
    },
    ConformanceCase("formats at the limits of depth, length and lists", "7.1", "2.10") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", stock: 1), Snack(2, "b", stock: 2), Snack(3, "c")])
      // Nested as deep as a condition may be, and true of stock 1 alone.
      var deep = "stock == 1"
      for level in 0..<198 {
        deep =
          level % 2 == 0
          ? "(\(deep)) OR stock == \(1_000 + level)" : "(\(deep)) AND stock != \(1_000 + level)"
      }
      try context.expectEqual(try store.ids(Snack.self, deep), [1], "deep")
      try context.expectError(.tooComplex, entity: "Snack") {
        try store.ids(Snack.self, "(\(deep)) OR stock == 5")
      }
      let chain = (0..<8_000).map { "stock != \($0 + 2)" }.joined(separator: " AND ")
      try context.expectEqual(try store.ids(Snack.self, chain), [1, 3], "chain of AND")
      let ways = (0..<8_000).map { "stock == \($0 + 2)" }.joined(separator: " OR ")
      try context.expectEqual(try store.ids(Snack.self, ways), [2], "chain of OR")
      let mixed = (0..<4_000).map { "(stock == \($0 + 2) AND name != 'x\($0)')" }
      try context.expectEqual(
        try store.ids(Snack.self, mixed.joined(separator: " OR ")), [2], "mixed")
      let list = "{" + (2..<50_002).map { "\($0)" }.joined(separator: ",") + "}"
      try context.expectEqual(
        try store.ids(Snack.self, "stock IN \(list) OR id + 1 IN \(list)"), [1, 2, 3], "lists")
      let long = String(repeating: "x", count: (1 << 20) - 20)
      try context.expectEqual(try store.ids(Snack.self, "name != '\(long)'"), [1, 2, 3], "length")
    },
  ]
}
