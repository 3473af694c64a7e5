internal import FoundationEssentials
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 5.6 and 5.8 for links set by changes of many rows and by rows of names.
  static let linkUpdates: [ConformanceCase] = [
    ConformanceCase("a change of many rows sets and clears to-ones", "5.6", "5.8") { context in
      let setup = try LinkSetup(context, LinkSetup.teams)
      let store = setup.store
      try store.insert([Team(1), Team(2)])
      try store.insert((1...4).map { Player($0, age: Int($0), team: .key(1)) })
      try context.expectEqual(
        try store.update(Player.all.where { $0.age > 2 }) { $0.team = .key(2) }, 2)
      try setup.expect("Player", "team_id", [.int(1), .int(1), .int(2), .int(2)])
      try context.expectEqual(
        try store.update(Player.all.where { $0.age == 3 }) {
          $0.team = nil
          $0.name = "free"
        }, 1)
      try setup.expect("Player", "team_id", [.int(1), .int(1), .null, .int(2)])
      try store.patch(Player.self, 3) { $0.team = .key(1) }
      try store.update(Player.all) { $0.team = .notLoaded }
      try setup.expect("Player", "team_id", [.int(1), .int(1), .int(1), .int(2)])
      try store.write { transaction in
        let query = DynamicQuery("Player", where: attribute("id").compare(.less, int(3)))
        _ = try transaction.update(query, ["team_id": int(2)])
        _ = try transaction.save([DynamicRow("Player", ["id": .int(4), "team_id": .null])])
      }
      try setup.expect("Player", "team_id", [.int(2), .int(2), .int(1), .null])
    },
    ConformanceCase("a change, patch or row that links to what is missing is refused", "5.6") {
      context in
      let setup = try LinkSetup(context, LinkSetup.teams)
      let store = setup.store
      try store.insert(Team(1))
      try store.insert([Player(5, team: .key(1)), Player(6)])
      func refuses(_ key: Int64, _ subject: String, _ body: () throws -> Void) throws {
        try context.expectError(
          .missingTarget, entity: "Player", attributes: ["team"], key: [.int(key)],
          values: [.int(9)], subject, body)
      }
      try refuses(5, "change") { try store.update(Player.all) { $0.team = .key(9) } }
      try refuses(6, "patch") { try store.patch(Player.self, 6) { $0.team = .key(9) } }
      try refuses(7, "patch that inserts") {
        try store.patch(Player.self, 7, onMissing: .insert) {
          $0.team = .key(9)
          $0.name = ""
          $0.age = 1
        }
      }
      try refuses(6, "row") {
        try store.write {
          _ = try $0.save([
            DynamicRow("Player", ["id": .int(5), "team_id": .int(1)]),
            DynamicRow("Player", ["id": .int(6), "team_id": .int(9)]),
          ])
        }
      }
      try refuses(5, "worked out") {
        try store.write {
          _ = try $0.update(DynamicQuery("Player"), ["team_id": .attribute("id") + int(4)])
        }
      }
      try context.expectEqual(
        try store.update(Player.all.where { $0.age > 99 }) { $0.team = .key(9) }, 0)
      try setup.expect("Player", "team_id", [.int(1), .null])
    },
    ConformanceCase("rows of one batch may lead to each other", "5.6") { context in
      let setup = try LinkSetup(context, [Folder.self])
      try setup.store.write { transaction in
        _ = try transaction.insert(
          [(1, 2), (2, 3), (3, 3)].map { (id: Int64, parent: Int64) in
            DynamicRow(
              "Folder", ["id": .int(id), "name": .string("f"), "parent_id": .int(parent)])
          })
      }
      try setup.expect("Folder", "parent_id", [.int(2), .int(3), .int(3)])
    },
    ConformanceCase("a key that leads nowhere stays in rows that are written again", "2.9") {
      context in
      let setup = try LinkSetup(context, LinkSetup.teams, .rule("Team.players", .noAction))
      let store = setup.store
      try store.insert(Team(1))
      try store.insert([Player(1, team: .key(1)), Player(2)])
      try store.delete(Team.self, id: 1)
      try store.write { transaction in
        _ = try transaction.save([
          DynamicRow("Player", ["id": .int(1), "age": .int(7), "team_id": .int(1)])
        ])
        try context.expectError(.missingTarget, entity: "Player", key: [.int(2)]) {
          try transaction.save([DynamicRow("Player", ["id": .int(2), "team_id": .int(1)])])
        }
      }
      var player = try context.unwrap(try store.find(Player.self, 1), "the player")
      player.age = 8
      try store.save(player)
      try store.update(Player.all.where { $0.id == 1 }) { $0[\.age] += 1 }
      try setup.expect("Player", "team_id", [.int(1), .null])
      try setup.expect("Player", "age", [.int(9), .int(20)])
    },
    ConformanceCase("a required to-one is not cleared, a one-to-one not given twice", "5.6", "5.8")
    {
      context in
      let store = try context.open(Book.self, Chapter.self)
      try store.save(Book("b", chapters: [Chapter("1"), Chapter("2")]))
      try context.expectError(.missingValue, entity: "Chapter", attributes: ["book"]) {
        try store.update(Chapter.all) { $0.book = nil }
      }
      let setup = try LinkSetup(context, LinkSetup.teams)
      try setup.store.insert([Team(1), Team(2)])
      try setup.store.insert([Coach("a", team: .key(1)), Coach("b", team: .key(2))])
      try context.expectError(.duplicate, entity: "Coach") {
        try setup.store.update(Coach.all) { $0.team = .key(1) }
      }
      try context.expectError(.invalidCondition, entity: "Team", attributes: ["coach"]) {
        try setup.store.update(Team.all) { $0.coach = nil }
      }
      try setup.store.update(Coach.all.where { $0.name == "a" }) { $0.team = nil }
      try setup.store.update(Coach.all.where { $0.name == "b" }) { $0.team = .key(1) }
      let teams = try setup.store.fetch(Coach.all.sorted(by: .ascending(\.name))).map(\.team.id)
      try context.expectEqual(teams, [nil, 1])
    },
    ConformanceCase("a composite key is set whole", "5.6") { context in
      let setup = try LinkSetup(context, LinkSetup.depots)
      let store = setup.store
      try store.insert([Yard("a", 1), Yard("b", 2)])
      try setup.insert("Depot", ["id": .int(1)])
      try store.update(Depot.all) { $0.yard = .key(Yard.ID(land: "b", number: 2)) }
      try setup.expect("Depot", "yard_land", [.string("b")])
      try setup.expect("Depot", "yard_number", [.int(2)])
      try context.expectError(
        .missingTarget, entity: "Depot", attributes: ["yard"], key: [.int(1)],
        values: [.string("b"), .int(1)]
      ) { try store.update(Depot.all) { $0.yard = .key(Yard.ID(land: "b", number: 1)) } }
      try context.expectError(.invalidValue, entity: "Depot", attributes: ["yard"]) {
        try store.write { try $0.update(DynamicQuery("Depot"), ["yard_number": int(1)]) }
      }
      try context.expectError(.invalidValue, entity: "Depot", attributes: ["yard"]) {
        try setup.insert("Depot", ["id": .int(2), "yard_land": .string("a"), "yard_number": .null])
      }
      try store.update(Depot.all) { $0.yard = nil }
      try setup.expect("Depot", "yard_number", [.null])
    },
    ConformanceCase("changes that move objects are held against both owners' counts", "5.6") {
      context in
      let setup = try LinkSetup(context, LinkSetup.teams, .count("Team.players", 1, 3))
      let store = setup.store
      try store.save([
        Team(1, players: [Player(1), Player(2), Player(3)]), Team(2, players: [Player(4)]),
      ])
      func refuses(_ team: Int64, _ subject: String, _ body: () throws -> Void) throws {
        try context.expectError(
          .validationFailed, entity: "Team", attributes: ["players"], key: [.int(team)], subject,
          body)
      }
      try refuses(1, "too many") { try store.update(Player.all) { $0.team = .key(1) } }
      try refuses(2, "too few") { try store.patch(Player.self, 4) { $0.team = nil } }
      try refuses(1, "by names") {
        try setup.insert(
          "Player", ["id": .int(9), "name": .string(""), "age": .int(1), "team_id": .int(1)])
      }
      try store.update(Player.all.where { $0.id <= 2 }) { $0.team = .key(2) }
      try refuses(1, "the last one moves") {
        try store.write {
          _ = try $0.save([DynamicRow("Player", ["id": .int(3), "team_id": .null])])
        }
      }
      try setup.expect("Player", "team_id", [.int(2), .int(2), .int(1), .int(2)])
    },
    ConformanceCase("a new row by names has too few targets where some are required", "5.6") {
      context in
      let setup = try LinkSetup(context, LinkSetup.teams, .count("Team.players", 1, 3))
      let store = setup.store
      func refuses(_ team: Int64, _ body: (WriteTransaction) throws -> Void) throws {
        try context.expectError(
          .validationFailed, entity: "Team", attributes: ["players"], key: [.int(team)]
        ) { try store.write { try body($0) } }
      }
      func row(_ team: Int64) -> DynamicRow {
        DynamicRow("Team", ["id": .int(team), "name": .string("new")])
      }
      try store.save(Team(1, players: [Player(1)]))
      try refuses(2) { _ = try $0.insert([row(2)]) }
      try refuses(2) { _ = try $0.save([row(1), row(2)]) }
      try refuses(2) { _ = try $0.save([DynamicRow("Team", ["name": .string("")])]) }
      try refuses(7) {
        _ = try $0.patch(Team.self, 7, onMissing: .insert) { $0.name = "new" }
      }
      try refuses(2) { _ = try $0.save(Team(0)) }
      try setup.expect("Team", "name", [.string("")])
      try context.expectEqual(
        try store.write { try $0.save([row(1)]) }, SaveCounts(updated: 1),
        "a row that is there keeps its targets")
      let folders = try LinkSetup(context, [Folder.self], .count("Folder.children", 1))
      func folder(_ id: Int64, parent: Int64) -> DynamicRow {
        DynamicRow("Folder", ["id": .int(id), "name": .string(""), "parent_id": .int(parent)])
      }
      try context.expectError(
        .validationFailed, entity: "Folder", attributes: ["children"], key: [.int(3)]
      ) {
        try folders.store.write { try $0.insert([folder(1, parent: 1), folder(3, parent: 1)]) }
      }
      try context.expectEqual(
        try folders.store.write {
          try $0.insert([folder(1, parent: 3), folder(3, parent: 1)])
        }, SaveCounts(inserted: 2), "rows of one batch may be each other's targets")
    },
    ConformanceCase("a row by names meets one of its batch whose key is given now", "5.4", "5.5") {
      context in
      let store = try context.open(Book.self, Chapter.self)
      func row(_ values: [String: StoredValue]) -> DynamicRow { DynamicRow("Book", values) }
      let counts = try store.write {
        try $0.save([
          row(["title": .string("a"), "subtitle": .string("first")]),
          row(["id": .int(1), "title": .string("b")]),
          row(["id": .int(7), "title": .string("c")]),
          row(["title": .string("d"), "subtitle": .string("last")]),
          row(["id": .int(8), "title": .string("e")]),
        ])
      }
      try context.expectEqual(counts, SaveCounts(inserted: 3, updated: 2))
      let books = try store.fetch(Book.all)
      try context.expectEqual(books.map(\.id), [1, 7, 8])
      try context.expectEqual(books.map(\.title), ["b", "c", "e"])
      try context.expectEqual(books.map(\.subtitle), ["first", nil, "last"])
      try store.delete(Book.self, id: 8)
      try store.write {
        _ = try $0.save([
          row(["title": .string("f"), "subtitle": .string("stays")]),
          row(["id": .int(9), "title": .string("g")]), row(["id": .int(1), "title": .string("h")]),
        ])
      }
      try context.expectEqual(try store.find(Book.self, 9)?.subtitle, "stays")
      try context.expectEqual(try store.find(Book.self, 1)?.subtitle, "first")
    },
    ConformanceCase(
      "targets that a change gives to an ordered owner come last, in key order", "5.8"
    ) {
      context in
      let store = try context.open(Book.self, Chapter.self)
      let books = try store.save([
        Book("a", chapters: [Chapter("1"), Chapter("2")]), Book("b", chapters: [Chapter("3")]),
      ])
      try store.update(Chapter.all) { $0.book = .key(books.keys[1]) }
      let rows = try store.read {
        try $0.fetch(
          DynamicQuery("Chapter", order: [SortTerm(.attribute("_Book_chapters_position"))]))
      }
      try context.expectEqual(
        rows.map { $0["title"] }, ["3", "1", "2"].map { StoredValue.string($0) })
    },
  ]
}
