internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 5.8, 2.9 and 6.1: links that are read, by prefetch and by load.
  static let loading: [ConformanceCase] = [
    ConformanceCase("nothing is loaded unless asked; a to-one has its key", "5.8", "5.12") {
      context in
      let store = try context.openLinked()
      let player = try context.unwrap(store.find(Player.self, 3), "player 3")
      try context.expectEqual(player.team.id, 2)
      try context.expectEqual(player.team.isLoaded, false)
      try context.expect(player.team.loaded == nil, "the team was not read")
      try context.expectError(.notLoaded, entity: "Team") { try player.team.get() }
      let team = try context.unwrap(store.find(Team.self, 1), "team 1")
      try context.expect(team.players.loaded == nil, "the players were not read")
      try context.expectError(.notLoaded, entity: "Player") { try team.players.get() }
      try context.expectEqual(team.coach.isLoaded, false)
      let free = try context.unwrap(store.find(Player.self, 4), "player 4")
      try context.expectEqual(free.team.isLoaded, true, "no team is known to be none")
      try context.expect(try free.team.get() == nil, "player 4 has no team")
    },
    ConformanceCase("a prefetch takes one request for each relationship of a level", "5.8", "5.12")
    {
      context in
      let store = CountingStore(try context.openLinked())
      func count(_ body: (any Store) throws -> Void) throws -> Int {
        let requests: [FetchRequest] = try store.requests(during: body)
        return requests.count
      }
      try context.expectEqual(try count { _ = try $0.fetch(Team.all) }, 1)
      try context.expectEqual(
        try count { _ = try $0.fetch(Team.all.prefetch(\.players, \.coach)) }, 3)
      try context.expectEqual(
        try count { _ = try $0.fetch(Player.all.prefetch(\.team) { $0.prefetch(\.coach) }) }, 3)
      try context.expectEqual(
        try count { _ = try $0.fetch(Folder.all.prefetch(\.children, depth: 3)) }, 2,
        "every folder is a root, so that their children are all the links there are")
      try context.expectEqual(
        try count {
          _ = try $0.fetch(Folder.all.where { $0.id == 1 }.prefetch(\.children, depth: 3))
        }, 4)
      try context.expectEqual(
        try count { _ = try $0.fetch(Team.all.prefetch(\.leagues)) }, 2,
        "the links of a many-to-many and their targets are one level")
      try context.expectEqual(
        try count { _ = try $0.fetch(Team.all.prefetch(\.leagues) { $0.prefetch(\.teams) }) }, 3)
      try context.expectEqual(
        try count { _ = try $0.fetch(Team.all.prefetch(\.players) { $0.prefetch(\.team) }) }, 2,
        "what was read already is not asked for again")
      try context.expectEqual(
        try count { _ = try $0.fetch(Team.all.where { $0.id > 50 }.prefetch(\.players)) }, 1)
    },
    ConformanceCase(
      "a to-many is read whole, by key, and is empty where there is nothing", "5.8", "5.12"
    ) {
      context in
      let store = try context.openLinked()
      let teams = try store.fetch(Team.all.prefetch(\.players, \.coach))
      try context.expectEqual(teams.map(\.id), [1, 2, 3])
      try context.expectEqual(
        teams.map { $0.players.loaded?.map(\.id) }, [[1, 2, 5], [3], []])
      try context.expectEqual(teams[0].players.loaded?.map(\.age), [21, 22, 25])
      try context.expectEqual(
        teams.map { $0.coach.loaded?.name }, ["Ann", "Bob", nil])
      try context.expectEqual(teams.map(\.coach.isLoaded), [true, true, true])
      try context.expect(teams[0].leagues.loaded == nil, "the leagues were not asked for")
    },
    ConformanceCase("a fetch has one value for each key, and links lead both ways", "5.8", "5.12") {
      context in
      let store = try context.openLinked()
      let reds = try context.unwrap(
        store.first(Team.all.prefetch(\.players, \.coach)), "the first team")
      for player in reds.players.loaded ?? [] {
        let team = try context.unwrap(player.team.get(), "the way back")
        try context.expectEqual(team.name, "Reds")
        try context.expectEqual(team.players.loaded?.map(\.id), [1, 2, 5])
        try context.expectEqual(team.coach.loaded?.name, "Ann")
      }
      let coach = try context.unwrap(
        store.first(Coach.all.where { $0.name == "Bob" }.prefetch(\.team)), "Bob")
      try context.expectEqual(coach.team.loaded?.name, "Blues")
      try context.expectEqual(coach.team.loaded?.coach.loaded?.name, "Bob", "one-to-one")
      try context.expect(
        coach.team.loaded?.players.loaded == nil, "of its players nothing is known")
      let player = try context.unwrap(
        store.first(Player.all.prefetch(\.team)), "the first player")
      try context.expect(
        player.team.loaded?.players.loaded == nil, "a to-many is not known by one of its targets")
    },
    ConformanceCase("a to-one to nothing keeps its key, and prefetched it is nil", "2.9", "5.12") {
      context in
      let store = try context.openLinked()
      let players = try store.fetch(Player.all.prefetch(\.team))
      try context.expectEqual(players.map(\.team.id), [1, 1, 2, nil, 1, 99])
      try context.expectEqual(
        players.map { $0.team.loaded?.name }, ["Reds", "Reds", "Blues", nil, "Reds", nil])
      try context.expectEqual(players.map(\.team.isLoaded), [true, true, true, true, true, true])
      try context.expect(try players[5].team.get() == nil, "team 99 does not exist")
      let leagues = try store.fetch(League.all.prefetch(\.teams))
      try context.expectEqual(leagues[2].teams.ids, [], "a link to nothing is not seen")
    },
    ConformanceCase("a many-to-many keeps the order it has on its ordered side", "5.8", "5.12") {
      context in
      let store = try context.openLinked()
      let leagues = try store.fetch(League.all.prefetch(\.teams) { $0.prefetch(\.players) })
      try context.expectEqual(
        leagues.map { $0.teams.loaded?.map(\.id) }, [[2, 1], [1], []])
      try context.expectEqual(
        leagues[0].teams.loaded?.map { $0.players.loaded?.map(\.id) }, [[3], [1, 2, 5]])
      try context.expect(
        leagues[0].teams.loaded?.first?.leagues.loaded == nil, "the way back is not known whole")
      let teams = try store.fetch(Team.all.prefetch(\.leagues) { $0.prefetch(\.teams) })
      try context.expectEqual(
        teams.map { $0.leagues.ids?.map { "\($0.country)\($0.number)" } },
        [["de1", "de2"], ["de1"], []])
      try context.expectEqual(teams[1].leagues.loaded?.first?.teams.ids, [2, 1])
    },
    ConformanceCase(
      "a target of several owners is decoded once, and the graph has it once", "5.8", "5.12"
    ) {
      context in
      let store = try context.open(Basket.self, Fruit.self)
      try store.save((1...3).map { Fruit(id: $0) })
      try store.save([
        Basket(id: 1, fruits: .keys([3, 1])), Basket(id: 2, fruits: .keys([1, 2, 3])),
        Basket(id: 3),
      ])
      let decodings = Decodings()
      let baskets = try Fruit.$decodings.withValue(decodings) {
        try store.fetch(Basket.all.prefetch(\.fruits) { $0.prefetch(\.baskets) })
      }
      try context.expectEqual(decodings.count.withLock { $0 }, 3)
      try context.expectEqual(
        baskets.map { $0.fruits.loaded?.map(\.id) }, [[3, 1], [1, 2, 3], []])
      try context.expectEqual(
        baskets[0].fruits.loaded?.map { $0.baskets.loaded?.map(\.id) }, [[1, 2], [1, 2]])
      let sorted = Basket.all.sorted(by: .descending(\.id)).where { $0.id != 3 }
      try context.expectEqual(
        try store.fetch(sorted.prefetch(\.fruits).limit(1)).map(\.fruits.ids), [[1, 2, 3]])
    },
    ConformanceCase("trees of one model, to a depth", "5.8", "5.12") { context in
      let store = try context.openLinked()
      let root = try context.unwrap(
        store.first(Folder.all.where { $0.id == 1 }.prefetch(\.children, depth: 2)), "the root")
      try context.expectEqual(root.children.ids, [3, 2], "in the stored order")
      let second = try context.unwrap(root.children.loaded?.last, "the second child")
      try context.expectEqual(second.children.loaded?.map(\.id), [4])
      try context.expectEqual(second.parent.loaded?.name, "root")
      let fourth = try context.unwrap(second.children.loaded?.first, "the child's child")
      try context.expect(fourth.children.loaded == nil, "deeper than asked")
      try context.expectError(.notLoaded) { try fourth.children.get() }
      try context.expectEqual(fourth.parent.loaded?.parent.loaded?.children.ids, [3, 2])
      let parents = try store.fetch(Folder.all.where { $0.id == 5 }.prefetch(\.parent, depth: 9))
      var names: [String] = []
      var folder: Folder? = parents[0]
      while let next = folder {
        names.append(next.name)
        folder = try next.parent.get()
      }
      try context.expectEqual(names, ["e", "d", "b", "root"])
    },
  ]
}

