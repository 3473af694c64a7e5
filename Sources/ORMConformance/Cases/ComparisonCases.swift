internal import Foundation
internal import ORM
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 2.1 and 2.2: two-valued logic, and numbers compared exactly.
  static let comparisons: [ConformanceCase] = [
    ConformanceCase("logic is two-valued: nil equals nil and is less than nothing", "2.1") {
      context in
      let store = try context.open(Measure.self)
      try store.save([
        Measure(1) { $0.int = nil }, Measure(2) { $0.int = 3 }, Measure(3) { $0.int = 5 },
      ])
      for name in ["int", "intIndexed"] {
        let price = attribute(name)
        let table: [(Condition, [Int64])] = [
          (price.compare(.equal, nothing), [1]),
          (price.compare(.notEqual, nothing), [2, 3]),
          (nothing.compare(.equal, price), [1]),
          (price.compare(.equal, int(3)), [2]),
          (price.compare(.notEqual, int(3)), [1, 3]),
          (price.compare(.less, int(5)), [2]),
          (price.compare(.lessOrEqual, int(5)), [2, 3]),
          (price.compare(.greater, int(3)), [3]),
          (price.compare(.greaterOrEqual, int(3)), [2, 3]),
          (int(3).compare(.less, price), [3]),
          (price.compare(.less, nothing), []),
          (price.compare(.lessOrEqual, nothing), []),
          (price.compare(.greaterOrEqual, nothing), []),
          (.not(price.compare(.less, nothing)), [1, 2, 3]),
          (.not(price.compare(.greater, int(3))), [1, 2]),
          (.not(price.compare(.equal, int(3))), [1, 3]),
          (.not(.not(price.compare(.greater, int(3)))), [3]),
          (price.list([.int(3), .null]), [1, 2]),
          (.not(price.list([.int(3)])), [1, 3]),
          (.not(price.list([.int(3), .null])), [3]),
          (price.list([.null]), [1]),
          (price.list([]), []),
          (.not(price.list([])), [1, 2, 3]),
          (price.compare(.equal, price), [1, 2, 3]),
          (price.compare(.less, price), []),
          (price.compare(.lessOrEqual, price), [2, 3]),
          (.all([]), [1, 2, 3]), (.any([]), []), (.not(.all([])), []),
          (.constant(false), []),
          (.all([price.compare(.notEqual, int(3)), price.compare(.notEqual, nothing)]), [3]),
          (.any([price.compare(.equal, nothing), price.compare(.equal, int(5))]), [1, 3]),
          (
            .not(.any([price.compare(.equal, nothing), price.compare(.less, int(5))])),
            [3]
          ),
          (
            .not(.all([price.compare(.greater, int(1)), price.compare(.less, int(4))])),
            [1, 3]
          ),
        ]
        for (condition, expected) in table {
          try context.expectEqual(try store.ids("Measure", condition), expected, "\(condition)")
        }
      }
    },
    ConformanceCase("typed filters: BETWEEN, isNil and lists with nil", "2.1") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, price: nil), Snack(2, price: 3), Snack(3, price: 5)])
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.price.isBetween(3, 5) }).map(\.id), [2, 3])
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.price.isBetween(5, 3) }).map(\.id), [])
      try context.expectEqual(
        try store.fetch(Snack.all.where { !$0.price.isBetween(3, 4) }).map(\.id), [1, 3])
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.price.isBetween(nil, 4) }).map(\.id), [])
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.price.isIn([3, nil]) }).map(\.id), [1, 2])
      try context.expectEqual(
        try store.fetch(Snack.all.where { !$0.price.isIn([3]) }).map(\.id), [1, 3])
      try context.expectEqual(
        try store.fetch(Snack.all.where { !($0.price > 3) }).map(\.id), [1, 2])
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.price != nil && $0.price != 3 }).map(\.id), [3])
    },
    ConformanceCase("every text operator is false with nil on either side", "2.1", "2.5") {
      context in
      let store = try context.open(Word.self)
      try store.save([Word(1, nil), Word(2, "abc"), Word(3, "")])
      for name in Word.attributes {
        for symbol in [TextOperator.contains, .beginsWith, .endsWith, .like] {
          try context.expectEqual(
            try store.ids("Word", attribute(name).text(symbol, nothing)), [], "\(symbol) nil")
          try context.expectEqual(
            try store.ids("Word", .not(attribute(name).text(symbol, nothing))), [1, 2, 3])
          try context.expectEqual(
            try store.ids("Word", .not(attribute(name).text(symbol, text("zz")))), [1, 2, 3],
            "NOT \(symbol)")
          try context.expectEqual(
            try store.ids("Word", text("abc").text(symbol, attribute(name))),
            symbol == .like ? [2] : [2, 3], "\(symbol) of a column")
        }
      }
    },
    ConformanceCase("ints and doubles compare exactly", "2.2") { context in
      let store = try context.open(Measure.self)
      let two53: Int64 = 1 << 53
      let ints: [Int64] = [two53 - 1, two53, two53 + 1, .max, .min, 0]
      try store.save(ints.enumerated().map { id, number in Measure(Int64(id)) { $0.int = number } })
      for name in ["int", "intIndexed"] {
        let number = attribute(name)
        let table: [(Condition, [Int64])] = [
          (number.compare(.equal, real(0x1p53)), [1]),
          (number.compare(.notEqual, real(0x1p53)), [0, 2, 3, 4, 5]),
          (number.compare(.greater, real(0x1p53)), [2, 3]),
          (number.compare(.less, real(0x1p53)), [0, 4, 5]),
          (number.compare(.lessOrEqual, real(0x1p53)), [0, 1, 4, 5]),
          // 2^63 as a double is one more than Int64.max.
          (number.compare(.equal, real(0x1p63)), []),
          (number.compare(.less, real(0x1p63)), [0, 1, 2, 3, 4, 5]),
          (number.compare(.greaterOrEqual, real(0x1p63)), []),
          (number.compare(.equal, real(-0x1p63)), [4]),
          (number.compare(.greater, real(-0x1p63)), [0, 1, 2, 3, 5]),
          (number.compare(.less, real(.infinity)), [0, 1, 2, 3, 4, 5]),
          (number.compare(.greater, real(-.infinity)), [0, 1, 2, 3, 4, 5]),
          (number.compare(.equal, real(-0.0)), [5]),
          (number.compare(.greater, real(-0.5)), [0, 1, 2, 3, 5]),
          (number.compare(.less, real(0.5)), [4, 5]),
          (number.compare(.equal, real(0.5)), []),
          (number.list([.double(0x1p53), .double(0.5), .int(0)]), [1, 5]),
          (number.compare(.equal, decimal(9_007_199_254_740_993)), [2]),
          (
            number.compare(.less, decimal(Decimal(sign: .plus, exponent: -1, significand: 1))),
            [4, 5]
          ),
        ]
        for (condition, expected) in table {
          try context.expectEqual(try store.ids("Measure", condition), expected, "\(condition)")
        }
      }
    },
    ConformanceCase("an int that equals a fraction equals nothing beside other tests of it", "2.2")
    {
      context in
      let store = try context.open(Measure.self)
      try store.save([Measure(1) { $0.int = 1 }, Measure(2) { $0.int = nil }])
      for name in ["int", "intIndexed"] {
        let number = attribute(name)
        let half = StoredValue.double(0.5)
        let others = [
          number.list([.decimal(1)]), (number + int(1)).compare(.equal, int(2)),
          .not(number.list([.decimal(3), .int(4)])),
        ]
        for other in others {
          for equal in [number.list([half]), number.compare(.equal, .value(half))] {
            try context.expectEqual(
              try store.ids("Measure", .all([other, equal])), [], "\(other) and \(equal)")
          }
        }
      }
    },
    ConformanceCase("doubles beside ints compare exactly", "2.2") { context in
      let store = try context.open(Measure.self)
      let doubles = [0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 0.1, -0.0, .infinity]
      try store.save(
        doubles.enumerated().map { id, number in Measure(Int64(id)) { $0.double = number } })
      for name in ["double", "doubleIndexed"] {
        let number = attribute(name)
        let table: [(Condition, [Int64])] = [
          (number.compare(.equal, int(1 << 53)), [0]),
          (number.compare(.equal, int((1 << 53) + 1)), []),
          (number.compare(.greater, int(1 << 53)), [1, 2, 6]),
          (number.compare(.less, int((1 << 53) + 1)), [0, 3, 4, 5]),
          (number.compare(.greater, int(.max)), [2, 6]),
          (number.compare(.equal, int(.max)), []),
          (number.compare(.equal, int(.min)), [3]),
          (number.compare(.equal, int(0)), [5]),
          (number.list([.int((1 << 53) + 1), .int(1 << 53)]), [0]),
          // The double 0.1 is a little more than a tenth.
          (number.compare(.equal, decimal(Decimal(sign: .plus, exponent: -1, significand: 1))), []),
          (
            number.compare(.greater, decimal(Decimal(sign: .plus, exponent: -1, significand: 1))),
            [0, 1, 2, 4, 6]
          ),
        ]
        for (condition, expected) in table {
          try context.expectEqual(try store.ids("Measure", condition), expected, "\(condition)")
        }
      }
    },
    ConformanceCase("decimals and unsigned integers compare exactly with every number", "2.2") {
      context in
      let store = try context.open(Measure.self)
      let tenth = Decimal(sign: .plus, exponent: -1, significand: 1)
      let big = Decimal(UInt64.max)
      try store.save([
        Measure(1) {
          $0.decimal = tenth; $0.unsigned = .max
        },
        Measure(2) {
          $0.decimal = big; $0.unsigned = 1 << 63
        },
        Measure(3) {
          $0.decimal = big + 1; $0.unsigned = (1 << 63) - 1
        },
        Measure(4) {
          $0.decimal = Decimal(Int64.max); $0.unsigned = 0
        },
        Measure(5) { $0.decimal = big + tenth },
      ])
      for suffix in ["", "Indexed"] {
        let decimals = attribute("decimal" + suffix)
        let unsigned = attribute("unsigned" + suffix)
        let table: [(Condition, [Int64])] = [
          (decimals.compare(.equal, real(0.1)), []),
          (decimals.compare(.less, real(0.1)), [1]),
          (decimals.compare(.equal, real(0x1p64)), [3]),
          (decimals.compare(.greater, .value(.uint(.max))), [3, 5]),
          (decimals.compare(.equal, .value(.uint(.max))), [2]),
          (decimals.compare(.equal, int(.max)), [4]),
          (decimals.list([.uint(.max), .double(0x1p64)]), [2, 3]),
          (unsigned.compare(.equal, .value(.uint(.max))), [1]),
          (unsigned.compare(.equal, real(0x1p64)), []),
          (unsigned.compare(.less, real(0x1p64)), [1, 2, 3, 4]),
          (unsigned.compare(.equal, real(0x1p63)), [2]),
          (unsigned.compare(.greater, int(.max)), [1, 2]),
          (unsigned.compare(.greaterOrEqual, int(.max)), [1, 2, 3]),
          (unsigned.compare(.greater, int(-1)), [1, 2, 3, 4]),
          (unsigned.compare(.less, int(-1)), []),
          (unsigned.compare(.equal, decimal(big)), [1]),
        ]
        for (condition, expected) in table {
          try context.expectEqual(try store.ids("Measure", condition), expected, "\(condition)")
        }
      }
      try context.expectEqual(
        try store.ids("Measure", .constant(true), order: [SortTerm(attribute("decimal"))]),
        [1, 4, 2, 5, 3], "sorted")
      try context.expectEqual(
        try store.ids(
          "Measure", attribute("unsigned").compare(.less, attribute("decimal"))), [2, 3, 4],
        "two columns")
    },
    ConformanceCase("dates compare by their timestamp, bools false before true", "2.2", "3.1") {
      context in
      let store = try context.open(Measure.self, Anything.self)
      let timestamps = [0.0, -0.0, 1e-9, -1e300, .infinity]
      try store.save(
        timestamps.enumerated().map { id, timestamp in
          Measure(Int64(id)) { $0.date = Date(timeIntervalSinceReferenceDate: timestamp) }
        } + [Measure(9)])
      for name in ["date", "dateIndexed"] {
        let when = attribute(name)
        try context.expectEqual(try store.ids("Measure", when.compare(.equal, date(0))), [0, 1])
        try context.expectEqual(try store.ids("Measure", when.compare(.greater, date(0))), [2, 4])
        try context.expectEqual(
          try store.ids("Measure", when.compare(.notEqual, date(-0.0))), [2, 3, 4, 9])
        try context.expectEqual(
          try store.ids("Measure", .constant(true), order: [SortTerm(when)]), [9, 3, 0, 1, 2, 4])
      }
      var yes = Anything(1)
      yes.bool = true
      var no = Anything(2)
      no.bool = false
      try store.save([yes, no, Anything(3)])
      try context.expectEqual(
        try store.fetch(Anything.all.sorted(by: .ascending(\.bool))).map(\.id), [3, 2, 1])
      try context.expectEqual(
        try store.fetch(Anything.all.where { $0.bool > false }).map(\.id), [1])
      try context.expectEqual(
        try store.fetch(Anything.all.where { $0.bool != true }).map(\.id), [2, 3])
    },
    ConformanceCase("kinds that do not compare are refused", "2.2", "8.1") { context in
      let store = try context.open(Measure.self, Word.self)
      for condition in [
        attribute("int").compare(.equal, text("1")), attribute("date").compare(.less, int(1)),
        attribute("double").list([.string("a")]), attribute("int").text(.contains, text("1")),
        attribute("int").compare(.equal, .value(.bool(true))),
        attribute("date").compare(.equal, real(0)),
      ] {
        try context.expectError(.invalidCondition, entity: "Measure", "\(condition)") {
          try store.ids("Measure", condition)
        }
      }
    },
  ]
}
