internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 2.6, 2.11 and 2.12: functions, parts of dates, casts and choices.
  static let functions: [ConformanceCase] = [
    ConformanceCase("whole numbers next to a number, of every kind", "2.6", "2.10") { context in
      let m = attribute("decimal")
      let d = attribute("double")
      func all(_ operand: Operand) -> [Operand] {
        [.round, .ceiling, .floor, .trunc, .abs].map { .function($0, operand) }
      }
      var table: [(Operand, Operand)] = []
      // The nearest, the next above, the next below, without fraction, without sign.
      let doubles: [(Double, [Double])] = [
        (2.5, [3, 3, 2, 2, 2.5]), (-2.5, [-3, -2, -3, -2, 2.5]), (2.4, [2, 3, 2, 2, 2.4]),
        (-0.5, [-1, 0, -1, 0, 0.5]), (0.49999999999999994, [0, 1, 0, 0, 0.49999999999999994]),
        (.infinity, [.infinity, .infinity, .infinity, .infinity, .infinity]),
        (-.infinity, [-.infinity, -.infinity, -.infinity, -.infinity, .infinity]),
        (0x1p60, [0x1p60, 0x1p60, 0x1p60, 0x1p60, 0x1p60]),
      ]
      for (number, results) in doubles {
        table += zip(all(real(number)), results.map { real($0) })
      }
      for operand in all(real(.nan)) { table.append((operand, nothing)) }
      for operand in all(nothing) { table.append((operand, nothing)) }
      table += zip(all(d), [real(3), real(3), real(2), real(2), real(2.5)])
      let decimals: [(String, [String])] = [
        ("2.5", ["3", "3", "2", "2", "2.5"]), ("-2.5", ["-3", "-2", "-3", "-2", "2.5"]),
        ("-2.49", ["-2", "-2", "-3", "-2", "2.49"]), ("1e-60", ["0", "1", "0", "0", "1e-60"]),
        (
          "34028236692093846346.9",
          [
            "34028236692093846347", "34028236692093846347", "34028236692093846346",
            "34028236692093846346", "34028236692093846346.9",
          ]
        ),
      ]
      for (text, results) in decimals {
        guard let number = Decimal(string: text) else { continue }
        table += zip(
          all(decimal(number)), results.compactMap { Decimal(string: $0) }.map { decimal($0) })
      }
      table += zip(all(m), [decimal(2), decimal(2), decimal(1), decimal(1), m])
      for whole in [7, -7, .max] as [Int64] {
        table += zip(all(int(whole)).dropLast(), Array(repeating: int(whole), count: 4))
      }
      table.append((.function(.abs, int(-7)), int(7)))
      table.append((.function(.abs, int(.min)), nothing))
      table.append((.function(.round, int(.min)), int(.min)))
      table.append((.function(.round, .value(.uint(.max))), .value(.uint(.max))))
      try context.expect(table)
    },
    ConformanceCase("remainders, bits and shifts of integers are exact", "2.6", "2.10") { context in
      let i = attribute("int")
      let u = attribute("unsigned")
      let most = Operand.value(.uint(.max))
      let table: [(ArithmeticOperator, Operand, Operand, Operand)] = [
        (.remainder, i, int(4), int(3)),
        (.remainder, int(-7), int(4), int(-3)),
        (.remainder, i, int(-4), int(3)),
        (.remainder, i, int(0), nothing),
        (.remainder, int(.min), int(-1), int(0)),
        (.remainder, i, nothing, nothing),
        (.remainder, most, int(10), int(5)),
        (.remainder, u, int(2), int(1)),
        (.remainder, int(9_007_199_254_740_993), int(2), int(1)),
        (.bitwiseAnd, i, int(5), int(5)),
        (.bitwiseAnd, i, int(8), int(0)),
        (.bitwiseAnd, int(-1), i, i),
        (.bitwiseAnd, int(-8), int(-6), int(-8)),
        (.bitwiseAnd, most, int(-1), most),
        (.bitwiseAnd, i, nothing, nothing),
        (.bitwiseOr, i, int(8), int(15)),
        (.bitwiseOr, int(-8), int(3), int(-5)),
        (.bitwiseOr, most, int(-1), int(-1)),
        (.bitwiseOr, nothing, i, nothing),
        (.bitwiseXor, i, int(5), int(2)),
        (.bitwiseXor, int(-1), int(.max), int(.min)),
        (.bitwiseXor, most, int(-1), nothing),
        (.bitwiseXor, most, int(1), .value(.uint(.max - 1))),
        (.shiftLeft, i, int(2), int(28)),
        (.shiftLeft, i, int(0), i),
        (.shiftLeft, int(1), int(62), int(4_611_686_018_427_387_904)),
        (.shiftLeft, int(1), int(63), nothing),
        (.shiftLeft, int(-1), int(63), int(.min)),
        (.shiftLeft, int(0), int(.max), int(0)),
        (.shiftLeft, i, int(.max), nothing),
        (.shiftLeft, u, int(62), .value(.uint(13_835_058_055_282_163_712))),
        (.shiftLeft, u, int(63), nothing),
        (.shiftLeft, i, int(-1), int(3)),
        (.shiftRight, i, int(1), int(3)),
        (.shiftRight, int(-7), int(1), int(-4)),
        (.shiftRight, int(-1), int(.max), int(-1)),
        (.shiftRight, i, int(64), int(0)),
        (.shiftRight, i, int(-1), int(14)),
        (.shiftRight, i, int(.min), nothing),
        (.shiftRight, most, int(63), int(1)),
      ]
      try context.expect(table.map { (.arithmetic($0.0, $0.1, $0.2), $0.3) })
      let complements: [(Operand, Operand)] = [
        (i, int(-8)), (int(.min), int(.max)), (int(-1), int(0)), (most, nothing), (u, int(-4)),
      ]
      try context.expect(complements.map { (.function(.onesComplement, $0.0), $0.1) })
      let store = try context.open(Measure.self)
      for operand in [
        Operand.arithmetic(.remainder, attribute("double"), int(2)),
        .arithmetic(.bitwiseAnd, attribute("decimal"), int(1)),
        .arithmetic(.shiftLeft, real(1), int(1)),
        .arithmetic(.bitwiseOr, attribute("date"), int(1)),
        .function(.onesComplement, attribute("double")),
      ] {
        try context.expectError(.invalidCondition, entity: "Measure", "\(operand)") {
          try store.ids("Measure", operand.compare(.equal, nothing))
        }
      }
      try store.save(Measure(1) { $0.int = .max })
      try context.expectError(.overflow, "an update throws what a filter takes for nil") {
        try store.update(Measure.all) { $0[\.int] = $0[\.int] << 1 }
      }
      try store.update(Measure.all) { $0[\.int] = $0[\.int] & 12 }
      try context.expectEqual(try store.find(Measure.self, 1)?.int, 12)
    },
    ConformanceCase("roots, powers and logarithms are doubles", "2.6", "2.10") { context in
      let i = attribute("int")
      let table: [(Operand, Operand)] = [
        (.function(.sqrt, int(9)), real(3)), (.function(.sqrt, real(2)), real(2.0.squareRoot())),
        (.function(.sqrt, real(-1)), nothing), (.function(.sqrt, real(.infinity)), real(.infinity)),
        (.function(.sqrt, i), real(7.0.squareRoot())), (.function(.exp, int(0)), real(1)),
        (.function(.exp, real(-.infinity)), real(0)), (.function(.ln, int(1)), real(0)),
        (.function(.ln, int(0)), real(-.infinity)), (.function(.ln, int(-1)), nothing),
        (.function(.log, int(1000)), real(3)), (.function(.log, real(0.01)), real(-2)),
        (.function(.log, .value(.uint(.max))), real(log10(0x1p64))),
        (.function(.sqrt, nothing), nothing), (.function(.sqrt, real(.nan)), nothing),
      ]
      try context.expect(table)
      let store = try context.open(Measure.self)
      try context.expectError(.invalidCondition, entity: "Measure") {
        try store.ids(
          "Measure", Operand.function(.sqrt, attribute("decimal")).compare(.equal, nothing))
      }
    },
    ConformanceCase("parts of dates in GMT and at fixed offsets", "2.11", "2.10") { context in
      // 2026-11-23 04:05:06.5, a Monday.
      let t = date(817_099_506.5)
      func parts(_ zone: DateZone, _ operand: Operand) -> [Operand] {
        DatePart.allCases.map { .function(.part($0, zone), operand) }
      }
      func row(_ numbers: [Int64], _ starts: [Double]) -> [Operand] {
        numbers.map { int($0) } + starts.map { date($0) }
      }
      var table: [(Operand, Operand)] = []
      table += zip(
        parts(.gmt, t),
        row([2026, 11, 23, 4, 5, 6, 1], [817_084_800, 815_184_000, 788_918_400]))
      // 22 November, 23:35:06 and a Sunday.
      table += zip(
        parts(.fixed(-16_200), t),
        row(
          [2026, 11, 22, 23, 35, 6, 7],
          [817_014_600, 815_200_200, 788_934_600]))
      // 29 February 2024, 23:59:59 in GMT, is 1 March, 01:59:59, two hours east.
      table += zip(
        parts(.gmt, date(730_943_999)).prefix(7), row([2024, 2, 29, 23, 59, 59, 4], []))
      table += zip(
        parts(.fixed(7200), date(730_943_999)).prefix(7), row([2024, 3, 1, 1, 59, 59, 5], []))
      // Before 2001, before 1582 and before the year 1.
      table += zip(
        parts(.gmt, date(-31_622_400.25)).prefix(7), row([1999, 12, 31, 23, 59, 59, 5], []))
      table += zip(
        parts(.gmt, date(-13_198_032_000)).prefix(7), row([1582, 10, 10, 0, 0, 0, 7], []))
      table += zip(
        parts(.gmt, date(-63_113_904_001)).prefix(7), row([0, 12, 31, 23, 59, 59, 7], []))
      for operand in parts(.gmt, date(.infinity)) + parts(.gmt, date(0x1p54)) {
        table.append((operand, nothing))
      }
      table.append((.function(.part(.year, .gmt), date(0x1p53)), int(285_428_782)))
      table.append((.function(.part(.day, .gmt), attribute("date")), int(1)))
      try context.expect(table)
    },
    ConformanceCase("parts of dates in zones whose clocks change", "2.11", "2.10") { context in
      func part(_ part: DatePart, _ zone: String, _ seconds: Double) -> Operand {
        .function(.part(part, .named(zone)), date(seconds))
      }
      let table: [(Operand, Operand)] = [
        // 2024-03-31 01:30 GMT is 03:30 in Berlin, on the day that summer time begins.
        (part(.hour, "Europe/Berlin", 733_541_400), int(3)),
        (part(.startOfDay, "Europe/Berlin", 733_541_400), date(733_532_400)),
        (part(.day, "Asia/Tokyo", 733_532_400), int(31)),
        // 2018-11-04 began at 01:00 in São Paulo.
        (part(.startOfDay, "America/Sao_Paulo", 563_025_600), date(562_993_200)),
        // In Havana, it was midnight twice on 2024-11-03.
        (part(.startOfDay, "America/Havana", 752_328_000), date(752_299_200)),
        (part(.startOfYear, "Asia/Tokyo", 817_099_506), date(788_886_000)),
      ]
      try context.expect(table)
      let store = try context.open(Measure.self)
      for operand in [
        Operand.function(.part(.year, .named("Europe/Nowhere")), attribute("date")),
        .function(.part(.year, .gmt), attribute("int")),
      ] {
        try context.expectError(.invalidCondition, entity: "Measure", "\(operand)") {
          try store.ids("Measure", operand.compare(.equal, nothing))
        }
      }
    },
    ConformanceCase("casts are exact or nil", "2.12", "2.10") { context in
      func cast(_ operand: Operand, _ kind: AttributeType.Kind) -> Operand {
        .function(.cast(kind), operand)
      }
      let half = Decimal(sign: .plus, exponent: -1, significand: 5)
      let table: [(Operand, Operand)] = [
        (cast(attribute("int"), .double), real(7)), (cast(attribute("double"), .int), nothing),
        (cast(int((1 << 53) + 1), .double), nothing), (cast(real(-3), .int), int(-3)),
        (cast(real(0x1p63), .int), nothing), (cast(real(.infinity), .int), nothing),
        (cast(real(0.5), .decimal), decimal(half)), (cast(decimal(half), .double), real(0.5)),
        (cast(decimal(half / 5), .double), nothing), (cast(decimal(100), .int), int(100)),
        (cast(decimal(half), .int), nothing), (cast(real(0.1), .decimal), nothing),
        (cast(text("42"), .int), int(42)), (cast(text("4 2"), .int), nothing),
        (cast(text("1e3"), .double), real(1000)), (cast(text("nan"), .double), nothing),
        (cast(text("0.1"), .decimal), decimal(half / 5)), (cast(int(-5), .string), text("-5")),
        (cast(real(2.5), .string), text("2.5")), (cast(attribute("date"), .double), real(100)),
        (cast(attribute("int"), .date), date(7)), (cast(text("2001-01-02"), .date), date(86_400)),
        (cast(text("no date"), .date), nothing), (cast(nothing, .int), nothing),
        (cast(.value(.bool(true)), .int), int(1)),
        (
          cast(text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), .uuid),
          .value(.uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID()))
        ),
      ]
      try context.expect(table)
      let store = try context.open(Measure.self)
      for (name, kind) in [("date", AttributeType.Kind.uuid), ("int", .data), ("date", .string)] {
        try context.expectError(.invalidCondition, entity: "Measure", "\(name) as \(kind)") {
          try store.ids("Measure", cast(attribute(name), kind).compare(.equal, nothing))
        }
      }
    },
    ConformanceCase("a choice takes one of two values by a condition", "2.12", "2.10") { context in
      let (i, d) = (attribute("int"), attribute("double"))
      let large = i.compare(.greater, int(5))
      let table: [(Operand, Operand)] = [
        (.choice(large, int(1), int(2)), int(1)), (.choice(.not(large), i, d), real(2.5)),
        (.choice(large, nothing, i), nothing), (.choice(.constant(true), i, nothing), int(7)),
        // A condition has two values: with nil it is false.
        (.choice(nothing.compare(.greater, int(1)), int(1), int(2)), int(2)),
        (.choice(large, .choice(.not(large), int(1), int(2)), int(3)) + int(1), int(3)),
      ]
      try context.expect(table)
      let store = try context.open(Measure.self)
      try context.expectError(.invalidCondition, entity: "Measure") {
        try store.ids(
          "Measure", Operand.choice(large, i, attribute("date")).compare(.equal, nothing))
      }
    },
  ]
}

extension ConformanceContext {
  /// Compares each operand with a value: in the store, in memory, and read from its own format.
  fileprivate func expect(_ table: [(Operand, Operand)]) throws {
    let store = try open(Measure.self)
    let measure = Measure(1) {
      $0.int = 7
      $0.double = 2.5
      $0.decimal = Decimal(sign: .plus, exponent: -1, significand: 15)
      $0.date = Date(timeIntervalSinceReferenceDate: 100)
      $0.unsigned = 3
    }
    try store.save(measure)
    for (operand, expected) in table {
      for (comparator, holds) in [(ORMCore.Comparator.equal, true), (.notEqual, false)] {
        let condition = operand.compare(comparator, expected)
        try expectEqual(
          try store.count("Measure", condition), holds ? 1 : 0, "\(condition)")
        let filter = try Filter<Measure>(format: "\(condition)")
        try expectEqual("\(filter)", "\(condition)", "reads back")
        try expectEqual(
          try store.count(Measure.all.where(filter)), holds ? 1 : 0, "read: \(condition)")
        try expectEqual(try filter.matches(measure), holds, "in memory: \(condition)")
      }
    }
  }
}
