internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clause 5.6: rules hold on every path that writes, and all that is broken is reported together.
  static let rules: [ConformanceCase] = [
    ConformanceCase("all broken rules of an object are reported together", "5.6") { context in
      let store = try context.open(Room.self)
      let bad = Room(
        7, "a very long name", seats: 0, price: 50, code: "x1", opens: 9, closes: 9,
        tags: ["a", "b", "c"])
      let error = try context.expectError(
        .validationFailed, entity: "Room",
        attributes: ["name", "seats", "price", "code", "tags", "closes", "opens"], key: [.int(7)]
      ) { try store.save(bad) }
      try context.expectEqual(
        error.failures.map(\.rule), ["length", "range", "range", "matches", "length", "hours"])
      try context.expectEqual(error.failures.map(\.key), Array(repeating: [.int(7)], count: 6))
      try context.expectEqual(
        error.failures.map(\.attributes),
        [["name"], ["seats"], ["price"], ["code"], ["tags"], ["closes", "opens"]])
      try context.expectEqual(try store.count(Room.all), 0)
    },
    ConformanceCase("values at the bounds, or nil, break no rule", "5.6", "2.1") { context in
      let store = try context.open(Room.self)
      let good = [
        Room(1, "a", seats: 1, price: 0, code: "AB1"),
        Room(2, "sixsix", seats: 100, price: 49.5, code: "ZZ99", closes: 9, tags: ["a", "b"]),
        Room(3, seats: 3),
      ]
      try store.save(good)
      try context.expectEqual(try store.fetch(Room.all), good)
    },
    ConformanceCase("rules hold on every path that writes", "5.6") { context in
      let store = try context.open(Room.self)
      let good = Room(1, seats: 5, price: 10)
      try store.save(good)
      let bad = Room(1, seats: 101, price: 10)
      let new = Room(2, seats: 101)
      func refuse(_ what: String, _ body: () throws -> Void) throws {
        let error = try context.expectError(
          .validationFailed, entity: "Room", attributes: ["seats"], what, body)
        try context.expectEqual(error.rule, "range", what)
        try context.expectEqual(try store.fetch(Room.all), [good], what)
      }
      try refuse("save") { try store.save(bad) }
      try refuse("insert") { try store.insert(new) }
      try refuse("update") { try store.update(bad) }
      try refuse("batch") { try store.save([Room(3, seats: 9), new]) }
      try refuse("insert batch") { try store.insert([new]) }
      try refuse("match") { try store.save(bad, matching: \Room.name == "hall") }
      try refuse("merge") { try store.save(bad, merge: .skippingNil) }
      try refuse("only") { try store.save(bad, merge: .only(\.seats)) }
      try refuse("insert only") { try store.save(new, merge: .insertOnly) }
      try refuse("patch") { try store.patch(Room.self, 1) { $0.seats = 101 } }
      try refuse("patch that inserts") {
        try store.patch(Room.self, 2, onMissing: .insert) {
          $0.name = "new"
          $0.seats = 0
          $0.opens = 1
          $0.closes = 2
          $0.tags = []
        }
      }
      try refuse("set-based") { try store.update(Room.all) { $0.seats = 0 } }
      try refuse("arithmetic") { try store.update(Room.all) { $0[\.seats] += 96 } }
      try refuse("rows by names") {
        _ = try store.write {
          try $0.save([DynamicRow("Room", ["id": .int(1), "seats": .int(0)])])
        }
      }
      try refuse("update by names") {
        _ = try store.write { try $0.update(DynamicQuery("Room"), ["seats": .value(.int(0))]) }
      }
      // A row that is left as it is is not validated.
      try store.save(Room(1, seats: 500), merge: .insertOnly)
      try context.expectEqual(try store.update(Room.all) { $0[\.seats] += 95 }, 1)
      try context.expectEqual(try store.fetch(Room.all).map(\.seats), [100])
    },
    ConformanceCase(
      "a rule over several attributes sees what is stored beside what is set", "5.6", "5.4"
    ) { context in
      let store = try context.open(Room.self)
      try store.save([
        Room(1, seats: 1, opens: 8, closes: 18), Room(2, seats: 2, opens: 1, closes: 3),
      ])
      try context.expectError(.validationFailed, attributes: ["closes", "opens"], key: [.int(2)]) {
        try store.update(Room.all) { $0.opens = 5 }
      }
      try context.expectError(.validationFailed, attributes: ["closes", "opens"], key: [.int(1)]) {
        try store.patch(Room.self, 1) { $0.opens = 18 }
      }
      try context.expectError(.validationFailed, attributes: ["closes", "opens"], key: [.int(2)]) {
        try store.save(Room(2, opens: 3), merge: .only(\.opens))
      }
      // The first in the order of the query is named.
      try context.expectError(.validationFailed, attributes: ["closes", "opens"], key: [.int(2)]) {
        try store.update(Room.all.sorted(by: .descending(\.id)).limit(2)) { $0[\.closes] -= 10 }
      }
      try context.expectEqual(
        try store.update(Room.all.where { $0.id == 1 }) { $0.opens = 17 }, 1)
      try context.expectEqual(try store.fetch(Room.all).map(\.opens), [17, 1])
      // The least of the keys that would break it is named.
      let error = try context.expectError(.validationFailed, key: [.int(1)]) {
        try store.update(Room.all) { $0[\.closes] -= 17 }
      }
      try context.expectEqual(error.values, [])
      try context.expectEqual(error.failures.map(\.values), [[.int(1), .int(17)]])
    },
    ConformanceCase("code checks attributes and whole objects on every path", "5.6") { context in
      let store = try context.open(Freight.self)
      let error = try context.expectError(
        .validationFailed, entity: "Freight", attributes: ["weight", "isSealed"], key: [.int(1)]
      ) { try store.insert(Freight(1, weight: -1, isSealed: true)) }
      try context.expectEqual(error.failures.map(\.rule), ["range", "check", "open"])
      try store.insert([Freight(1, weight: 2), Freight(2, weight: 4)])
      try context.expectError(.validationFailed, attributes: ["weight"], key: [.int(1)]) {
        try store.update(Freight.all) { $0[\.weight] += 1 }
      }
      try store.update(Freight.all.where { $0.id == 2 }) { $0.isSealed = true }
      let sealed = try context.expectError(
        .validationFailed, attributes: ["weight"], key: [.int(2)]
      ) { try store.patch(Freight.self, 2) { $0.weight = 8 } }
      try context.expectEqual(sealed.rule, "sealed")
      for delete: (any Store) throws -> Void in [
        { try $0.delete(Freight.self, id: 2) }, { try $0.deleteAll(Freight.self) },
        { try $0.delete(Freight.all.where { $0.weight == 4 }) },
      ] {
        try context.expectError(
          .validationFailed, attributes: ["isSealed"], key: [.int(2)]
        ) { try delete(store) }
      }
      try context.expectEqual(try store.fetch(Freight.all).map(\.weight), [2, 4])
      try context.expectEqual(try store.delete(Freight.self, id: 1), true)
      // The check counts rows that the same transaction wrote.
      let many = try context.expectError(.validationFailed, attributes: []) {
        try store.write { tx in
          for id in 10..<20 { try tx.insert(Freight(Int64(id), weight: 2)) }
        }
      }
      try context.expectEqual(many.rule, "many")
      try context.expectEqual(try store.count(Freight.all), 1)
    },
    ConformanceCase("rules of embedded structs hold in the models around", "5.6") {
      context in
      let store = try context.open(Plank.self)
      let good = [
        Plank(id: 1, width: Stretch(low: 0, high: 1)),
        Plank(id: 2, width: Stretch(low: 2, high: 3), spare: Stretch(low: 4, high: 9)),
      ]
      try store.save(good)
      let bad = Plank(
        id: 3, width: Stretch(low: -1, high: -1), spare: Stretch(low: 3, high: 4))
      let error = try context.expectError(
        .validationFailed, entity: "Plank",
        attributes: ["width.low", "width.high", "spare.low"], key: [.int(3)]
      ) { try store.save(bad) }
      try context.expectEqual(error.failures.map(\.rule), ["range", "stretch", "check", "check"])
      try context.expectEqual(
        error.failures.map(\.attributes),
        [["width.low"], ["width.high", "width.low"], ["width.low"], ["spare.low"]])
      try context.expectError(.validationFailed, attributes: ["spare.high", "spare.low"]) {
        try store.patch(Plank.self, 2) { $0.spare.high = 4 }
      }
      try context.expectEqual(try store.fetch(Plank.all), good)
    },
    ConformanceCase("objects are checked by hand, whole or one attribute", "5.6") { context in
      let bad = Room(1, "", seats: 0, opens: 9, closes: 9)
      let all = try context.expectError(.validationFailed) { try bad.validate() }
      try context.expectEqual(all.failures.map(\.rule), ["length", "range", "hours"])
      let one = try context.expectError(.validationFailed, attributes: ["seats"]) {
        try bad.validate(\.seats)
      }
      try context.expectEqual(one.rule, "range")
      try context.expectEqual(
        try context.expectError(.validationFailed) { try bad.validate(\.opens) }.rule, "hours")
      try bad.validate(\.price)
      try Room(1).validate()
      try context.expectError(.validationFailed, attributes: ["weight"]) {
        try Freight(1, weight: 3).validate()
      }
      try Freight(1, weight: 2, isSealed: true).validate()
    },
    ConformanceCase("rules are stored with the schema, and hold without the Swift type", "5.6") {
      context in
      let described = try Schema(models: [Room.self])
      let store = try context.open(Schema(entities: described.entities))
      let row = DynamicRow(
        "Room",
        [
          "id": .int(1), "name": .string("hall"), "seats": .int(0), "opens": .int(1),
          "closes": .int(2), "tags": .array([]),
        ])
      try context.expectError(.validationFailed, entity: "Room", attributes: ["seats"]) {
        _ = try store.write { try $0.insert([row]) }
      }
      try context.expectEqual(
        try context.unwrap(store.schema.entity(named: "Room"), "the entity").rules.map(\.name),
        ["length", "range", "range", "matches", "length", "hours"])
    },
  ]
}
