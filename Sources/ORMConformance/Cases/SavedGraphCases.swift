internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clause 5.8: what a save gives back, links set both ways.
  static let savedGraphs: [ConformanceCase] = [
    ConformanceCase("a save gives back the links that were set, both ways", "5.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let team = try store.save(
        Team(0, "Reds", coach: .to(Coach("x")), players: [Player(2, "b"), Player(1, "a")]))
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
      try store.attach([3], to: store.save(Team(0, "Blues", players: [Player(3)])), \.players)
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
      let kept = try store.save(Player(1, "A", team: .notLoaded))
      try context.expectEqual(kept.team.id, 1, "left alone, it is as it is stored")
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
