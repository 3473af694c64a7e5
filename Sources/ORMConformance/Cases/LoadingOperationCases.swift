internal import Dispatch
internal import FoundationEssentials
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 5.8, 6.1 and 7.1: loading by operation, in one snapshot, and beyond the keys of one request.
  static let loadingOperations: [ConformanceCase] = [
    ConformanceCase("load reads the links of one object", "5.8", "5.12") { context in
      let store = try context.openLinked()
      let team = try context.unwrap(store.find(Team.self, 1), "team 1")
      let players = try store.load(team, \.players)
      try context.expectEqual(players.map(\.id), [1, 2, 5])
      try context.expectEqual(players[0].team.loaded?.name, "Reds", "the way back")
      try context.expectEqual(try store.load(team, \.coach)?.name, "Ann")
      try context.expectEqual(try store.load(team, \.leagues).map(\.id.number), [1, 2])
      let ann = try context.unwrap(
        store.load(team, \.coach) { $0.prefetch(\.team) { $0.prefetch(\.players) } }, "Ann")
      try context.expectEqual(ann.team.loaded?.players.ids, [1, 2, 5])
      let free = try context.unwrap(store.find(Player.self, 4), "player 4")
      try context.expect(try store.load(free, \.team) == nil, "player 4 has no team")
      let lost = try context.unwrap(store.find(Player.self, 6), "player 6")
      try context.expect(try store.load(lost, \.team) == nil, "team 99 does not exist")
      try context.expectEqual(
        try store.load(Player(9, team: .key(2)), \.team)?.name, "Blues", "by the key it has")
      var unknown = free
      unknown.id = 3
      unknown.team = .notLoaded
      try context.expectEqual(
        try store.load(unknown, \.team)?.name, "Blues", "by the key that is stored")
      try context.expectEqual(try store.load(Team(77), \.players), [], "there is no such team")
    },
    ConformanceCase("load reads the links of many objects by one request", "5.8", "5.12") {
      context in
      let counting = CountingStore(try context.openLinked())
      let teams = try counting.fetch(Team.all.prefetch(\.coach))
      var loaded: [Team] = []
      let requests: [FetchRequest] = try counting.requests {
        loaded = try $0.load([teams[2], teams[0], teams[1], teams[0]], \.players)
      }
      try context.expectEqual(requests.count, 1)
      try context.expectEqual(loaded.map(\.id), [3, 1, 2, 1])
      try context.expectEqual(loaded.map(\.players.ids), [[], [1, 2, 5], [3], [1, 2, 5]])
      try context.expectEqual(
        loaded.map { $0.coach.loaded?.name }, [nil, "Ann", "Bob", "Ann"], "what was there stays")
      var players = try counting.fetch(Player.all)
      players[0].team = .key(2)
      let followed = try counting.load(players, \.team)
      try context.expectEqual(followed.map(\.team.id), [2, 1, 2, nil, 1, 99])
      try context.expectEqual(
        followed.map { $0.team.loaded?.name }, [nil, "Reds", "Blues", nil, "Reds", nil],
        "a to-one that the program set is left as it was set")
      try counting.save(followed[0])
      try context.expectEqual(try counting.find(Player.self, 1)?.team.id, 2)
      try context.expectEqual(try counting.load([Team](), \.players), [])
    },
    ConformanceCase("a fetched link is never written through", "5.8", "5.12") { context in
      let store = try context.openLinked()
      var team = try context.unwrap(
        store.first(Team.all.prefetch(\.players, \.coach, \.leagues)), "the first team")
      team.name = "Crimsons"
      try store.save(team)
      let after = try context.unwrap(
        store.find(Team.self, 1, prefetch: \.players, \.coach, \.leagues), "team 1")
      try context.expectEqual(after.name, "Crimsons")
      try context.expectEqual(after.players.ids, [1, 2, 5])
      try context.expectEqual(after.coach.loaded?.name, "Ann")
      try context.expectEqual(after.leagues.ids?.count, 2)
      var player = try context.unwrap(after.players.loaded?.first, "a player")
      player.age = 50
      try store.save(player)
      try context.expectEqual(try store.find(Player.self, 1)?.age, 50)
      try context.expectEqual(try store.find(Player.self, 1)?.team.id, 1)
      try context.expectEqual(try store.find(Team.self, 1)?.name, "Crimsons")
    },
    ConformanceCase("every operation that gives objects prefetches", "5.8", "3.3", "5.12") {
      context in
      let store = try context.openLinked()
      let query = Team.all.sorted(by: .descending(\.id)).prefetch(\.players)
      try context.expectEqual(try store.first(query)?.players.ids, [])
      try context.expectEqual(
        try store.one(query.where { $0.id == 2 })?.players.loaded?.map(\.id), [3])
      try context.expectEqual(
        try store.fetch(query.page(1, size: 2)).map(\.players.ids), [[1, 2, 5]])
      try context.expectEqual(
        try store.find(Team.self, [3, 99, 1], prefetch: \.players).map(\.players.ids),
        [[], [1, 2, 5]])
      try context.expect(
        try store.find(Team.self, 99, prefetch: \.players) == nil, "there is no team 99")
      var chunks: [[Int]] = []
      try store.chunks(query, size: 2) { chunks.append($0.map { $0.players.ids?.count ?? -1 }) }
      try context.expectEqual(chunks, [[0, 1], [3]])
      try store.write { tx in
        try context.expectEqual(try tx.fetch(query).map { $0.players.ids?.count }, [0, 1, 3])
        try tx.save(Player(7, team: .key(3)))
        try context.expectEqual(try tx.first(query)?.players.ids, [7], "what was just written")
      }
      try context.expectEqual(try store.count(query), 3)
      try context.expectEqual(try store.exists(query), true)
    },
    ConformanceCase(
      async: "streams, asynchronous and completion operations prefetch", "5.8", "5.12"
    ) {
      context in
      let store = try await offThePool { try context.openLinked() }
      var counts: [Int?] = []
      for try await team in store.stream(Team.all.prefetch(\.players)) {
        counts.append(team.players.loaded?.count)
      }
      try context.expectEqual(counts, [3, 1, 0])
      let teams = try await store.fetch(Team.all.prefetch(\.coach))
      try context.expectEqual(teams.map { $0.coach.loaded?.name }, ["Ann", "Bob", nil])
      try context.expectEqual(try await store.load(teams[0], \.players).map(\.id), [1, 2, 5])
      try context.expectEqual(
        try await store.load(teams, \.leagues).map { $0.leagues.ids?.count }, [2, 1, 0])
      let team = try await store.find(Team.self, 1, prefetch: \.players, \.coach)
      try context.expectEqual(team?.players.ids, [1, 2, 5])
      let loaded: [Player] = try await withCheckedThrowingContinuation { continuation in
        store.read(on: .global()) {
          try $0.load(teams[1], \.players)
        } completion: {
          continuation.resume(with: $0)
        }
      }
      try context.expectEqual(loaded.map(\.id), [3])
      let found: Team? = try await withCheckedThrowingContinuation { continuation in
        store.read(on: .global()) {
          try $0.find(Team.self, 2, prefetch: \.coach)
        } completion: {
          continuation.resume(with: $0)
        }
      }
      try context.expectEqual(found?.coach.loaded?.name, "Bob")
    },
    ConformanceCase("a prefetch is of the snapshot of its rows", "6.1", "5.8", "5.12") { context in
      let store = try context.openLinked()
      try store.read { tx in
        let teams = try tx.fetch(Team.all)
        try elsewhere {
          try store.write { tx in
            try tx.save(Player(8, team: .key(1)))
            try tx.delete(Player.self, id: 3)
          }
        }
        try context.expectEqual(
          try tx.load(teams, \.players).map(\.players.ids), [[1, 2, 5], [3], []])
        try context.expectEqual(
          try tx.fetch(Team.all.prefetch(\.players)).map(\.players.ids), [[1, 2, 5], [3], []])
      }
      try context.expectEqual(
        try store.fetch(Team.all.prefetch(\.players)).map(\.players.ids), [[1, 2, 5, 8], [], []])
    },
    ConformanceCase(
      "a level of more keys than a request lists is asked for in parts", "7.1", "5.12"
    ) {
      context in
      var options = StoreOptions()
      options.conditionLimits.listItems = 100
      let store = CountingStore(
        try context.open(
          Team.self, Coach.self, Player.self, League.self, options: options))
      try store.save((1...250).map { Team($0) })
      try store.save((1...500).map { Player($0, team: .key(($0 - 1) / 2 + 1)) })
      var teams: [Team] = []
      let requests: [FetchRequest] = try store.requests {
        teams = try $0.fetch(Team.all.prefetch(\.players))
      }
      try context.expectEqual(requests.count, 4)
      try context.expectEqual(
        teams.map(\.players.ids), (1...250).map { [2 * $0 - 1, 2 * $0] })
    },
    ConformanceCase("rows that several requests of a level find belong to it once", "5.8", "5.12") {
      context in
      var options = StoreOptions()
      options.conditionLimits.listItems = 300
      let store = try context.open(
        Team.self, Coach.self, Player.self, League.self, options: options)
      try store.save([Team(1), Team(2)])
      // Their keys do not follow each other by country, so that each request lists all countries.
      let leagues = (0..<700).map {
        League("c\($0 / 35)", $0 % 35, teams: .keys($0 % 2 == 0 ? [1, 2] : [2]))
      }
      try store.save(leagues)
      let found = try store.fetch(
        League.all.sorted(by: .ascending(\.id.number), .ascending(\.id.country))
          .prefetch(\.teams))
      try context.expectEqual(found.count, 700)
      for league in found {
        let index = 35 * (Int(league.id.country.dropFirst()) ?? 0) + league.id.number
        try context.expectEqual(league.teams.ids, index % 2 == 0 ? [1, 2] : [2], "\(league.id)")
        try context.expectEqual(league.teams.loaded?.map(\.id), index % 2 == 0 ? [1, 2] : [2])
      }
    },
    ConformanceCase("a level of many composite keys is one request", "5.8", "5.12") { context in
      let store = CountingStore(
        try context.open(Team.self, Coach.self, Player.self, League.self))
      // Of each country every other number; asked for are pairs that do not fill their product.
      let leagues = (0..<800).map { League("c\($0 % 20)", $0 / 10, teams: .keys([1])) }
      try store.save(Team(1))
      try store.save(leagues)
      let isFirst = attribute("country").list(
        [0, 1, 2, 3, 4, 10, 11, 12, 13, 14].map { .string("c\($0)") })
      let condition = Condition.any([
        .all([isFirst, attribute("number").compare(.less, int(40))]),
        .all([.not(isFirst), attribute("number").compare(.greaterOrEqual, int(40))]),
      ])
      var found: [League] = []
      let requests: [FetchRequest] = try store.requests {
        found = try $0.fetch(League.all.where(Filter(condition)).prefetch(\.teams))
      }
      try context.expectEqual(requests.count, 2)
      try context.expectEqual(found.count, 400)
      try context.expect(found.allSatisfy { $0.teams.ids == [1] }, "each has the one team")
      let team = try context.unwrap(store.find(Team.self, 1, prefetch: \.leagues), "the team")
      try context.expectEqual(
        team.leagues.ids.map { Set($0) }, Set(leagues.map(\.id)))
    },
  ]
}
