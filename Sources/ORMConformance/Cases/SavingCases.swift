internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 5.1 and 5.3: save, insert, update, and batches.
  static let saving: [ConformanceCase] = [
    ConformanceCase("save inserts or updates by key and gives the object as stored", "5.1") {
      context in
      let store = try context.open(Snack.self)
      let first = try store.save(Snack(1, "a", taste: "sweet", price: 1, tags: ["x"]))
      try context.expectEqual(first, Snack(1, "a", taste: "sweet", price: 1, tags: ["x"]))
      let second = try store.save(Snack(1, "b"))
      try context.expectEqual(second, Snack(1, "b"))
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "b")], "nil is written")
      try store.save(Snack(2, "c"))
      try context.expectEqual(try store.count(Snack.self), 2)
    },
    ConformanceCase("insert of a key that exists throws duplicate and changes nothing", "5.1") {
      context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      try context.expectError(
        .duplicate, entity: "Snack", attributes: ["id"], values: [.int(1)]
      ) { try store.insert(Snack(1, "b")) }
      try context.expectError(.duplicate, entity: "Snack", attributes: ["id"], values: [.int(1)]) {
        try store.insert([Snack(2, "c"), Snack(1, "b"), Snack(3, "d")])
      }
      try context.expectError(.duplicate, entity: "Snack", attributes: ["id"], values: [.int(5)]) {
        try store.insert([Snack(5, "c"), Snack(5, "b")])
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "a")])
    },
    ConformanceCase("update of a row that is missing throws notFound and changes nothing", "5.1") {
      context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      try context.expectError(
        .notFound, entity: "Snack", attributes: [], key: [.int(2)], values: []
      ) {
        try store.update(Snack(2, "b"))
      }
      try context.expectError(
        .notFound, entity: "Snack", attributes: [], key: [.int(2)], values: []
      ) {
        try store.update([Snack(1, "z"), Snack(2, "b")])
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "a")])
      try context.expectEqual(try store.update(Snack(1, "b", price: 2)), Snack(1, "b", price: 2))
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "b", price: 2)])
    },
    ConformanceCase("a save tells what was inserted, updated and unchanged", "5.1") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", price: 0.0), Snack(2, "b"), Snack(3, "c", tags: ["x"])])
      let result = try store.save([
        Snack(1, "a", price: 0.0), Snack(2, "B"), Snack(3, "c", tags: ["x"]), Snack(4, "d"),
      ])
      try context.expectEqual(result.inserted, 1, "inserted")
      try context.expectEqual(result.updated, 1, "updated")
      try context.expectEqual(result.unchanged, 2, "unchanged")
      try context.expectEqual(result.keys, [1, 2, 3, 4])
      let sign = try store.save([Snack(1, "a", price: -0.0)])
      try context.expectEqual(sign.updated, 1, "another sign of zero is a change")
      try context.expectEqual(try store.find(Snack.self, 1)?.price?.sign, .minus)
      let scalars = try store.save([Snack(3, "c", tags: ["x", "x"])])
      try context.expectEqual(scalars.updated, 1)
    },
    ConformanceCase("a row that is stored already, bit for bit, counts as unchanged", "5.1") {
      context in
      let store = try context.open(Everything.self, Anything.self, Enrolment.self, Page.self)
      var model = Everything(1)
      model.double = -0.0
      model.string = "e\u{301}\0"
      model.decimal = 1.5
      model.date = Date(timeIntervalSinceReferenceDate: -0.0)
      model.strings = ["b", "a", "c"]
      model.uint64 = .max
      try store.save(model)
      try context.expectEqual(try store.save([model]).unchanged, 1)
      model.string = "\u{E9}\0"
      try context.expectEqual(try store.save([model]).updated, 1, "composed and decomposed")
      try store.save(Anything(1))
      try context.expectEqual(try store.save([Anything(1)]).unchanged, 1)
      try store.save(Enrolment("a", 1))
      try context.expectEqual(try store.save([Enrolment("a", 1)]).unchanged, 1)
    },
    ConformanceCase("unique rules name entity, attributes and values", "5.1", "8.1") { context in
      let store = try context.open(Account.self)
      let first = Account(1, 10, email: "a@x", region: "eu", local: 1, rate: 0.0)
      try store.save(first)
      try context.expectError(
        .duplicate, entity: "Account", attributes: ["number"], values: [.int(10)]
      ) { try store.save(Account(2, 10)) }
      try context.expectError(
        .duplicate, entity: "Account", attributes: ["email"], values: [.string("a@x")]
      ) { try store.insert(Account(2, 11, email: "a@x")) }
      try context.expectError(
        .duplicate, entity: "Account", attributes: ["region", "local"],
        values: [.string("eu"), .int(1)]
      ) { try store.save([Account(3, 12), Account(2, 11, region: "eu", local: 1)]) }
      try context.expectError(.duplicate, entity: "Account", attributes: ["rate"]) {
        try store.save(Account(2, 11, rate: -0.0))
      }
      try context.expectEqual(try store.fetch(Account.all), [first])
      try store.save(Account(2, 11, email: "A@X", region: "eu", local: 2, rate: 1))
      try context.expectError(.duplicate, attributes: ["email"]) {
        try store.update(Account(2, 11, email: "a@x"))
      }
      try context.expectEqual(try store.find(Account.self, 2)?.email, "A@X")
    },
    ConformanceCase("nil is never a duplicate, nor a compound rule with a nil part", "5.1") {
      context in
      let store = try context.open(Account.self)
      try store.save([
        Account(1, 1), Account(2, 2), Account(3, 3, region: "eu"), Account(4, 4, region: "eu"),
        Account(5, 5, local: 7), Account(6, 6, local: 7),
      ])
      try context.expectEqual(try store.count(Account.self), 6)
      try store.save(Account(7, 7, region: "eu", local: 7))
      try context.expectError(.duplicate, attributes: ["region", "local"]) {
        try store.update(Account.all.where { $0.id == 3 }) { $0.local = 7 }
      }
    },
    ConformanceCase("unique rules hold at the end of an operation, not between its rows", "5.1") {
      context in
      let store = try context.open(Account.self)
      try store.save([
        Account(1, 1, email: "a", region: "r", local: 1),
        Account(2, 2, email: "b", region: "r", local: 2), Account(3, 3),
      ])
      let swapped = [
        Account(1, 2, email: "b", region: "r", local: 2),
        Account(2, 1, email: "a", region: "r", local: 1),
      ]
      try context.expectEqual(try store.save(swapped).updated, 2)
      try context.expectEqual(try store.fetch(Account.all.limit(2)), swapped)
      // A value that a later row releases may be taken by an earlier one.
      try context.expectEqual(
        try store.save([Account(4, 3), Account(3, 4)]).counts.total, 2)
      try context.expectEqual(try store.fetch(Account.all).map(\.number), [2, 1, 4, 3])
      try context.expectEqual(
        try store.update(Account.all) { $0[\.number] = $0[\.number] + 1 }, 4)
      try context.expectEqual(try store.fetch(Account.all).map(\.number), [3, 2, 5, 4])
      try context.expectEqual(
        try store.update(Account.all) { $0[\.number] = $0[\.number] - 1 }, 4)
      try context.expectEqual(
        try store.update(Account.all) { $0[\.number] = -$0[\.number] }, 4)
      try context.expectEqual(try store.fetch(Account.all).map(\.number), [-2, -1, -4, -3])
      try context.expectError(.duplicate, entity: "Account", attributes: ["number"]) {
        try store.update(Account.all) { $0.number = 7 }
      }
      try context.expectError(.duplicate, attributes: ["number"]) {
        try store.save([Account(1, 9), Account(2, 9)])
      }
      try context.expectError(.duplicate, attributes: ["number"]) {
        try store.save([Account(9, 50), Account(8, 50)])
      }
      try context.expectEqual(try store.fetch(Account.all).map(\.number), [-2, -1, -4, -3])
      try context.expectEqual(
        try store.ids("Account", attribute("number").compare(.equal, int(-4))), [3],
        "the index follows")
    },
    ConformanceCase("of two objects with one key the later wins, or it throws", "5.3") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a"), Snack(2, "b"), Snack(1, "c")])
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "c"), Snack(2, "b")])
      try context.expectError(.invalidBatch, entity: "Snack", key: [.int(5)]) {
        try store.save([Snack(5, "a"), Snack(2, "z"), Snack(5, "c")], duplicates: .throw)
      }
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1, "c"), Snack(2, "b")])
      try store.save([Snack(5, "a"), Snack(6, "z")], duplicates: .throw)
      try context.expectEqual(try store.count(Snack.self), 4)
    },
    ConformanceCase("an empty batch succeeds and commits nothing", "5.3", "6.5") { context in
      let store = try context.open(Snack.self)
      let notices = Notices(store)
      try context.expectEqual(try store.save([Snack]()).counts.total, 0)
      try context.expectEqual(try store.insert([Snack]()).counts.total, 0)
      try context.expectEqual(try store.update([Snack]()).counts.total, 0)
      try store.save(Snack(1))
      try context.expectEqual(notices.wait(for: 1).map(\.entities), [["Snack"]])
    },
    ConformanceCase("a batch may be of any size", "5.3") { context in
      let store = try context.open(Snack.self)
      let count: Int64 = 5_000
      let result = try store.save((0..<count).map { Snack($0, "\($0 % 7)", stock: Int($0)) })
      try context.expectEqual(result.inserted, 5_000)
      try context.expectEqual(try store.count(Snack.self), 5_000)
      // 0 + 1 + … + 4,999
      try context.expectEqual(try store.sum(Snack.all, \.stock), 12_497_500)
      let again = try store.save((0..<count).map { Snack($0, "\($0 % 7)", stock: Int($0 / 2 * 2)) })
      try context.expectEqual(again.updated, 2_500)
      try context.expectEqual(again.unchanged, 2_500)
      try context.expectEqual(try store.delete(Snack.all.where { $0.name == "3" }), 714)
      try context.expectEqual(try store.count(Snack.self), 4_286)
    },
    ConformanceCase("deletes: by key, by keys, by filter, the first, all", "5.1") { context in
      let store = try context.open(Snack.self)
      try store.save(
        (1...10).map { Snack(Int64($0), $0 % 2 == 0 ? "even" : "odd", stock: 10 - $0) })
      try context.expectEqual(try store.delete(Snack(1)), true)
      try context.expectEqual(try store.delete(Snack(1)), false)
      try context.expectEqual(try store.delete(Snack.self, id: 2), true)
      try context.expectEqual(try store.delete(Snack.self, id: 2), false)
      try context.expectEqual(try store.delete(Snack.self, ids: [3, 1, 4, 3]), 2)
      try context.expectEqual(
        try store.delete(Snack.all.sorted(by: .ascending(\.stock)).limit(1)), 1)
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [5, 6, 7, 8, 9])
      try context.expectEqual(try store.delete(Snack.all.where { $0.id > 6 }.limit(1)), 1)
      try context.expectEqual(try store.delete(Snack.all.where { $0.id > 60 }.limit(1)), 0)
      try context.expectEqual(
        try store.delete(Snack.all.where { $0.name == "even" }.limit(1)), 1)
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [5, 8, 9])
      try context.expectEqual(
        try store.delete(Snack.all.sorted(by: .descending(\.id)).limit(1).offset(1)), 1)
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [5, 9])
      try context.expectEqual(try store.deleteAll(Snack.self), 2)
      try context.expectEqual(try store.deleteAll(Snack.self), 0)
      try context.expectEqual(try store.count(Snack.all.where { $0.name == "odd" }), 0)
    },
  ]
}
