internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Numbers of fewer bits than a store works in: computed updates, and arithmetic of predicates.
  static let narrowNumbers: [ConformanceCase] = [
    ConformanceCase("a computed update of a float rounds as Swift does", "2.6") { context in
      let store = try context.open(Everything.self, Anything.self)
      let floats: [Float] = [
        0.1, -0.3, 7, .leastNormalMagnitude, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        .infinity, -0.0,
      ]
      let changes: [((Float) -> Float, (inout Changes<Everything>) -> Void)] = [
        ({ $0 * 3 }, { $0[\.float] = $0[\.float] * 3 }),
        ({ $0 + 0.1 }, { $0[\.float] += 0.1 }),
        ({ 0.7 - $0 }, { $0[\.float] = 0.7 - $0[\.float] }),
        ({ $0 / 3 }, { $0[\.float] /= 3 }),
        ({ -$0 }, { $0[\.float] = -$0[\.float] }),
        ({ abs($0) }, { $0[\.float] = $0[\.float].magnitude() }),
      ]
      for (expected, change) in changes {
        for (id, float) in floats.enumerated() {
          var row = Everything(id)
          row.float = float
          try store.save(row)
        }
        try store.update(Everything.all, change)
        let stored = try store.fetch(Everything.all).map(\.float)
        try context.expectEqual(
          stored.map(\.bitPattern), floats.map { expected($0).bitPattern })
      }
      // A value computed by a row of another type is rounded too; nil stays nil.
      var some = Anything(1)
      some.float = 0.1
      some.double = 0.1
      try store.save([some, Anything(2)])
      try store.update(Anything.all) { $0[\.float] = $0[\.float] * 3 }
      try context.expectEqual(try store.fetch(Anything.all).map(\.float), [Float(0.1) * 3, nil])
      let all = DynamicQuery("Anything")
      try store.write { try $0.update(all, ["float": attribute("double") * int(3)]) }
      try context.expectEqual(try store.fetch(Anything.all).map(\.float), [Float(0.1 * 3.0), nil])
      // A constant is no expression: it is a float or refused.
      try context.expectError(.invalidValue) {
        try store.write { try $0.update(all, ["float": real(0.1)]) }
      }
    },
    ConformanceCase("a computed update of every type of numbers is Swift's", "2.6") { context in
      let store = try context.open(Everything.self)
      var row = Everything(1)
      (row.int8, row.int16, row.int32, row.int64, row.int) = (-41, -9_001, 70_001, -5, 12)
      (row.uint8, row.uint16, row.uint32, row.uint64, row.uint) = (83, 20_001, 1 << 30, 9, 8)
      (row.float, row.double, row.decimal) = (0.3, 0.3, Decimal(string: "0.3") ?? 0)
      try store.save(row)
      try store.update(Everything.all) {
        $0[\.int8] = $0[\.int8] * 3 - 1
        $0[\.int16] = $0[\.int16] * 3 - 1
        $0[\.int32] = $0[\.int32] * 3 - 1
        $0[\.int64] = $0[\.int64] * 3 - 1
        $0[\.int] = $0[\.int] * 3 - 1
        $0[\.uint8] = $0[\.uint8] * 3 - 1
        $0[\.uint16] = $0[\.uint16] * 3 - 1
        $0[\.uint32] = $0[\.uint32] * 3 - 1
        $0[\.uint64] = $0[\.uint64] * 3 - 1
        $0[\.uint] = $0[\.uint] * 3 - 1
        $0[\.float] = $0[\.float] * 3
        $0[\.double] = $0[\.double] * 3 - 1
        $0[\.decimal] = $0[\.decimal] * 3 - 1
      }
      let stored = try context.unwrap(try store.find(Everything.self, 1), "the row")
      var expected = row
      (expected.int8, expected.int16, expected.int32) = (-124, -27_004, 210_002)
      (expected.int64, expected.int) = (-16, 35)
      (expected.uint8, expected.uint16, expected.uint32) = (248, 60_002, 3_221_225_471)
      (expected.uint64, expected.uint) = (26, 23)
      expected.float = Float(0.3) * 3
      expected.double = 0.3 * 3 - 1
      expected.decimal = Decimal(string: "-0.1") ?? 0
      try context.expectEqual(stored, expected)
      // One more would not fit.
      try context.expectError(.invalidValue, attributes: ["int8"]) {
        try store.update(Everything.all) { $0[\.int8] = $0[\.int8] - 5 }
      }
      try context.expectError(.invalidValue, attributes: ["uint8"]) {
        try store.update(Everything.all) { $0[\.uint8] = $0[\.uint8] + 8 }
      }
    },
    ConformanceCase("#Predicate: arithmetic that a narrow integer cannot hold", "2.6", "2.10") {
      context in
      let store = try context.open(Everything.self)
      let numbers: [Int] = [.min, -2_000_000_000, -100, -1, 0, 1, 3, 100, 60_000, .max]
      let rows = numbers.enumerated().map { id, number in
        var row = Everything(id)
        (row.int8, row.int16) = (Int8(clamping: number), Int16(clamping: number))
        row.int32 = Int32(clamping: number)
        (row.uint8, row.uint16) = (UInt8(clamping: number), UInt16(clamping: number))
        row.uint32 = UInt32(clamping: number)
        return row
      }
      try store.save(rows)
      /// Expects the rows for which Swift's own arithmetic does not overflow and says yes.
      func expect(
        _ predicate: Predicate<Everything>, line: Int = #line, _ holds: (Everything) -> Bool?
      ) throws {
        try context.expectEqual(
          try store.fetch(Everything.all.where(predicate)).map(\.id),
          rows.filter { holds($0) == true }.map(\.id), "\(Filter(predicate))", line: line)
      }
      func fitting<T>(_ result: (partialValue: T, overflow: Bool)) -> T? {
        result.overflow ? nil : result.partialValue
      }
      try expect(#Predicate { $0.uint8 * 3 > 10 }) {
        fitting($0.uint8.multipliedReportingOverflow(by: 3)).map { $0 > 10 }
      }
      try expect(#Predicate { !($0.uint8 * 3 > 10) }) {
        fitting($0.uint8.multipliedReportingOverflow(by: 3)).map { !($0 > 10) }
      }
      try expect(#Predicate { $0.uint8 - 1 < 200 }) {
        fitting($0.uint8.subtractingReportingOverflow(1)).map { $0 < 200 }
      }
      try expect(#Predicate { -$0.int8 != 3 }) {
        fitting(Int8(0).subtractingReportingOverflow($0.int8)).map { $0 != 3 }
      }
      try expect(#Predicate { $0.int8 / -1 != 3 }) {
        fitting($0.int8.dividedReportingOverflow(by: -1)).map { $0 != 3 }
      }
      try expect(#Predicate { $0.int8 % -1 == 0 }) {
        fitting($0.int8.remainderReportingOverflow(dividingBy: -1)).map { $0 == 0 }
      }
      try expect(#Predicate { !(100 / $0.int16 > 5) }) {
        fitting(Int16(100).dividedReportingOverflow(by: $0.int16)).map { !($0 > 5) }
      }
      try expect(#Predicate { $0.int16 + 1 < 50 }) {
        fitting($0.int16.addingReportingOverflow(1)).map { $0 < 50 }
      }
      try expect(#Predicate { $0.uint16 + 10_000 > 5 }) {
        fitting($0.uint16.addingReportingOverflow(10_000)).map { $0 > 5 }
      }
      try expect(#Predicate { $0.int32 * $0.int32 > 5 }) {
        fitting($0.int32.multipliedReportingOverflow(by: $0.int32)).map { $0 > 5 }
      }
      try expect(#Predicate { $0.uint32 * $0.uint32 > 5 }) {
        fitting($0.uint32.multipliedReportingOverflow(by: $0.uint32)).map { $0 > 5 }
      }
      // A step in between must fit as well; a part that is not evaluated may overflow.
      try expect(#Predicate { $0.uint8 * 2 - $0.uint8 > 5 }) {
        fitting($0.uint8.multipliedReportingOverflow(by: 2)).map { $0 / 2 > 5 }
      }
      try expect(#Predicate { $0.id == 9 || $0.uint8 * 3 > 10 }) { row in
        row.id == 9
          ? true : fitting(row.uint8.multipliedReportingOverflow(by: 3)).map { $0 > 10 }
      }
      try expect(#Predicate { !($0.id < 9 && $0.uint8 * 3 > 10) }) { row in
        row.id == 9
          ? true : fitting(row.uint8.multipliedReportingOverflow(by: 3)).map { !($0 > 10) }
      }
    },
  ]
}
