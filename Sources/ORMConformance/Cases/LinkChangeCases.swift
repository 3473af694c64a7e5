internal import FoundationEssentials
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clause 5.8: members of a to-many that are changed on the value, and carried out by a save.
  static let linkChanges: [ConformanceCase] = [
    ConformanceCase("a save carries out changes of a to-many that was not loaded", "5.8") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save([
        Team(0, "Reds", players: [Player(1), Player(2)]), Team(0, "Blues", players: [Player(3)]),
      ])
      var team = try context.unwrap(try store.find(Team.self, 1), "the team")
      team.players.append(Player(4, "d"))
      team.players.append(key: 3)
      team.players.append(key: 1)
      team.players.remove(Player(2))
      team.players.remove(key: 9)
      try context.expectEqual(team.players.ids, nil)
      try context.expect(team.players.loaded == nil && !team.players.isLoaded, "nothing is loaded")
      try context.expectError(.notLoaded, entity: "Player") { try team.players.get() }
      let saved = try store.save(team)
      try context.expectEqual(try store.teams(), [1: 1, 2: nil, 3: 1, 4: 1])
      try context.expect(saved.players == .notLoaded, "the object that is returned has no changes")
      try context.expectEqual(try store.find(Player.self, 4)?.name, "d")
      try store.save(saved)
      try store.save(team)
      try context.expectEqual(try store.teams(), [1: 1, 2: nil, 3: 1, 4: 1], "once more")
      var other = Team(2, "Blues")
      other.players.append(contentsOf: [Player(1), Player(5)])
      other.players.remove(key: 4)
      try store.save([saved, other])
      try context.expectEqual(
        try store.teams(), [1: 2, 2: nil, 3: 1, 4: 1, 5: 2], "members of another owner stay")
    },
    ConformanceCase("changes of fetched links are in the value at once", "5.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save(Team(0, "Reds", players: [Player(1, "a"), Player(2, "b"), Player(3, "c")]))
      let fetched = try context.unwrap(
        try store.first(Team.all.prefetch(\.players)), "the team")
      var team = fetched
      team.players.append(Player(5, "e"))
      team.players.remove(Player(1))
      team.players.append(Player(2, "new"))
      team.players.remove(key: 7)
      try context.expectEqual(team.players.ids, [2, 3, 5])
      try context.expectEqual(try team.players.get().map(\.name), ["new", "c", "e"])
      try context.expect(team.players.isLoaded && team != fetched, "the changed list")
      let saved = try store.save(team)
      try context.expectEqual(try store.teams(), [1: nil, 2: 1, 3: 1, 5: 1])
      try context.expectEqual(saved.players.loaded?.map(\.name), ["new", "c", "e"])
      team = saved
      team.players.append(key: 1)
      try context.expectEqual(team.players.ids, [2, 3, 5, 1])
      try context.expect(team.players.loaded == nil, "one object is not at hand")
      // Set and then changed: the changed list replaces the stored links.
      team.players = [Player(7), Player(8)]
      team.players.append(key: 5)
      team.players.remove(Player(7))
      team.players.insert(Player(9), at: 0)
      try context.expectEqual(team.players.ids, [9, 8, 5])
      try store.save(team)
      try context.expectEqual(try store.teams(), [1: nil, 2: nil, 3: nil, 5: 1, 8: 1, 9: 1])
    },
    ConformanceCase("a failed save leaves changes as they were, and writes nothing", "5.8") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save(Team(0, "Reds", players: [Player(1)]))
      var team = Team(1, "Reds")
      team.players.append(Player(2))
      team.players.remove(key: 1)
      team.players.append(key: 77)
      let missing = try context.expectError(
        .missingTarget, entity: "Team", attributes: ["players"], key: [.int(1)], values: [.int(77)]
      ) { try store.save(team) }
      try context.expect(missing.message.contains("Player"), "it says what is missing")
      // Taken out first by another object: the addition is missing all the same.
      var other = Team(0, "Blues")
      other.players.remove(key: 77)
      try context.expectError(.missingTarget, entity: "Team", attributes: ["players"]) {
        try store.save([other, team])
      }
      try context.expectEqual(try store.teams(), [1: 1], "nothing is written")
      try store.save(Player(77))
      try store.save(team)
      try context.expectEqual(try store.teams(), [1: nil, 2: 1, 77: 1])
      // Given to two owners.
      other.players.append(key: 2)
      try context.expectError(.conflictingLinks, entity: "Player", key: [.int(2)]) {
        try store.save([team, other])
      }
    },
    ConformanceCase("a new owner has what was added, also inside a graph", "5.8") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      var reds = Team(0, "Reds")
      reds.players.append(Player(1))
      reds.players.remove(key: 5)
      reds.leagues.append(League("y", 2))
      let saved = try store.save(League("x", 1, teams: [reds, Team(0, "Blues")]))
      try context.expectEqual(saved.teams.ids, [1, 2])
      try context.expectEqual(try store.teams(), [1: 1])
      try context.expectEqual(try store.rankings(), ["x1": [1, 2], "y2": [1]])
      // With `.insertOnly` stored objects stay, and new ones come.
      var team = Team(1, "other")
      team.players.remove(key: 1)
      team.players.append(Player(6))
      team.leagues.remove(key: .init(country: "x", number: 1))
      try store.save(team, merge: .insertOnly)
      try context.expectEqual(try store.teams(), [1: 1, 6: 1])
      try context.expectEqual(try store.rankings(), ["x1": [1, 2], "y2": [1]])
      try store.save(team, merge: .only(\.players))
      try context.expectEqual(try store.teams(), [1: nil, 6: 1])
      try context.expectEqual(try store.rankings(), ["x1": [1, 2], "y2": [1]])
    },
    ConformanceCase("changes of an ordered one-to-many", "5.8") { context in
      let store = try context.open(Book.self, Chapter.self)
      try store.save(Book("b", chapters: ToMany((1...4).map { Chapter("\($0)") })))
      var book = try context.unwrap(try store.find(Book.self, 1), "the book")
      book.chapters.insert(Chapter("5"), at: 0)
      book.chapters.insert(key: 4, at: 2)
      book.chapters.append(Chapter("6"))
      try store.save(book)
      try context.expectEqual(try store.chapters(), ["5", "1", "4", "2", "3", "6"])
      book = Book("b", id: 1)
      book.chapters.insert(key: 1, at: 99)
      try store.save(book)
      book = Book("b", id: 1)
      book.chapters.insert(key: 3, at: -4)
      try store.save(book)
      try context.expectEqual(try store.chapters(), ["3", "5", "4", "2", "6", "1"])
      book = try context.unwrap(try store.first(Book.all.prefetch(\.chapters)), "the book")
      let ids = try context.unwrap(book.chapters.ids, "the keys")
      book.chapters.insert(Chapter("7"), at: 2)
      book.chapters.append(Chapter("8"))
      book.chapters.insert(key: ids[4], at: 1)
      book.chapters.insert(Chapter("9"), at: 5)
      let expected = ["3", "6", "5", "7", "4", "9", "2", "1", "8"]
      try context.expectEqual(try book.chapters.get().map(\.title), expected)
      let saved = try store.save(book)
      try context.expectEqual(try store.chapters(), expected)
      try context.expectEqual(saved.chapters.loaded?.map(\.title), expected)
      book.chapters.remove(key: ids[0])
      try context.expectError(.missingValue, entity: "Chapter", attributes: ["book"]) {
        try store.save(book)
      }
      try context.expectEqual(try store.chapters(), expected, "a chapter must have a book")
    },
    ConformanceCase("changes of a many-to-many from either side, ordered and not", "5.8") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save((1...4).map { Team(0, "\($0)") })
      try store.save(League("x", 1, teams: .keys([1, 2, 3])))
      var league = try context.unwrap(try store.fetch(League.all).first, "the league")
      league.teams.remove(key: 1)
      league.teams.append(key: 1)
      try store.save(league)
      try context.expectEqual(try store.rankings(), ["x1": [2, 3, 1]], "behind the others")
      league = League("x", 1)
      league.teams.insert(key: 4, at: 1)
      league.teams.remove(key: 3)
      league.teams.remove(key: 8)
      try store.save(league)
      try context.expectEqual(try store.rankings(), ["x1": [2, 4, 1]])
      league = try context.unwrap(try store.first(League.all.prefetch(\.teams)), "the league")
      league.teams.remove(key: 2)
      league.teams.insert(key: 3, at: 1)
      league.teams.append(key: 2)
      league.teams.append(Team(0, "5"))
      try context.expectEqual(league.teams.ids, [4, 3, 1, 2, 0])
      try store.save(league)
      try context.expectEqual(try store.rankings(), ["x1": [4, 3, 1, 2, 5]])
      var team = Team(2, "2")
      team.leagues.remove(key: league.id)
      team.leagues.append(League("y", 1))
      try store.save(team)
      try context.expectEqual(try store.rankings(), ["x1": [4, 3, 1, 5], "y1": [2]])
      team.leagues.insert(key: league.id, at: 0)
      try context.expectError(.invalidValue, entity: "Team", attributes: ["leagues"]) {
        try store.save(team)
      }
      try context.expectEqual(try store.rankings(), ["x1": [4, 3, 1, 5], "y1": [2]])
      team = try context.unwrap(
        try store.first(Team.all.where { $0.id == 2 }.prefetch(\.leagues)), "the team")
      team.leagues.remove(key: .init(country: "y", number: 1))
      team.leagues.append(key: .init(country: "y", number: 1))
      try store.save(team)
      try context.expectEqual(
        try store.rankings(), ["x1": [4, 3, 1, 5], "y1": [2]], "it has no order to change")
    },
    ConformanceCase("changes of links that are rows of their own, plain and of a model", "5.8") {
      context in
      let store = try context.open(
        Park.self, Visit.self, Tag.self, Course.self, Student.self, Attendance.self)
      try store.save([Park(1, "p"), Park(2, "q")])
      try store.save([Tag("a"), Tag("b")])
      try store.attach(["a", "b"], to: 1, \Park.tags)
      var park = try context.unwrap(try store.find(Park.self, 1), "the park")
      park.tags.remove(key: "a")
      park.tags.append(key: "b")
      park.tags.append(Tag("c"))
      try store.save(park)
      var tag = try context.unwrap(try store.find(Tag.self, "b"), "the tag")
      tag.parks.append(key: 2)
      tag.parks.remove(Park(1, "p"))
      try store.save(tag)
      let tags = try store.fetch(Park.all.prefetch(\.tags)).map { $0.tags.ids ?? [] }
      try context.expectEqual(tags, [["c"], ["b"]])

      try store.save([Course(1, students: [Student("a"), Student("b")]), Course(2)])
      var attendance = try context.unwrap(
        try store.fetch(Attendance.all).first { $0.student.id == "b" }, "it")
      attendance.mark = 5
      try store.save(attendance)
      var course = try context.unwrap(try store.find(Course.self, 1), "the course")
      course.students.append(key: "b")
      course.students.append(Student("c"))
      course.students.remove(key: "a")
      try store.save(course)
      var student = Student("c")
      student.courses.append(key: 2)
      student.courses.remove(key: 7)
      try store.save(student)
      let rows = try store.fetch(Attendance.all).map { row in
        "\(row.course.id ?? 0)\(row.student.id ?? "") \(row.mark ?? 0) \(row.weight)"
      }
      try context.expectEqual(rows.sorted(), ["1b 5 3", "1c 0 3", "2c 0 3"])
    },
    ConformanceCase("changes of one-way to-manys", "5.8") { context in
      let store = try context.open(Depot.self, Yard.self, Crate.self, Label.self)
      try store.save([
        Depot(1, crates: [Crate(1), Crate(2), Crate(3)], labels: [Label("a"), Label("b")]),
        Depot(2, crates: [Crate(4)], labels: .keys(["a"])),
      ])
      var depot = try context.unwrap(try store.find(Depot.self, 1), "the depot")
      depot.crates.insert(key: 4, at: 1)
      depot.crates.insert(Crate(5), at: 0)
      depot.crates.remove(Crate(3))
      depot.labels.remove(key: "a")
      depot.labels.append(Label("c"))
      try store.save(depot)
      func expect(_ crates: [[Int64]], _ labels: [[String]]) throws {
        let depots = try store.fetch(Depot.all.prefetch(\.crates, \.labels))
        try context.expectEqual(depots.map { $0.crates.ids ?? [] }, crates)
        try context.expectEqual(depots.map { ($0.labels.ids ?? []).sorted() }, labels)
      }
      try expect([[5, 1, 4, 2], []], [["b", "c"], ["a"]])
      var other = try context.unwrap(try store.find(Depot.self, 2), "the depot")
      other.crates.remove(key: 1)
      other.crates.append(key: 5)
      other.labels.remove(key: "b")
      try store.save(other)
      try expect([[1, 4, 2], [5]], [["b", "c"], ["a"]])
    },
  ]
}

extension Store {
  /// The team of every player.
  fileprivate func teams() throws -> [Int64: Int64?] {
    Dictionary(uniqueKeysWithValues: try fetch(Player.all).map { ($0.id, $0.team.id) })
  }

  /// The teams of every league that has some, in their order.
  fileprivate func rankings() throws -> [String: [Int64]] {
    var rankings: [String: [Int64]] = [:]
    for league in try fetch(League.all.prefetch(\.teams)) {
      if let ids = league.teams.ids, !ids.isEmpty {
        rankings["\(league.id.country)\(league.id.number)"] = ids
      }
    }
    return rankings
  }
}
