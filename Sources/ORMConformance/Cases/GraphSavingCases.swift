internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clause 5.8: objects are saved with the objects they reach, and stored links are the links that were set.
  static let graphSaving: [ConformanceCase] = [
    ConformanceCase("one side of a one-to-many is set, the other follows", "5.8") { context in
      let store = try context.openLeague()
      let reds = try store.save(Team(0, "Reds", players: [Player(1, "a"), Player(2, "b")]))
      try context.expectEqual(reds.id, 1, "the generated key")
      try context.expectEqual(try store.teams(), [1: 1, 2: 1])
      try store.save(Player(3, "c", team: .to(Team(0, "Blues"))))
      try context.expectEqual(try store.teams(), [1: 1, 2: 1, 3: 2])
      try context.expectEqual(try store.fetch(Team.all).map(\.name), ["Reds", "Blues"])
    },
    ConformanceCase("a to-many that was set replaces, [] clears, one not loaded stays", "5.8") {
      context in
      let store = try context.openLeague()
      var team = try store.save(Team(0, "Reds", players: [Player(1), Player(2), Player(3)]))
      team.players = [Player(3), Player(4)]
      try store.save(team)
      try context.expectEqual(try store.teams(), [1: nil, 2: nil, 3: 1, 4: 1])
      team.players = .keys([2, 3])
      try store.update(team)
      try context.expectEqual(try store.teams(), [1: nil, 2: 1, 3: 1, 4: nil])
      team.players = .notLoaded
      team.name = "Greens"
      try store.save(team)
      try context.expectEqual(try store.teams(), [1: nil, 2: 1, 3: 1, 4: nil])
      try context.expectEqual(try store.find(Team.self, 1)?.name, "Greens")
      team.players = []
      try store.save(team)
      try context.expectEqual(try store.teams(), [1: nil, 2: nil, 3: nil, 4: nil])
    },
    ConformanceCase("a to-one: set, cleared, not loaded, and as it was fetched", "5.8") {
      context in
      let store = try context.openLeague()
      try store.save([Team(0, "Reds"), Team(0, "Blues")])
      try store.save(Player(1, team: .key(1)))
      var fetched = try context.unwrap(try store.find(Player.self, 1), "the player")
      // Another moves it in the meantime; the fetched link is not written back.
      try store.save(Player(1, team: .key(2)))
      fetched.name = "x"
      try store.save(fetched)
      try context.expectEqual(try store.teams(), [1: 2])
      try context.expectEqual(try store.find(Player.self, 1)?.name, "x")
      try store.save(Player(1, team: .notLoaded))
      try context.expectEqual(try store.teams(), [1: 2])
      try store.save(Player(1, team: nil))
      try context.expectEqual(try store.teams(), [1: nil])
      // A row that is gone is inserted with the link it was fetched with.
      try store.delete(Player.self, id: 1)
      try store.save(fetched)
      try context.expectEqual(try store.teams(), [1: 1])
    },
    ConformanceCase("an element of a one-to-many that another holds moves", "5.8") { context in
      let store = try context.openLeague()
      try store.save([
        Team(0, "Reds", players: [Player(1), Player(2)]), Team(0, "Blues", players: [Player(3)]),
      ])
      try context.expectEqual(try store.teams(), [1: 1, 2: 1, 3: 2])
      try store.save(Team(2, "Blues", players: [Player(3), Player(2)]))
      try context.expectEqual(try store.teams(), [1: 1, 2: 2, 3: 2])
      // A fetched link of the element says another team, and counts for nothing.
      let first = try context.unwrap(try store.find(Player.self, 1), "the player")
      try context.expectEqual(first.team.id, 1)
      try store.save(Team(2, "Blues", players: [first]))
      try context.expectEqual(try store.teams(), [1: 2, 2: nil, 3: nil])
    },
    ConformanceCase("a one-to-one moves, and its previous owner's side follows", "5.8") { context in
      let store = try context.openLeague()
      let reds = try store.save(Team(0, "Reds", coach: .to(Coach("x"))))
      try store.save(Team(0, "Blues", coach: .to(Coach("y"))))
      try context.expectEqual(try store.coaches(), ["x": 1, "y": 2])
      // From the end that holds the key …
      var y = try context.unwrap(
        try store.first(Coach.all.where { $0.name == "y" }), "the coach")
      y.team = .key(reds.id)
      try store.save(y)
      try context.expectEqual(try store.coaches(), ["x": nil, "y": 1])
      // … and from the other.
      try store.save(Team(2, "Blues", coach: .key(y.id), players: .notLoaded))
      try context.expectEqual(try store.coaches(), ["x": nil, "y": 2])
      try store.save(Team(2, "Blues", coach: .to(Coach("z"))))
      try context.expectEqual(try store.coaches(), ["x": nil, "y": nil, "z": 2])
      try store.save(Team(2, "Blues", coach: nil))
      try context.expectEqual(try store.coaches(), ["x": nil, "y": nil, "z": nil])
    },
    ConformanceCase("two referrers of one-to-ones swap targets in one save", "5.8", "5.1") {
      context in
      let store = try context.openLeague()
      try store.save([
        Team(0, "Reds", coach: .to(Coach("x"))), Team(0, "Blues", coach: .to(Coach("y"))),
      ])
      var coaches = try store.fetch(Coach.all.sorted(by: .ascending(\.name)))
      coaches[0].team = .key(2)
      coaches[1].team = .key(1)
      try context.expectEqual(try store.save(coaches).updated, 2)
      try context.expectEqual(try store.coaches(), ["x": 2, "y": 1])
      try store.save([
        Team(1, "Reds", coach: .key(coaches[0].id)), Team(2, "Blues", coach: .key(coaches[1].id)),
      ])
      try context.expectEqual(try store.coaches(), ["x": 1, "y": 2])
    },
    ConformanceCase("a many-to-many follows either side, in the order of the ordered one", "5.8") {
      context in
      let store = try context.openLeague()
      let teams = try store.save([Team(0, "a"), Team(0, "b"), Team(0, "c")])
      try context.expectEqual(teams.keys, [1, 2, 3])
      try store.save(League("x", 1, teams: .keys([3, 1])))
      try context.expectEqual(try store.leagues(), ["x1": [3, 1]])
      try store.save(Team(2, "b", leagues: [League("x", 1, teams: .notLoaded), League("y", 1)]))
      try context.expectEqual(try store.leagues(), ["x1": [3, 1, 2], "y1": [2]])
      try store.save(League("x", 1, teams: .keys([2, 3])))
      try context.expectEqual(try store.leagues(), ["x1": [2, 3], "y1": [2]])
      try store.save(Team(2, "b", leagues: []))
      try context.expectEqual(try store.leagues(), ["x1": [3]])
      try store.save(League("x", 1, teams: .notLoaded))
      try context.expectEqual(try store.leagues(), ["x1": [3]])
    },
    ConformanceCase("an ordered one-to-many keeps the order it is given", "5.8") { context in
      let store = try context.open(Book.self, Chapter.self)
      let chapters = (1...5).map { Chapter("\($0)") }
      try store.save(Book("b", chapters: ToMany(chapters)))
      try context.expectEqual(try store.chapters(), ["1", "2", "3", "4", "5"])
      try store.save(Book("b", id: 1, chapters: .keys([5, 1, 3, 2, 4])))
      try context.expectEqual(try store.chapters(), ["5", "1", "3", "2", "4"])
      // Many moves into one gap end its room, and everything is placed anew.
      var order: [Int64] = [5, 1, 3, 2, 4]
      for _ in 0..<30 {
        order.swapAt(1, 2)
        try store.save(Book("b", id: 1, chapters: .keys(order)))
      }
      try context.expectEqual(try store.chapters(), ["5", "1", "3", "2", "4"])
      try store.save(Chapter("6", book: .key(1)))
      try context.expectEqual(try store.chapters(), ["5", "1", "3", "2", "4", "6"])
    },
    ConformanceCase("a required to-one is given from either side, and never let go", "5.8", "5.6") {
      context in
      let store = try context.open(Book.self, Chapter.self)
      try store.save(Book("b", chapters: [Chapter("1"), Chapter("2")]))
      try context.expectError(.missingValue, entity: "Chapter", attributes: ["book"]) {
        try store.save(Chapter("3"))
      }
      try context.expectError(.missingValue, entity: "Chapter", attributes: ["book"]) {
        try store.save(Chapter("3", book: nil))
      }
      let second = try context.expectError(.missingValue, entity: "Chapter", attributes: ["book"]) {
        try store.save(Book("x", id: 1, chapters: .keys([1])))
      }
      try context.expectEqual(second.key, [.int(2)])
      try context.expectEqual(try store.fetch(Book.all).map(\.title), ["b"])
      // Left alone, and moved to another.
      try store.save(Chapter("2x", id: 2))
      try store.save([
        Book("c", chapters: .keys([2])), Book("b", id: 1, chapters: .keys([1])),
      ])
      try context.expectEqual(try store.fetch(Chapter.all).map(\.book.id), [1, 2])
    },
    ConformanceCase("a link to an object that does not exist is missingTarget", "5.8") { context in
      let store = try context.openLeague()
      func refuses(
        _ entity: String, _ relationship: String, _ key: [StoredValue], to target: String,
        _ missing: Int64, _ body: () throws -> Void
      ) throws {
        let error = try context.expectError(
          .missingTarget, entity: entity, attributes: [relationship], key: key,
          values: [.int(missing)], ""
        ) { try body() }
        try context.expect(error.message.contains(target), "it says what is missing: \(error)")
      }
      try refuses("Player", "team", [.int(2)], to: "Team", 9) {
        try store.save([Player(1, team: .to(Team(0, "Reds"))), Player(2, team: .key(9))])
      }
      try refuses("Player", "team", [.int(3)], to: "Team", 9) {
        try store.save([Player(1), Player(3, team: .key(9)), Player(2, team: .key(9))])
      }
      try refuses("Player", "team", [.int(3)], to: "Team", 9) {
        try store.insert(Player(3, team: .key(9)))
      }
      try refuses("Player", "team", [.int(3)], to: "Team", 9) {
        try store.write {
          _ = try $0.insert([
            DynamicRow(
              "Player",
              ["id": .int(3), "name": .string(""), "age": .int(1), "team_id": .int(9)])
          ])
        }
      }
      try refuses("Team", "players", [], to: "Player", 8) {
        try store.save(Team(0, "Reds", players: .keys([8])))
      }
      try refuses("Team", "players", [.int(4)], to: "Player", 8) {
        try store.save([Team(4, "Reds", players: .keys([8])), Team(5, players: .keys([9]))])
      }
      try refuses("League", "teams", [.string("x"), .int(1)], to: "Team", 7) {
        try store.save(League("x", 1, teams: .keys([7])))
      }
      try refuses("Coach", "team", [.uuid(UUID(uuidString: coach) ?? UUID())], to: "Team", 7) {
        try store.save(Coach("a", id: UUID(uuidString: coach) ?? UUID(), team: .key(7)))
      }
      try context.expectEqual(try store.count(Team.self), 0, "nothing is written")
      try context.expectEqual(try store.count(Player.self), 0, "nothing is written")
      try context.expectEqual(try store.count(League.self), 0, "nothing is written")
    },
    ConformanceCase("links and values that contradict each other are conflictingLinks", "5.8") {
      context in
      let store = try context.openLeague()
      let shared = Player(1, "a")
      let owners = try context.expectError(.conflictingLinks, entity: "Player", key: [.int(1)]) {
        try store.save([Team(0, "Reds", players: [shared]), Team(0, "Blues", players: [shared])])
      }
      try context.expectEqual(owners.attributes, ["team"])
      try store.save([Team(0, "Reds"), Team(0, "Blues")])
      try context.expectError(.conflictingLinks, entity: "Player", key: [.int(1)]) {
        try store.save(Team(1, "Reds", players: [Player(1, team: .key(2))]))
      }
      try context.expectError(.conflictingLinks, entity: "Team", key: [.int(1)]) {
        try store.save([Coach("x", team: .key(1)), Coach("y", team: .key(1))])
      }
      let values = try context.expectError(.conflictingLinks, entity: "Player", key: [.int(1)]) {
        try store.save(Team(0, "Greens", players: [Player(1, "a"), Player(2), Player(1, "b")]))
      }
      try context.expectEqual(values.attributes, ["name"])
      try context.expectEqual(try store.count(Player.self), 0, "nothing is written")
      try context.expectEqual(try store.count(Team.self), 2, "nothing is written")
      // The same object twice is one, and both sides may say the same.
      try store.save(Team(1, "Reds", players: [shared, Player(1, "a", team: .key(1))]))
      try context.expectEqual(try store.teams(), [1: 1])
    },
    ConformanceCase("new objects in a circle: an optional link is set afterwards", "5.8") {
      context in
      let store = try context.open(Folder.self, Knot.self)
      // A tree of new objects, each with a key that the store gives.
      let tree = Folder("root", children: [Folder("a", children: [Folder("c")]), Folder("b")])
      let root = try store.save(tree)
      try context.expectEqual(
        try store.parents(), ["root": nil, "a": "root", "b": "root", "c": "a"])
      // A circle of stored ones, through keys and objects.
      try store.save(Folder("root", id: root.id, parent: .to(Folder("top", parent: .key(root.id)))))
      try context.expectEqual(
        try store.parents(),
        ["root": "top", "top": "root", "a": "root", "b": "root", "c": "a"])
    },
    ConformanceCase("a circle of required to-ones is refused", "5.8") { context in
      let store = try context.open(Knot.self)
      let error = try context.expectError(.requiredCycle, entity: "Knot", attributes: ["next"]) {
        try store.save(Knot(1, next: .to(Knot(2, next: .key(1)))))
      }
      try context.expect(error.key == [.int(1)] || error.key == [.int(2)], "it names one of them")
      try context.expectError(.requiredCycle, entity: "Knot", key: [.int(3)]) {
        try store.save(Knot(3, next: .key(3)))
      }
      try context.expectEqual(try store.count(Knot.self), 0)
    },
    ConformanceCase("the policy of a save goes for every object of its graph", "5.4") { context in
      let store = try context.open(Book.self, Chapter.self)
      try store.save(Book("b", subtitle: "s", chapters: [Chapter("1"), Chapter("2")]))
      try store.save(
        Book("B", id: 1, chapters: [Chapter("I", id: 1), Chapter("II", id: 2)]),
        merge: .skippingNil)
      try context.expectEqual(try store.find(Book.self, 1)?.subtitle, "s")
      try context.expectEqual(try store.chapters(), ["I", "II"])
      try store.save(
        Book("x", id: 1, chapters: [Chapter("x", id: 2), Chapter("III")]), merge: .insertOnly)
      try context.expectEqual(try store.find(Book.self, 1)?.title, "B")
      try context.expectEqual(try store.chapters(), ["I", "II", "III"])
      try store.save(
        Book("y", id: 1, subtitle: "y", chapters: [Chapter("y", id: 2), Chapter("y")]),
        merge: .only(names: ["title"]))
      try context.expectEqual(try store.find(Book.self, 1)?.title, "y")
      try context.expectEqual(try store.find(Book.self, 1)?.subtitle, "s")
      try context.expectEqual(try store.chapters(), ["I", "II", "III"])
      try store.save(
        Book(
          "z", id: 1,
          chapters: [
            Chapter("z", id: 3), Chapter("z", id: 1), Chapter("IV"),
            Chapter("z", id: 2),
          ]),
        merge: .only(names: ["chapters"]))
      try context.expectEqual(try store.find(Book.self, 1)?.title, "y")
      try context.expectEqual(try store.chapters(), ["III", "I", "IV", "II"])
      try store.save(
        Book("q", id: 1, subtitle: "q", chapters: .keys([2, 1, 3, 4])), merge: .only(\.chapters))
      try context.expectEqual(try store.find(Book.self, 1)?.title, "y")
      try context.expectEqual(try store.find(Book.self, 1)?.subtitle, "s")
      try context.expectEqual(try store.chapters(), ["II", "I", "III", "IV"])
      try store.save(Book("q", id: 1, subtitle: "t", chapters: []), merge: .only(\.subtitle))
      try context.expectEqual(try store.chapters(), ["II", "I", "III", "IV"], "not named")
      let other = try store.save(Book("z", chapters: []))
      let moved = [
        Chapter("V", id: 1, book: .to(other)), Chapter("V", id: 2, book: .key(other.id)),
      ]
      try context.expectEqual(
        try store.save(moved, merge: .only(\.book)).counts, SaveCounts(updated: 2))
      try context.expectEqual(
        try store.fetch(Chapter.all.where { $0.id <= 2 }).map(\.title), ["I", "II"])
      try context.expectEqual(try store.fetch(Chapter.all).map(\.book.id), [2, 2, 1, 1])
      try store.save(
        Chapter("VI", id: 1, book: .key(1)), merge: .only(\.title, \.book))
      try context.expectEqual(try store.find(Chapter.self, 1)?.title, "VI")
      try context.expectEqual(try store.find(Chapter.self, 1)?.book.id, 1)
      try context.expectError(.unknownAttribute, entity: "Chapter") {
        try store.save(Chapter("VI", id: 1), merge: .only(\.hashValue))
      }
    },
    ConformanceCase("a to-one that is named and nil is cleared, with attributes or alone", "5.4") {
      context in
      let store = try context.openLeague()
      try store.save(
        [Team(0, "Reds", players: [Player(1), Player(2, "b"), Player(3), Player(4)])])
      let counts = { (id: Int64, name: String) throws -> SaveCounts in
        let player = Player(id, name, team: nil)
        return try store.save([player], merge: .only(\.name, \.team)).counts
      }
      try context.expectEqual(try counts(1, "A"), SaveCounts(updated: 1), "both change")
      try context.expectEqual(try counts(2, "b"), SaveCounts(updated: 1), "the link changes")
      try context.expectEqual(
        try store.save([Player(3, "x", team: nil)], merge: .only(\.team)).counts,
        SaveCounts(updated: 1), "the link is named alone")
      try context.expectEqual(try counts(3, "C"), SaveCounts(updated: 1), "the attribute changes")
      try context.expectEqual(try counts(3, "C"), SaveCounts(unchanged: 1), "nothing changes")
      try context.expectEqual(
        try store.save(
          [Player(4, "D", team: nil)], matching: BatchMatch(contain: [\.id]),
          merge: .only(\.name, \.team)), SaveCounts(updated: 1), "by match")
      try context.expectEqual(try store.teams(), [1: nil, 2: nil, 3: nil, 4: nil])
      try context.expectEqual(try store.fetch(Player.all).map(\.name), ["A", "b", "C", "D"])
    },
    ConformanceCase("owners of one-to-ones are exchanged beside attributes", "5.4", "2.9") {
      context in
      let store = try context.openLeague()
      let teams = try store.save([Team(0, "Reds"), Team(0, "Blues")]).keys
      let ids = try store.save([
        Coach("Ann", team: .key(teams[0])), Coach("Bob", team: .key(teams[1])),
      ]).keys
      try store.save(
        [
          Coach("Anne", id: ids[0], team: .key(teams[1])),
          Coach("Rob", id: ids[1], team: .key(teams[0])),
        ], merge: .only(\.name, \.team))
      try context.expectEqual(try store.coaches(), ["Anne": teams[1], "Rob": teams[0]])
      try store.save(
        [
          Coach("Ann", id: ids[0], team: nil), Coach("Bob", id: ids[1], team: .key(teams[1])),
        ], merge: .only(\.name, \.team))
      try context.expectEqual(try store.coaches(), ["Ann": nil, "Bob": teams[1]])
    },
    ConformanceCase("a save by match saves the graph into the rows that match", "5.2", "5.8") {
      context in
      let store = try context.openLeague()
      try store.save([Team(0, "Reds", players: [Player(1)]), Team(0, "Blues")])
      let counts = try store.save(
        Team(77, "Reds", players: [Player(2)]), matchingOn: \.name)
      try context.expectEqual(counts, SaveCounts(updated: 0, unchanged: 1))
      try context.expectEqual(try store.teams(), [1: nil, 2: 1])
      try context.expectEqual(
        try store.save(Team(77, "Greens", players: .keys([1])), matchingOn: \.name).inserted, 1)
      try context.expectEqual(try store.teams(), [1: 77, 2: 1])
      try store.save(Player(9, "", age: 30, team: .key(2)), matchingOn: \.name)
      try context.expectEqual(try store.teams(), [1: 2, 2: 2], "several rows")
    },
    ConformanceCase("a graph counts its roots, and inserts and updates as asked", "5.1", "5.3") {
      context in
      let store = try context.openLeague()
      let result = try store.save([
        Team(0, "a", players: [Player(1)]), Team(0, "b"), Team(0, "c", players: [Player(2)]),
      ])
      try context.expectEqual(result.counts, SaveCounts(inserted: 3))
      try context.expectEqual(result.keys, [1, 2, 3])
      let again = try store.save([Team(2, "b"), Team(3, "C"), Team(4, "d"), Team(3, "x")])
      try context.expectEqual(again.counts, SaveCounts(inserted: 1, updated: 2, unchanged: 1))
      try context.expectEqual(try store.find(Team.self, 3)?.name, "x", "the later wins")
      try context.expectError(.duplicate, entity: "Team", attributes: ["id"]) {
        try store.insert(Team(1, "z", players: [Player(5)]))
      }
      try context.expectError(.notFound, entity: "Team", key: [.int(9)]) {
        try store.update(Team(9, "z", players: [Player(5)]))
      }
      try context.expectEqual(try store.find(Player.self, 5), nil, "nothing is written")
    },
    ConformanceCase("a graph of any depth and size", "5.3", "5.8") { context in
      let store = try context.openLeague()
      let teams = (1...50).map { team in
        Team(0, "\(team)", players: ToMany((1...40).map { Player(Int64(team * 100 + $0)) }))
      }
      try context.expectEqual(try store.save(teams).inserted, 50)
      try context.expectEqual(try store.count(Player.self), 2_000)
      try context.expectEqual(
        try store.fetch(Player.all.where { $0.id > 4_900 && $0.id < 5_000 }).map(\.team.id),
        Array(repeating: 49, count: 40))
      let folders = try context.open(Folder.self)
      var chain = Folder("0")
      for depth in 1...500 { chain = Folder("\(depth)", children: [chain]) }
      try folders.save(chain)
      try context.expectEqual(try folders.parents()["0"] ?? nil, "1")
      try context.expectEqual(try folders.count(Folder.self), 501)
    },
  ]
}

