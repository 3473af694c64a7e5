internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Clause 4.2: groups.
  static let groups: [ConformanceCase] = [
    ConformanceCase("groups hold their keys and aggregates, by key ascending", "4.2", "4.1") {
      context in
      let store = try context.openGroupSnacks()
      try context.expectRows(
        try store.groups(
          "Snack", by: [attribute("taste")],
          [
            Aggregate(.count), Aggregate(.count, attribute("price")),
            Aggregate(.sum, attribute("stock")), Aggregate(.average, attribute("price")),
            Aggregate(.minimum, attribute("name")), Aggregate(.maximum, attribute("price")),
            Aggregate(.countDistinct, attribute("price")), Aggregate(.sum, attribute("price")),
            Aggregate(.average, attribute("stock")),
          ]),
        [
          [nil, 2, 0, 4, nil, "cola", nil, 0, 0.0, 4.0],
          ["salty", 3, 3, 6, Cell(.double(5.0 / 3)), "chips", 3.0, 2, 5.0, 3.0],
          ["sweet", 2, 1, 0, 0.5, "cake", 0.5, 1, 0.5, nil],
        ])
      try context.expectRows(
        try store.groups(
          "Snack", by: [attribute("taste")], [Aggregate(.count)],
          where: attribute("price").compare(.equal, nothing)), [[nil, 2], ["sweet", 1]])
      try context.expectRows(
        try store.groups("Snack", by: [attribute("taste")], [], where: .constant(false)), [],
        "no rows, no groups")
      // By the key, whose index or order a store may use.
      try context.expectRows(
        try store.groups(
          "Snack", by: [attribute("id")], [Aggregate(.count)],
          where: attribute("id").compare(.greater, int(5))), [[6, 1], [7, 1]])
      try context.expectRows(
        try store.groups("Snack", by: [attribute("price")], [Aggregate(.count)]),
        [[nil, 3], [0.5, 1], [1.0, 2], [3.0, 1]], "an indexed attribute")
    },
    ConformanceCase("several keys, and keys that are worked out, arrays too", "4.2", "2.6") {
      context in
      let store = try context.openGroupSnacks()
      try context.expectRows(
        try store.groups(
          "Snack", by: [attribute("taste"), attribute("price")], [Aggregate(.count)]),
        [
          [nil, nil, 2], ["salty", 1.0, 2], ["salty", 3.0, 1], ["sweet", nil, 1],
          ["sweet", 0.5, 1],
        ])
      try context.expectRows(
        try store.groups(
          "Snack", by: [.function(.length, attribute("name"))],
          [Aggregate(.sum, attribute("stock") * int(2))]), [[4, 18], [5, 2], [7, 0]])
      try context.expectRows(
        try store.groups("Snack", by: [attribute("tags")], [Aggregate(.count)]),
        [
          [Cell(.array([])), 4], [Cell(.array([.string("x")])), 2],
          [Cell(.array([.string("x"), .string("y")])), 1],
        ])
      try context.expectRows(
        try store.groups(
          "Snack", by: [attribute("taste"), attribute("price") * int(0)], [Aggregate(.count)]),
        [[nil, nil, 2], ["salty", 0.0, 3], ["sweet", nil, 1], ["sweet", 0.0, 1]])
    },
    ConformanceCase(
      "keys are one where values are equal, and zero is positive", "4.2", "2.2", "1.2"
    ) {
      context in
      let store = try context.open(Measure.self)
      let exact = Int64(1) << 53
      let tenth = Decimal(sign: .plus, exponent: -1, significand: 1)
      try store.save([
        Measure(1) {
          $0.double = -0.0; $0.int = exact; $0.unsigned = .max; $0.decimal = tenth + tenth + tenth
          $0.date = Date(timeIntervalSinceReferenceDate: -0.0)
        },
        Measure(2) {
          $0.double = 0.0; $0.int = exact + 1; $0.unsigned = .max - 1; $0.decimal = 3 * tenth
          $0.date = Date(timeIntervalSinceReferenceDate: 0)
        },
        Measure(3) {
          $0.double = -0.0; $0.int = exact; $0.unsigned = .max; $0.decimal = -1
          $0.date = Date(timeIntervalSinceReferenceDate: -3)
        },
        Measure(4) { $0.double = -.infinity }, Measure(5) { $0.int = -1 },
      ])
      for suffix in ["", "Indexed"] {
        func check(_ name: String, _ expected: [[Cell]]) throws {
          try context.expectRows(
            try store.groups("Measure", by: [attribute(name + suffix)], [Aggregate(.count)]),
            expected, name + suffix)
        }
        try check("double", [[nil, 1], [Cell(.double(-.infinity)), 1], [0.0, 3]])
        try check(
          "int", [[nil, 1], [-1, 1], [Cell(.int(exact)), 2], [Cell(.int(exact + 1)), 1]])
        try check("unsigned", [[nil, 2], [.unsigned(.max - 1), 1], [.unsigned(.max), 2]])
        try check("decimal", [[nil, 2], [.decimal(-1), 1], [.decimal(3 * tenth), 2]])
        try check("date", [[nil, 2], [.date(-3), 1], [.date(0), 2]])
      }
      try context.expectRows(
        try store.groups(
          "Measure", by: [attribute("int")],
          [Aggregate(.minimum, attribute("double")), Aggregate(.maximum, attribute("unsigned"))],
          where: attribute("int").compare(.greater, int(0))),
        [
          [Cell(.int(exact)), 0.0, .unsigned(.max)],
          [Cell(.int(exact + 1)), 0.0, .unsigned(.max - 1)],
        ])
    },
    ConformanceCase("texts are one key when their scalars are", "4.2", "2.3") { context in
      let store = try context.open(Word.self)
      try store.save(
        ["é", "e\u{301}", "E", "e", nil, "e", "", "\0"].enumerated().map { Word(Int64($0), $1) })
      for name in Word.attributes {
        try context.expectRows(
          try store.groups("Word", by: [attribute(name)], [Aggregate(.count)]),
          [
            [nil, 1], ["", 1], ["\0", 1], ["E", 1], ["e", 2], ["e\u{301}", 1], ["é", 1],
          ], name)
        // Equal but for case, they come in the order of the key.
        try context.expectRows(
          try store.groups(
            "Word", by: [attribute(name)], [],
            where: .not(attribute(name).list([.string(""), .string("\0")])),
            order: [SortTerm(column(0), nils: .last, options: .caseInsensitive)]),
          [["E"], ["e"], ["e\u{301}"], ["é"], [nil]], name)
      }
    },
    ConformanceCase("numbers of several kinds in JSON are one key", "4.2", "1.7") { context in
      let store = try context.open(Page.self)
      let texts = [
        #"{"a":1.0}"#, #"{"a":1}"#, #"{"a":"1"}"#, #"{"a":true}"#, "{}", #"{"a":null}"#,
        #"{"a":2.5}"#, #"{"a":[1]}"#, #"{"a":1}"#,
      ]
      try store.write { transaction in
        try transaction.insert(
          texts.enumerated().map { id, text in
            DynamicRow("Page", ["id": .int(Int64(id)), "content": .json(text)])
          })
      }
      try context.expectRows(
        try store.groups("Page", by: [json("content", "a")], [Aggregate(.count)]),
        [[nil, 2], [true, 1], [1, 3], [2.5, 1], ["1", 1], [Cell(.json("[1]")), 1]])
      try context.expectRows(
        try store.groups(
          "Page", by: [json("content", "a")], [Aggregate(.minimum, attribute("id"))],
          having: column(0).compare(.greater, int(1))), [[2.5, 6]])
    },
    ConformanceCase("a condition on groups names keys and aggregates", "4.2", "2.1") { context in
      let store = try context.openGroupSnacks()
      let aggregates = [
        Aggregate(.count), Aggregate(.average, attribute("price")),
        Aggregate(.sum, attribute("stock")), Aggregate(.maximum, attribute("name")),
      ]
      func check(_ having: Condition, _ expected: [Cell]) throws {
        try context.expectRows(
          try store.groups("Snack", by: [attribute("taste")], aggregates, having: having)
            .map { [$0[0]] }, expected.map { [$0] }, "\(having)")
      }
      try check(column(1).compare(.greater, int(2)), ["salty"])
      try check(column(2).compare(.greaterOrEqual, real(0.5)), ["salty", "sweet"])
      try check(.not(column(2).compare(.greater, real(0.5))), [nil, "sweet"])
      try check(column(2).compare(.equal, nothing), [nil])
      try check(attribute("taste").compare(.notEqual, nothing), ["salty", "sweet"])
      try check((column(3) / column(1)).compare(.greater, int(1)), [nil, "salty"])
      try check(column(4).text(.beginsWith, text("F"), .caseInsensitive), ["sweet"])
      try check(column(4).list([.string("water"), .string("pretzel")]), [nil, "salty"])
      try check(
        .any([column(0).compare(.equal, text("sweet")), column(3).compare(.equal, int(4))]),
        [nil, "sweet"])
      try check(.constant(false), [])
      try check(
        column(1).list((0..<5000).map { .int(Int64($0 * 2)) }), [nil, "sweet"])
    },
    ConformanceCase("groups by an aggregate, the keys last; a part of them", "4.2", "3.2", "3.3") {
      context in
      let store = try context.openGroupSnacks()
      func check(
        _ order: [SortTerm], _ expected: [Cell], limit: Int? = nil, offset: Int = 0
      ) throws {
        try context.expectRows(
          try store.groups(
            "Snack", by: [attribute("taste")],
            [Aggregate(.count), Aggregate(.average, attribute("price"))], order: order,
            limit: limit, offset: offset
          ).map { [$0[0]] }, expected.map { [$0] }, "\(order) limit \(limit ?? -1) of \(offset)")
      }
      try check([SortTerm(column(1), isDescending: true)], ["salty", "sweet", nil])
      try check([SortTerm(column(1))], [nil, "sweet", "salty"])
      try check([SortTerm(column(2), nils: .last)], ["sweet", "salty", nil])
      try check([SortTerm(column(2), isDescending: true, nils: .first)], [nil, "salty", "sweet"])
      try check([SortTerm(column(0), isDescending: true)], ["sweet", "salty", nil])
      try check([SortTerm(attribute("taste"), nils: .last)], ["salty", "sweet", nil])
      try check([SortTerm(.negated(column(1)))], ["salty", nil, "sweet"])
      try check([], ["salty"], limit: 1, offset: 1)
      try check([SortTerm(column(1), isDescending: true)], ["sweet", nil], limit: 5, offset: 1)
      try check([], [], limit: 0)
      try check([], [], limit: 2, offset: 9)
      try context.expectRows(
        try store.groups(
          "Snack", by: [attribute("taste")], [Aggregate(.count)],
          having: column(1).compare(.equal, int(2)), limit: 1, offset: 1), [["sweet", 2]])
    },
    ConformanceCase("a sum of a group overflows when the group is asked for", "4.1", "4.2") {
      context in
      let store = try context.open(Measure.self)
      try store.save([
        Measure(1) {
          $0.int = .max; $0.unsigned = 1
        },
        Measure(2) {
          $0.int = .max; $0.unsigned = 1
        },
        Measure(3) {
          $0.int = .min; $0.unsigned = 1
        },
        Measure(4) {
          $0.int = .max; $0.unsigned = 2
        },
        Measure(5) {
          $0.int = 1; $0.unsigned = 2
        },
      ])
      let sum = [Aggregate(.sum, attribute("int")), Aggregate(.average, attribute("int"))]
      let first: [Cell] = [.unsigned(1), Cell(.int(.max - 1)), Cell(.double(0x1p63 / 3))]
      for name in ["unsigned", "unsignedIndexed"] {
        let key = [attribute(name)]
        try context.expectRows(try store.groups("Measure", by: key, sum, limit: 1), [first], name)
        try context.expectError(.overflow, entity: "Measure", name) {
          try store.groups("Measure", by: key, sum)
        }
        try context.expectError(.overflow, entity: "Measure", name) {
          try store.groups("Measure", by: key, sum, order: [SortTerm(column(1))], limit: 1)
        }
        // The sum of the group 2 is asked for only where its key and the page leave the group.
        let isLarge = column(1).compare(.greater, int(0))
        for (having, limit, offset) in [
          (column(0).compare(.less, int(2)), nil, 0),
          (.all([isLarge, column(0).compare(.less, int(2))]), nil, 0),
          (.not(.any([.not(isLarge), column(0).compare(.greater, int(1))])), nil, 0),
          (isLarge, 1, 0), (.constant(true), 1, 0),
        ] as [(Condition, Int?, Int)] {
          try context.expectRows(
            try store.groups("Measure", by: key, sum, having: having, limit: limit, offset: offset),
            [first], name)
        }
        for (having, limit, offset) in [
          (isLarge, 0, 0), (column(0).compare(.greater, int(2)), 1, 0),
          (.all([isLarge, column(0).compare(.greater, int(2))]), 1, 1),
          (.constant(true), 3, 2),
        ] as [(Condition, Int, Int)] {
          try context.expectRows(
            try store.groups("Measure", by: key, sum, having: having, limit: limit, offset: offset),
            [], name)
        }
        for (having, limit, offset) in [
          (isLarge, nil, 0), (isLarge, 1, 1),
          (.any([column(0).compare(.less, int(2)), isLarge]), nil, 0),
          (.all([column(0).compare(.less, int(3)), column(1).compare(.less, int(0))]), nil, 0),
        ] as [(Condition, Int?, Int)] {
          try context.expectError(.overflow, entity: "Measure", name) {
            try store.groups("Measure", by: key, sum, having: having, limit: limit, offset: offset)
          }
        }
      }
    },
    ConformanceCase("sums of groups are exact", "4.1", "4.2") { context in
      let store = try context.open(Measure.self)
      let numbers: [Double] = [1e308, 1e308, -1e308, -1e308, 1, 1e16, 1, -1e16]
      let tenth = Decimal(sign: .plus, exponent: -1, significand: 1)
      try store.save(
        numbers.enumerated().map { id, number in
          Measure(Int64(id)) {
            $0.double = number
            $0.int = id < 5 ? 1 : 2
            $0.decimal = tenth
          }
        })
      try context.expectRows(
        try store.groups(
          "Measure", by: [attribute("int")],
          [
            Aggregate(.sum, attribute("double")), Aggregate(.average, attribute("double")),
            Aggregate(.sum, attribute("decimal")),
          ]),
        [
          [1, 1.0, 0.2, .decimal(tenth * 5)],
          [2, 1.0, Cell(.double(1.0 / 3)), .decimal(tenth * 3)],
        ])
    },
    ConformanceCase("groups that make no sense are refused", "4.2", "7.4") { context in
      let store = try context.openGroupSnacks()
      let taste = [attribute("taste")]
      let count = [Aggregate(.count)]
      try context.expectError(.invalidCondition, entity: "Snack", "no key") {
        try store.groups(
          "Snack", by: taste, count, having: attribute("price").compare(.greater, int(1)))
      }
      try context.expectError(.invalidCondition, entity: "Snack", "an order by no key") {
        try store.groups("Snack", by: taste, count, order: [SortTerm(attribute("price"))])
      }
      try context.expectError(.invalidCondition, entity: "Snack", "no column") {
        try store.groups("Snack", by: taste, count, having: column(7).compare(.equal, int(1)))
      }
      try context.expectError(.invalidCondition, entity: "Snack", "a column of rows") {
        try store.groups("Snack", by: taste, count, where: column(1).compare(.equal, int(1)))
      }
      try context.expectError(.invalidCondition, entity: "Snack", "a sum of texts") {
        try store.groups("Snack", by: taste, [Aggregate(.sum, attribute("name"))])
      }
      try context.expectError(.invalidCondition, entity: "Snack", "kinds") {
        try store.groups("Snack", by: taste, count, having: column(1).compare(.equal, text("a")))
      }
      try context.expectError(.unknownAttribute, entity: "Snack", attributes: ["nick"]) {
        try store.groups("Snack", by: [attribute("nick")], count)
      }
      try context.expectError(.invalidPage, entity: "Snack") {
        try store.groups("Snack", by: taste, count, limit: -1)
      }
    },
    ConformanceCase("groups in a write block see its writes", "4.2", "6.3") { context in
      let store = try context.openGroupSnacks()
      try store.write { transaction in
        try transaction.delete(Snack.self, id: 1)
        try transaction.save(Snack(8, taste: "sour", stock: 9))
        try context.expectRows(
          try transaction.groups(
            "Snack", by: [attribute("taste")], [Aggregate(.sum, attribute("stock"))],
            having: attribute("taste").compare(.greater, text("s"))),
          [["salty", 5], ["sour", 9], ["sweet", 0]])
      }
    },
    ConformanceCase("many groups, by chunks of them", "4.2", "3.3") { context in
      let store = try context.open(Snack.self)
      try store.save((0..<3000).map { Snack($0, "n\($0 % 1500)", stock: Int($0)) })
      let selection = DynamicSelection(
        "Snack",
        [
          .value("stock", attribute("stock") / int(2)),
          .aggregate("sum", Aggregate(.sum, attribute("stock"))),
        ], keys: [attribute("stock") / int(2)])
      var sums: [StoredValue] = []
      try store.read { transaction in
        try transaction.chunks(selection, size: 400) { sums += $0.map { $0["sum"] } }
        try context.expectEqual(try transaction.count(selection), 1500)
      }
      try context.expectSame(sums, (0..<1500).map { .int(Int64($0 * 4 + 1)) })
      let names = try store.groups(
        "Snack", by: [attribute("name")], [Aggregate(.count)],
        order: [SortTerm(column(0), isDescending: true)], limit: 2, offset: 1)
      try context.expectRows(names, [["n998", 2], ["n997", 2]])
    },
  ]
}
