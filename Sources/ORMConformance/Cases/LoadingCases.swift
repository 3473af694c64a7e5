internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clauses 5.8, 2.9 and 6.1: links that are read, by prefetch and by load.
  static let loading: [ConformanceCase] = [
    ConformanceCase("nothing is loaded unless asked; a to-one has its key", "5.8") { context in
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
    ConformanceCase("a prefetch takes one request for each relationship of a level", "5.8") {
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
        try count { _ = try $0.fetch(Team.all.prefetch(\.leagues)) }, 3,
        "a many-to-many takes two: the links, and their targets")
      try context.expectEqual(
        try count { _ = try $0.fetch(Team.all.prefetch(\.players) { $0.prefetch(\.team) }) }, 2,
        "what was read already is not asked for again")
      try context.expectEqual(
        try count { _ = try $0.fetch(Team.all.where { $0.id > 50 }.prefetch(\.players)) }, 1)
    },
    ConformanceCase("a to-many is read whole, by key, and is empty where there is nothing", "5.8") {
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
    ConformanceCase("a fetch has one value for each key, and links lead both ways", "5.8") {
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
    ConformanceCase("a to-one to nothing keeps its key, and prefetched it is nil", "2.9") {
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
    ConformanceCase("a many-to-many keeps the order it has on its ordered side", "5.8") { context in
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
    ConformanceCase("trees of one model, to a depth", "5.8") { context in
      let store = try context.openLinked()
      let root = try context.unwrap(
        store.first(Folder.all.where { $0.id == 1 }.prefetch(\.children, depth: 2)), "the root")
      try context.expectEqual(root.children.ids, [3, 2], "in the order kept")
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
  /// A store with teams, players, coaches, leagues and folders whose links are written by their
  /// keys.
  func openLinked(options: StoreOptions = StoreOptions()) throws -> any Store {
    let store = try open(
      Team.self, Coach.self, Player.self, League.self, Folder.self, options: options)
    let reds = ToOne<Team>.key(1)
    let blues = ToOne<Team>.key(2)
    try store.write { tx in
      try tx.insert(
        [DynamicRow("Team", ["id": .int(1), "name": .string("Reds")])]
          + [DynamicRow("Team", ["id": .int(2), "name": .string("Blues")])]
          + [DynamicRow("Team", ["id": .int(3), "name": .string("Empty")])])
      try tx.insert(
        [1: 1, 2: 1, 3: 2, 5: 1, 6: 99].map { id, team in
          DynamicRow(
            "Player",
            [
              "id": .int(id), "name": .string("p\(id)"), "age": .int(20 + id),
              "team_id": .int(team),
            ])
        })
      try tx.insert(Player(4, "p4", age: 24))
      try tx.insert([
        Coach("Ann", team: reds), Coach("Bob", team: blues), Coach("Cid"),
      ])
      try tx.insert([League("de", 1), League("de", 2), League("uk", 1)])
      let links: [(String, Int64, Int64, Int64)] = [
        ("de", 1, 1, 1), ("de", 1, 2, 0), ("de", 2, 1, 0), ("uk", 1, 98, 0),
      ]
      try tx.insert(
        links.map { country, number, team, position in
          DynamicRow(
            "League_teams",
            [
              "League_country": .string(country), "League_number": .int(number),
              "teams_id": .int(team), "teams_position": .int(position),
            ])
        })
      let folders: [(Int64, String, Int64?, Int64)] = [
        (1, "root", nil, 0), (2, "b", 1, 1), (3, "c", 1, 0), (4, "d", 2, 0), (5, "e", 4, 0),
      ]
      try tx.insert(
        folders.map { id, name, parent, position in
          DynamicRow(
            "Folder",
            [
              "id": .int(id), "name": .string(name),
              "parent_id": parent.map { .int($0) } ?? .null,
              "_Folder_children_position": .int(position),
            ])
        })
    }
    return store
  }
}
