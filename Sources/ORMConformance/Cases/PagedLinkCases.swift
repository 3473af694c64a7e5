internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 5.8, 5.12 and 3.3 for pages: a store may read a page together with the rows that it leads to.
  static let pagedLinks: [ConformanceCase] = [
    ConformanceCase("a page comes with the links that its rows have alone", "3.3", "5.8", "5.12") {
      context in
      let store = try context.openLinked()
      let teams = Team.all.sorted(by: .descending(\.name))
      try context.expectSamePages(teams.prefetch(\.players), store)
      try context.expectSamePages(teams.prefetch(\.coach), store)
      try context.expectSamePages(teams.prefetch(\.leagues), store)
      try context.expectSamePages(teams.prefetch(\.coach, \.players, \.leagues), store)
      // Objects that the graph has from above are not read again.
      try context.expectSamePages(teams.prefetch(\.players) { $0.prefetch(\.team) }, store)
      try context.expectSamePages(
        teams.prefetch(\.leagues) { $0.prefetch(\.teams) { $0.prefetch(\.players, \.coach) } },
        store)
      let players = Player.all.sorted(by: .descending(\.age))
      try context.expectSamePages(players.prefetch(\.team), store)
      try context.expectSamePages(
        players.prefetch(\.team) {
          $0.prefetch(\.players) { $0.prefetch(\.team) { $0.prefetch(\.coach) } }
        }, store)
      try context.expectSamePages(
        Coach.all.sorted(by: .ascending(\.name)).prefetch(\.team) {
          $0.prefetch(\.coach, \.leagues)
        }, store)
      let leagues = League.all.prefetch(\.teams) { $0.prefetch(\.leagues, \.players) }
      try context.expectSamePages(leagues, store)
      try context.expectSamePages(Folder.all.prefetch(\.children, depth: 4), store)
      try context.expectSamePages(
        Folder.all.sorted(by: .descending(\.id)).prefetch(\.parent) {
          $0.prefetch(\.parent).prefetch(\.children) { $0.prefetch(\.children, \.parent) }
        }, store)
    },
    ConformanceCase(
      "a page by conditions and orders over relationships comes with its links", "3.3", "5.8",
      "5.12"
    ) { context in
      let store = try context.openLinked()
      let players = Player.all.prefetch(\.team) { $0.prefetch(\.players) }
      try context.expectSamePages(players.where { $0.team.name == "Reds" }, store)
      try context.expectSamePages(
        players.sorted(by: .descending { $0.team.name }, .ascending(\.name)), store)
      try context.expectSamePages(players.where { $0.name.matches("p[1-3]") }, store)
      try context.expectSamePages(
        players.where { $0.name.contains("P") && $0.age > 20 }, store)
      let teams = Team.all.prefetch(\.players) { $0.prefetch(\.team) }
      try context.expectSamePages(teams.where { $0.players.count > 0 }, store)
      try context.expectSamePages(teams.sorted(by: .descending { $0.players.count }), store)
      try context.expectSamePages(teams.where { $0.leagues.any { $0.id.country == "de" } }, store)
      try context.expectSamePages(teams.where { $0.id > 50 }, store)
    },
    ConformanceCase(
      "single objects and pages in a write transaction come with their links", "5.8", "5.12", "6.1"
    ) { context in
      let store = try context.openLinked()
      func words(_ team: Team?) throws -> String? { try team.map { try $0.links(depth: 3) } }
      let whole = try words(store.fetch(Team.all.where { $0.id == 1 }.prefetch(\.players)).first)
      try context.expectEqual(try words(store.find(Team.self, 1, prefetch: \.players)), whole)
      try context.expectEqual(try words(store.first(Team.all.prefetch(\.players))), whole)
      try context.expectEqual(
        try words(store.one(Team.all.where { $0.name == "Reds" }.prefetch(\.players))), whole)
      try context.expect(try store.find(Team.self, 99, prefetch: \.players) == nil, "no team 99")
      try context.expectError(.ambiguous) { _ = try store.one(Team.all.prefetch(\.players)) }
      let page = Team.all.prefetch(\.players) { $0.prefetch(\.team) }.limit(2)
      try store.write { tx in
        try tx.save(Player(7, "p7", team: .key(2)))
        try context.expectEqual(try tx.fetch(page).map(\.players.ids), [[1, 2, 5], [3, 7]])
        try? tx.savepoint { tx in
          try tx.delete(Player.self, id: 1)
          try context.expectEqual(try tx.fetch(page).map(\.players.ids), [[2, 5], [3, 7]])
          throw CancellationError()
        }
        try context.expectEqual(try tx.fetch(page).map(\.players.ids), [[1, 2, 5], [3, 7]])
        try tx.delete(Team.self, id: 2)
        try context.expectEqual(
          try tx.fetch(page).map { $0.players.loaded?.map(\.team.id) }, [[1, 1, 1], []])
      }
      try context.expectEqual(try store.fetch(page).map(\.players.ids), [[1, 2, 5], []])
    },
    ConformanceCase("a page sees of its links the rows that a query sees", "3.3", "5.9", "5.12") {
      context in
      let setup = try VentureSetup(context)
      let store = setup.store
      try setup.fill()
      try store.save([
        Sticker("a", ventures: .keys([1, 2])), Sticker("b", ventures: .keys([2])),
      ])
      try store.delete(Chore.self, ids: [12, 21])
      try store.delete(Sticker.self, id: "b")
      func check() throws {
        let base = Venture.all.sorted(by: .descending(\.id))
        for ventures in [
          base, base.includingDeleted(), base.includingDeleted(related: true), base.onlyDeleted(),
        ] {
          try context.expectSamePages(
            ventures.prefetch(\.chores, \.memos, \.stickers, \.leader, \.client), store)
          try context.expectSamePages(
            ventures.prefetch(\.chores) { $0.prefetch(\.stages, \.venture) }, store)
          try context.expectSamePages(
            ventures.prefetch(\.stickers) { $0.prefetch(\.ventures) { $0.prefetch(\.memos) } },
            store)
          // A link may lead back to a hidden row of the page, and on from it.
          try context.expectSamePages(
            ventures.prefetch(\.memos) { $0.prefetch(\.venture) { $0.prefetch(\.stickers) } },
            store)
        }
        for jottings in [Jotting.all, Jotting.all.includingDeleted(related: true)] {
          try context.expectSamePages(
            jottings.prefetch(\.venture) { $0.prefetch(\.chores, \.client) }, store)
        }
      }
      try check()
      try store.delete(Venture.self, id: 1)
      try check()
    },
    ConformanceCase(
      "a page of a hierarchy comes with its links", "3.3", "5.8", "5.11", "5.12"
    ) { context in
      let store = try context.openBeasts()
      let beasts = Beast.all.sorted(by: .descending(\.name))
      try context.expectSamePages(
        beasts.prefetch(\.tags).prefetch(\.den) { $0.prefetch(\.beasts, \.pets, \.guardian) },
        store)
      try context.expectSamePages(
        Den.all.prefetch(\.guardian).prefetch(\.pets) {
          $0.prefetch(\.lion) { $0.prefetch(\.rival) }
        }, store)
      let lions = Lion.all.sorted(by: .descending(\.id))
      try context.expectSamePages(
        lions.prefetch(\.rival).prefetch(\.cubs) { $0.prefetch(\.lion) }, store)
      try context.expectSamePages(
        lions.where { $0.cubs.any { $0.weight > 2 } }.prefetch(\.cubs), store)
    },
    ConformanceCase("a page of classes with load hooks comes with its links", "5.8", "5.12", "3.3")
    { context in
      let store = try context.open(
        Band.self, Musician.self, Manager.self, Festival.self, options: StoreOptions())
      for number in 1...4 {
        let band = try store.save(Band("band \(number)"))
        try store.save((1...number).map { Musician("m\(number)-\($0)", band: .key(band.id)) })
      }
      let bands = Band.all.sorted(by: .descending(\.name))
      try context.expectSamePages(
        bands.prefetch(\.musicians) { $0.prefetch(\.band) { $0.prefetch(\.manager) } }, store)
      try context.expectSamePages(bands.prefetch(\.manager) { $0.prefetch(\.band) }, store)
      try context.expectSamePages(
        Musician.all.sorted(by: .ascending(\.name)).prefetch(\.band) { $0.prefetch(\.musicians) },
        store)
    },
  ]
}

