internal import Dispatch
internal import ORM

extension ConformanceCase {
  /// Clause 2.10: queries by names with variables, and compiled filters.
  static let namedQueries: [ConformanceCase] = [
    ConformanceCase("a query by names binds its variables, and a store answers it", "2.10") {
      context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "Chips", taste: "salty", price: 2, stock: 5), Snack(2, "Nuts", price: 4, stock: 1),
        Snack(3, "Cake", taste: "sweet", price: 3), Snack(4, "Pie", taste: "sweet"),
      ])
      let query = try DynamicQuery(
        "Snack", in: store.schema, where: "price < $limit OR taste == $taste",
        sortedBy: "price * $factor")
      try context.expectEqual(query.variables, ["factor", "limit", "taste"])
      func names(_ query: DynamicQuery) throws -> [StoredValue] {
        try store.fetch(query).map { $0["name"] }
      }
      let bound = try query.binding(["limit": 4, "taste": "sweet", "factor": 1])
      try context.expectEqual(bound.variables, [])
      try context.expectEqual(
        try names(bound), [.string("Pie"), .string("Chips"), .string("Cake")])
      try context.expectEqual(
        try names(query.binding(["limit": 4, "taste": nil]).binding(["factor": -1])),
        [.string("Nuts"), .string("Cake"), .string("Chips")])
      try context.expectEqual(try store.first(bound)?["id"], .int(4))
      try context.expectEqual(try store.count(bound), 3)
      try context.expect(try store.exists(bound), "there are some")
      try context.expectEqual(
        try store.aggregate(bound, Aggregate(.sum, .attribute("price"))), .double(5))
      try context.expectEqual(
        try store.fetch(bound), try store.read { try $0.fetch(bound) }, "in a transaction")
      _ = try store.explain(bound, analyze: true)
      // A variable without a value, and a value without a variable.
      try context.expectError(.invalidCondition) {
        try store.fetch(query.binding(["limit": 4, "factor": 1]))
      }
      try context.expectError(.invalidCondition, entity: "Snack") {
        try query.binding(["limits": 4])
      }
      try context.expectError(.unknownEntity) { try store.count(DynamicQuery("Snacks")) }
      try context.expectEqual(
        try store.update(bound, ["stock": .value(.int(9))]), 3)
      try context.expectEqual(try store.fetch(Snack.all).map(\.stock), [9, 1, 9, 9])
      try context.expectEqual(try store.delete(bound), 3)
      try context.expectEqual(try store.fetch(Snack.all).map(\.id), [2])
    },
    ConformanceCase(async: "a query by names, async and with completion", "2.10", "6.2") {
      context in
      let store = try context.open(Snack.self)
      try await store.save([Snack(1, "Chips", price: 2), Snack(2, "Nuts", price: 4)])
      let query = try DynamicQuery("Snack", in: store.schema, where: "price > $x")
        .binding(["x": 3])
      try context.expectEqual(try await store.fetch(query).map { $0["id"] }, [.int(2)])
      try context.expectEqual(try await store.count(query), 1)
      let count = try await completed {
        store.read(on: .global(), { try $0.count(query) }, completion: $0)
      }
      try context.expectEqual(count, 1)
    },
    ConformanceCase("a compiled filter gives the store's answer", "2.10", "2.1", "2.7") { context in
      let store = try context.open(Club.self, Ward.self, Member.self, Hobby.self, Snack.self)
      func snack(_ number: Int) -> Snack {
        var snack = Snack(Int64(number), "n\(number % 7)", tags: ["a\(number % 3)"])
        if number % 3 != 0 { snack.taste = "t\(number % 4)" }
        if number % 5 != 0 { snack.price = Double(number) / 2 }
        return snack
      }
      try store.save((1...50).map(snack))
      let snacks = try store.fetch(Snack.all)
      let formats = [
        "TRUEPREDICATE", "price > 7 AND name != 'n3'", "NOT price > 7",
        "taste == nil OR name LIKE[c] 'N?'", "name IN {'n1', 'n2'}", "ANY tags == 'a1'",
        "ANY tags == 'a2' AND price * 2 > 30",
      ]
      for format in formats {
        let filter = try Filter<Snack>(format: format)
        let test = try filter.compiled()
        try context.expectEqual(
          try snacks.filter { try test.matches($0) }.map(\.id),
          try store.fetch(Snack.all.where(filter)).map(\.id), "\(filter)")
      }
      try store.save((1...3).map { Club(Int64($0), $0 == 2 ? nil : "c\($0)") })
      try store.save(
        (1...9).map { Member(Int64($0), age: Int($0) * 10, club: .key(Int64($0 % 3 + 1))) })
      let members = try store.fetch(Member.all.prefetch(\.club))
      for format in ["club.name == 'c1'", "club.name == nil AND age > 20", "club.id == 3"] {
        let filter = try Filter<Member>(format: format)
        let test = try filter.compiled()
        try context.expectEqual(
          try members.filter { try test.matches($0) }.map(\.id),
          try store.fetch(Member.all.where(filter)).map(\.id), "\(filter)")
      }
      let clubs = try store.fetch(Club.all.prefetch(\.members))
      let older = Club.all.where { $0.members.any { $0.age > 75 } }.filter
      let test = try older.compiled()
      try context.expectEqual(try clubs.filter { try test.matches($0) }.map(\.id), [1, 3])
      try context.expectEqual(try store.fetch(Club.all.where(older)).map(\.id), [1, 3])
      let bare = try store.fetch(Club.all)[0]
      try context.expectError(.notLoaded) { try test.matches(bare) }
      var broken = snacks[0]
      broken.price = .nan
      try context.expectError(.invalidValue, entity: "Snack") {
        try Snack.all.where { $0.id == 1 }.filter.compiled().matches(broken)
      }
    },
  ]
}
