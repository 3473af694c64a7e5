internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension ConformanceCase {
  /// Clauses 1.3, 2.1, 2.5 to 2.8 and 7.1: conditions at the limits of their language.
  static let meanings: [ConformanceCase] = [
    ConformanceCase("ANY, ALL and NONE of a truth value ask whether it is true", "2.7") {
      context in
      let asking = try WorkerAsking(context)
      try asking.expect([1, 4], "ANY projects.isDone") { $0.projects.any { $0.isDone } }
      try asking.expect([1, 4], "SOME projects.isDone") { $0.projects.any { $0.isDone == true } }
      try asking.expect([3, 4], "ALL projects.isDone") { $0.projects.all { $0.isDone } }
      try asking.expect([2, 3], "NONE projects.isDone") { $0.projects.none { $0.isDone } }
      try asking.expect([2, 3], "NOT ANY projects.isDone") { !$0.projects.any { $0.isDone } }
      try asking.expect([1, 2], "NOT ALL projects.isDone") { !$0.projects.all { $0.isDone } }
      try asking.expect([2], "ANY reports.projects.isDone") {
        $0.reports.projects.any { $0.isDone }
      }
      try asking.expect([4], "ANY SUBQUERY(projects, $p, $p.priority > 1).isDone") {
        $0.projects.any { $0.priority > 1 && $0.isDone }
      }
      try asking.expect([1, 4], "SUBQUERY(projects, $p, $p.isDone).@count == 1") {
        $0.projects.count { $0.isDone == true } == 1
      }
      try asking.expect([2], "SUBQUERY(reports, $r, ANY $r.projects.isDone).@count > 0") {
        $0.reports.any { $0.projects.any { $0.isDone } }
      }
      try asking.expect([1, 2, 4], "ANY projects") { !$0.projects.isEmpty() }
      try asking.expect([1, 2], "ANY reports.manager") { !$0.reports.manager.isEmpty() }
      try asking.expect([1], "ANY SUBQUERY(reports, $r, $r.id == 2).manager") {
        $0.reports.any { $0.id == 2 && $0.manager != nil }
      }
      let predicate = #Predicate<Worker> { $0.projects.loaded!.contains { $0.isDone } }
      try context.expectEqual(
        try asking.store.fetch(Worker.all.where(predicate)).map(\.id), [1, 4], "#Predicate")
      let done = try asking.store.fetch(Project.all.where(Filter(format: "isDone")))
      try context.expectEqual(done.map(\.id), [11, 14], "a bare name")
      for format in [
        "ANY projects.priority", "NONE projects.priority", "ALL projects.priority",
        "SOME projects.owner.nick", "ANY SUBQUERY(projects, $p, $p.isDone).priority",
        "NOT ANY projects.priority AND id > 0", "SUBQUERY(reports, $r, ANY $r.nick).@count > 0",
      ] {
        let error = try context.expectError(.invalidCondition, entity: "Worker", format) {
          try Filter<Worker>(format: format)
        }
        try context.expect(error.message.contains("offset"), error.message)
      }
    },
    ConformanceCase("a count behind a nil to-one is 0", "2.7", "2.8") { context in
      let asking = try WorkerAsking(context)
      try asking.expect([1], "reports.@count > manager.reports.@count") {
        $0.reports.count > $0.manager.reports.count
      }
      try asking.expect([1], "manager.reports.@count == 0") { $0.manager.reports.count == 0 }
      try asking.expect([1, 4], "manager.reports.@sum.rate == 0") {
        $0.manager.reports.sum(\.rate) == 0
      }
      try asking.expect([1, 4], "manager.reports.@max.rate == nil") {
        $0.manager.reports.max(\.rate) == nil
      }
    },
    ConformanceCase("NaN in a filter equals nothing and has no order", "1.3", "2.1") { context in
      let asking = try WorkerAsking(context)
      let fields = Fields<Worker>()
      let table: [(String, [Int64], Filter<Worker>)] = [
        ("==", [], fields.rate == Double.nan), ("!=", [1, 2, 3, 4], fields.rate != Double.nan),
        ("<", [], fields.rate < Double.nan), (">=", [], fields.rate >= Double.nan),
        ("NOT <", [1, 2, 3, 4], !(fields.rate < Double.nan)),
        ("IN", [2], fields.rate.isIn([Double.nan, 1])),
        ("NOT IN", [1, 3, 4], !fields.rate.isIn([Double.nan, 1])),
        (
          "itself", [],
          Filter(.compare(.value(.double(.nan)), .equal, .value(.double(.nan)), []))
        ),
      ]
      for (subject, ids, filter) in table {
        try asking.expect(ids, subject, filter)
        // It goes through JSON as any other filter does.
        let written = try JSONEncoder().encode(filter)
        try asking.expect(
          ids, "\(subject), read", try JSONDecoder().decode(Filter<Worker>.self, from: written))
        try asking.expect(ids, "\(subject), printed", try Filter(format: filter.formatString))
      }
      let date = Filter<Worker>(
        .compare(
          .value(.date(Date(timeIntervalSinceReferenceDate: .nan))), .notEqual,
          .value(.date(Date(timeIntervalSinceReferenceDate: 0))), []))
      let written = try JSONEncoder().encode(date)
      try asking.expect(
        [1, 2, 3, 4], "a date", try JSONDecoder().decode(Filter<Worker>.self, from: written))
    },
    ConformanceCase("every text that is not nil contains the empty text", "2.5") { context in
      let asking = try WorkerAsking(context)
      for symbol in ["CONTAINS", "BEGINSWITH", "ENDSWITH"] {
        for options in ["", "[c]", "[d]", "[n]", "[cdn]"] {
          try asking.expect(
            [1, 3], "\(symbol)\(options)", try Filter(format: "nick \(symbol)\(options) ''"))
          try asking.expect(
            [2, 4], "NOT \(symbol)\(options)",
            try Filter(format: "NOT nick \(symbol)\(options) ''"))
        }
      }
      try asking.expect([1, 3], "in itself", try Filter(format: "nick CONTAINS nick"))
      try asking.expect([1, 3], "of its first", try Filter(format: "'' IN nick"))
      try asking.expect([3], "LIKE", try Filter(format: "nick LIKE ''"))
    },
    ConformanceCase("arithmetic that does not fit is nil", "2.6") { context in
      let asking = try WorkerAsking(context)
      try asking.expect(
        [1, 4], "multiplied",
        try Filter(format: "ANY projects.priority > 1 AND id * 9223372036854775807 != 1"))
      try asking.expect(
        [2, 3, 4], "== nil", try Filter(format: "id * 9223372036854775807 == nil"))
      try asking.expect([], "> 0", try Filter(format: "id + 9223372036854775807 > 0"))
      try asking.expect(
        [1, 2, 3, 4], "NOT > 0", try Filter(format: "NOT id + 9223372036854775807 > 0"))
    },
    ConformanceCase("a pattern of LIKE has at most 64 KiB", "7.1") { context in
      let asking = try WorkerAsking(context)
      let longest = String(repeating: "a", count: (64 << 10) - 1) + "*"
      func asks(_ pattern: String) throws -> [Int64] {
        try asking.store.fetch(Worker.all.where { $0.nick.like(pattern) }).map(\.id)
      }
      try context.expectEqual(try asks("A*"), [1])
      try context.expectEqual(try asks(longest), [])
      for _ in 0..<2 {
        let error = try context.expectError(.tooComplex, entity: "Worker") {
          try asks(longest + "b")
        }
        try context.expectEqual(error.message, "the pattern of LIKE is longer than 64 KiB")
      }
      let error = try context.expectError(.tooComplex, entity: "Worker") {
        try Filter<Worker>(format: "nick LIKE[c] %@", longest + "b")
      }
      try context.expect(error.message.hasSuffix("is longer than 64 KiB"), error.message)
      try context.expectError(.tooComplex, entity: "Worker") {
        try Filter<Worker>(attribute("nick").text(.like, text(longest + "b"))).matches(Worker(1))
      }
    },
    ConformanceCase("an error quotes a long name in part", "8.1") { context in
      let store = try context.open(Worker.self, Project.self, Firm.self)
      let name = String(repeating: "nonsense", count: 1 << 16)
      let asked = try context.expectError(.unknownAttribute, attributes: [name]) {
        try store.ids("Worker", attribute(name).compare(.equal, int(1)))
      }
      let read = try context.expectError(.unknownAttribute, attributes: [name]) {
        try Filter<Worker>(format: "\(name) == 1")
      }
      let entity = try context.expectError(.unknownEntity) {
        try store.ids(name, .constant(true))
      }
      for error in [asked, read, entity] {
        try context.expect(error.description.utf8.count < 500, "\(error.description.utf8.count)")
      }
    },
    ConformanceCase("a list that is nil has no elements, and no number of them", "2.7") { context in
      let store = try context.open(Anything.self)
      var (none, empty, full) = (Anything(1), Anything(2), Anything(3))
      (none.ints, empty.ints, full.ints) = (nil, [], [5])
      try store.save([none, empty, full])
      func expect(
        _ ids: [Int], _ format: String, line: Int = #line,
        _ body: (Fields<Anything>) -> Filter<Anything>
      ) throws {
        try context.expectEqual(
          try store.fetch(Anything.where(body)).map(\.id), ids, format, line: line)
        try context.expectEqual(
          try store.fetch(Anything.all.where(try Filter(format: format))).map(\.id), ids, format,
          line: line)
        let held = try [none, empty, full].filter { try body(Fields()).matches($0) }.map(\.id)
        try context.expectEqual(held, ids, "\(format), of objects", line: line)
      }
      try expect([1, 2], "ALL ints > 9") { $0.ints.all { $0 > 9 } }
      try expect([1, 2], "NONE ints > 3") { $0.ints.none { $0 > 3 } }
      try expect([3], "ANY ints > 3") { $0.ints.any { $0 > 3 } }
      try expect([2], "ints.@count == 0") { $0.ints.count() == 0 }
      try expect([2], "ints.@count == 0") { $0.ints.isEmpty }
      try expect([3], "ints.@count > 0") { $0.ints.count() > 0 }
      try expect([1], "ints == NIL") { $0.ints == nil }
    },
    ConformanceCase("words that Swift has for texts and lists", "2.5", "2.7", "2.2") { context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "", taste: "", stock: 1, tags: ["a"]), Snack(2, "b", stock: 3),
        Snack(3, "c", taste: "d", tags: ["a", "b"]),
      ])
      func expect(
        _ ids: [Int64], line: Int = #line, _ body: (Fields<Snack>) -> Filter<Snack>
      ) throws {
        try context.expectEqual(
          try store.fetch(Snack.where(body)).map(\.id), ids, "\(body(Fields()))", line: line)
      }
      try expect([1]) { $0.name.isEmpty }
      try expect([2, 3]) { !$0.name.isEmpty }
      try expect([1]) { $0.taste.isEmpty }
      try expect([2]) { $0.tags.isEmpty }
      try expect([1, 3]) { [1, 3, 9].contains($0.id) }
      try expect([2]) { [3, 4].contains($0.stock) }
      try expect([3]) { Set(["c", "e"]).contains($0.name) }
    },
    ConformanceCase("a number beside an optional one of its type", "2.2", "2.7", "4.1") { context in
      let store = try context.openAsking()
      // The oldest of each team, and those without one; the team itself by its key.
      try context.expectEqual(
        try store.count(Player.where { $0.age == $0.team.players.max(\.age) }),
        try store.fetch(Team.all.prefetch(\.players)).reduce(0) { sum, team in
          let ages = team.players.loaded?.map(\.age) ?? []
          return sum + ages.count { $0 == ages.max() }
        })
      try context.expectEqual(
        try store.fetch(Player.where { $0.team.id == $0.id }).map(\.id),
        try store.fetch(Player.all).filter { $0.team.id == $0.id }.map(\.id))
    },
    ConformanceCase("what a save returns has the links that were set alone", "5.8") { context in
      let store = try context.openAsking()
      let team = try context.unwrap(
        try store.fetch(Team.where { $0.players.count > 0 }.prefetch(\.players)).first, "a team")
      let saved = try store.save(team)
      try context.expect(team.players.loaded != nil && saved.players.loaded == nil, "not loaded")
      var changed = team
      changed.players = ToMany(team.players.loaded ?? [])
      try context.expectEqual(
        try store.save(changed).players.loaded?.map(\.id), team.players.loaded?.map(\.id))
    },
  ]
}

