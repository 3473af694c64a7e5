internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Clause 2.7: conditions on the elements of arrays.
  static let items: [ConformanceCase] = [
    ConformanceCase("any, all and none of an array's elements", "2.7") { context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "a", tags: ["hot", "cold"]), Snack(2, "hot", tags: ["hot"]), Snack(3, "c"),
        Snack(4, "hat", tags: ["Hat", "hut"]),
      ])
      func expect(
        _ ids: [Int64], _ what: String, _ body: (Fields<Snack>) -> Filter<Snack>
      ) throws {
        try context.expectEqual(try store.fetch(Snack.all.where(body)).map(\.id), ids, what)
      }
      try expect([1, 2], "any equal") { $0.tags.any { $0 == "hot" } }
      try expect([1, 2, 4], "any begins") { $0.tags.any { $0.beginsWith("h") } }
      // All over nothing is true.
      try expect([2, 3], "all begin") { $0.tags.all { $0.beginsWith("ho") } }
      try expect([3, 4], "none equal") { $0.tags.none { $0 == "hot" } }
      try expect([4], "an element beside the row") { snack in
        snack.tags.any { $0.equals("hat", .caseInsensitive) && snack.name == "hat" }
      }
      try expect([2], "an element that is the row's name") { snack in
        snack.tags.any { $0 == snack.name }
      }
      try expect([1, 4], "count of some") { $0.tags.count { $0.length() >= 3 } == 2 }
      try expect([1], "the last") { $0.tags.last() == "cold" }
      try expect([3], "no last") { $0.tags.last().isNil() }
      try expect([2], "the greatest") { $0.tags.max() == "hot" && $0.tags.min() == "hot" }
      try expect([1], "two at once") { snack in
        snack.tags.any { a in snack.tags.any { b in a < b && b == "hot" } }
      }
    },
    ConformanceCase("aggregates over an array's elements", "2.7", "4.1") { context in
      let store = try context.open(Everything.self)
      var some = Everything(1)
      some.ints = [3, -1, 4, 1]
      var large = Everything(2)
      large.ints = [.max, 1]
      try store.save([some, large, Everything(3)])
      func expect(
        _ ids: [Int], _ what: String, _ body: (Fields<Everything>) -> Filter<Everything>
      ) throws {
        try context.expectEqual(try store.fetch(Everything.all.where(body)).map(\.id), ids, what)
      }
      try expect([1], "sum") { $0.ints.sum() == 7 }
      try expect([3], "sum over nothing") { $0.ints.sum() == 0 }
      // A sum that does not fit is nil in a filter (2.6).
      try expect([2], "overflow") { $0.ints.sum().isNil() }
      try expect([1], "mean") { $0.ints.average() == 1.75 }
      try expect([1], "least") { $0.ints.min() == -1 }
      try expect([3], "least of none") { $0.ints.min().isNil() }
      try expect([1], "sorted") { $0.ints.max() == 4 }
      let sorted = try store.ids(
        "Everything", .constant(true),
        order: [
          SortTerm(.ofItems(.maximum, attribute("ints"), scope: 1, .constant(true)))
        ])
      try context.expectEqual(sorted, [3, 1, 2], "order by the greatest element")
    },
    ConformanceCase("elements of JSON arrays and of lists", "2.7", "1.7") { context in
      let store = try context.open(Page.self)
      try store.savePages([#"{"lines":["a","b"],"n":[1,2.5,null]}"#, #"{"lines":"a","n":[]}"#])
      let lines = json("content", "lines")
      let numbers = json("content", "n")
      let table: [(Condition, [Int64], String)] = [
        (.isIn(text("b"), list: lines, []), [0], "in"),
        (.someItem(of: lines, scope: 1, .compare(.item(1), .equal, text("a"), [])), [0], "some"),
        (
          .someItem(of: numbers, scope: 1, Operand.item(1).compare(.greater, int(2))), [0],
          "greater"
        ),
        (.someItem(of: numbers, scope: 1, Operand.item(1).compare(.equal, nothing)), [0], "a null"),
        (
          Operand.ofItems(.sum, numbers, scope: 1, .constant(true)).compare(.equal, real(3.5)),
          [0], "sum"
        ),
        (Operand.function(.count, numbers).compare(.equal, int(0)), [1], "count"),
        // The elements are counted, nil among them; different values are values.
        (
          Operand.ofItems(.count, numbers, scope: 1, .constant(true)).compare(.equal, int(3)),
          [0], "count of elements"
        ),
        (
          Operand.ofItems(.countDistinct, numbers, scope: 1, .constant(true))
            .compare(.equal, int(2)), [0], "different elements"
        ),
        (
          Operand.ofItems(
            .count, .list([nothing, nothing]), scope: 1, .constant(true)
          ).compare(.greaterOrEqual, int(1)), [0, 1], "count of nils"
        ),
        (Operand.function(.last, lines).compare(.equal, text("b")), [0], "last"),
        (
          .isIn(attribute("id"), list: .list([int(7), attribute("id") + int(0)]), []), [0, 1],
          "list"
        ),
        (
          Operand.ofItems(
            .maximum, .list([attribute("id"), int(1)]), scope: 1, .constant(true)
          ).compare(.equal, attribute("id")), [1], "greatest of a list"
        ),
      ]
      for (condition, ids, what) in table {
        try context.expectEqual(try store.ids("Page", condition), ids, what)
      }
    },
    ConformanceCase("lists and constants past Int64 give room, in any order", "2.6", "2.7") {
      context in
      let store = try context.open(Measure.self)
      try store.save([
        Measure(1) {
          $0.unsigned = 9_223_372_036_854_775_807
          $0.int = .max
        }, Measure(2) { $0.unsigned = 0 },
      ])
      let unsigned = attribute("unsigned")
      let past = Operand.value(.uint(9_223_372_036_854_775_808))
      func sum(_ parts: Operand...) -> Operand {
        .ofItems(.sum, .list(parts), scope: 1, .constant(true))
      }
      func next(_ parts: Operand...) -> Condition {
        .someItem(
          of: .list(parts), scope: 1, (Operand.item(1) + int(1)).compare(.equal, past))
      }
      let table: [(Condition, [Int64], String)] = [
        (sum(unsigned, int(1)).compare(.equal, past), [1], "a sum past Int64"),
        (sum(int(1), unsigned).compare(.equal, past), [1], "a sum, the other way round"),
        (sum(int(-5), unsigned).compare(.equal, int(-5)), [2], "a negative sum"),
        (sum(attribute("int"), int(1)).compare(.equal, nothing), [1], "no room among integers"),
        (next(int(3), unsigned), [1], "an element plus one"),
        (next(unsigned, int(3)), [1], "an element plus one, the other way round"),
        (next(attribute("int"), int(3)), [], "no room among integers"),
        // 2^62 + 2^63 - 1: a result computed from a constant past Int64 may be past it too.
        (
          (past / int(2) + attribute("int"))
            .compare(.equal, .value(.uint(13_835_058_055_282_163_711))), [1], "a constant"
        ),
      ]
      for (condition, ids, what) in table {
        try context.expectEqual(try store.ids("Measure", condition), ids, what)
      }
    },
    ConformanceCase("elements are named inside their condition alone", "7.4") { context in
      let store = try context.open(Snack.self)
      try context.expectError(.invalidCondition) {
        _ = try store.ids("Snack", Operand.item(1).compare(.equal, text("a")))
      }
      try context.expectError(.invalidCondition) {
        _ = try store.ids("Snack", Operand.variable("NAME").compare(.equal, text("a")))
      }
      try context.expectError(.invalidCondition) {
        _ = try store.ids("Snack", Operand.output(0).compare(.equal, text("a")))
      }
      try context.expectError(.invalidCondition) {
        _ = try store.ids(
          "Snack", .someItem(of: attribute("name"), scope: 1, .constant(true)))
      }
    },
  ]
}