extension ConformanceContext {
  /// A store with teams, players, coaches, leagues and folders and their links; those of player 6
  /// and of the third league lead to nothing, as foreign data may.
  func openLinked(options: StoreOptions = StoreOptions()) throws -> any Store {
    let store = try open(
      Team.self, Coach.self, Player.self, League.self, Folder.self, options: options)
    try store.write { tx in
      try tx.save([Team(1, "Reds"), Team(2, "Blues"), Team(3, "Empty")])
      try tx.save(
        [(1, 1), (2, 1), (3, 2), (5, 1)].map {
          Player($0, "p\($0)", age: 20 + Int($0), team: .key($1))
        })
      try tx.save(Player(4, "p4", age: 24))
      try tx.save([
        Coach("Ann", team: .key(1)), Coach("Bob", team: .key(2)), Coach("Cid"),
      ])
      try tx.save([
        League("de", 1, teams: .keys([2, 1])), League("de", 2, teams: .keys([1])),
        League("uk", 1),
      ])
      try tx.save([Folder("root", id: 1), Folder("b", id: 2), Folder("c", id: 3)])
      try tx.save(Folder("root", id: 1, children: .keys([3, 2])))
      try tx.save(Folder("d", id: 4, parent: .key(2)))
      try tx.save(Folder("e", id: 5, parent: .key(4)))
    }
    try store.putForeign(
      DynamicRow(
        "Player",
        ["id": .int(6), "name": .string("p6"), "age": .int(26), "team_id": .int(99)]))
    try store.putForeign(
      DynamicRow(
        "League_teams",
        [
          "League_country": .string("uk"), "League_number": .int(1), "teams_id": .int(98),
          "teams_position": .int(0),
        ]))
    return store
  }
}

