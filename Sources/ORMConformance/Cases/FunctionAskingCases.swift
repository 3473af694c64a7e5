internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 2.6, 2.11 and 2.12 in typed queries and in the words of predicate formats.
  static let askedFunctions: [ConformanceCase] = [
    ConformanceCase("typed functions in conditions, orders, groups and projections", "2.6", "4.2") {
      context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "10", price: 2.5, stock: 6), Snack(2, "9", price: -1.5, stock: 3),
        Snack(3, "x", price: nil, stock: nil), Snack(4, "8", price: 2.4, stock: -5),
      ])
      func ids(_ query: Query<Snack>) throws -> [Int64] { try query.fetch(in: store).map(\.id) }
      try context.expectEqual(try ids(Snack.where { $0.price.rounded() == 3 }), [1])
      try context.expectEqual(try ids(Snack.where { $0.price.rounded() == -2 }), [2])
      try context.expectEqual(try ids(Snack.where { $0.price.magnitude() == 1.5 }), [2])
      try context.expectEqual(try ids(Snack.where { $0.id % 2 == 1 }), [1, 3])
      try context.expectEqual(try ids(Snack.where { 7 % $0.id == 1 }), [2, 3])
      try context.expectEqual(try ids(Snack.where { $0.stock & 2 != 0 }), [1, 2, 3, 4])
      try context.expectEqual(try ids(Snack.where { $0.stock & 2 == 2 }), [1, 2, 4])
      try context.expectEqual(
        try ids(Snack.where { $0.stock | 1 == 7 || $0.stock ^ 1 == 2 }), [1, 2])
      try context.expectEqual(try ids(Snack.where { $0.stock << 1 == 12 }), [1])
      try context.expectEqual(
        try ids(Snack.where { $0.stock >> 1 == -3 || ~$0.stock == -4 }), [2, 4])
      try context.expectEqual(try ids(Snack.where { $0.stock.squareRoot() > 2 }), [1])
      try context.expectEqual(try ids(Snack.where { $0.name.cast(to: Int.self) < 10 }), [2, 4])
      try context.expectEqual(
        try ids(Snack.all.sorted(by: .descending { $0.name.cast(to: Int.self) })), [1, 2, 4, 3])
      try context.expectEqual(
        try ids(
          Snack.all.sorted(
            by: .ascending { ($0.stock == nil).choosing($0.id * 10, else: $0.id) })), [1, 2, 4, 3])
      try context.expectEqual(
        try ids(Snack.all.sorted(by: .ascending { $0.price.rounded() }, .descending(\.id))),
        [3, 2, 4, 1])
      let groups = try store.fetch(
        Snack.all.grouped(by: { $0.id % 2 }) { ($0.count(), $0.max(\.price)) })
      try context.expectEqual(
        groups.map { [Double($0.0), Double($0.1), $0.2] }, [[0, 2, 2.4], [1, 2, 2.5]])
      let kinds = try store.fetch(
        Snack.all.grouped(by: { ($0.price > 0).choosing("dear", else: "cheap") }) { $0.count() })
      try context.expectEqual(kinds.map { "\($0.0) \($0.1)" }, ["cheap 2", "dear 2"])
      let values = try store.fetch(Snack.all.select { ($0.id << 4, $0.price.rounded()) })
      try context.expectEqual(values.map(\.0), [16, 32, 48, 64])
      try context.expectEqual(values.map(\.1), [3, -2, nil, 2])
    },
    ConformanceCase("typed parts of dates in conditions, orders and groups", "2.11", "4.2") {
      context in
      let store = try context.open(Measure.self)
      // 2024-02-29 23:59:59, 2026-11-23 04:05:06, 2026-11-22 22:00:00, none.
      for (id, seconds) in [(1, 730_943_999), (2, 817_099_506), (3, 817_077_600), (4, nil)]
        as [(Int64, Double?)]
      {
        try store.save(
          Measure(id) { $0.date = seconds.map { Date(timeIntervalSinceReferenceDate: $0) } })
      }
      func ids(_ query: Query<Measure>) throws -> [Int64] { try query.fetch(in: store).map(\.id) }
      guard let east = TimeZone(secondsFromGMT: 7200),
        let tokyo = TimeZone(identifier: "Asia/Tokyo")
      else { return }
      try context.expectEqual(try ids(Measure.where { $0.date.year(in: .gmt) == 2026 }), [2, 3])
      try context.expectEqual(try ids(Measure.where { $0.date.month(in: .gmt) == 2 }), [1])
      try context.expectEqual(try ids(Measure.where { $0.date.month(in: east) == 3 }), [1])
      try context.expectEqual(try ids(Measure.where { $0.date.day(in: tokyo) == 23 }), [2, 3])
      try context.expectEqual(try ids(Measure.where { $0.date.weekday(in: .gmt) == 1 }), [2])
      try context.expectEqual(
        try ids(Measure.where { $0.date.hour(in: east) < 2 && $0.date.minute(in: .gmt) >= 0 }),
        [1, 3])
      try context.expectEqual(try ids(Measure.where { $0.date.second(in: .gmt) == nil }), [4])
      try context.expectEqual(
        try ids(
          Measure.all.sorted(by: .ascending { $0.date.hour(in: .gmt) }, .ascending(\.id))),
        [4, 2, 3, 1])
      let years = try store.fetch(
        Measure.all.grouped(by: { $0.date.year(in: .gmt) }) { $0.count() })
      try context.expectEqual(years.map(\.0), [nil, 2024, 2026])
      try context.expectEqual(years.map(\.1), [1, 1, 2])
      let days = try store.fetch(
        Measure.all.where { $0.date != nil }.grouped(by: { $0.date.startOfDay(in: east) }) {
          $0.count()
        })
      try context.expectEqual(
        days.map { $0.0?.timeIntervalSinceReferenceDate }, [730_936_800, 817_077_600])
      try context.expectEqual(days.map(\.1), [1, 2])
      let months = try store.fetch(
        Measure.all.select { ($0.date.startOfMonth(in: .gmt), $0.date.startOfYear(in: .gmt)) })
      try context.expectEqual(
        months.map { $0.0?.timeIntervalSinceReferenceDate },
        [728_438_400, 815_184_000, 815_184_000, nil])
      try context.expectEqual(
        months.map { $0.1?.timeIntervalSinceReferenceDate },
        [725_760_000, 788_918_400, 788_918_400, nil])
    },
    ConformanceCase("formats: functions as people of Core Data write them", "2.6", "2.10", "2.12") {
      context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "10", price: 2.5, stock: 6), Snack(2, "9", price: -1.5, stock: 3),
        Snack(3, "x", price: nil, stock: nil), Snack(4, "8", price: 16, stock: -5),
      ])
      let table: [(String, [Int64])] = [
        ("round:(price) == 3", [1]), ("ROUND(price) == -2", [2]), ("floor:(price) == 2", [1]),
        ("trunc:(price) == -1", [2]), ("stock % 2 == 1", [2]), ("stock %2 == -1", [4]),
        ("modulus:by:(stock, 4) == 2", [1]), ("(stock & 2) != 0", [1, 2, 3, 4]),
        ("stock & 2 == 2", [1, 2, 4]), ("stock | 1 == 7", [1]), ("stock ^ 1 == 2", [2]),
        ("stock << 1 == 12", [1]), ("stock >> 1 == -3", [4]), ("~stock == -4", [2]),
        ("1 << 1 + stock == 9", []), ("2 + 1 << 2 == stock", [1]),
        ("6 == 2 | 4 AND stock == 6", [1]),
        ("bitwiseAnd:with:(stock, 2) == 2", [1, 2, 4]), ("bitwiseOr:with:(stock, 1) == 7", [1]),
        ("bitwiseXor:with:(stock, 1) == 2", [2]), ("leftshift:by:(stock, 1) == 12", [1]),
        ("rightshift:by:(stock, 1) == -3", [4]), ("onesComplement:(stock) == -4", [2]),
        ("add:to:(stock, 1) == 7", [1]), ("from:subtract:(stock, 1) == 5", [1]),
        ("multiply:by:(stock, 2) == 12", [1]), ("divide:by:(stock, 2) == 3", [1]),
        ("raise:toPower:(price, 2) == 6.25", [1]), ("sqrt:(price) == 4", [4]),
        ("log(price * 62.5) == 3", [4]), ("ln(price / 16) == 0 AND exp(price - 16) == 1", [4]),
        ("CAST(name, 'integer') > 8", [1, 2]), ("CAST(name, 'integer') == nil", [3]),
        ("castObject:toType:(stock, 'NSString') == '6'", [1]),
        ("TERNARY(stock > 4, 'many', 'few') == 'few'", [2, 3, 4]),
        ("TERNARY(stock == nil OR price < 0, id, price) > 2.4", [1, 3, 4]),
      ]
      for (format, expected) in table {
        let filter = try Filter<Snack>(format: format)
        try context.expectEqual(
          try store.fetch(Snack.all.where(filter)).map(\.id), expected, format)
        try context.expectEqual(
          try store.fetch(Snack.all).filter { try filter.matches($0) }.map(\.id), expected,
          "in memory: \(format)")
        try context.expectEqual(
          try Filter<Snack>(format: filter.formatString), filter, "reads back: \(format)")
      }
      let argument = try Filter<Snack>(
        format: "name ==[c] %@ OR tags[0] == %@ OR stock % %d == %d", "X", "a", 4, 3)
      try context.expectEqual(try store.fetch(Snack.all.where(argument)).map(\.id), [2, 3])
      try context.expectEqual(
        try store.fetch(Snack.all.sorted(by: try Sort(format: "stock % 4 descending, id")))
          .map(\.id), [2, 1, 4, 3])
    },
    ConformanceCase("formats: parts of dates", "2.11", "2.10") { context in
      let store = try context.open(Measure.self)
      for (id, seconds) in [(1, 730_943_999), (2, 817_099_506)] as [(Int64, Double)] {
        try store.save(Measure(id) { $0.date = Date(timeIntervalSinceReferenceDate: seconds) })
      }
      let table: [(String, [Int64])] = [
        ("year(date) == 2026", [2]), ("year:(date) == 2024", [1]),
        ("YEAR(date, 'GMT') == 2024", [1]),
        ("month(date, '+02:00') == 3", [1]), ("day(date, 'Asia/Tokyo') == 1", [1]),
        ("hour(date, 'GMT-0400') == 0", [2]), ("minute(date) == 5", [2]),
        ("second(date) == 59", [1]), ("weekday(date) == 1", [2]),
        ("startOfDay(date) == '2026-11-23'", [2]), ("startOfMonth(date) < '2024-02-02'", [1]),
        ("startOfYear(date, 'Asia/Tokyo') == '2025-12-31T15:00:00Z'", [2]),
        ("date >= startOfDay('2026-11-23')", [2]),
      ]
      for (format, expected) in table {
        let filter = try Filter<Measure>(format: format)
        try context.expectEqual(
          try store.fetch(Measure.all.where(filter)).map(\.id), expected, format)
        try context.expectEqual(
          try Filter<Measure>(format: filter.formatString), filter, "reads back: \(format)")
      }
    },
  ]
}
