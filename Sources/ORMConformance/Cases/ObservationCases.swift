internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceContext {
  /// Expects the keys of the values that an observation delivers for the commits so far, and the result of
  /// the query now as the last of them.
  func expectValues<Model: PrimaryKeyed & Equatable>(
    _ seen: FollowedObservation<[Model]>, _ expected: [[Model.ID]], of query: Query<Model>,
    in store: any Store, _ subject: String = "", file: String = #fileID, line: Int = #line
  ) throws {
    let values = try seen.take()
    try expectEqual(values.map { $0.map(\.id) }, expected, subject, file: file, line: line)
    if let last = values.last {
      try expectEqual(last, try store.fetch(query), "\(subject): fetched", file: file, line: line)
    }
  }
}

extension ConformanceCase {
  /// Section 11: observed queries whose result is updated by commits.
  static let observations: [ConformanceCase] = [
    ConformanceCase("an observed query follows the commits, fetched once", "11.6", "11.7") {
      context in
      let store = try context.open(Snack.self, Word.self)
      try store.insert([
        Snack(1, "a", price: 1), Snack(2, "b", price: 3), Snack(3, "c", price: 9),
      ])
      let query = Snack.all.where { $0.price < 5 }
        .sorted(by: .descending(\.price), .ascending(\.name))
      let seen = try store.observe(query).follow()
      func expect(_ ids: [[Int64]], _ subject: String) throws {
        try context.expectValues(seen, ids, of: query, in: store, subject)
      }
      try expect([[2, 1]], "the first value")
      try store.insert(Snack(4, "d", price: 2))
      try expect([[2, 4, 1]], "a new row")
      try store.patch(Snack.self, 1) { $0.price = 4 }
      try expect([[1, 2, 4]], "a row that moves")
      try store.patch(Snack.self, 3) { $0.price = 4 }
      try expect([[1, 3, 2, 4]], "a row that matches now, equal in the first term")
      try store.patch(Snack.self, 2) { $0.taste = "sweet" }
      try expect([[1, 3, 2, 4]], "another attribute")
      try store.delete(Snack.self, id: 3)
      try expect([[1, 2, 4]], "a deleted row")
      try store.update(Snack.all.where { $0.id == 4 }) { $0.price = 7 }
      try expect([[1, 2]], "a row that matches no longer")
      try store.write { tx in
        try tx.insert(Snack(8, "e", price: 3))
        try tx.patch(Snack.self, 1) { $0.price = 1 }
        try tx.delete(Snack.self, id: 2)
      }
      try expect([[8, 1]], "several changes")
      try store.insert(Snack(5, "f", price: 8))
      try store.patch(Snack.self, 5) { $0.name = "g" }
      try store.save(Snack(8, "e", price: 3))
      try store.insert(Word(1, "a"))
      try store.write { tx in
        try tx.patch(Snack.self, 1) { $0.price = 2 }
        try tx.patch(Snack.self, 1) { $0.price = 1 }
      }
      try expect([], "commits that change nothing of the result")
      try context.expectEqual(seen.fetchCount, 1, "cached")
      try store.deleteAll(Snack.self)
      try expect([[]], "everything")
      try context.expectEqual(seen.fetchCount, 2, "fetched again")
      try store.insert(Snack(9, "z", price: 0))
      try expect([[9]], "cached again")
      try context.expectEqual(seen.fetchCount, 2)
    },
    ConformanceCase("an observed page is fetched only if a row leaves it", "11.6", "11.7") {
      context in
      let store = try context.open(Snack.self)
      try store.insert((1...5).map { Snack($0, "n", price: Double($0)) })
      let query = Snack.all.sorted(by: .ascending(\.price)).limit(3)
      let seen = try store.observe(query).follow()
      func expect(_ ids: [[Int64]], fetches: Int, _ subject: String) throws {
        try context.expectValues(seen, ids, of: query, in: store, subject)
        try context.expectEqual(seen.fetchCount, fetches, subject)
      }
      try expect([[1, 2, 3]], fetches: 1, "the first value")
      try store.insert(Snack(6, "n", price: 9))
      try store.patch(Snack.self, 5) { $0.price = 4.5 }
      try store.delete(Snack.self, id: 6)
      try expect([], fetches: 1, "behind the end")
      try store.insert(Snack(7, "n", price: 0.5))
      try expect([[7, 1, 2]], fetches: 1, "a row that pushes another out")
      try store.patch(Snack.self, 1) { $0.price = 0.25 }
      try expect([[1, 7, 2]], fetches: 1, "a row that moves within")
      try store.delete(Snack.self, id: 1)
      try expect([[7, 2, 3]], fetches: 2, "a deleted row")
      try store.patch(Snack.self, 2) { $0.price = 20 }
      try expect([[7, 3, 4]], fetches: 3, "a row that moves behind the end")
      try store.deleteAll(Snack.self)
      try expect([[]], fetches: 4, "nothing")
      try store.insert((1...2).map { Snack($0, "n", price: 1) })
      try store.delete(Snack.self, id: 1)
      try expect([[2]], fetches: 4, "a page with room")
      let later = Snack.all.sorted(by: .ascending(\.price)).page(1, size: 1)
      let second = try store.observe(later).follow()
      try context.expectValues(second, [[]], of: later, in: store, "the second page")
      try store.insert([Snack(3, "n", price: 2), Snack(4, "n", price: 3)])
      try context.expectValues(second, [[3]], of: later, in: store, "the second page")
      let fetches = second.fetchCount
      try store.delete(Snack.self, id: 4)
      try context.expectValues(second, [], of: later, in: store, "behind the second page")
      try context.expectEqual(second.fetchCount, fetches)
    },
    ConformanceCase("counts and sums are cached as numbers", "11.6", "11.7") { context in
      let store = try context.open(Snack.self)
      try store.insert([Snack(1, stock: 1), Snack(2, stock: 2), Snack(3, stock: 3)])
      let count = try store.observe(count: Snack.all.where { $0.stock > 1 }).follow()
      let sum = try store.observe(sum: \.stock, of: Snack.all).follow()
      func expect(_ counts: [Int], _ sums: [Int], _ subject: String) throws {
        try context.expectEqual(try count.take(), counts, subject)
        try context.expectEqual(try sum.take(), sums, subject)
      }
      try expect([2], [6], "the first values")
      try store.insert(Snack(4, stock: 5))
      try expect([3], [11], "a new row")
      try store.patch(Snack.self, 1) { $0.stock = nil }
      try expect([], [10], "nil is no summand")
      try store.patch(Snack.self, 1) { $0.name = "a" }
      try expect([], [], "another attribute")
      try store.write { tx in
        try tx.patch(Snack.self, 2) { $0.stock = 5 }
        try tx.patch(Snack.self, 4) { $0.stock = 2 }
      }
      try expect([], [], "an exchange")
      try store.delete(Snack.self, id: 3)
      try expect([2], [7], "a deleted row")
      try context.expectEqual([count.fetchCount, sum.fetchCount], [1, 1], "cached")
      try store.patch(Snack.self, 2) { $0.stock = .max }
      try context.expectError(.overflow) { try sum.take() }
      try context.expect(sum.isEnded, "an error ends the observation")
      try store.delete(Snack.self, id: 2)
      try context.expectEqual(try count.take(), [1], "others go on")
    },
    ConformanceCase("a slow consumer gets the newest value alone", "11.6") { context in
      let store = try context.open(Snack.self)
      try store.insert(Snack(1, "a"))
      let newest = try store.observe(Snack.all).follow()
      let every = try store.observe(Snack.all, .onEveryCommit).follow()
      let early = try store.observe(Snack.all).follow()
      try context.expectEqual(try newest.take().map { $0.map(\.name) }, [["a"]])
      try context.expectEqual(try every.take().count, 1)
      for name in ["b", "c", "c", "d"] { try store.patch(Snack.self, 1) { $0.name = name } }
      try context.expectEqual(try newest.take().map { $0.map(\.name) }, [["d"]])
      try context.expectEqual(try early.take().map { $0.map(\.name) }, [["d"]])
      try context.expectEqual(try every.take().map { $0.map(\.name) }, [["b"], ["c"], ["d"]])
      for name in ["e", "d"] { try store.patch(Snack.self, 1) { $0.name = name } }
      try context.expectEqual(try newest.take(), [], "as it was")
      try context.expectEqual(try every.take().map { $0.map(\.name) }, [["e"], ["d"]])
      try store.insert(Snack(2, "z"))
      try store.delete(Snack.self, id: 2)
      try context.expectEqual(try newest.take(), [], "as it was, row by row")
      try context.expectEqual(try every.take().map(\.count), [2, 1])
      try store.deleteAll(Snack.self)
      try store.insert(Snack(1, "d"))
      try context.expectEqual(try newest.take(), [], "as it was, fetched")
    },
    ConformanceCase("values are compared to the bit", "11.6", "11.7") { context in
      let store = try context.open(Snack.self, Word.self)
      try store.insert(Snack(1, "a", price: 0))
      try store.insert(Word(1, "\u{E9}"))
      let snacks = try store.observe(Snack.all).follow()
      let words = try store.observe(Word.all.select(\.plain)).follow()
      _ = try snacks.take()
      _ = try words.take()
      try store.patch(Snack.self, 1) { $0.price = -0.0 }
      try context.expectEqual(try snacks.take().map { $0[0].price?.sign }, [.minus])
      try store.update(Word.all) { $0.plain = "e\u{301}" }
      try context.expectEqual(
        try words.take().map { $0.map { $0.map { Array($0.unicodeScalars).count } } }, [[2]])
    },
    ConformanceCase("observed rows of a hierarchy, hidden and derived ones", "11.6", "5.9", "5.11")
    {
      context in
      let vehicles = try context.openVehicles()
      let query = Car.all.sorted(by: .ascending(\.doors))
      let cars = try vehicles.observe(query).follow()
      let counts = try vehicles.observe(count: Vehicle.all.where { $0.wheels == 4 }).follow()
      try context.expectValues(cars, [[3, 2, 5]], of: query, in: vehicles)
      try context.expectEqual(try counts.take(), [2])
      try vehicles.patch(SportsCar.self, 3) { $0.doors = 4 }
      try context.expectValues(cars, [[2, 3, 5]], of: query, in: vehicles, "of a subentity")
      try vehicles.patch(SportsCar.self, 3) { $0.speed = 1 }
      try vehicles.delete(Vehicle.self, id: 4)
      try context.expectValues(cars, [], of: query, in: vehicles, "unseen by the model")
      try vehicles.update(Vehicle.all.where { $0.id < 3 }) { $0.wheels = 8 }
      try context.expectValues(cars, [[2, 3, 5]], of: query, in: vehicles, "by the root")
      try context.expectEqual(try counts.take(), [1])
      try vehicles.insert(Car(9, "new", doors: 1))
      try context.expectValues(cars, [[9, 2, 3, 5]], of: query, in: vehicles, "a new row")
      try context.expectEqual(try counts.take(), [2])
      try context.expectEqual([cars.fetchCount, counts.fetchCount], [1, 1])
      let sketches = try context.open(Sketch.self)
      try sketches.save((1...3).map { Sketch(Int64($0), "d\($0)") })
      let visible = try sketches.observe(Sketch.all).follow()
      try context.expectValues(visible, [[1, 2, 3]], of: Sketch.all, in: sketches)
      try sketches.delete(Sketch.self, id: 2)
      try context.expectValues(visible, [[1, 3]], of: Sketch.all, in: sketches, "hidden")
      try sketches.restore(Sketch.where { $0.id == 2 })
      try context.expectValues(visible, [[1, 2, 3]], of: Sketch.all, in: sketches, "restored")
      try context.expectEqual(visible.fetchCount, 1)
      let guilds = try context.open(Schema.guilds)
      try guilds.save([Guild(1, "a"), Guild(2, "b")])
      let points = try guilds.observe(Guild.all.select(\.memberCount, \.points)).follow()
      let whole = try guilds.observe(Guild.all).follow()
      _ = try points.take()
      _ = try whole.take()
      try guilds.insert(Fellow(0, 5, guild: .key(2)))
      try context.expectEqual(try points.take().map { $0.map { $0.0 } }, [[0, 1]])
      try context.expectEqual(try whole.take().map { $0.map(\.points) }, [[0, 5]])
      try context.expectEqual(whole.fetchCount, 1, "derived attributes are the row's own")
    },
  ]
}
