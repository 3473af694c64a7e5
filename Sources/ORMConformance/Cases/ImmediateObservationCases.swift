internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Section 11: observations whose values writes wait for.
  static let immediateObservations: [ConformanceCase] = [
    ConformanceCase("a write returns when observers have its value, if they ask so", "11.6") {
      context in
      let store = try context.open(Snack.self, Word.self)
      try store.insert((1...5).map { Snack($0, "n", price: Double($0)) })
      // Of these, the first is held in memory, the second is fetched when a row leaves, the third each time.
      let rows = try store.observe(Snack.all.where { $0.price > 3 }, .immediate).follow()
      let page = try store.observe(
        Snack.all.sorted(by: .ascending(\.price)).limit(2), .immediate
      ).follow()
      let sums = try store.observe(.immediate) { tx in
        try [tx.count(Snack.self), tx.count(Word.self)]
      }.follow()
      func expect(
        _ rowIDs: [[Int64]], _ pageIDs: [[Int64]], _ counts: [[Int]], _ subject: String
      ) throws {
        try context.expectEqual(
          try rows.takeWaiting().map { $0.map(\.id).sorted() }, rowIDs, subject)
        try context.expectEqual(try page.takeWaiting().map { $0.map(\.id) }, pageIDs, subject)
        try context.expectEqual(try sums.takeWaiting(), counts, subject)
      }
      try expect([[4, 5]], [[1, 2]], [[5, 0]], "the first values")
      try store.insert(Snack(6, "n", price: 9))
      try expect([[4, 5, 6]], [], [[6, 0]], "a new row")
      for round in 1...20 {
        try store.insert(Word(Int64(round), "a"))
        try expect([], [], [[6, round]], "another entity")
      }
      try store.delete(Snack.self, id: 1)
      try expect([], [[2, 3]], [[5, 20]], "a row of the page")
      try store.write { tx in
        try tx.patch(Snack.self, 2) { $0.price = 8 }
        try context.expectEqual(try rows.takeWaiting().count, 0, "before the commit")
      }
      try expect([[2, 4, 5, 6]], [[3, 4]], [], "a row that leaves the page")
      try store.deleteAll(Snack.self)
      try expect([[]], [[]], [[0, 20]], "everything")
      try store.insert(Snack(7, "n", price: 7))
      try expect([[7]], [[7]], [[1, 20]], "a first row")
    },
    ConformanceCase(async: "asynchronous writes wait for observers too", "11.6", "11.14") {
      context in
      let store = try context.open(Snack.self)
      let count = try store.observe(count: Snack.all, .immediate).follow()
      try context.expectEqual(try count.takeWaiting(), [0])
      for number in 1...20 {
        try await store.insert(Snack(Int64(number), "n"))
        try context.expectEqual(try count.takeWaiting(), [number])
      }
      // An observation that has ended keeps no write waiting.
      count.cancel()
      try await store.insert(Snack(21, "n"))
      try context.expectEqual(try count.takeWaiting(), [])
      try await store.close()
      try context.expectError(.closed) {
        _ = try store.observe(count: Snack.all, .immediate).follow()
      }
    },
  ]
}
