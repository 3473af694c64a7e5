internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clause 5.8: the result of a save, whose links are set both ways.
  static let savedGraphs: [ConformanceCase] = [
    ConformanceCase("a save gives back the links that were set, both ways", "5.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let team = try store.save(
        Team(
          0, "Reds", coach: .to(Coach("x")), players: [Player(2, "b"), Player(1, "a")], leagues: [])
      )
      try context.expectEqual(team.id, 1)
      let players = try context.unwrap(team.players.loaded, "the players")
      try context.expectEqual(Set(players.map(\.name)), ["a", "b"])
      for player in players {
        try context.expectEqual(player.team.loaded?.name, "Reds", "the way back")
        try context.expectEqual(
          Set(player.team.loaded?.players.loaded?.map(\.id) ?? []), [1, 2], "and there again")
      }
      try context.expectEqual(team.coach.loaded?.name, "x")
      try context.expectEqual(team.coach.loaded?.team.loaded?.id, 1)
      try context.expectEqual(team.leagues.loaded?.count, 0)
      // Nothing of it is taken for set: saved again it changes nothing.
      try store.attach(
        [3], to: store.save(Team(0, "Blues", players: [Player(3)])).id, \Team.players)
      try store.save(Player(4, team: .key(1)))
      try context.expectEqual(try store.save([team]).unchanged, 1)
      try context.expectEqual(try store.count(Player.all.where { $0.id > 0 }), 4)
      try context.expectEqual(try store.find(Player.self, 4)?.team.id, 1)
    },
    ConformanceCase("from the many side: the other side follows in what is given back", "5.8") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let reds = try store.save(Team(0, "Reds"))
      let first = try store.save(Player(1, "a", team: .to(reds)))
      try context.expectEqual(first.team.loaded?.name, "Reds")
      try context.expectEqual(first.team.loaded?.players.loaded?.map(\.name), ["a"])
      let second = try store.save(Player(2, "b", team: .to(Team(0, "Blues"))))
      try context.expectEqual(second.team.id, 2)
      try context.expectEqual(second.team.loaded?.players.loaded?.map(\.id), [2])
      let third = try store.save(Player(3, "c", team: .key(1)))
      try context.expectEqual(third.team.id, 1)
      try context.expect(!third.team.isLoaded, "a key alone stays one")
      let coach = try store.save(Coach("x", team: .to(reds)))
      try context.expectEqual(coach.team.loaded?.coach.loaded?.name, "x")
      let cleared = try store.save(Player(3, "c", team: nil))
      try context.expect(cleared.team.isLoaded && cleared.team.id == nil, "it leads nowhere")
      let saved = try store.save(Player(1, "A", team: .notLoaded))
      try context.expectEqual(saved.team.id, 1, "left alone, it is as it is stored")
    },
    ConformanceCase("a many-to-many and deep graphs come back in order", "5.8") { context in
      let store = try context.open(
        Team.self, Coach.self, Player.self, League.self, Folder.self)
      let league = try store.save(
        League("x", 1, teams: [Team(0, "b", players: [Player(1)]), Team(0, "a")]))
      let teams = try context.unwrap(league.teams.loaded, "the teams")
      try context.expectEqual(teams.map(\.name), ["b", "a"])
      try context.expectEqual(teams[0].players.loaded?.map(\.id), [1])
      try context.expectEqual(teams[0].leagues.ids, [league.id])
      try context.expectEqual(
        teams[0].leagues.loaded?.first?.teams.loaded?.map(\.name), ["b", "a"])
      let root = try store.save(
        Folder("root", children: [Folder("b", children: [Folder("c")]), Folder("a")]))
      let children = try context.unwrap(root.children.loaded, "the children")
      try context.expectEqual(children.map(\.name), ["b", "a"])
      let grandchild = try context.unwrap(children[0].children.loaded?.first, "the grandchild")
      try context.expectEqual(grandchild.parent.loaded?.parent.loaded?.name, "root")
      try context.expectEqual(root.parent.id, nil)
    },
    ConformanceCase("a to-many back has the keys of all its targets, however many", "5.8") {
      context in
      let counting = CountingStore(
        try context.open(Team.self, Coach.self, Player.self, League.self))
      let store: any Store = counting
      let team = try store.save(Team(0, "Reds"))
      var asked: [Int] = []
      for count in [3, 300] {
        try store.save((1...count).map { Player(Int64($0), team: .key(1)) })
        var saved: Player?
        let requests: [FetchRequest] = try counting.requests {
          saved = try $0.save(Player(Int64(count), "last", team: .to(team)))
        }
        asked.append(requests.count)
        let back = try context.unwrap(saved?.team.loaded?.players, "the way back")
        try context.expectEqual(back.ids, (1...Int64(count)).map { $0 })
        try context.expect(back.loaded == nil && !back.isLoaded, "the others were not read")
        try context.expectError(.notLoaded, entity: "Player") { try back.get() }
      }
      try context.expectEqual(asked[0], asked[1], "requests do not grow with the links")
      try store.attach([2], to: store.save(Team(0, "Blues")).id, \Team.players)
      // A link back says nothing to a later save.
      let first = try store.save(Player(1, "a", team: .to(team)))
      try context.expectEqual(first.team.loaded?.players.ids?.count, 299)
      try context.expectEqual(try store.save([first]).counts, SaveCounts(unchanged: 1))
      let owner = try context.unwrap(first.team.loaded, "the team")
      try context.expectEqual(try store.save(owner).players, .notLoaded)
      try context.expectEqual(try store.count(Player.all.where { $0.team.id == 1 }), 299)
    },
    ConformanceCase("rows that a save wrote are not read back", "5.1", "5.8") { context in
      let counting = CountingStore(
        try context.open(Team.self, Coach.self, Player.self, League.self))
      var saved: Team?
      // Requests for objects; a save asks for the keys and links of stored rows alone.
      func requests(_ team: Team) throws -> Int {
        let asked: [FetchRequest] = try counting.requests { saved = try $0.save(team) }
        return asked.count { request in
          switch request.shape.output {
          case .rows, .joined: true
          default: false
          }
        }
      }
      let whole = Team(
        0, "Reds", coach: .to(Coach("x")), players: [Player(2, "b"), Player(1, "a")],
        leagues: [League("y", 1, teams: [])])
      try context.expectEqual(try requests(whole), 0)
      try context.expectEqual(saved?.players.loaded?.map(\.name), ["a", "b"], "by their keys")
      try context.expectEqual(saved?.coach.loaded?.team.loaded?.name, "Reds")
      try context.expectEqual(saved?.leagues.loaded?.map(\.id.number), [1])
      // A target that is named by its key is read.
      try context.expectEqual(
        try requests(Team(0, "Blues", players: .keys([1]), leagues: .notLoaded)), 1)
      try context.expectEqual(saved?.players.loaded?.map(\.name), ["a"])
    },
    ConformanceCase("links back follow at every level that was set", "5.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save([Team(1, "a"), Team(2, "b")])
      try store.save(League("x", 1, teams: .keys([2])))
      let player = try store.save(
        Player(
          7, team: .to(Team(0, "c", leagues: [League("x", 1, teams: .notLoaded), League("y", 2)]))))
      let team = try context.unwrap(player.team.loaded, "the team")
      try context.expectEqual(team.players.loaded?.map(\.id), [7])
      let leagues = try context.unwrap(team.leagues.loaded, "its leagues")
      try context.expectEqual(leagues.map(\.teams.ids), [[2, 3], [3]])
      try context.expectEqual(
        leagues.map { $0.teams.loaded?.map(\.name) }, [nil, ["c"]],
        "team 2 was no part of the save")
      let keyed = try store.save(Player(8, team: .key(3)))
      try context.expectEqual(keyed.team.id, 3)
      try context.expect(keyed.team.loaded == nil && !keyed.team.isLoaded, "by its key alone")
      let whole = try store.save(Team(1, "a", players: .keys([7, 8]), leagues: .notLoaded))
      try context.expectEqual(whole.players.loaded?.map(\.id), [7, 8])
      try context.expectEqual(whole.players.loaded?.map(\.team.id), [1, 1])
      try context.expect(whole.leagues.ids == nil, "what was not set is not loaded")
    },
    ConformanceCase("5.8: fetched with links both ways, changed and saved", "5.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save(
        Team(0, "Reds", coach: .to(Coach("x")), players: [Player(1, "a"), Player(2, "b")]))
      var team = try context.unwrap(
        try store.first(Team.all.prefetch(\.players, \.coach)), "the team")
      team.name = "Greens"
      let saved = try store.save(team)
      try context.expectEqual(saved.name, "Greens")
      try context.expectEqual(try store.find(Team.self, 1)?.name, "Greens")
      // A fetched object inside is not written through …
      var player = try context.unwrap(team.players.loaded?.first, "a player")
      let other = try context.unwrap(team.players.loaded?.last, "another")
      player.name = "c"
      try store.save(team)
      try context.expectEqual(try store.fetch(Player.all).map(\.name), ["a", "b"])
      // … and one that is set is, with links that still say where it was fetched.
      team.players = [player, other]
      team.name = "Blues"
      try store.update(team)
      try context.expectEqual(try store.fetch(Player.all).map(\.name), ["c", "b"])
      try context.expectEqual(try store.fetch(Player.all).map(\.team.id), [1, 1])
      player.team = .to(team)
      try context.expectEqual(try store.save(player).team.loaded?.name, "Blues")
      try context.expectEqual(try store.fetch(Coach.all).map(\.team.id), [1])
    },
  ]
}
