internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clauses 5.3, 5.6 and 5.8 for batches whose links are keys, which need no graph: the results, the stored
  /// rows and the refusals are those of batches with objects instead of keys.
  static let linkedBatches: [ConformanceCase] = [
    ConformanceCase("a batch of links by keys asks once a relationship for the targets", "5.8") {
      context in
      let store = CountingStore(
        try context.open(Team.self, Coach.self, Player.self, League.self))
      try store.save([Team(1), Team(2), Team(3)])
      let players = (1...400).map { Player($0, team: .key($0 % 3 + 1)) }
      var saved: SaveResult<Player>?
      let requests: [FetchRequest] = try store.requests { saved = try $0.insert(players) }
      try context.expectEqual(requests.map(\.shape.entity), ["Team"])
      try context.expectEqual(saved?.counts, SaveCounts(inserted: 400))
      try context.expectEqual(saved?.keys, Array(1...400))
      try context.expectEqual(
        try store.fetch(Player.all).map(\.team.id), (1...400).map { $0 % 3 + 1 })
      try context.expectEqual(try store.save(players).counts, SaveCounts(unchanged: 400))
      let moved = [Player(1, team: .key(3)), Player(2, team: nil), Player(401, team: .key(1))]
      try context.expectEqual(
        try store.save(moved).counts, SaveCounts(inserted: 1, updated: 2))
      try context.expectEqual(try store.save([Player]()).counts, SaveCounts())
      try context.expectEqual(
        try store.update([Player(3, "new", team: .key(2))]).counts, SaveCounts(updated: 1))
      try context.expectError(.notFound, entity: "Player", key: [.int(999)]) {
        try store.update([Player(4, "new", team: .key(2)), Player(999, team: .key(1))])
      }
      try context.expectError(.duplicate, entity: "Player", key: [.int(4)]) {
        try store.insert([Player(500, team: .key(2)), Player(4, team: .key(1))])
      }
      try context.expectError(.duplicate, entity: "Player", key: [.int(500)]) {
        try store.insert([Player(500, team: .key(2)), Player(500, team: .key(1))])
      }
      let teams = try store.fetch(Player.all.where { $0.id <= 4 || $0.id > 400 }).map(\.team.id)
      try context.expectEqual(teams, [3, nil, 2, 2, 1])
    },
    ConformanceCase("links that were fetched or not loaded stay as they are stored", "5.8") {
      context in
      let store = try context.openLinked()
      var players = try store.fetch(Player.all)
      try store.update(Player.all.where { $0.id == 1 }) { $0.team = .key(3) }
      for index in players.indices { players[index].age = 40 }
      players[4].team = .notLoaded
      players[2].team = .key(3)
      try store.save(players)
      try context.expectEqual(
        try store.fetch(Player.all).map(\.team.id), [3, 1, 3, nil, 1, 99],
        "what was fetched is not written over what changed since, or leads nowhere")
      try context.expectEqual(try store.count(Player.all.where { $0.age == 40 }), 6)
      // In a new row fetched links count.
      var copy = players[1]
      copy.id = 11
      var lost = players[5]
      lost.id = 12
      try store.insert([copy])
      try context.expectEqual(try store.find(Player.self, 11)?.team.id, 1)
      try context.expectError(
        .missingTarget, entity: "Player", attributes: ["team"], key: [.int(12)],
        values: [.int(99)]
      ) { try store.insert([lost]) }
      try store.insert([Team(4), Team(5, players: [])])
      try store.save([Team(1, "cleared", players: [], leagues: .notLoaded)])
      try context.expectEqual(
        try store.fetch(Player.all).map(\.team.id), [3, nil, 3, nil, nil, 99, nil])
    },
    ConformanceCase("objects that are given UUIDs are new, with links as they were fetched", "5.8")
    {
      context in
      let store = CountingStore(
        try context.open(Course.self, Student.self, Attendance.self))
      try store.save([Course(1), Course(2)])
      try store.save([Student("a"), Student("b")])
      try store.save(Attendance(mark: 1, course: .key(1), student: .key("a")))
      var again = try context.unwrap(store.first(Attendance.all), "the attendance")
      again.id = .unassigned
      again.student = .key("b")
      let copy = again
      var saved: SaveResult<Attendance>?
      let requests: [FetchRequest] = try store.requests {
        saved = try $0.save([copy, Attendance(mark: 2, course: .key(2), student: .key("a"))])
      }
      try context.expectEqual(requests.map(\.shape.entity), ["Course", "Student"])
      try context.expectEqual(saved?.counts, SaveCounts(inserted: 2))
      let found = try store.find(Attendance.self, saved?.keys ?? [])
      try context.expectEqual(found.map(\.course.id), [1, 2])
      try context.expectEqual(found.map(\.student.id), ["b", "a"])
      try context.expectError(.missingValue, entity: "Attendance", attributes: ["student"]) {
        try store.save([copy, Attendance(mark: 3, course: .key(1), student: nil)])
      }
      try context.expectEqual(try store.count(Attendance.self), 3)
    },
    ConformanceCase(
      "a row that holds a key to nothing keeps it, by whatever way it is saved", "2.9"
    ) {
      context in
      let store = try context.openLinked()
      try store.save([Player(6, "a", team: .key(99))])
      try store.save(Player(6, "b", team: .key(99)))
      try store.save([Player(6, "c", team: .key(99)), Player(7, team: .to(Team(7)))])
      try context.expectEqual(try store.find(Player.self, 6)?.team.id, 99)
      try context.expectEqual(try store.find(Player.self, 6)?.name, "c")
      try context.expectError(.missingTarget, entity: "Player", key: [.int(5)]) {
        try store.save([Player(6, "d", team: .key(99)), Player(5, team: .key(99))])
      }
    },
    ConformanceCase("keys of an ordered owner, required and counted ones", "5.6", "5.8") {
      context in
      let store = try context.open(Book.self, Chapter.self)
      try store.save([Book("a", chapters: [Chapter("1")]), Book("b")])
      let saved = try store.save([
        Chapter("4", book: .key(2)), Chapter("3", book: .key(1)), Chapter("2", book: .key(1)),
      ])
      try context.expectEqual(saved.keys, [2, 3, 4])
      func chapters() throws -> [[String]?] {
        try store.fetch(Book.all.prefetch(\.chapters))
          .map { $0.chapters.loaded?.map(\.title) }
      }
      try context.expectEqual(try chapters(), [["1", "3", "2"], ["4"]], "last, as they are given")
      try store.save([
        Chapter("3", id: 3, book: .key(2)), Chapter("1", id: 1, book: .key(1)),
        Chapter("5", book: .key(2)),
      ])
      try context.expectEqual(
        try chapters(), [["1", "2"], ["4", "3", "5"]], "a target that stays keeps its position")
      for missing in [ToOne<Book>.notLoaded, nil] {
        let error = try context.expectError(.missingValue, entity: "Chapter", key: []) {
          try store.insert([Chapter("6", book: .key(1)), Chapter("7", book: missing)])
        }
        try context.expectEqual(error.attributes, ["book"])
      }
      try context.expectError(
        .missingTarget, entity: "Chapter", attributes: ["book"], key: [], values: [.int(9)]
      ) { try store.insert([Chapter("6", book: .key(9)), Chapter("7", book: nil)]) }
      let counted = try LinkSetup(context, LinkSetup.teams, .count("Team.players", 1, 2))
      try counted.store.save([Team(1, players: [Player(1)]), Team(2, players: [Player(2)])])
      try counted.store.save([Player(3, team: .key(1))])
      func refuses(_ team: Int64, _ players: [Player]) throws {
        try context.expectError(
          .validationFailed, entity: "Team", attributes: ["players"], key: [.int(team)]
        ) { try counted.store.save(players) }
      }
      try refuses(1, [Player(4, team: .key(1)), Player(5, team: nil)])
      try refuses(2, [Player(2, team: nil)])
      try refuses(2, [Player(2, team: .key(1)), Player(1, team: nil)])
      try counted.store.save([Player(2, team: .key(1)), Player(3, team: .key(2))])
      try counted.expect("Player", "team_id", [.int(1), .int(1), .int(2)])
    },
    ConformanceCase("one-to-ones by keys move in a batch, and tell where they clash", "5.8") {
      context in
      let store = try context.openLinked()
      let coaches = try store.fetch(Coach.all.sorted(by: .ascending(\.name)))
      try store.save([
        Coach("Ann", id: coaches[0].id, team: .key(2)), Coach("New", team: .key(3)),
      ])
      try context.expectEqual(
        try store.fetch(Coach.all.sorted(by: .ascending(\.name))).map(\.team.id),
        [2, nil, nil, 3])
      try context.expectError(.conflictingLinks, entity: "Team", key: [.int(1)]) {
        try store.save([Coach("a", team: .key(1)), Coach("b", team: .key(1))])
      }
    },
  ]
}
