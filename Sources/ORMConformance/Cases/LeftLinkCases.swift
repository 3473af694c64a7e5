internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clauses 2.9, 5.6 and 5.8: links that were left to a key, and links and counts by rows.
  static let leftLinks: [ConformanceCase] = [
    ConformanceCase(
      "links set on a new owner replace those that were left to its key", "2.9", "5.8"
    ) { context in
      let store = try context.open(Park.self, Visit.self, Tag.self)
      try store.save(Park(1, "old"))
      try store.save([Visit(1, park: .key(1)), Visit(2, park: .key(1)), Visit(3)])
      try store.save([Tag("a"), Tag("b"), Tag("c")])
      try store.attach(["a", "b"], to: 1, \Park.tags)
      try store.delete(Park.self, id: 1)
      try context.expectEqual(
        try store.fetch(Visit.all).map(\.park.id), [1, 1, nil], "noAction leaves keys")
      var park = Park(1, "new")
      park.visits = .keys([2, 3])
      park.tags = .keys(["b", "c"])
      try store.insert(park)
      let found = try context.unwrap(
        try store.first(Park.all.prefetch(\.visits, \.tags)), "the park")
      try context.expectEqual(found.visits.ids, [2, 3])
      try context.expectEqual(found.tags.ids.map { Set($0) }, ["b", "c"])
      try context.expectEqual(try store.fetch(Visit.all).map(\.park.id), [nil, 1, 1])
      try context.expectEqual(
        try store.read { try $0.count(DynamicQuery("Park_tags")) }, 2, "links")
    },
    ConformanceCase(
      "a new owner in a one-to-one takes the link that was left to its key", "2.9", "5.8"
    ) { context in
      let setup = try LinkSetup(context, LinkSetup.teams, .rule("Team.coach", .noAction))
      let store = setup.store
      let (a, b) = (UUID(), UUID())
      try store.insert(Team(1))
      try store.insert(Coach("a", id: a, team: .key(1)))
      try store.delete(Team.self, id: 1)
      try store.insert(Team(1, coach: .to(Coach("b", id: b))))
      let coaches = try store.fetch(Coach.all.sorted(by: .ascending(\.name)))
      try context.expectEqual(coaches.map(\.team.id), [nil, 1])
    },
    ConformanceCase("a row that gives a one-to-one to another moves it", "5.6", "5.8") {
      context in
      let setup = try LinkSetup(context, LinkSetup.teams)
      let store = setup.store
      let (a, b) = (UUID(), UUID())
      try store.insert([Team(1), Team(2)])
      try store.insert([Coach("a", id: a, team: .key(1)), Coach("b", id: b, team: .key(2))])
      func teams() throws -> [Int64?] {
        try store.fetch(Coach.all.sorted(by: .ascending(\.name))).map(\.team.id)
      }
      try store.write {
        _ = try $0.save([DynamicRow("Coach", ["id": .uuid(b), "team_id": .int(1)])])
      }
      try context.expectEqual(try teams(), [nil, 1])
      try store.update(Coach.all.where { $0.name == "a" }) { $0.team = .key(1) }
      try context.expectEqual(try teams(), [1, nil])
      // Two at once: each loses the target that the other takes.
      try store.write {
        _ = try $0.save([DynamicRow("Coach", ["id": .uuid(b), "team_id": .int(2)])])
        _ = try $0.save([
          DynamicRow("Coach", ["id": .uuid(a), "team_id": .int(2)]),
          DynamicRow("Coach", ["id": .uuid(b), "team_id": .int(1)]),
        ])
      }
      try context.expectEqual(try teams(), [2, 1])
      try context.expectError(.duplicate, entity: "Coach") {
        try store.update(Coach.all) { $0.team = .key(1) }
      }
      try context.expectEqual(try teams(), [2, 1], "nothing is written")
    },
  ]
}
