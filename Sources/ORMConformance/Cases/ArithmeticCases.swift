internal import Foundation
internal import ORM

extension ConformanceCase {
  /// Clause 2.6: arithmetic in filters and orders.
  static let arithmetic: [ConformanceCase] = [
    ConformanceCase("arithmetic in a filter", "2.6") { context in
      let store = try context.open(Measure.self)
      try store.save(
        Measure(1) {
          $0.int = 7
          $0.double = 2.5
          $0.decimal = Decimal(sign: .plus, exponent: -1, significand: 15)
          $0.date = Date(timeIntervalSinceReferenceDate: 100)
          $0.unsigned = 3
        })
      let i = attribute("int")
      let d = attribute("double")
      let m = attribute("decimal")
      let t = attribute("date")
      let none = attribute("intIndexed")  // set below to nil
      try store.update(Measure.all) { $0.intIndexed = nil }
      let tenth = Decimal(sign: .plus, exponent: -1, significand: 1)
      let table: [(Operand, Operand)] = [
        (i + int(3), int(10)), (i - int(10), int(-3)), (i * int(-2), int(-14)),
        (i / int(2), int(3)), (.negated(i) / int(2), int(-3)), (i / int(-2), int(-3)),
        (i / int(0), nothing), (i + none, nothing), (none * int(0), nothing),
        (i + d, real(9.5)), (d / int(2), real(1.25)), (i / real(2), real(3.5)),
        (d / real(0), nothing), (i / real(0), nothing), (int(0) / int(0), nothing),
        (d - int(3), real(-0.5)), (.negated(d), real(-2.5)),
        (i * int(.max), nothing), (int(.min) - i, nothing), (.negated(int(.min)), nothing),
        (int(.min) / int(-1), nothing), (int(.max) + int(1), nothing),
        // 2^53 + 1 beside a double becomes the nearest double, 2^53.
        (int((1 << 53) + 1) + real(0), real(0x1p53)),
        (.arithmetic(.power, i, int(2)), real(49)), (.arithmetic(.power, d, int(2)), real(6.25)),
        (.arithmetic(.power, i, real(-1)), real(1.0 / 7)),
        (.arithmetic(.power, int(2), int(0)), real(1)),
        (m + decimal(tenth), decimal(tenth * 16)), (m * int(2), decimal(3)),
        (m / int(0), nothing), (m * decimal(.greatestFiniteMagnitude), nothing),
        (decimal(1) / int(4), decimal(Decimal(sign: .plus, exponent: -2, significand: 25))),
        (t + int(60), date(160)), (t - real(0.5), date(99.5)), (int(60) + t, date(160)),
        (t - date(40), real(60)), (t + none, nothing),
        (attribute("unsigned") - int(4), int(-1)),
        (attribute("unsigned") + .value(.uint(.max - 3)), .value(.uint(.max))),
        (attribute("unsigned") + .value(.uint(.max - 2)), nothing),
        (.function(.abs, i - int(10)), int(3)), (.function(.ceiling, d), real(3)),
        (.function(.floor, .negated(d)), real(-3)), (.function(.trunc, .negated(d)), real(-2)),
        (
          .function(.abs, attribute("unsigned") - .value(.uint((1 << 63) + 3))),
          .value(.uint(1 << 63))
        ),
        (.function(.abs, int(.min)), nothing), (.function(.abs, none), nothing),
        (.function(.ceiling, i), int(7)),
      ]
      for (operand, expected) in table {
        try context.expectEqual(
          try store.count("Measure", operand.compare(.equal, expected)), 1,
          "\(operand) == \(expected)")
        try context.expectEqual(
          try store.count("Measure", operand.compare(.notEqual, expected)), 0,
          "\(operand) != \(expected)")
      }
    },
    ConformanceCase("arithmetic on JSON that is no number gives nil", "1.7", "2.6") { context in
      let entity = EntityDescription(
        name: "Note",
        attributes: [
          AttributeDescription("id", .int64), AttributeDescription("doc", .json, isOptional: true),
        ], key: ["id"])
      let store = try context.open(Schema(entities: [entity]))
      let texts = ["{\"a\":1}", "{\"a\":\"x\"}", "{}", "{\"a\":[1]}"]
      _ = try store.write { tx in
        try tx.insert(
          texts.enumerated().map { index, text in
            DynamicRow("Note", ["id": .int(Int64(index + 1)), "doc": .json(text)])
          })
      }
      let found = json("doc", "a")
      let table: [(Condition, [Int64])] = [
        ((found + int(1)).compare(.equal, int(2)), [1]),
        ((found + int(1)).compare(.equal, nothing), [2, 3, 4]),
        (Operand.negated(found).compare(.equal, int(-1)), [1]),
        (Operand.function(.abs, found).compare(.equal, nothing), [2, 3, 4]),
        (.not((found * int(2)).compare(.greater, int(1))), [2, 3, 4]),
      ]
      for (condition, expected) in table {
        try context.expectEqual(try store.ids("Note", condition), expected, "\(condition)")
      }
    },
    ConformanceCase("arithmetic over every row, in a filter and as an order", "2.6", "3.1") {
      context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, price: 4, stock: 2), Snack(2, price: 1, stock: nil), Snack(3, price: 1, stock: 9),
        Snack(4, price: nil, stock: 3), Snack(5, price: -1, stock: .max),
      ])
      try context.expectEqual(
        try store.fetch(Snack.all.where { $0.stock + 1 > 3 }).map(\.id), [3, 4])
      try context.expectEqual(
        try store.fetch(Snack.all.where { !($0.stock + 1 > 3) }).map(\.id), [1, 2, 5])
      let total = attribute("price") * attribute("stock")
      try context.expectEqual(
        try store.ids("Snack", total.compare(.greaterOrEqual, real(8))), [1, 3])
      // nil, nil, -2^63, 8, 9
      try context.expectEqual(
        try store.ids("Snack", .constant(true), order: [SortTerm(total)]), [2, 4, 5, 1, 3])
      try context.expectEqual(
        try store.ids("Snack", .constant(true), order: [SortTerm(total, isDescending: true)]),
        [3, 1, 5, 4, 2])
      try context.expectEqual(
        try store.fetch(
          Snack.all.sorted(by: .descending { $0.stock / 2 })
        ).map(\.id), [5, 3, 4, 1, 2])
    },
    ConformanceCase("arithmetic that has no meaning is refused", "2.6", "7.4") { context in
      let store = try context.open(Measure.self, Snack.self)
      for operand in [
        attribute("decimal") + attribute("double"), attribute("double") * decimal(1),
        attribute("date") + attribute("date"), attribute("date") * int(2),
        int(1) - attribute("date"),
      ] {
        try context.expectError(.invalidCondition, entity: "Measure", "\(operand)") {
          try store.ids("Measure", operand.compare(.equal, nothing))
        }
      }
      try context.expectError(.invalidCondition, entity: "Snack") {
        try store.ids("Snack", (attribute("name") + text("a")).compare(.equal, text("aa")))
      }
    },
  ]
}

extension Store {
  func count(_ entity: String, _ condition: Condition) throws -> Int {
    try read { try $0.count(DynamicQuery(entity, where: condition)) }
  }
}
