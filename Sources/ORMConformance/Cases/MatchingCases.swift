internal import Foundation
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 5.2 to 5.4: saves by match, merge policies, patches, set-based updates.
  static let matching: [ConformanceCase] = [
    ConformanceCase("a save by filter keeps the key of the matched row", "5.2") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", taste: "x"), Snack(2, "b")])
      let counts = try store.save(Snack(9, "a", price: 3), matching: \.name == "a")
      try context.expectEqual(counts.updated, 1)
      try context.expectEqual(
        try store.fetch(Snack.all), [Snack(1, "a", price: 3), Snack(2, "b")])
      try context.expectEqual(
        try store.save(Snack(9, "c"), matching: \.name == "zzz").inserted, 1,
        "the object's own key is used when it is inserted")
      try context.expectEqual(try store.find(Snack.self, 9), Snack(9, "c"))
      try context.expectEqual(
        try store.save(Snack(9, "c"), matching: \.name == "c").unchanged, 1)
    },
    ConformanceCase("a save by attributes is the save by the filter made from the object", "5.2") {
      context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", taste: nil, price: 1), Snack(2, "a", taste: "x", price: 2)])
      let object = Snack(3, "a", taste: nil, price: 9)
      try context.expectEqual(
        try store.fetch(Snack.all.where(try Filter.equal(object, on: \.name, \.taste))).map(\.id),
        [1], "nil equals nil")
      let counts = try store.write { try $0.save(object, matchingOn: \.name, \.taste) }
      try context.expectEqual(counts.updated, 1)
      try context.expectEqual(try store.find(Snack.self, 1), Snack(1, "a", taste: nil, price: 9))
      try context.expectEqual(try store.find(Snack.self, 2)?.price, 2)
      try context.expectEqual(
        try store.write { try $0.save(Snack(3, "A"), matchingOn: \.name) }.inserted, 1)
      try context.expectEqual(
        try store.write { try $0.delete(Snack(0, "a"), matchingOn: \.name) }, 2)
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [3])
    },
    ConformanceCase("onMissing: insert, ignore or throw", "5.2") { context in
      let store = try context.open(Snack.self)
      try context.expectEqual(
        try store.save(Snack(1), matching: \.name == "a", onMissing: .ignore).ignored, 1)
      try context.expectEqual(try store.count(Snack.self), 0)
      try context.expectError(.notFound, entity: "Snack") {
        try store.save(Snack(1), matching: \.name == "a", onMissing: .throw)
      }
      try context.expectEqual(try store.save(Snack(1, "a"), matching: \.name == "a").inserted, 1)
      try context.expectEqual(try store.count(Snack.self), 1)
    },
    ConformanceCase("several matches: all, the first in key order, or ambiguous", "5.2") {
      context in
      let store = try context.open(Snack.self)
      func reset() throws {
        try store.save([Snack(3, "a", price: 1), Snack(1, "a", price: 2), Snack(2, "b", price: 3)])
      }
      try reset()
      try context.expectEqual(
        try store.save(Snack(0, "n"), matching: \.name == "a").updated, 2, "all")
      try context.expectEqual(
        try store.fetch(Snack.all), [Snack(1, "n"), Snack(2, "b", price: 3), Snack(3, "n")])
      try reset()
      try context.expectEqual(
        try store.save(Snack(0, "n"), matching: \.name == "a", matches: .first).updated, 1)
      try context.expectEqual(try store.fetch(Snack.all).map(\.name), ["n", "b", "a"])
      try reset()
      try context.expectError(.ambiguous, entity: "Snack") {
        try store.save(Snack(0, "n"), matching: \.name == "a", matches: .one)
      }
      try context.expectEqual(try store.fetch(Snack.all).map(\.name), ["a", "b", "a"])
      try context.expectEqual(
        try store.save(Snack(0, "n"), matching: \.name == "b", matches: .one).updated, 1)
    },
    ConformanceCase("a batch match by a to-one, and the name of a link that it cannot take", "5.3")
    {
      context in
      let store = try context.open(Team.self, Coach.self, Player.self, League.self)
      try store.insert([Team(1, "a"), Team(2, "b")])
      try store.insert([
        Player(1, "A", team: .key(1)), Player(2, "A", team: .key(2)),
        Player(3, "B", team: .key(1)), Player(4, "C", team: nil),
      ])
      let sameTeam = BatchMatch<Player>(equal: [\.team], contain: [\.name])
      let counts = try store.save(
        [
          Player(11, "A", age: 30, team: .key(1)), Player(12, "N", age: 31, team: .key(1)),
        ], matching: sameTeam)
      try context.expectEqual([counts.updated, counts.inserted], [1, 1])
      try store.save([Player(0, "C", age: 40, team: nil)], matching: sameTeam)
      try store.save(
        [Player(0, "D", age: 50, team: .key(2))], matching: BatchMatch(contain: [\.team]))
      let rows = try store.fetch(Player.all.sorted(by: .ascending(\.id)))
      try context.expectEqual(rows.map(\.id), [1, 2, 3, 4, 12])
      try context.expectEqual(rows.map(\.name), ["A", "D", "B", "C", "N"])
      try context.expectEqual(rows.map(\.age), [30, 50, 20, 40, 31])
      try context.expectError(.invalidBatch, entity: "Player", attributes: ["team_id"]) {
        try store.save(
          [Player(1, "A", team: .key(1)), Player(2, "B", team: .key(2))], matching: sameTeam)
      }
      // The links of a to-many are not in the object's own row.
      for match in [
        BatchMatch<Team>(contain: [\.players]),
        BatchMatch(equal: [\.players], contain: [\.name]),
      ] {
        try context.expectError(.invalidBatch, entity: "Team", attributes: ["players"]) {
          try store.save([Team(1, "x")], matching: match)
        }
      }
      try context.expectError(.invalidBatch, entity: "Team", attributes: ["leagues"]) {
        try store.save([Team(1, "x")], matching: BatchMatch(contain: [\.name, \.leagues]))
      }
      try context.expectEqual(try store.fetch(Team.all).map(\.name).sorted(), ["a", "b"])
    },
    ConformanceCase("a batch match: equal-list, contain-list and its errors", "5.3") { context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "a", taste: "x"), Snack(2, "b", taste: "x"), Snack(3, "a", taste: "y"),
        Snack(4, "c", taste: nil),
      ])
      let match = BatchMatch<Snack>(equal: [\.taste], contain: [\.name])
      let counts = try store.save(
        [Snack(11, "a", taste: "x", price: 1), Snack(12, "n", taste: "x", price: 2)],
        matching: match)
      try context.expectEqual(counts.updated, 1)
      try context.expectEqual(counts.inserted, 1)
      try context.expectEqual(
        try store.fetch(Snack.all).map(\.id), [1, 2, 3, 4, 12])
      try context.expectEqual(try store.find(Snack.self, 1)?.price, 1)
      try context.expectEqual(try store.find(Snack.self, 3)?.price, nil)
      try context.expectEqual(
        try store.save([Snack(0, "c", taste: nil, price: 7)], matching: match).updated, 1,
        "nil equals nil")
      try context.expectEqual(try store.find(Snack.self, 4)?.price, 7)
      try context.expectError(.invalidBatch, entity: "Snack", attributes: ["taste"]) {
        try store.save(
          [Snack(1, "a", taste: "x"), Snack(2, "b", taste: "y")], matching: match)
      }
      try context.expectError(.invalidBatch, entity: "Snack") {
        try store.save([Snack(1)], matching: BatchMatch(equal: [\.taste], contain: []))
      }
      try context.expectEqual(try store.save([Snack](), matching: match).total, 0)
      try context.expectEqual(
        try store.save(
          [Snack(0, "a", taste: "x"), Snack(0, "q", taste: "x")], matching: match,
          onMissing: .ignore
        ).ignored, 1)
      try context.expectError(.notFound, entity: "Snack") {
        try store.save(
          [Snack(0, "a", taste: "x", price: 5), Snack(0, "q", taste: "x")], matching: match,
          onMissing: .throw)
      }
      try context.expectEqual(try store.find(Snack.self, 1)?.price, nil, "nothing was written")
    },
    ConformanceCase("merge policies: replace, skippingNil, only, insertOnly", "5.4") { context in
      let store = try context.open(Snack.self)
      func reset() throws {
        try store.deleteAll(Snack.self)
        try store.save(Snack(1, "a", taste: "x", price: 1, stock: 1))
      }
      let change = Snack(1, "b", price: nil, stock: 2)
      try reset()
      try context.expectEqual(
        try store.save(change, merge: .skippingNil),
        Snack(1, "b", taste: "x", price: 1, stock: 2))
      try reset()
      try context.expectEqual(
        try store.save(change, merge: .only(\.stock, \.price)),
        Snack(1, "a", taste: "x", price: nil, stock: 2))
      try reset()
      try context.expectEqual(
        try store.save(change, merge: .insertOnly), Snack(1, "a", taste: "x", price: 1, stock: 1))
      let counts = try store.save([change, Snack(2, "n")], merge: .insertOnly)
      try context.expectEqual(counts.inserted, 1)
      try context.expectEqual(counts.unchanged, 1)
      try context.expectEqual(
        try store.fetch(Snack.all),
        [Snack(1, "a", taste: "x", price: 1, stock: 1), Snack(2, "n")])
      try reset()
      try context.expectEqual(
        try store.save(Snack(9, "c", stock: 3), matching: \.name == "a", merge: .skippingNil)
          .updated, 1)
      try context.expectEqual(
        try store.find(Snack.self, 1), Snack(1, "c", taste: "x", price: 1, stock: 3))
      try context.expectEqual(
        try store.save([Snack(1, "c", taste: "x")], merge: .skippingNil).unchanged, 1)
    },
    ConformanceCase("attributes that a policy does not set take their default on insert", "5.4") {
      context in
      let store = try context.open(Draft.self)
      var draft = Draft(1, "t", state: nil, score: nil)
      draft.weight = 9
      try store.save(draft, merge: .skippingNil)
      try context.expectEqual(try store.find(Draft.self, 1)?.state, "new")
      try context.expectEqual(try store.find(Draft.self, 1)?.weight, 9)
      try context.expectEqual(try store.find(Draft.self, 1)?.score, nil)
      draft.id = 2
      draft.state = "old"
      try store.save(draft, merge: .only(\.title))
      let second = try context.unwrap(try store.find(Draft.self, 2), "the draft")
      try context.expectEqual(second.state, "new")
      try context.expectEqual(second.weight, 1.5)
      draft.id = 3
      try context.expectError(.missingValue, entity: "Draft", attributes: ["title"]) {
        try store.save(draft, merge: .only(\.state))
      }
      draft.id = 4
      draft.state = nil
      try store.save(draft)
      try context.expectEqual(
        try store.find(Draft.self, 4)?.state, nil, "a plain save writes the nil")
      try context.expectEqual(try store.count(Draft.self), 3)
    },
    ConformanceCase("a patch has three states an attribute", "5.4") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", taste: "x", price: 1), Snack(2, "b", taste: "y", price: 2)])
      try context.expectEqual(
        try store.patch(Snack.self, 1) { snack in
          snack.name = "xxx"
          snack.taste = nil
        }, 1)
      try context.expectEqual(
        try store.fetch(Snack.all),
        [Snack(1, "xxx", taste: nil, price: 1), Snack(2, "b", taste: "y", price: 2)])
      try context.expectEqual(
        try store.patch(Snack.all.where { $0.price > 0 }) { $0.stock = 5 }, 2)
      try context.expectEqual(try store.fetch(Snack.all).map(\.stock), [5, 5])
      try context.expectError(.notFound, entity: "Snack", key: [.int(7)]) {
        try store.patch(Snack.self, 7) { $0.name = "?" }
      }
      try context.expectEqual(
        try store.patch(Snack.self, 7, onMissing: .ignore) { $0.name = "?" }, 0)
      try context.expectEqual(try store.count(Snack.self), 2)
    },
    ConformanceCase("a patch that inserts: defaults, and missingValue without", "5.4") { context in
      let store = try context.open(Draft.self)
      try context.expectEqual(
        try store.patch(Draft.self, 1, onMissing: .insert) {
          $0.title = "t"
          $0.score = 3
        }, 1)
      try context.expectEqual(
        try store.find(Draft.self, 1), Draft(1, "t", state: "new", score: 3))
      try context.expectError(.missingValue, entity: "Draft", attributes: ["title"]) {
        try store.patch(Draft.self, 2, onMissing: .insert) { $0.state = "x" }
      }
      try context.expectEqual(
        try store.patch(Draft.all.where { $0.id == 3 && $0.title == "u" }, onMissing: .insert) {
          $0.state = nil
        }, 1)
      try context.expectEqual(try store.find(Draft.self, 3), Draft(3, "u", state: nil))
      try context.expectEqual(try store.count(Draft.self), 2)
    },
    ConformanceCase("a set-based update works on the values as they were", "5.4", "2.6") {
      context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "a", price: 10, stock: 1), Snack(2, "b", price: nil, stock: 5),
        Snack(3, "c", price: 9, stock: 7),
      ])
      try context.expectEqual(
        try store.update(Snack.all.where { $0.stock < 7 }) { snack in
          snack[\.stock] = snack[\.stock] * 2
          snack[\.price] = snack[\.price] - 1
          snack.taste = "x"
        }, 2)
      try context.expectEqual(
        try store.fetch(Snack.all),
        [
          Snack(1, "a", taste: "x", price: 9, stock: 2),
          Snack(2, "b", taste: "x", price: nil, stock: 10), Snack(3, "c", price: 9, stock: 7),
        ])
      try context.expectEqual(
        try store.update(Snack.all.where { $0.id == 1 }) { snack in
          snack[\.taste] = snack[\.taste].uppercased()
          snack.name = "A"
        }, 1)
      try context.expectEqual(try store.find(Snack.self, 1)?.name, "A")
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.name == "A" }).map(\.id), [1], "the index follows")
      try context.expectEqual(
        try store.update(Snack.all.where { $0.id > 50 }) { $0.taste = nil }, 0)
      try context.expectEqual(
        try store.update(Snack.all.sorted(by: .descending(\.stock)).limit(2)) { $0.taste = "top" },
        2)
      try context.expectEqual(try store.fetch(Snack.all).map(\.taste), ["X", "top", "top"])
    },
    ConformanceCase("a set-based update that fails changes nothing", "5.4", "2.6", "5.5") {
      context in
      let store = try context.open(Measure.self, Everything.self, Draft.self)
      try store.save([
        Measure(1) { $0.int = 1 }, Measure(2) { $0.int = .max }, Measure(3) { $0.int = nil },
      ])
      let before = try store.fetch(Measure.all)
      try context.expectError(.overflow, entity: "Measure", attributes: ["int"]) {
        try store.update(Measure.all) { $0[\.int] = $0[\.int] + 1 }
      }
      try context.expectError(.overflow, entity: "Measure") {
        try store.update(Measure.all.where { $0.id == 2 }) { $0[\.int] = $0[\.int] * 2 }
      }
      try context.expectEqual(try store.fetch(Measure.all), before)
      try context.expectEqual(
        try store.update(Measure.all.where { $0.id != 2 }) { $0[\.int] = $0[\.int] + 1 }, 2)
      try context.expectEqual(try store.find(Measure.self, 3)?.int, nil, "nil + 1 is nil")
      var small = Everything(1)
      small.int8 = 100
      small.uint8 = 1
      try store.save([small, Everything(2)])
      try context.expectError(.invalidValue, entity: "Everything", attributes: ["int8"]) {
        try store.update(Everything.all) { $0[\.int8] = $0[\.int8] + 28 }
      }
      try context.expectError(.invalidValue, entity: "Everything", attributes: ["uint8"]) {
        try store.update(Everything.all) { $0[\.uint8] = $0[\.uint8] - 1 }
      }
      try context.expectEqual(
        try store.update(Everything.all) { $0[\.int8] = $0[\.int8] + 27 }, 2)
      try context.expectEqual(try store.fetch(Everything.all).map(\.int8), [127, 27])
      try store.save([Draft(1, "a", score: 1), Draft(2, "b")])
      try context.expectError(.missingValue, entity: "Draft", attributes: ["weight"]) {
        try store.update(Draft.all) { $0[\.weight] = $0[\.weight] / 0 }
      }
      try context.expectError(.missingValue, entity: "Draft", attributes: ["title"]) {
        try store.update(Draft.all) { $0.set("title", to: .null) }
      }
      try context.expectEqual(try store.fetch(Draft.all).map(\.weight), [1.5, 1.5])
    },
    ConformanceCase("a key is not assigned; names are checked", "5.4", "7.2", "7.4") { context in
      let store = try context.open(Snack.self)
      try store.save(Snack(1))
      try context.expectError(.invalidValue, entity: "Snack", attributes: ["id"]) {
        try store.update(Snack.all) { $0.id = 2 }
      }
      try context.expectError(.unknownAttribute, entity: "Snack") {
        try store.update(Snack.all) { $0.set("nonsense", to: .int(1)) }
      }
      try context.expectError(.invalidValue, entity: "Snack", attributes: ["price"]) {
        try store.update(Snack.all) { $0.price = .nan }
      }
      try context.expectError(.invalidValue, entity: "Snack", attributes: ["name"]) {
        try store.update(Snack.all) { $0.set("name", to: .int(1)) }
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1)])
    },
  ]
}
