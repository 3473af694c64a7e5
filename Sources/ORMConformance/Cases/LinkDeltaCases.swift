internal import FoundationEssentials
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clause 5.8: changes of a to-many link by link.
  static let linkDeltas: [ConformanceCase] = [
    ConformanceCase("insert and remove change a one-to-many by what they name alone", "5.8", "5.13")
    {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let team = try store.save(Team(0, "Reds", players: [Player(1)]))
      let other = try store.save(Team(0, "Blues"))
      // The value is old; its own links to players do not count.
      let player = try store.insert(Player(2, "b"), into: team, \.players)
      try context.expectEqual(player.id, 2)
      try context.expectEqual(
        try store.insert([Player(3), Player(1)], into: team, \.players).counts,
        SaveCounts(inserted: 1, unchanged: 1))
      try context.expectEqual(try store.referrers(), [1: 1, 2: 1, 3: 1])
      try store.insert(Player(3), into: other, \.players)
      try context.expectEqual(try store.referrers(), [1: 1, 2: 1, 3: 2], "it moves")
      try context.expectEqual(try store.remove(Player(3), from: team, \.players), false)
      try context.expectEqual(try store.remove(Player(2), from: team, \.players), true)
      try context.expectEqual(try store.remove(Player(2), from: team, \.players), false)
      try context.expectEqual(try store.referrers(), [1: 1, 2: nil, 3: 2])
      try context.expectEqual(
        try store.remove([Player(1), Player(2), Player(3)], from: team, \.players), 1)
      try context.expectEqual(try store.referrers(), [1: nil, 2: nil, 3: 2])
    },
    ConformanceCase("attach and detach by keys, and what is missing is named", "5.8", "5.13") {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let team = try store.save(Team(0, "Reds"))
      try store.save((1...5).map { Player($0) })
      try context.expectEqual(try store.attach([1, 2, 3, 2], to: team.id, \Team.players), 3)
      try context.expectEqual(try store.attach([3, 4], to: 1, \Team.players), 1)
      try context.expectEqual(
        try store.referrers(), [1: 1, 2: 1, 3: 1, 4: 1, 5: nil])
      try context.expectEqual(try store.attach([], to: team.id, \Team.players), 0)
      try context.expectEqual(try store.detach([1, 5, 77], from: team.id, \Team.players), 1)
      try context.expectEqual(try store.detach([2], from: 1, \Team.players), 1)
      try context.expectEqual(
        try store.referrers(), [1: nil, 2: nil, 3: 1, 4: 1, 5: nil])
      let missing = try context.expectError(
        .missingTarget, entity: "Team", attributes: ["players"], key: [.int(1)], values: [.int(9)]
      ) { try store.attach([5, 9], to: team.id, \Team.players) }
      try context.expect(missing.message.contains("Player"), "it says what is missing")
      try context.expectError(.notFound, entity: "Team", key: [.int(8)]) {
        try store.attach([5], to: 8, \Team.players)
      }
      try context.expectError(.notFound, entity: "Team", key: [.int(8)]) {
        try store.insert(Player(6), into: Team(8), \.players)
      }
      try context.expectEqual(
        try store.referrers(), [1: nil, 2: nil, 3: 1, 4: 1, 5: nil], "nothing is written")
    },
    ConformanceCase("deltas of a many-to-many from either side", "5.8", "5.13") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let team = try store.save(Team(0, "a"))
      try store.save([Team(0, "b"), Team(0, "c"), Team(0, "d")])
      let league = try store.save(League("x", 1))
      try context.expectEqual(try store.attach([3, 1, 2], to: league.id, \League.teams), 3)
      try context.expectEqual(try store.attach([3, 4], to: league.id, \League.teams), 1)
      try context.expectEqual(try store.leagues(), ["x1": [3, 1, 2, 4]])
      try store.insert(League("y", 2, teams: .notLoaded), into: team, \.leagues)
      try context.expectEqual(try store.leagues(), ["x1": [3, 1, 2, 4], "y2": [1]])
      try context.expectEqual(
        try store.detach([league.id], from: team.id, \Team.leagues), 1)
      try context.expectEqual(try store.detach([4], from: league.id, \League.teams), 1)
      try context.expectEqual(try store.detach([4], from: league.id, \League.teams), 0)
      try context.expectEqual(try store.leagues(), ["x1": [3, 2], "y2": [1]])
      try context.expectError(
        .missingTarget, entity: "League", attributes: ["teams"], key: [.string("x"), .int(1)],
        values: [.int(9)]
      ) { try store.attach([9], to: league.id, \League.teams) }
    },
    ConformanceCase("keys are attached to an unordered many-to-many, each once", "5.8", "5.13") {
      context in
      let store = try context.open(Park.self, Visit.self, Tag.self)
      try store.save([Park(1, "p"), Park(2, "q")])
      try store.save([Tag("a"), Tag("b"), Tag("c")])
      try context.expectEqual(try store.attach(["b", "a"], to: 1, \Park.tags), 2)
      try context.expectEqual(try store.attach(["c", "a"], to: 1, \Park.tags), 1)
      try context.expectEqual(try store.attach(["c", "b", "c"], to: 2, \Park.tags), 2, "twice")
      try context.expectEqual(try store.attach([2, 1], to: "a", \Tag.parks), 1, "the other side")
      try context.expectEqual(try store.attach([], to: 9, \Park.tags), 0)
      try context.expectError(
        .missingTarget, entity: "Park", attributes: ["tags"], key: [.int(2)],
        values: [.string("z")]
      ) { try store.attach(["a", "z"], to: 2, \Park.tags) }
      try context.expectError(.notFound, entity: "Park", key: [.int(9)]) {
        try store.attach(["a"], to: 9, \Park.tags)
      }
      let found = try store.fetch(Park.all.prefetch(\.tags)).map { Set($0.tags.ids ?? []) }
      try context.expectEqual(found, [["a", "b", "c"], ["a", "b", "c"]])
      try context.expectEqual(
        try store.read { try $0.count(DynamicQuery("Park_tags")) }, 6, "links")
      // More keys than one list of a request holds, with one of the first among the last.
      let many = (0..<600).map { "t\($0)" }
      try store.save(many.map { Tag($0) })
      try context.expectEqual(try store.attach(many + ["t0", "b"], to: 2, \Park.tags), 600)
      try context.expectEqual(
        try store.read { try $0.count(DynamicQuery("Park_tags")) }, 606, "links")
    },
    ConformanceCase("an ordered to-many is rearranged one by one", "5.8", "5.13") { context in
      let store = try context.open(Book.self, Chapter.self)
      let book = try store.save(
        Book("b", chapters: ToMany((1...5).map { Chapter("\($0)") })))
      try store.move(Chapter("", id: 5), to: 0, in: book, \.chapters)
      try context.expectEqual(try store.contents(), ["5", "1", "2", "3", "4"])
      try store.move(Chapter("", id: 5), to: 2, in: book, \.chapters)
      try context.expectEqual(try store.contents(), ["1", "2", "5", "3", "4"])
      try store.move(Chapter("", id: 1), to: 99, in: book, \.chapters)
      try context.expectEqual(try store.contents(), ["2", "5", "3", "4", "1"])
      try store.move(Chapter("", id: 1), to: 4, in: book, \.chapters)
      try context.expectEqual(try store.contents(), ["2", "5", "3", "4", "1"])
      try store.insert(Chapter("6"), into: book, \.chapters, at: 1)
      try store.insert([Chapter("7"), Chapter("8")], into: book, \.chapters, at: 0)
      try store.insert(Chapter("9"), into: book, \.chapters)
      try context.expectEqual(
        try store.contents(), ["7", "8", "2", "6", "5", "3", "4", "1", "9"])
      // Enough moves to one position to use up the ordering keys around it.
      var expected = ["7", "8", "2", "6", "5", "3", "4", "1", "9"]
      for step in 0..<60 {
        let id = try context.unwrap(Int64(expected[1 + step % 2]), "a title")
        try store.move(Chapter("", id: id), to: 1, in: book, \.chapters)
        expected.insert(expected.remove(at: 1 + step % 2), at: 1)
        try context.expectEqual(try store.contents(), expected)
      }
      try context.expectError(.notFound, entity: "Chapter", key: [.int(99)]) {
        try store.move(Chapter("", id: 99), to: 0, in: book, \.chapters)
      }
      try context.expectError(.invalidValue, entity: "Book", attributes: ["chapters"]) {
        try store.move(Chapter("", id: 1), to: -1, in: book, \.chapters)
      }
      let required = try context.expectError(.missingValue, entity: "Chapter") {
        try store.remove(Chapter("", id: 3), from: book, \.chapters)
      }
      try context.expectEqual(required.attributes, ["book"])
      try context.expectEqual(try store.contents(), expected)
    },
    ConformanceCase("an ordered many-to-many is rearranged one by one", "5.8", "5.13") { context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.save((1...4).map { Team(0, "\($0)") })
      let league = try store.save(League("x", 1, teams: .keys([1, 2, 3, 4])))
      try store.save(League("y", 1, teams: .keys([4, 3])))
      try store.move(Team(4), to: 1, in: league, \.teams)
      try store.move(Team(1), to: 3, in: league, \.teams)
      try context.expectEqual(try store.leagues(), ["x1": [4, 2, 3, 1], "y1": [4, 3]])
      let players = try store.save(Team(1, "1"))
      try store.insert(Player(2), into: players, \.players)
      try context.expectError(.invalidValue, entity: "Team", attributes: ["players"]) {
        try store.move(Player(2), to: 0, in: players, \.players)
      }
    },
    ConformanceCase(
      "a many-to-many through a model: its rows come with defaults, and go", "5.8", "5.13"
    ) {
      context in
      let store = try context.open(Course.self, Student.self, Attendance.self)
      try store.save([
        Course(1, students: [Student("a"), Student("b")]), Course(2, students: .keys(["b"])),
      ])
      try context.expectEqual(try store.attendances(), ["1a null 3", "1b null 3", "2b null 3"])
      var first = try context.unwrap(
        try store.fetch(Attendance.all).first { $0.student.id == "b" && $0.course.id == 1 }, "it")
      first.mark = 5
      try store.save(first)
      try store.save(Student("b", courses: .keys([1])))
      try context.expectEqual(try store.attendances(), ["1a null 3", "1b 5 3"])
      try store.save(Attendance(mark: 2, course: .key(2), student: .to(Student("c"))))
      try context.expectEqual(try store.attendances(), ["1a null 3", "1b 5 3", "2c 2 1"])
      try context.expectEqual(try store.attach(["b", "c"], to: 2, \Course.students), 1)
      try context.expectEqual(try store.detach([1, 7], from: "b", \Student.courses), 1)
      try context.expectEqual(
        try store.attendances(), ["1a null 3", "2b null 3", "2c 2 1"])
    },
    ConformanceCase("of a to-many of any size deltas read and write what they name", "5.8", "5.13")
    {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      let team = try store.save(Team(0, "Reds"))
      try store.save((1...3_000).map { Player($0) })
      try context.expectEqual(
        try store.attach((1...3_000).map { $0 }, to: team.id, \Team.players), 3_000)
      try context.expectEqual(
        try store.attach(stride(from: 2, to: 3_001, by: 2).map { $0 }, to: team.id, \Team.players),
        0)
      try context.expectEqual(
        try store.detach(
          stride(from: 1, to: 3_001, by: 2).map { $0 }, from: team.id, \Team.players),
        1_500)
      try context.expectEqual(try store.referrers().values.count { $0 == 1 }, 1_500)
    },
  ]
}

extension Store {
  /// The team of every player.
  fileprivate func referrers() throws -> [Int64: Int64?] {
    Dictionary(uniqueKeysWithValues: try fetch(Player.all).map { ($0.id, $0.team.id) })
  }

  /// The titles of the chapters of all books, in their order.
  fileprivate func contents() throws -> [String] {
    try read { try $0.fetch(DynamicQuery("Chapter")) }.compactMap { row -> (Int64, String)? in
      guard case .string(let title) = row["title"],
        case .int(let position) = row["_Book_chapters_position"]
      else { return nil }
      return (position, title)
    }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  /// Course, student, mark and weight of every attendance.
  fileprivate func attendances() throws -> [String] {
    try fetch(Attendance.all).map { attendance in
      "\(attendance.course.id.map { "\($0)" } ?? "")\(attendance.student.id ?? "") "
        + "\(attendance.mark.map { "\($0)" } ?? "null") \(attendance.weight)"
    }.sorted()
  }
}