extension Store {
  /// Writes a row beneath the rules of relationships, as another program would.
  func putForeign(_ row: DynamicRow) throws {
    guard let entity = schema.entity(named: row.entity) else {
      throw StoreError(.unknownEntity, "the store has no such entity", entity: row.entity)
    }
    let writer = try writer(WriteTurn())
    defer { writer.end() }
    var source = ForeignRow(row: row, entity: entity)
    var visitor = UntoldPut()
    try writer.put(PutRequest(entity: entity.name, mode: .insert), from: &source, to: &visitor)
    try writer.commit()
  }
}

/// One row by names, for a put.
private struct ForeignRow: RowSource {
  let row: DynamicRow
  let entity: StoredEntity
  private var isGiven = false

  init(row: DynamicRow, entity: StoredEntity) {
    self.row = row
    self.entity = entity
  }

  mutating func next<W: RowWriter & ~Copyable>(into writer: inout W) throws -> Bool {
    if isGiven { return false }
    isGiven = true
    for (position, column) in entity.columns.enumerated() {
      try writer.set(value: row[column.attribute], at: position, type: column.type)
    }
    return true
  }

  mutating func rewind() { isGiven = false }
}

/// Takes no notice of a put.
private struct UntoldPut: PutVisitor {
  mutating func didPut(_ outcome: PutOutcome, key: Int64) throws {}
  mutating func didRewind() {}
}