/// Workers, asked by formats, closures and filters: in the store, and in memory.
private struct WorkerAsking {
  let context: ConformanceContext
  let store: any Store

  /// 1 leads 2 and 3, 2 leads 4; of the projects 11 of worker 1 and 14 of worker 4 are done.
  init(_ context: ConformanceContext) throws {
    self.context = context
    store = try context.open(Worker.self, Project.self, Firm.self)
    try store.save([
      Worker(
        1, nick: "Ann",
        projects: [Project(11, priority: 1, isDone: true), Project(12, priority: 2)]),
      Worker(2, rate: 1, manager: .key(1), projects: [Project(13, priority: 0)]),
      Worker(3, nick: "", rate: .infinity, manager: .key(1), projects: []),
      Worker(4, manager: .key(2), projects: [Project(14, priority: 3, isDone: true)]),
    ])
  }

  func expect(
    _ ids: [Int64], _ format: String, line: Int = #line,
    _ body: (Fields<Worker>) -> Filter<Worker>
  ) throws {
    try expect(ids, format, try Filter(format: format), line: line)
    try expect(ids, "the closure for \(format)", body(Fields()), line: line)
  }

  func expect(
    _ ids: [Int64], _ subject: String, _ filter: Filter<Worker>, line: Int = #line
  ) throws {
    try context.expectEqual(
      try store.fetch(Worker.all.where(filter)).map(\.id), ids, subject, line: line)
    let objects = try store.fetch(
      Worker.all.prefetch(\.projects).prefetch(\.reports) {
        $0.prefetch(\.projects, \.manager)
      }.prefetch(\.manager) { $0.prefetch(\.reports) })
    let held = try objects.filter { try filter.matches($0) }.map(\.id)
    try context.expectEqual(held, ids, "\(subject), of objects", line: line)
    let printed = try Filter<Worker>(format: filter.formatString)
    try context.expectEqual(
      try store.fetch(Worker.all.where(printed)).map(\.id), ids, "\(printed)", line: line)
  }
}