extension ConformanceContext {
  /// A store of the league's models.
  fileprivate func openLeague() throws -> any Store {
    try open(Team.self, Coach.self, Player.self, League.self)
  }
}

extension Store {
  /// The team of every player.
  fileprivate func teams() throws -> [Int64: Int64?] {
    Dictionary(uniqueKeysWithValues: try fetch(Player.all).map { ($0.id, $0.team.id) })
  }

  /// The team of every coach, by name.
  fileprivate func coaches() throws -> [String: Int64?] {
    Dictionary(uniqueKeysWithValues: try fetch(Coach.all).map { ($0.name, $0.team.id) })
  }

  /// The name of every folder's parent, by name.
  fileprivate func parents() throws -> [String: String?] {
    let folders = try fetch(Folder.all)
    let names = Dictionary(uniqueKeysWithValues: folders.map { ($0.id, $0.name) })
    return Dictionary(
      uniqueKeysWithValues: folders.map { ($0.name, $0.parent.id.flatMap { names[$0] }) })
  }

  /// The teams of every league in their order, as the rows between them hold them.
  func leagues() throws -> [String: [Int64]] {
    var leagues: [String: [(Int64, Int64)]] = [:]
    let rows = try read { try $0.fetch(DynamicQuery("League_teams")) }
    for row in rows {
      guard case .string(let country) = row["League_country"],
        case .int(let number) = row["League_number"], case .int(let team) = row["teams_id"],
        case .int(let position) = row["teams_position"]
      else { continue }
      leagues["\(country)\(number)", default: []].append((position, team))
    }
    return leagues.mapValues { $0.sorted { $0.0 < $1.0 }.map(\.1) }
  }

  /// The titles of the chapters of all books, in their order.
  func chapters() throws -> [String] {
    try read { try $0.fetch(DynamicQuery("Chapter")) }.compactMap { row -> (Int64, String)? in
      guard case .string(let title) = row["title"],
        case .int(let position) = row["_Book_chapters_position"]
      else { return nil }
      return (position, title)
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}

/// The key of a coach.
private let coach = "00000000-0000-0000-0000-00000000000c"
