internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clauses 1.1 and 1.2: saved values come back.
  static let roundTrips: [ConformanceCase] = [
    ConformanceCase("a model with every attribute type comes back as it was saved", "1.1", "1.2") {
      context in
      let store = try context.open(Everything.self)
      var model = Everything(1)
      model.bool = true
      model.string = "crisps"
      model.data = Data([0, 255, 128])
      model.bytes = [1, 0, 2]
      model.uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
      model.size = .large
      model.level = .high
      model.ints = [3, 1, 3]
      model.strings = ["b", "a"]
      let zero = Everything(2)
      try store.save([model, zero])
      try context.expectEqual(try store.find(Everything.self, 1), model)
      try context.expectEqual(try store.find(Everything.self, 2), zero)
    },
    ConformanceCase("integers of every width keep their least and greatest value", "1.1", "1.2") {
      context in
      let store = try context.open(Everything.self)
      var least = Everything(1)
      var greatest = Everything(2)
      (least.int8, greatest.int8) = (.min, .max)
      (least.int16, greatest.int16) = (.min, .max)
      (least.int32, greatest.int32) = (.min, .max)
      (least.int64, greatest.int64) = (.min, .max)
      (least.int, greatest.int) = (.min, .max)
      (least.uint8, greatest.uint8) = (.min, .max)
      (least.uint16, greatest.uint16) = (.min, .max)
      (least.uint32, greatest.uint32) = (.min, .max)
      (least.uint64, greatest.uint64) = (.min, .max)
      (least.uint, greatest.uint) = (.min, .max)
      try store.save([least, greatest])
      try context.expectEqual(try store.fetch(Everything.all), [least, greatest])
    },
    ConformanceCase("unsigned integers above Int64.max keep their order", "1.1", "2.2", "3.1") {
      context in
      let store = try context.open(Everything.self)
      let numbers: [UInt64] = [.max, 0, 1 << 63, (1 << 63) - 1, 1, .max - 1]
      for (id, number) in numbers.enumerated() {
        var model = Everything(id)
        model.uint64 = number
        try store.save(model)
      }
      try context.expectEqual(
        try store.fetch(Everything.all.sorted(by: .ascending(\.uint64))).map(\.uint64),
        [0, 1, (1 << 63) - 1, 1 << 63, .max - 1, .max])
      try context.expectEqual(
        try store.fetch(Everything.all.where { $0.uint64 > (1 << 63) - 1 }).map(\.id), [0, 2, 5])
    },
    ConformanceCase("doubles, floats and dates keep their bits", "1.2") { context in
      let store = try context.open(Everything.self)
      let doubles: [Double] = [
        0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1,
        Double.leastNonzeroMagnitude * 12345, Double(bitPattern: 0x3FB9_9999_9999_9999),
      ]
      let floats: [Float] = [
        0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1,
        Float.leastNonzeroMagnitude * 12345, 16_777_215,
      ]
      for (id, (double, float)) in zip(doubles, floats).enumerated() {
        var model = Everything(id)
        model.double = double
        model.float = float
        model.date = Date(timeIntervalSinceReferenceDate: double)
        try store.save(model)
      }
      let stored = try store.fetch(Everything.all)
      try context.expectEqual(stored.map(\.double.bitPattern), doubles.map(\.bitPattern))
      try context.expectEqual(stored.map(\.float.bitPattern), floats.map(\.bitPattern))
      try context.expectEqual(
        stored.map(\.date.timeIntervalSinceReferenceDate.bitPattern), doubles.map(\.bitPattern))
    },
    ConformanceCase("texts keep every scalar", "1.2") { context in
      let store = try context.open(Everything.self)
      let texts = [
        "", "\0", "a\0b", "\0\0", "é", "e\u{301}", "\u{FFFF}", "\u{10FFFF}", "\u{FEFF}x",
        "line\r\nline", "'\"\\%_?*;--", "👩‍👩‍👧‍👦", " ", "NULL", "1", "1.0",
      ]
      for (id, text) in texts.enumerated() {
        var model = Everything(id)
        model.string = text
        try store.save(model)
      }
      try context.expectEqual(
        try store.fetch(Everything.all).map { Array($0.string.unicodeScalars) },
        texts.map { Array($0.unicodeScalars) })
    },
    ConformanceCase("empty and nil never become one another", "1.2") { context in
      let store = try context.open(Anything.self)
      var empty = Anything(1)
      empty.string = ""
      empty.data = Data()
      empty.bytes = []
      empty.ints = []
      empty.strings = []
      let none = Anything(2)
      try store.save([empty, none])
      try context.expectEqual(try store.fetch(Anything.all), [empty, none])
      try context.expectEqual(
        try store.fetch(Anything.all.where { $0.string == "" }).map(\.id), [1])
      try context.expectEqual(
        try store.fetch(Anything.all.where { $0.string.isNil() }).map(\.id), [2])
      try context.expectEqual(
        try store.fetch(Anything.all.where { $0.data == Data() }).map(\.id), [1])
      try context.expectEqual(
        try store.fetch(Anything.all.where { $0.ints.isNil() }).map(\.id), [2])
    },
    ConformanceCase("decimals come back exactly", "1.1", "1.2") { context in
      let store = try context.open(Everything.self)
      let least = Decimal.leastNonzeroMagnitude
      let decimals: [Decimal] = [
        0, 1, -1, Decimal(sign: .minus, exponent: -2, significand: 123_456_789),
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, least, -least,
        Decimal(sign: .plus, exponent: 127, significand: 1),
        Decimal(sign: .plus, exponent: -10, significand: Decimal(UInt64.max)),
      ]
      for (id, decimal) in decimals.enumerated() {
        var model = Everything(id)
        model.decimal = decimal
        try store.save(model)
      }
      try context.expectEqual(try store.fetch(Everything.all).map(\.decimal), decimals)
    },
    ConformanceCase("-0.0 keeps its sign and equals 0.0 in filters", "1.2", "2.2") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, price: -0.0), Snack(2, price: 0.0), Snack(3, price: 1)])
      try context.expectEqual(try store.find(Snack.self, 1)?.price?.sign, .minus)
      try context.expectEqual(try store.find(Snack.self, 2)?.price?.sign, .plus)
      for zero in [0.0, -0.0] {
        try context.expectEqual(
          try store.fetch(Snack.all.where { $0.price == zero }).map(\.id), [1, 2])
        try context.expectEqual(
          try store.fetch(Snack.all.where { $0.price.isIn([zero]) }).map(\.id), [1, 2])
        try context.expectEqual(
          try store.fetch(Snack.all.where { $0.price > zero }).map(\.id), [3])
      }
      try context.expectEqual(try store.min(Snack.all, \.price)?.sign, .plus, "the least")
    },
    ConformanceCase("NaN is refused naming entity, attribute and key", "1.3") { context in
      let store = try context.open(Snack.self, Everything.self)
      try context.expectError(
        .invalidValue, entity: "Snack", attributes: ["price"], key: [.int(7)]
      ) { try store.save(Snack(7, price: .nan)) }
      try context.expectEqual(try store.count(Snack.self), 0)
      var model = Everything(8)
      model.date = Date(timeIntervalSinceReferenceDate: .nan)
      try context.expectError(
        .invalidValue, entity: "Everything", attributes: ["date"], key: [.int(8)]
      ) { try store.insert(model) }
      model = Everything(9)
      model.float = .signalingNaN
      try context.expectError(
        .invalidValue, entity: "Everything", attributes: ["float"], key: [.int(9)]
      ) { try store.save([Everything(1), model]) }
      try context.expectEqual(try store.count(Everything.self), 0)
    },
    ConformanceCase("NaN in a filter equals nothing and orders nowhere", "1.3") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, price: 1), Snack(2, price: -.infinity), Snack(3)])
      let nan = Double.nan
      try context.expectEqual(try store.count(Snack.all.where { $0.price == nan }), 0, "==")
      try context.expectEqual(try store.count(Snack.all.where { $0.price != nan }), 3, "!=")
      try context.expectEqual(try store.count(Snack.all.where { $0.price < nan }), 0, "<")
      try context.expectEqual(try store.count(Snack.all.where { $0.price >= nan }), 0, ">=")
      try context.expectEqual(try store.count(Snack.all.where { $0.price.isIn([nan]) }), 0, "IN")
      try context.expectEqual(
        try store.count(Snack.all.where { !($0.price > nan) }), 3, "NOT >")
    },
  ]
}
