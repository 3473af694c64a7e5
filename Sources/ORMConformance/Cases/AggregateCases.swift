internal import Foundation
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 4.1 and 4.2: aggregates.
  static let aggregates: [ConformanceCase] = [
    ConformanceCase("over nothing: count and sum are 0, the others nil", "4.1") { context in
      let store = try context.open(Measure.self)
      func check(_ subject: String) throws {
        try context.expectEqual(try store.count(Measure.self), subject == "empty" ? 0 : 1)
        try context.expectEqual(try store.sum(Measure.all, \.int), 0, subject)
        try context.expectEqual(try store.sum(Measure.all, \.unsigned), 0, subject)
        try context.expectEqual(try store.sum(Measure.all, \.double), 0, subject)
        try context.expectEqual(try store.sum(Measure.all, \.decimal), 0, subject)
        try context.expectEqual(try store.average(Measure.all, \.int), nil, subject)
        try context.expectEqual(try store.average(Measure.all, \.double), nil, subject)
        try context.expectEqual(try store.min(Measure.all, \.int), nil, subject)
        try context.expectEqual(try store.max(Measure.all, \.date), nil, subject)
        for (name, zero): (String, StoredValue) in [
          ("int", .int(0)), ("unsigned", .int(0)), ("double", .double(0)), ("decimal", .decimal(0)),
        ] {
          try context.expectSame(
            [try store.aggregate("Measure", Aggregate(.sum, attribute(name)))], [zero],
            "the kind of a sum of \(name), \(subject)")
        }
      }
      try check("empty")
      try store.save(Measure(1))
      try check("nil alone")
    },
    ConformanceCase("nil is passed over", "4.1") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, price: 1, stock: 2), Snack(2), Snack(3, price: 2, stock: 3)])
      try context.expectEqual(try store.sum(Snack.all, \.stock), 5)
      try context.expectEqual(try store.average(Snack.all, \.stock), 2.5)
      try context.expectEqual(try store.average(Snack.all, \.price), 1.5)
      try context.expectEqual(try store.min(Snack.all, \.price), 1)
      try context.expectEqual(try store.max(Snack.all, \.stock), 3)
      try context.expectEqual(
        try store.aggregate("Snack", Aggregate(.count, attribute("price"))), .int(2))
      try context.expectEqual(try store.aggregate("Snack", Aggregate(.count)), .int(3))
      try context.expectEqual(
        try store.sum(Snack.all.where { $0.id != 3 }.sorted(by: .descending(\.price)), \.stock), 2)
    },
    ConformanceCase("a sum of ints is exact and overflows only by its total", "4.1") { context in
      let store = try context.open(Measure.self)
      try store.save([
        Measure(1) { $0.int = .max }, Measure(2) { $0.int = .max }, Measure(3) { $0.int = .min },
        Measure(4) { $0.int = .min }, Measure(5) { $0.int = 5 },
      ])
      for path: AttributePath<Measure, Int64?> in [\Measure.int, \Measure.intIndexed] {
        // 2 (2^63 - 1) - 2 * 2^63 + 5
        try context.expectEqual(try store.sum(Measure.all) { $0[path] }, 3)
        try context.expectEqual(try store.average(Measure.all) { $0[path] }, 0.6)
        try context.expectEqual(
          try store.sum(Measure.all.where { $0.id == 1 }) { $0[path] }, .max)
        try context.expectError(.overflow, entity: "Measure") {
          try store.sum(Measure.all.where { $0.int > 0 }) { $0[path] }
        }
        try context.expectError(.overflow, entity: "Measure") {
          try store.sum(Measure.all.where { $0.int < 0 }) { $0[path] }
        }
        try context.expectEqual(
          try store.average(Measure.all.where { $0.int > 5 }) { $0[path] }, 0x1p63,
          "an average does not overflow")
      }
      try store.deleteAll(Measure.self)
      try store.save([Measure(1) { $0.unsigned = .max - 1 }, Measure(2) { $0.unsigned = 1 }])
      try context.expectEqual(try store.sum(Measure.all, \.unsigned), .max)
      try store.save(Measure(3) { $0.unsigned = 1 })
      try context.expectError(.overflow, entity: "Measure") {
        try store.sum(Measure.all, \.unsigned)
      }
    },
    ConformanceCase("a sum of doubles is exact and rounded once", "4.1") { context in
      let store = try context.open(Measure.self)
      let lists: [([Double], Double, Double)] = [
        ([1e308, 1e308, -1e308, -1e308, 1], 1, 0.2),
        ([1e16, 1, -1e16], 1, 1.0 / 3),
        // A tie that plain addition rounds down twice: 2^53 + 1 + 1 is 2^53 + 2.
        ([0x1p53, 1, 1], 0x1p53 + 2, (0x1p53 + 2) / 3),
        (Array(repeating: 0.1, count: 10), 1, 0.1),
        ([.infinity, 1], .infinity, .infinity),
        ([-.infinity, -1e308], -.infinity, -.infinity),
        ([.leastNonzeroMagnitude, -.leastNonzeroMagnitude], 0, 0),
        ([.leastNonzeroMagnitude, 1, -1], .leastNonzeroMagnitude, 0),
        ([1.5, 2.5], 4, 2),
      ]
      for (numbers, sum, average) in lists {
        for order in [numbers, numbers.reversed()] {
          try store.deleteAll(Measure.self)
          try store.save(
            order.enumerated().map { id, number in Measure(Int64(id)) { $0.double = number } })
          try context.expectEqual(try store.sum(Measure.all, \.double), sum, "sum of \(order)")
          try context.expectEqual(
            try store.average(Measure.all, \.double), average, "average of \(order)")
        }
      }
    },
    ConformanceCase("a sum of decimals is exact", "4.1") { context in
      let store = try context.open(Measure.self)
      let tenth = Decimal(sign: .plus, exponent: -1, significand: 1)
      try store.save((1...10).map { id in Measure(Int64(id)) { $0.decimal = tenth } })
      try context.expectEqual(try store.sum(Measure.all, \.decimal), 1)
      try context.expectEqual(try store.average(Measure.all, \.decimal), 0.1)
      try context.expectEqual(try store.min(Measure.all, \.decimal), tenth)
      try store.save(Measure(11) { $0.decimal = -1 })
      try context.expectEqual(try store.sum(Measure.all, \.decimalIndexed), 0)
      try context.expectEqual(try store.min(Measure.all, \.decimalIndexed), -1)
    },
    ConformanceCase("least and greatest follow the order of values", "4.1", "3.1") { context in
      let store = try context.open(Word.self, Measure.self)
      try store.save(["b", "B", "é", "", nil, "a"].enumerated().map { Word(Int64($0), $1) })
      for path in [\Word.plain, \Word.indexed, \Word.folded] as [AttributePath<Word, String?>] {
        try context.expectEqual(try store.min(Word.all) { $0[path] }, "")
        try context.expectEqual(try store.max(Word.all) { $0[path] }, "é")
        try context.expectEqual(try store.min(Word.all.where { $0.plain != "" }) { $0[path] }, "B")
      }
      try store.save([
        Measure(1) {
          $0.date = Date(timeIntervalSinceReferenceDate: -5); $0.unsigned = .max
        },
        Measure(2) {
          $0.date = Date(timeIntervalSinceReferenceDate: 5); $0.unsigned = 1
        },
      ])
      try context.expectEqual(
        try store.min(Measure.all, \.dateIndexed)?.timeIntervalSinceReferenceDate, -5)
      try context.expectEqual(
        try store.max(Measure.all, \.date)?.timeIntervalSinceReferenceDate, 5)
      try context.expectEqual(try store.max(Measure.all, \.unsigned), .max)
      try context.expectEqual(try store.max(Measure.all, \.unsignedIndexed), .max)
    },
    ConformanceCase("-0.0 and 0.0 are one value in distinct, least and greatest", "1.2", "4.2") {
      context in
      let store = try context.open(Measure.self)
      try store.save([
        Measure(1) { $0.double = -0.0 }, Measure(2) { $0.double = 0.0 },
        Measure(3) { $0.double = -0.0 },
      ])
      for name in ["double", "doubleIndexed"] {
        try context.expectSame(
          [
            try store.aggregate("Measure", Aggregate(.countDistinct, attribute(name))),
            try store.aggregate("Measure", Aggregate(.minimum, attribute(name))),
            try store.aggregate("Measure", Aggregate(.maximum, attribute(name))),
          ], [.int(1), .double(0.0), .double(0.0)], name)
      }
    },
    ConformanceCase("distinct values follow equality", "4.2", "2.3") { context in
      let store = try context.open(Word.self)
      try store.save(
        ["é", "e\u{301}", "E", "e", nil, "e"].enumerated().map { Word(Int64($0), $1) })
      for name in Word.attributes {
        try context.expectEqual(
          try store.aggregate("Word", Aggregate(.countDistinct, attribute(name))), .int(4), name)
      }
    },
    ConformanceCase("aggregates of what is worked out", "4.1", "2.6") { context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "ab", price: 2, stock: 3, tags: ["x"]), Snack(2, "c", price: 0.5, stock: 4),
        Snack(3, "", price: nil, stock: 9),
      ])
      let total = attribute("price") * attribute("stock")
      try context.expectSame(
        [
          try store.aggregate("Snack", Aggregate(.sum, total)),
          try store.aggregate("Snack", Aggregate(.maximum, total)),
          try store.aggregate("Snack", Aggregate(.count, total)),
          try store.aggregate("Snack", Aggregate(.sum, .function(.length, attribute("name")))),
          try store.aggregate("Snack", Aggregate(.sum, .function(.count, attribute("tags")))),
        ], [.double(8), .double(6), .int(2), .int(3), .int(1)])
    },
    ConformanceCase("an aggregate of a page is refused", "4.1", "3.3") { context in
      let store = try context.open(Snack.self)
      try context.expectError(.invalidPage, entity: "Snack") {
        try store.sum(Snack.all.limit(1), \.stock)
      }
    },
  ]
}
