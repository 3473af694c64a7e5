internal import ORM
internal import ORMCore

/// The path from a worker to colleagues of colleagues, `rounds` times round.
private func colleagues(_ rounds: Int, from scope: Int = 0, scope own: Int = 1) -> Elements {
  Elements(
    .init((0..<rounds).flatMap { _ in ["firm", "people"] }, scope: scope), scope: own)
}

/// The nickname of the worker of a scope.
private func nick(_ scope: Int) -> Operand { .path(.init(["nick"], scope: scope)) }

extension ConformanceCase {
  /// Clauses 2.7 and 7.1: paths that lead to the same rows again and again end in good time.
  static let cycles: [ConformanceCase] = [
    ConformanceCase("a path round a cycle takes as long as it has steps", "2.7", "7.1") {
      context in
      let store = try context.openFirms(of: 20)
      func check(
        _ expected: [Int64], _ condition: Condition, _ subject: String, line: Int = #line
      ) throws {
        try context.expectEqual(
          try store.ids("Worker", condition), expected, subject, line: line)
      }
      for rounds in [1, 2, 3, 10, 15, 40] {
        let path = colleagues(rounds)
        let name = "\(rounds) rounds"
        try check([], .some(path, nick(1).compare(.equal, text("?"))), "\(name), no one")
        try check(
          Array(1...20), .some(path, nick(1).compare(.equal, text("n7"))), "\(name), one")
        try check(
          Array(21...41), .not(.some(path, nick(1).compare(.equal, text("n7")))), "\(name), NOT")
        // Two workers are called n3: 3, and 23 of the other firm.
        try check(
          [],
          .some(
            path,
            .all([
              nick(1).compare(.equal, nick(0)),
              Operand.path(.init(["id"], scope: 1)).compare(.notEqual, attribute("id")),
            ])), "\(name), the outer row")
      }
      // Beside a condition that finds one row, and from a to-many.
      try check(
        [5],
        .all([
          attribute("id").compare(.equal, int(5)),
          .some(colleagues(15), nick(1).compare(.equal, text("n7"))),
        ]), "of one")
      try context.expectEqual(
        try store.fetch(
          Firm.all.where(
            Filter(
              format: """
                ANY people.firm.people.firm.people.firm.people.firm.people.firm.people.firm.people.nick \
                == 'n7'
                """))
        ).map(\.id), [1])
    },
    ConformanceCase("conditions inside conditions take as long as they are", "2.7", "7.1") {
      context in
      let store = try context.openFirms(of: 10)
      for depth in [1, 2, 3, 9] {
        func nested(_ innermost: Condition) -> Condition {
          var condition = innermost
          for level in (1...depth).reversed() {
            condition = .some(
              colleagues(1, from: level - 1, scope: level),
              .all([
                Operand.path(.init(["id"], scope: level)).compare(.greater, int(0)), condition,
              ]))
          }
          return condition
        }
        let one = nested(nick(depth).compare(.equal, text("n7")))
        let none = nested(nick(depth).compare(.equal, text("?")))
        let workers = try store.fetch(
          Worker.all.prefetch(\.firm) { $0.prefetch(\.people) { $0.prefetch(\.firm) } })
        for (condition, expected) in [(one, Array(1...10)), (none, [])]
          as [(Condition, [Int64])]
        {
          try context.expectEqual(try store.ids("Worker", condition), expected, "\(depth) deep")
          let filter = Filter<Worker>(condition)
          try context.expectEqual(
            try workers.filter { try filter.matches($0) }.map(\.id), expected,
            "\(depth) deep, of objects")
        }
      }
    },
    ConformanceCase("objects at hand answer for a path round a cycle", "2.7", "7.1") { context in
      let store = try context.openFirms(of: 10)
      let workers = try store.fetch(
        Worker.all.prefetch(\.firm) { $0.prefetch(\.people) { $0.prefetch(\.firm) } })
      for rounds in [1, 2, 15, 40] {
        let one = Filter<Worker>(.some(colleagues(rounds), nick(1).compare(.equal, text("n7"))))
        let none = Filter<Worker>(.some(colleagues(rounds), nick(1).compare(.equal, text("?"))))
        try context.expectEqual(
          try workers.filter { try one.matches($0) }.map(\.id), Array(1...10), "\(rounds) rounds")
        try context.expectEqual(
          try workers.filter { try none.matches($0) }.map(\.id), [], "\(rounds) rounds")
      }
      // 10 to the power of 25 is past every count, and a count that does not fit is nil.
      let count = Operand.ofElements(.count, nil, colleagues(25), .constant(true))
      let large = Filter<Worker>(count.compare(.equal, nothing))
      try context.expectEqual(
        try workers.filter { try large.matches($0) }.map(\.id), Array(1...20))
    },
    ConformanceCase("an aggregate counts a row once for every path that leads to it", "2.7", "4.1")
    {
      context in
      let store = try context.openFirms(of: 3)
      let workers = try store.fetch(
        Worker.all.prefetch(\.firm) { $0.prefetch(\.people) { $0.prefetch(\.firm) } })
      func check(_ expected: [Int64], _ condition: Condition, line: Int = #line) throws {
        try context.expectEqual(try store.ids("Worker", condition), expected, line: line)
        let filter = Filter<Worker>(condition)
        try context.expectEqual(
          try workers.filter { try filter.matches($0) }.map(\.id), expected, line: line)
      }
      func total(_ kind: Aggregate.Kind, _ rounds: Int, _ operand: Operand? = nil) -> Operand {
        .ofElements(kind, operand, colleagues(rounds), .constant(true))
      }
      let id = Operand.path(.init(["id"], scope: 1))
      for (rounds, ways) in [(1, 1), (2, 3), (3, 9), (4, 27)] as [(Int, Int64)] {
        try check([1, 2, 3, 4, 5, 6], total(.count, rounds).compare(.equal, int(3 * ways)))
        try check([1, 2, 3], total(.sum, rounds, id).compare(.equal, int(6 * ways)))
        try check([4, 5, 6], total(.average, rounds, id).compare(.equal, real(5)))
        try check([4, 5, 6], total(.maximum, rounds, id).compare(.equal, int(6)))
        try check(
          [1, 2, 3, 4, 5, 6], total(.countDistinct, rounds, id).compare(.equal, int(3)))
        let some = Operand.ofElements(
          .count, nil, colleagues(rounds), id.compare(.less, int(3)))
        try check([1, 2, 3], some.compare(.equal, int(2 * ways)))
        try check([7], total(.count, rounds).compare(.equal, int(0)))
      }
    },
    ConformanceCase("an aggregate round a cycle takes as long as it has steps", "2.7", "7.1") {
      context in
      let store = try context.openFirms(of: 20)
      func total(_ kind: Aggregate.Kind, _ rounds: Int, _ operand: Operand? = nil) -> Operand {
        .ofElements(kind, operand, colleagues(rounds), .constant(true))
      }
      let id = Operand.path(.init(["id"], scope: 1))
      func check(_ expected: [Int64], _ condition: Condition, line: Int = #line) throws {
        try context.expectEqual(try store.ids("Worker", condition), expected, line: line)
      }
      // 20 to the power of 12, the sum of 1 to 20 that often for each of the twenty before the last,
      // and a count that is past every integer.
      try check(Array(1...40), total(.count, 12).compare(.equal, int(4_096_000_000_000_000)))
      try check(
        Array(1...20), total(.sum, 12, id).compare(.equal, int(210 * 204_800_000_000_000)))
      try check(Array(1...20), total(.average, 12, id).compare(.equal, real(10.5)))
      try check(Array(21...40), total(.maximum, 12, id).compare(.equal, int(40)))
      try check(Array(1...40), total(.countDistinct, 12, id).compare(.equal, int(20)))
      try check(Array(1...40), total(.count, 25).compare(.equal, nothing))
      try check([41], total(.count, 12).compare(.equal, int(0)))
      // Beside a condition of an engine, in an order, and in a condition inside another.
      try check(
        [7],
        .all([
          attribute("nick").compare(.equal, text("n7")),
          total(.count, 12).compare(.greater, int(0)),
        ]))
      let ordered = try store.read {
        try $0.fetch(
          DynamicQuery(
            "Worker", where: attribute("id").compare(.greater, int(19)),
            order: [
              SortTerm(total(.minimum, 12, id), isDescending: true),
              SortTerm(attribute("id"), isDescending: true),
            ]))
      }
      try context.expectEqual(
        ordered.map { $0["id"] }, ((21...40).reversed() + [20, 41]).map { .int($0) })
      // In an update and a delete.
      let second = Filter<Worker>(total(.minimum, 12, id).compare(.equal, int(21)))
      try context.expectEqual(
        try store.update(Worker.all.where(second)) { $0.rate = 2 }, 20)
      try check(Array(21...40), attribute("rate").compare(.equal, real(2)))
      try context.expectEqual(try store.delete(Worker.all.where(second)), 20)
      try check(Array(1...20) + [41], .constant(true))
    },
  ]
}

extension ConformanceContext {
  /// Two firms of `count` workers each, and a worker without a firm.
  ///
  /// The nicknames of the first firm are n1, n2, …; one worker of the second is called n3.
  fileprivate func openFirms(of count: Int64) throws -> any Store {
    let store = try open(Worker.self, Project.self, Firm.self)
    try store.insert([Firm(1), Firm(2)])
    try store.insert(
      (1...2 * count).map { id in
        Worker(
          id, nick: id <= count ? "n\(id)" : id == count + 3 ? "n3" : "m\(id)",
          firm: .key(id > count ? 2 : 1))
      } + [Worker(2 * count + 1)])
    return store
  }
}