extension ConformanceContext {
  /// Expects pages of a query to hold the rows, with the links, that a query without a page has for them.
  fileprivate func expectSamePages<Model: PrimaryKeyed>(
    _ query: Query<Model>, _ store: any Store
  ) throws {
    let all = try store.fetch(query).map { "\($0.id)" }
    for (offset, limit) in [(0, 1), (0, 3), (1, 2), (0, 100), (3, 100)] {
      let page = try store.fetch(query.offset(offset).limit(limit))
      try expectEqual(
        page.map { "\($0.id)" }, Array(all.dropFirst(offset).prefix(limit)), "the rows")
      let names = Model.entity.keyAttributes.map(\.name)
      let keys = try page.map { row in
        Condition.all(
          zip(names, try row.id.keyValues()).map {
            .compare(.attribute($0), .equal, .value($1), [])
          })
      }
      let same = try store.fetch(query.where(Filter(.any(keys))))
      try expectEqual(
        try page.map { try $0.links(depth: 5) }, try same.map { try $0.links(depth: 5) },
        "the links")
    }
  }
}

extension PrimaryKeyed {
  /// The object and its links in words, to a depth.
  fileprivate func links(depth: Int) throws -> String {
    var text = "\(id)"
    if depth == 0 { return text }
    for end in Self.entity.relationships { text += try Self.words(end, of: self, depth) }
    return "(\(text))"
  }

  private static func words<End: RelationshipEnd>(
    _ end: End, of model: End.Model, _ depth: Int
  ) throws -> String {
    let keys = end.ids(of: model).map { "\($0)" } ?? "?"
    guard let targets = end.targets(of: model) else { return " \(end.declaration.name) \(keys)" }
    let words = try targets.map { try $0.links(depth: depth - 1) }
    return " \(end.declaration.name) \(words)"
  }
}
