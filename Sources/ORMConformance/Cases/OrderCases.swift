internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 3.1 to 3.3: order and pages.
  static let orders: [ConformanceCase] = [
    ConformanceCase("nil sorts first upwards and last downwards, or as asked", "3.1") { context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, price: 2), Snack(2, price: nil), Snack(3, price: 1), Snack(4, price: nil),
        Snack(5, price: 3),
      ])
      func ids(_ order: Query<Snack>.Order...) throws -> [Int64] {
        var query = Snack.all
        query.order = order
        return try store.fetch(query).map(\.id)
      }
      try context.expectEqual(try ids(.ascending(\.price)), [2, 4, 3, 1, 5])
      try context.expectEqual(try ids(.ascending(\.price, nils: .last)), [3, 1, 5, 2, 4])
      try context.expectEqual(try ids(.ascending(\.price, nils: .first)), [2, 4, 3, 1, 5])
      // Going down, rows that are equal go down by key too.
      try context.expectEqual(try ids(.descending(\.price)), [5, 1, 3, 4, 2])
      try context.expectEqual(try ids(.descending(\.price, nils: .first)), [4, 2, 5, 1, 3])
      try context.expectEqual(try ids(.descending(\.price, nils: .last)), [5, 1, 3, 4, 2])
      try context.expectEqual(
        try store.fetch(
          Snack.all.where { $0.price != 1 }.sorted(by: .ascending(\.price, nils: .last)).limit(3)
        ).map(\.id), [1, 5, 2])
    },
    ConformanceCase("several terms, and the key last in the last term's direction", "3.2") {
      context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "b", taste: "x", price: 1), Snack(2, "a", taste: "y", price: 1),
        Snack(3, "a", taste: "x", price: 1), Snack(4, "b", taste: "x", price: 2),
        Snack(5, "a", taste: nil, price: 1),
      ])
      func ids(_ order: Query<Snack>.Order...) throws -> [Int64] {
        var query = Snack.all
        query.order = order
        return try store.fetch(query).map(\.id)
      }
      try context.expectEqual(try ids(), [1, 2, 3, 4, 5], "without a sort")
      try context.expectEqual(try ids(.ascending(\.name)), [2, 3, 5, 1, 4])
      try context.expectEqual(try ids(.descending(\.name)), [4, 1, 5, 3, 2])
      try context.expectEqual(try ids(.ascending(\.name), .descending(\.taste)), [2, 3, 5, 4, 1])
      try context.expectEqual(try ids(.descending(\.name), .ascending(\.taste)), [1, 4, 5, 3, 2])
      try context.expectEqual(
        try ids(.descending(\.price), .ascending(\.name), .descending(\.taste)), [4, 2, 3, 5, 1])
      try context.expectEqual(try ids(.descending(\.id)), [5, 4, 3, 2, 1])
      try context.expectEqual(try ids(.ascending(\.name), .descending(\.id)), [5, 3, 2, 4, 1])
      try context.expectEqual(try ids(.ascending(\.price), .ascending(\.price)), [1, 2, 3, 5, 4])
    },
    ConformanceCase("uuids order by bytes, data by bytes and the shorter first", "3.1") { context in
      let store = try context.open(Anything.self)
      let data: [[UInt8]] = [[1], [], [1, 0], [0, 255], [255], [1, 0, 0]]
      for (id, bytes) in data.enumerated() {
        var row = Anything(id)
        row.data = Data(bytes)
        row.uuid = UUID(
          uuid: (bytes.first ?? 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(9 - id)))
        try store.save(row)
      }
      try context.expectEqual(
        try store.fetch(Anything.all.sorted(by: .ascending(\.data))).map(\.id), [1, 3, 0, 2, 5, 4])
      // first bytes 1 9 1 0 255 1, last bytes 9 8 7 6 5 4
      try context.expectEqual(
        try store.fetch(Anything.all.sorted(by: .ascending(\.uuid))).map(\.id), [3, 5, 2, 0, 1, 4])
      try context.expectEqual(
        try store.fetch(Anything.all.where { $0.data > Data([1]) }).map(\.id), [2, 4, 5])
    },
    ConformanceCase("pages, limits, offsets and ranges give what is there", "3.3") { context in
      let store = try context.open(Snack.self)
      try store.save((1...10).map { Snack(Int64($0), stock: 10 - $0) })
      let byStock = Snack.all.sorted(by: .ascending(\.stock))
      for (query, expected): (Query<Snack>, [Int64]) in [
        (Snack.all.page(0, size: 4), [1, 2, 3, 4]), (Snack.all.page(1, size: 4), [5, 6, 7, 8]),
        (Snack.all.page(2, size: 4), [9, 10]), (Snack.all.page(3, size: 4), []),
        (Snack.all.page(0, size: 0), []), (Snack.all.page(.max, size: 1000), []),
        (Snack.all.page(.max / 2, size: 4), []),
        (Snack.all.limit(3), [1, 2, 3]), (Snack.all.limit(0), []),
        (Snack.all.limit(99), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        (Snack.all.offset(8), [9, 10]), (Snack.all.offset(10), []), (Snack.all.offset(11), []),
        (Snack.all.offset(.max), []), (Snack.all.limit(.max).offset(9), [10]),
        (Snack.all.limit(2).offset(3), [4, 5]), (Snack.all.range(7..<12), [8, 9, 10]),
        (Snack.all.range(4..<4), []), (Snack.all.range(20..<30), []),
        (byStock.page(0, size: 3), [10, 9, 8]), (byStock.page(3, size: 3), [1]),
        (byStock.limit(2).offset(7), [3, 2]), (byStock.offset(8), [2, 1]),
        (byStock.where { $0.id <= 5 }.range(1..<3), [4, 3]),
        (Snack.all.where { $0.stock > 100 }.page(0, size: 5), []),
      ] {
        try context.expectEqual(try store.fetch(query).map(\.id), expected, "\(query)")
        try context.expectEqual(try store.count(query), expected.count, "count of \(query)")
        try context.expectEqual(try store.first(query)?.id, expected.first, "first of \(query)")
        try context.expectEqual(try store.exists(query), !expected.isEmpty, "exists: \(query)")
      }
    },
    ConformanceCase("pages that are too large or negative are refused", "3.3") { context in
      var options = StoreOptions()
      options.maximumPageSize = 5
      let store = try context.open(Snack.self, options: options)
      try store.save(Snack(1))
      try context.expectEqual(try store.fetch(Snack.all.page(0, size: 5)).count, 1)
      for query in [
        Snack.all.page(0, size: 6), Snack.all.page(-1, size: 5), Snack.all.page(0, size: -1),
        Snack.all.limit(-1), Snack.all.offset(-1), Snack.all.limit(1).offset(-2),
      ] {
        for ask: (Query<Snack>) throws -> Void in [
          { _ = try store.fetch($0) }, { _ = try store.first($0) }, { _ = try store.count($0) },
          { _ = try store.exists($0) }, { try store.delete($0) },
          { try store.update($0) { $0.name = "?" } },
        ] {
          try context.expectError(.invalidPage, entity: "Snack", "\(query)") { try ask(query) }
        }
      }
      let error = try context.expectError(.invalidPage) {
        try store.fetch(Snack.all.page(0, size: 6))
      }
      try context.expect(error.message.contains("5"), "the message names the maximum")
      try context.expectEqual(try store.fetch(Snack.all), [Snack(1)])
      let usual = try context.open(Snack.self)
      try context.expectEqual(try usual.fetch(Snack.all.page(0, size: 1000)), [])
      try context.expectError(.invalidPage) { try usual.fetch(Snack.all.page(0, size: 1001)) }
    },
    ConformanceCase("after(cursor) pages by key and is stable under inserts", "3.3") { context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(10, "b", price: 1), Snack(20, "a", price: nil), Snack(30, "b", price: 2),
        Snack(40, "a", price: 1), Snack(50, "c", price: nil), Snack(60, "b", price: 1),
      ])
      let orders: [(Query<Snack>, [Int64])] = [
        (Snack.all, [10, 20, 30, 40, 50, 60]),
        (Snack.all.sorted(by: .ascending(\.name)), [20, 40, 10, 30, 60, 50]),
        (Snack.all.sorted(by: .descending(\.name)), [50, 60, 30, 10, 40, 20]),
        (Snack.all.sorted(by: .ascending(\.price)), [20, 50, 10, 40, 60, 30]),
        (Snack.all.sorted(by: .descending(\.price)), [30, 60, 40, 10, 50, 20]),
        (Snack.all.sorted(by: .ascending(\.price, nils: .last)), [10, 40, 60, 30, 20, 50]),
        (Snack.all.sorted(by: .descending(\.price, nils: .first)), [50, 20, 30, 60, 40, 10]),
        (
          Snack.all.sorted(by: .ascending(\.price), .descending(\.name)),
          [50, 20, 60, 10, 40, 30]
        ),
        (
          Snack.all.where { $0.id > 10 }.sorted(by: .ascending(\.name, .caseInsensitive)),
          [20, 40, 30, 60, 50]
        ),
      ]
      for (query, expected) in orders {
        var seen: [Int64] = []
        var cursor: QueryCursor?
        while true {
          let page = try store.fetch(query.after(cursor).limit(2))
          seen += page.map(\.id)
          guard let last = page.last else { break }
          cursor = try query.cursor(after: last)
        }
        try context.expectEqual(seen, expected, "\(query)")
      }
      let query = Snack.all.sorted(by: .ascending(\.name))
      let first = try store.fetch(query.limit(3))
      let cursor = try query.cursor(after: try context.unwrap(first.last, "the last row"))
      try store.save([Snack(1, "a"), Snack(5, "b"), Snack(11, "b")])
      try store.delete(Snack.self, id: 10)
      try context.expectEqual(
        try store.fetch(query.after(cursor)).map(\.id), [11, 30, 60, 50], "after inserts")
      try context.expectError(.invalidCursor, entity: "Snack") {
        try store.fetch(Snack.all.sorted(by: .descending(\.name)).after(cursor))
      }
    },
    ConformanceCase("after(cursor) works on composite keys and descending orders", "3.2", "3.3") {
      context in
      let store = try context.open(Enrolment.self)
      let all = ["a", "b", "c"].flatMap { room in (1...3).map { Enrolment(room, $0) } }
      try store.save(all)
      for query in [Enrolment.all, Enrolment.all.sorted(by: .descending(\.seat))] {
        let expected = query.order.isEmpty ? all : all.reversed()
        for (index, row) in expected.enumerated() {
          try context.expectEqual(
            try store.fetch(query.after(try query.cursor(after: row))),
            Array(expected.dropFirst(index + 1)))
        }
      }
    },
    ConformanceCase("a cursor takes a row as it would be stored", "2.3", "3.3") { context in
      let store = try context.open(NormalWord.self)
      try store.save([NormalWord(1, "a"), NormalWord(2, "ab"), NormalWord(3, "abc")])
      // e and an accent are one scalar when they are stored.
      let length = Query<NormalWord>.Order(SortTerm(.function(.length, attribute("normal"))))
      let query = NormalWord.all.sorted(by: length)
      let cursor = try query.cursor(after: NormalWord(0, "e\u{301}"))
      try context.expectEqual(try store.fetch(query.after(cursor)).map(\.id), [1, 2, 3])
    },
    ConformanceCase("chunks give every row once, in order, and stop with an error", "3.2") {
      context in
      let store = try context.open(Snack.self)
      try store.save((1...10).map { Snack(Int64($0), stock: 10 - $0) })
      var chunks: [[Int64]] = []
      try store.chunks(Snack.all.sorted(by: .ascending(\.stock)), size: 4) {
        chunks.append($0.map(\.id))
      }
      try context.expectEqual(chunks, [[10, 9, 8, 7], [6, 5, 4, 3], [2, 1]])
      chunks = []
      try store.chunks(Snack.all.where { $0.stock > 1 }, size: 4) { chunks.append($0.map(\.id)) }
      try context.expectEqual(chunks, [[1, 2, 3, 4], [5, 6, 7, 8]])
      struct Enough: Error {}
      var count = 0
      do {
        try store.chunks(Snack.all, size: 1) { _ in
          count += 1
          if count == 3 { throw Enough() }
        }
        try context.expect(false, "the error comes out")
      } catch is Enough {}
      try context.expectEqual(count, 3)
    },
  ]
}
