internal import FoundationEssentials
internal import ORM

extension ConformanceCase {
  /// Clause 2.2: typed comparisons of numbers of two types.
  static let mixedNumbers: [ConformanceCase] = [
    ConformanceCase("an integer attribute beside a floating number is compared exactly", "2.2") {
      context in
      let store = try context.openMixed()
      func ids(_ query: Query<Snack>) throws -> [Int64] { try query.fetch(in: store).map(\.id) }
      try context.expectEqual(try ids(Snack.where { $0.id > 2.5 }), [3, 9_007_199_254_740_993])
      try context.expectEqual(try ids(Snack.where { $0.id > 2 }), [3, 9_007_199_254_740_993])
      try context.expectEqual(try ids(Snack.where { $0.id < 2.5 }), [1, 2])
      try context.expectEqual(try ids(Snack.where { $0.id <= 2.0 }), [1, 2])
      try context.expectEqual(try ids(Snack.where { $0.id == 2.0 }), [2])
      try context.expectEqual(try ids(Snack.where { $0.id == 2.5 }), [])
      try context.expectEqual(
        try ids(Snack.where { $0.id != 2.5 && $0.id >= 2.5 }), [3, 9_007_199_254_740_993])
      // 2^53 + 1 is no Double; 2^53 is.
      try context.expectEqual(
        try ids(Snack.where { $0.id > 9_007_199_254_740_992.0 }), [9_007_199_254_740_993])
      try context.expectEqual(try ids(Snack.where { $0.id == 9_007_199_254_740_992.0 }), [])
      try context.expectEqual(try ids(Snack.where { $0.id < Double.infinity }).count, 4)
      try context.expectEqual(try ids(Snack.where { $0.id > Double.nan }), [])
      try context.expectEqual(try ids(Snack.where { $0.stock > 10.5 }), [2], "an optional integer")
      try context.expectEqual(try ids(Snack.where { $0.stock != 10.5 }).count, 4, "nil differs")
    },
    ConformanceCase("numbers stand on either side, in closures and key paths", "2.2") { context in
      let store = try context.openMixed()
      func ids(_ query: Query<Snack>) throws -> [Int64] { try query.fetch(in: store).map(\.id) }
      try context.expectEqual(try ids(Snack.where { 2.5 > $0.id }), [1, 2])
      try context.expectEqual(try ids(Snack.where { 1.5 < $0.id && 2.5 >= $0.id }), [2])
      try context.expectEqual(try ids(Snack.where { 2.0 == $0.id || 2.5 == $0.id }), [2])
      try context.expectEqual(try ids(Snack.where { 2.0 != $0.id && 2.5 > $0.id }), [1])
      try context.expectEqual(try ids(Snack.where(\.id > 1.5 && \.id < 2.5)), [2])
      try context.expectEqual(try ids(Snack.where(\.id >= 1.5 && \.id <= 2.5)), [2])
      try context.expectEqual(try ids(Snack.where(\.id == 2.0)), [2])
      try context.expectEqual(try ids(Snack.where(\.id != 2.0 && \.id < 3)), [1])
      try context.expectEqual(try ids(Snack.where(\.stock > 10.5)), [2])
      let (count, share) = (10, Decimal(string: "10.5") ?? 0)
      try context.expectEqual(
        try ids(Snack.where { $0.price < count }), [1, 2], "a Double beside Int")
      try context.expectEqual(
        try ids(Snack.where { $0.stock > share }), [2], "an Int beside Decimal")
    },
    ConformanceCase("attributes of two types of numbers are compared exactly", "2.2") { context in
      let store = try context.openMixed()
      func ids(_ query: Query<Snack>) throws -> [Int64] { try query.fetch(in: store).map(\.id) }
      try context.expectEqual(try ids(Snack.where { $0.stock > $0.price }), [1, 2])
      try context.expectEqual(try ids(Snack.where { $0.price < $0.stock }), [1, 2])
      // Row 3 has neither; 2^53 + 1 differs from the price 2^53.
      try context.expectEqual(try ids(Snack.where { $0.price == $0.stock }), [3])
      try context.expectEqual(
        try ids(Snack.where { $0.id > $0.price }), [2, 9_007_199_254_740_993])
      try context.expectEqual(
        try ids(Snack.where { $0.price != $0.id && $0.price <= $0.id }),
        [2, 9_007_199_254_740_993])
      try context.expectEqual(try ids(Snack.where { $0.price >= $0.id }), [1])
      let people = try store.fetch(Snack.where { $0.id > 2.5 && $0.price > 2.5 })
      try context.expectEqual(people.map(\.id), [9_007_199_254_740_993])
    },
  ]
}

extension ConformanceContext {
  /// Opens a store with prices and stocks around each other and around the keys.
  fileprivate func openMixed() throws -> any Store {
    let store = try open(Snack.self)
    try store.save([
      Snack(1, "a", price: 1.5, stock: 10), Snack(2, "b", price: 1.25, stock: 11), Snack(3, "c"),
      Snack(9_007_199_254_740_993, "d", price: 9_007_199_254_740_992),
    ])
    return store
  }
}
