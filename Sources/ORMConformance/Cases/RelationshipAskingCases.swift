internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clauses 2.7, 2.8 and 2.9: conditions, orders and aggregates through relationships.
  static let relationshipAsking: [ConformanceCase] = [
    ConformanceCase("a path through a nil to-one is nil", "2.8") { context in
      let store = try context.openAsking()
      func check(
        _ expected: [Int64], _ subject: String, _ body: (Fields<Player>) -> Filter<Player>
      ) throws {
        let players = try store.fetch(Player.all.where(body))
        try context.expectEqual(players.map(\.id), expected, subject)
        try context.expectEqual(try store.count(Player.all.where(body)), expected.count, subject)
      }
      try check([1, 2, 3], "==") { $0.team.name == "Reds" }
      try check([4, 5, 6], "!=") { $0.team.name != "Reds" }
      try check([6], "== nil") { $0.team.name == nil }
      try check([4, 5, 6], "NOT >") { !($0.team.name > "C") }
      try check([1, 2, 3], "two hops") { $0.team.coach.name == "Kay" }
      try check([4, 5, 6], "two hops to nil") { $0.team.coach.name == nil }
      try check([4, 5, 6], "no target after two hops") { $0.team.coach == nil }
      try check([6], "no target") { $0.team == nil }
      try check([1, 2, 3, 4, 5], "a target") { $0.team != nil }
      try check([1, 2, 3], "a key") { $0.team == 1 }
      try check([4, 5, 6], "another key") { $0.team != 1 }
      try check([], "a key of nothing") { $0.team == 77 }
      try check([4, 5, 6], "keys and nil") { $0.team.isIn([2, nil]) }
      try check([4, 5], "the key's attribute") { $0.team.id > 1 }
      try check([3], "an attribute beside one through a to-one") { $0.name == $0.team.name }
      try check([2, 4], "text and numbers") { $0.team.name.like("?*s") && $0.age < 30 }
      let teams = try store.fetch(Team.all.where { $0.coach == nil })
      try context.expectEqual(teams.map(\.id), [2, 3], "a one-to-one whose key is over there")
      let coached = try store.fetch(Team.all.where { $0.coach.name.beginsWith("K") })
      try context.expectEqual(coached.map(\.id), [1])
      let chained = try store.fetch(
        Player.all.whose(\.team, \.name).like("B*").and(\.age).atLeast(20))
      try context.expectEqual(chained.map(\.id), [5])
    },
    ConformanceCase("any, all and none, over nothing too, beside the outer row", "2.7") { context in
      let store = try context.openAsking()
      func check(
        _ expected: [Int64], _ subject: String, _ body: (Fields<Team>) -> Filter<Team>
      ) throws {
        let teams = try store.fetch(Team.all.where(body))
        try context.expectEqual(teams.map(\.id), expected, subject)
        let others = try store.fetch(Team.all.where(!body(Fields())))
        try context.expectEqual(
          others.map(\.id), [1, 2, 3].filter { !expected.contains($0) }, "NOT \(subject)")
      }
      try check([1, 2], "any") { $0.players.any { $0.age > 30 } }
      try check([1, 3], "all; true over nothing") { $0.players.all { $0.age > 20 } }
      try check([3], "none") { $0.players.none { $0.age > 30 } }
      try check([3], "empty") { $0.players.isEmpty() }
      try check([1], "the outer row") { t in t.players.any { $0.name == t.name } }
      try check([1], "contains") { $0.players.contains(2) }
      try check([2], "contains, by a composite key") {
        $0.leagues.contains(League.ID(country: "is", number: 2))
      }
      try check([1], "a path inside") { $0.players.any { $0.team.coach.name == "Kay" } }
      try check([1, 2], "nested, the outermost row named") { t in
        t.leagues.any { l in l.teams.any { $0.id != t.id } }
      }
      try check([2], "nested, two elements named") { t in
        t.leagues.any { l in t.players.any { $0.age < 20 && l.id.number == 2 } }
      }
      try check([3], "all of all") { t in
        t.players.all { p in p.age > 20 && t.leagues.all { $0.id.number == 2 } }
      }
    },
    ConformanceCase("counts and sums over a to-many, filtered too", "2.7", "4.1") { context in
      let store = try context.openAsking()
      func check(
        _ expected: [Int64], _ subject: String, _ body: (Fields<Team>) -> Filter<Team>
      ) throws {
        let teams = try store.fetch(Team.all.where(body))
        try context.expectEqual(teams.map(\.id), expected, subject)
      }
      try check([1], "count") { $0.players.count > 2 }
      try check([3], "count of nothing") { $0.players.count == 0 }
      try check([2], "a filtered count") { $0.players.count { $0.age > 30 } == 1 }
      try check([1, 2], "a count beside the outer row") { t in
        t.players.count { $0.age > 30 && $0.id > t.id } == 1
      }
      try check([2], "sum") { $0.players.sum(\.age) == 54 }
      try check([3], "sum of nothing") { $0.players.sum(\.age) == 0 }
      try check([1], "average") { $0.players.average(\.age) == 32 }
      try check([3], "average of nothing") { $0.players.average(\.age) == nil }
      try check([2], "min") { $0.players.min(\.age) < 20 }
      try check([3], "min of nothing") { $0.players.min(\.age) == nil }
      try check([1], "max") { $0.players.max(\.age) >= 40 }
      try check([1], "a filtered max") { $0.players.max(\.age, where: { $0.age < 40 }) == 31 }
      try check([2], "worked out") { $0.players.sum(of: { $0.age * 2 }) == 108 }
      try check([1], "two aggregates") { $0.players.count * 30 < $0.players.sum(\.age) }
      let coaches = try store.fetch(Coach.all.where { $0.team.players.count == 0 })
      try context.expectEqual(coaches.map(\.name), ["Lou"], "through a nil to-one")
    },
    ConformanceCase("a path through several to-manys flattens", "2.7") { context in
      let store = try context.openAsking()
      func leagues(
        _ expected: [String], _ subject: String, _ body: (Fields<League>) -> Filter<League>
      ) throws {
        let found = try store.fetch(League.all.where(body))
        try context.expectEqual(found.map { "\($0.id.country)\($0.id.number)" }, expected, subject)
      }
      try leagues(["is1"], "any") { $0.teams.players.any { $0.age > 39 } }
      try leagues(["is1", "is2", "no1"], "all") { $0.teams.players.all { $0.age > 18 } }
      try leagues(["no1"], "all over nothing") { $0.teams.players.all { $0.age > 20 } }
      try leagues(["no1"], "nested") { $0.teams.all { $0.players.any { $0.age > 39 } } }
      try leagues(["is1"], "count") { $0.teams.players.count == 5 }
      try leagues(["is2"], "count") { $0.teams.players.count == 2 }
      try leagues(["is1"], "a to-one of each") { $0.teams.coach.count == 1 }
      let twice = try store.fetch(Team.all.where { $0.leagues.teams.count == 3 })
      try context.expectEqual(twice.map(\.id), [2], "an element for each way to it")
      let sums = try store.fetch(
        Team.all.where { $0.leagues.teams.players.sum(\.age) == 204 })
      try context.expectEqual(sums.map(\.id), [2], "an element for each way to it")
    },
    ConformanceCase("orders through a to-one and by aggregates of a to-many", "2.8", "3.1") {
      context in
      let store = try context.openAsking()
      func players(_ query: Query<Player>) throws -> [Int64] { try store.fetch(query).map(\.id) }
      try context.expectEqual(
        try players(Player.all.sorted(by: .ascending { $0.team.name })), [6, 4, 5, 1, 2, 3])
      try context.expectEqual(
        try players(Player.all.sorted(by: .descending(nils: .first) { $0.team.name })),
        [6, 3, 2, 1, 5, 4])
      try context.expectEqual(
        try players(
          Player.all.sorted(by: .ascending { $0.team.name }, .descending(\.age))
            .limit(3).offset(1)), [5, 4, 3])
      func teams(_ order: Query<Team>.Order) throws -> [Int64] {
        try store.fetch(Team.all.sorted(by: order)).map(\.id)
      }
      try context.expectEqual(try teams(.descending { $0.players.count }), [1, 2, 3])
      try context.expectEqual(try teams(.ascending { $0.players.count }), [3, 2, 1])
      try context.expectEqual(try teams(.ascending { $0.players.average(\.age) }), [3, 2, 1])
      try context.expectEqual(
        try teams(.descending { $0.players.count { $0.age > 30 } }), [1, 2, 3])
    },
    ConformanceCase("aggregates, updates and deletes through relationships", "2.8", "4.1") {
      context in
      let store = try context.openAsking()
      try context.expectEqual(try store.sum(Team.all) { $0.players.count }, 5)
      try context.expectEqual(try store.average(Team.all) { $0.players.count }, 5.0 / 3)
      try context.expectEqual(try store.sum(Player.all) { $0.team.players.count }, 13)
      try context.expectEqual(try store.max(Player.all) { $0.team.name }, "Reds")
      try context.expectEqual(try store.min(Player.all) { $0.team.name }, "Blues")
      try context.expectEqual(
        try store.sum(Player.all.where { $0.team.coach.name == "Kay" }, \.age), 96)
      try context.expectEqual(
        try store.update(Player.all.where { $0.team.name == "Reds" }) { $0[\.age] += 1 }, 3)
      try context.expectEqual(try store.sum(Player.all, \.age), 203)
      try context.expectEqual(
        try store.delete(Player.all.where { $0.team.coach == nil }), 3)
      try context.expectEqual(try store.fetch(Player.all).map(\.age), [32, 26, 41])
    },
    ConformanceCase(
      "a change that asks rows of its own entity sees them as they were before it", "2.8", "5.2"
    ) { context in
      let store = try context.open(Folder.self)
      func fill() throws {
        try store.deleteAll(Folder.self)
        // 1 ← 2 ← 3 and 6 ← 5 ← 4: chains in both orders of keys.
        try store.save([
          Folder("a", id: 1), Folder("b", id: 2, parent: .key(1)),
          Folder("b", id: 3, parent: .key(2)), Folder("b", id: 4, parent: .key(5)),
          Folder("b", id: 5, parent: .key(6)), Folder("a", id: 6),
        ])
      }
      func names() throws -> [String] { try store.fetch(Folder.all).map(\.name) }
      try fill()
      let belowA = Folder.all.where { $0.parent.name == "a" }
      try context.expectEqual(try store.update(belowA) { $0.name = "a" }, 2)
      try context.expectEqual(try names(), ["a", "a", "b", "b", "a", "a"])
      try fill()
      let aboveB = Folder.all.where { $0.children.any { $0.name == "b" } }
      try context.expectEqual(try store.update(aboveB) { $0.name = "c" }, 4)
      try context.expectEqual(try names(), ["c", "c", "b", "b", "c", "c"])
    },
    ConformanceCase("a link to what is not there keeps its key and leads nowhere", "2.9") {
      context in
      let store = try context.open(Park.self, Visit.self, Tag.self)
      try store.insert([Park(1, "a"), Park(2, "b")])
      try store.insert([
        Visit(1, 1, park: .key(1)), Visit(2, park: .key(1)), Visit(3, 4, park: .key(2)),
        Visit(4, 8),
      ])
      try store.insert([Tag("x"), Tag("y")])
      try store.attach(["x", "y"], to: 1, \Park.tags)
      try store.attach(["y"], to: 2, \Park.tags)
      try store.delete(Park.self, id: 2)
      try store.delete(Tag.self, id: "y")
      func visits(
        _ expected: [Int64], _ subject: String, _ body: (Fields<Visit>) -> Filter<Visit>
      ) throws {
        let found = try store.fetch(Visit.all.where(body))
        try context.expectEqual(found.map(\.id), expected, subject)
      }
      try context.expectEqual(try store.find(Visit.self, 3)?.park.id, 2, "the key stays")
      try visits([3, 4], "== nil") { $0.park == nil }
      try visits([1, 2], "!= nil") { $0.park != nil }
      try visits([], "the lost key") { $0.park == 2 }
      try visits([1, 2], "a key") { $0.park == 1 }
      try visits([3, 4], "a path") { $0.park.name == nil }
      try visits([3, 4], "the key's attribute") { $0.park.id == nil }
      try visits([3, 4], "a to-many through it") { $0.park.visits.count == 0 }
      try context.expectEqual(
        try store.fetch(Visit.all.where(attribute: "park_id", equals: Int64(2))).map(\.id), [3],
        "the stored key by its attribute")
      func parks(
        _ expected: [Int64], _ subject: String, _ body: (Fields<Park>) -> Filter<Park>
      ) throws {
        let found = try store.fetch(Park.all.where(body))
        try context.expectEqual(found.map(\.id), expected, subject)
      }
      try parks([1], "count") { $0.tags.count == 1 }
      try parks([], "any") { $0.tags.any { $0.id == "y" } }
      try parks([1], "all") { $0.tags.all { $0.id == "x" } }
      let tags = try store.fetch(Tag.all.where { $0.parks.visits.count == 2 })
      try context.expectEqual(tags.map(\.id), ["x"])
      try context.expectEqual(try store.max(Visit.all) { $0.park.name }, "a")
    },
    ConformanceCase("a path that leads nowhere is refused with entity and name", "7.4") { context in
      let store = try context.openAsking()
      func fetch(_ entity: String, _ names: [String], scope: Int = 0) throws {
        let path = Operand.path(.init(names, scope: scope))
        _ = try store.ids(entity, path.compare(.equal, text("a")))
      }
      try context.expectError(
        .invalidCondition, entity: "Team", attributes: ["players"], "no quantifier"
      ) { try fetch("Team", ["players", "name"]) }
      try context.expectError(.unknownAttribute, entity: "Team", attributes: ["nick"]) {
        try fetch("Player", ["team", "nick"])
      }
      try context.expectError(.unknownAttribute, entity: "Team", attributes: ["boss"]) {
        try fetch("Player", ["team", "boss", "name"])
      }
      try context.expectError(.invalidCondition) { try fetch("Player", ["name"], scope: 4) }
      try context.expectError(.invalidCondition, "kinds") { try fetch("Player", ["team", "id"]) }
    },
  ]
}

extension ConformanceContext {
  /// Reds (1) with a coach and players 1 to 3, Blues (2) with players 4 and 5, Empties (3); player 6
  /// and the coach Lou alone; leagues is1 of 1 and 2, is2 of 2, no1 of none.
  func openAsking() throws -> any Store {
    let store = try open(Team.self, Coach.self, Player.self, League.self)
    try store.insert([Team(1, "Reds"), Team(2, "Blues"), Team(3, "Empties")])
    try store.insert([
      Player(1, "Ann", age: 31, team: .key(1)), Player(2, "Bob", age: 25, team: .key(1)),
      Player(3, "Reds", age: 40, team: .key(1)), Player(4, "Cid", age: 19, team: .key(2)),
      Player(5, "Dan", age: 35, team: .key(2)), Player(6, "Eve", age: 50),
    ])
    try store.insert([Coach("Kay", team: .key(1)), Coach("Lou")])
    let leagues = [League("is", 1), League("is", 2), League("no", 1)]
    try store.insert(leagues)
    try store.attach([1, 2], to: leagues[0].id, \League.teams)
    try store.attach([2], to: leagues[1].id, \League.teams)
    return store
  }
}
