internal import Foundation
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 3.1 to 3.3: pages by the position where the last ended, over every order.
  static let pages: [ConformanceCase] = [
    ConformanceCase("pages by key over several sort keys, with case and nil placed", "3.3", "3.1") {
      context in
      let store = try context.open(Snack.self)
      try store.save([
        Snack(1, "b", taste: "x", price: 1), Snack(2, "A", taste: nil, price: 2),
        Snack(3, "B", taste: "x", price: nil), Snack(4, "a", taste: "y", price: 2),
        Snack(5, "c", taste: nil, price: 1), Snack(6, "C", taste: "X", price: nil),
      ])
      let orders: [([Query<Snack>.Order], [Int64])] = [
        ([.ascending(\.name, .caseInsensitive)], [2, 4, 1, 3, 5, 6]),
        ([.ascending(\.taste, .caseInsensitive, nils: .last)], [1, 3, 6, 4, 2, 5]),
        ([.descending(\.taste, .caseInsensitive, nils: .first)], [5, 2, 4, 6, 3, 1]),
        ([.ascending(\.price), .descending(\.name, .caseInsensitive)], [6, 3, 5, 1, 4, 2]),
        ([.descending(\.price, nils: .first), .ascending(\.taste)], [6, 3, 2, 4, 5, 1]),
        ([.ascending { $0.price * -1 }, .descending { $0.name.length() }], [6, 3, 4, 2, 5, 1]),
      ]
      for (order, ids) in orders {
        var query = Snack.all
        query.order = order
        try context.expectEqual(try store.fetch(query).map(\.id), ids, "\(query)")
        for size in 1...4 {
          try context.expectPages(store, query, size: size, ids.map { [.int($0)] }) {
            [.int($0.id)]
          }
        }
        let projection = query.select(\.id)
        for size in 1...3 {
          try context.expectPages(store, projection, size: size, ids.map { [.int($0)] }) {
            [.int($0)]
          }
        }
      }
    },
    ConformanceCase("a cursor goes through JSON and a short text, whatever it holds", "3.3") {
      context in
      let store = try context.open(Measure.self)
      let doubles = [-Double.infinity, -1, -0.0, 0.5, .infinity]
      try store.save(
        doubles.enumerated().map { id, double in
          Measure(Int64(id)) {
            $0.double = double
            $0.date = Date(timeIntervalSinceReferenceDate: double)
            $0.unsigned = .max - UInt64(id)
          }
        } + [Measure(9)])
      let orders: [(Query<Measure>, [Int64])] = [
        (Measure.all.sorted(by: .ascending(\.double)), [9, 0, 1, 2, 3, 4]),
        (Measure.all.sorted(by: .descending(\.date)), [4, 3, 2, 1, 0, 9]),
        (Measure.all.sorted(by: .ascending(\.unsigned), .ascending(\.double)), [9, 4, 3, 2, 1, 0]),
      ]
      for (query, ids) in orders {
        for size in 1...3 {
          try context.expectPages(store, query, size: size, ids.map { [.int($0)] }) {
            [.int($0.id)]
          }
        }
      }
      let query = Measure.all.sorted(by: .ascending(\.double)).limit(2)
      let page = try store.fetchPage(query)
      let text = try context.unwrap(page.end, "the cursor").text
      try context.expect(text.utf8.count <= 40, "the text is short: \(text)")
      try context.expect(
        text.utf8.allSatisfy {
          $0 == 45 || $0 == 95 || ($0 < 128 && Character(UnicodeScalar($0)).isLetter)
            || (48...57).contains($0)
        },
        "the text needs no escapes in a URL")
      try context.expectEqual(query.rowLimit, 2, "the limit of a query")
      try context.expectEqual(Measure.all.rowLimit, nil, "no limit")
      try context.expectEqual(Measure.all.page(3, size: 4).rowOffset, 12, "the offset of a page")
      try context.expectError(.invalidCursor) {
        let other = Measure.all.sorted(by: .descending(\.double))
        _ = try store.fetch(other.after(QueryCursor(text: text)))
      }
      for end in 0..<text.count {
        let part = String(text.prefix(end))
        let cursor = try? QueryCursor(text: part)
        if let cursor {
          try context.expectError(.invalidCursor) { _ = try store.fetch(query.after(cursor)) }
        }
      }
      for other in ["", "AQ", "x y", "%%", text + "A", text + "AAAA", "\u{E9}"] {
        try context.expectError(.invalidCursor) {
          _ = try store.fetch(query.after(QueryCursor(text: other)))
        }
      }
    },
    ConformanceCase("pages over orders through relationships", "3.3", "2.7", "2.8") { context in
      let store = try context.openProjectionTeams()
      let byTeam = Player.all.sorted(by: .ascending { $0.team.name })
      let ids: [Int64] = [5, 4, 1, 2, 3]
      try context.expectEqual(try store.fetch(byTeam).map(\.id), ids)
      let bySize = Team.all.sorted(
        by: .descending { $0.players.count }, .ascending { $0.players.max(\.age) })
      // Two players, then one (19 before 40), then none.
      try context.expectEqual(try store.fetch(bySize).map(\.id), [1, 2, 3, 4])
      let byCoach = Player.all.sorted(by: .descending { $0.team.coach.name }, .ascending(\.age))
      try context.expectEqual(try store.fetch(byCoach).map(\.id), [2, 1, 4, 3, 5])
      for size in 1...3 {
        try context.expectPages(store, byTeam, size: size, ids.map { [.int($0)] }) { [.int($0.id)] }
        try context.expectPages(store, bySize, size: size, (1...4).map { [.int($0)] }) {
          [.int($0.id)]
        }
        try context.expectPages(
          store, byCoach, size: size, [2, 1, 4, 3, 5].map { [.int($0)] }
        ) { [.int($0.id)] }
        try context.expectPages(
          store, byTeam.select { ($0.id, $0.name) }, size: size, ids.map { [.int($0)] }
        ) { [.int($0.0)] }
      }
      // A row inserted before the position is not seen, one after it is, and none comes twice.
      let page = try store.fetchPage(byTeam.limit(3))
      try context.expectEqual(page.rows.map(\.id), [5, 4, 1])
      try store.insert([
        Player(6, "Abe", team: .key(2)), Player(7, "Zoe", team: .key(3)), Player(0, "Yan"),
      ])
      try context.expectEqual(
        try store.fetch(byTeam.after(page.end)).map(\.id), [2, 3, 7])
      try store.delete(Player.self, id: 1)
      try context.expectEqual(
        try store.fetch(byTeam.after(page.end)).map(\.id), [2, 3, 7], "its row is gone")
      try context.expectError(.notFound, entity: "Player", key: [.int(99)]) {
        try store.cursor(after: Player(99), in: byTeam)
      }
      let sent = try JSONDecoder().decode(
        QueryCursor.self, from: JSONEncoder().encode(page.end))
      try context.expectEqual(sent, page.end)
      try context.expectError(.invalidCursor, entity: "Player") {
        try store.fetch(byCoach.after(page.end))
      }
    },
    ConformanceCase("pages over JSON of mixed kinds pass no row over", "3.3", "1.7", "3.1") {
      context in
      let store = try context.open(Page.self)
      // In the order of the values: nil, false, true, numbers, a date, texts, data.
      let values = [
        #"{}"#, #"{"a":null}"#, #"{"a":false}"#, #"{"a":true}"#, #"{"a":-1.5}"#, #"{"a":2}"#,
        #"{"a":{"$date":5}}"#, #"{"a":""}"#, #"{"a":"b"}"#, #"{"a":{"$data":"AAE="}}"#,
      ]
      try store.write { transaction in
        try transaction.insert(
          values.enumerated().map { id, text in
            DynamicRow("Page", ["id": .int(Int64(id)), "content": .json(text)])
          })
      }
      let all = values.indices.map { [StoredValue.int(Int64($0))] }
      var query = Page.all
      for isDescending in [false, true] {
        for nils in [SortTerm.NilPlacement.first, .last] {
          query.order = [
            .init(SortTerm(json("content", "a"), isDescending: isDescending, nils: nils))
          ]
          let absent = isDescending ? [all[1], all[0]] : [all[0], all[1]]
          let present = isDescending ? Array(all[2...].reversed()) : Array(all[2...])
          let expected = nils == .first ? absent + present : present + absent
          for size in [1, 2, 3, 7] {
            try context.expectPages(store, query.select(\.id), size: size, expected) { [.int($0)] }
          }
        }
      }
      try store.write { transaction in
        try transaction.insert([
          DynamicRow("Page", ["id": .int(90), "content": .json(#"{"a":[1]}"#)]),
          DynamicRow("Page", ["id": .int(91), "content": .json(#"{"a":{"b":1}}"#)]),
        ])
      }
      query.order = [.init(SortTerm(json("content", "a")))]
      let data = try store.fetchPage(query.select(\.id).limit(10))
      let rest: [Int64] = try store.fetch(query.select(\.id).after(data.end))
      try context.expectEqual(rest, [90, 91], "arrays and objects come after all")
      let array = try store.fetchPage(query.select(\.id).limit(11))
      try context.expectError(.invalidCursor, entity: "Page", "no order goes on from one of them") {
        try store.fetch(query.select(\.id).after(array.end))
      }
    },
    ConformanceCase("pages of groups, by keys and by aggregates", "3.3", "4.2") { context in
      let store = try context.openGroupSnacks()
      func check<Row>(
        _ grouping: Grouping<Snack, Row>, _ expected: [Cell], _ cell: (Row) -> StoredValue
      ) throws {
        for size in 1...3 {
          try context.expectPages(store, grouping, size: size, expected.map { [$0.value] }) {
            [cell($0)]
          }
        }
      }
      let tastes = Snack.all.grouped(by: \.taste) { ($0.count(), $0.average(\.price)) }
      try check(tastes, [nil, "salty", "sweet"]) { $0.0.storedValue }
      try check(tastes.sorted(by: .descending { $0.count() }), ["salty", "sweet", nil]) {
        $0.0.storedValue
      }
      try check(
        tastes.sorted(by: .ascending(nils: .last) { $0.average(\.price) }), ["sweet", "salty", nil]
      ) { $0.0.storedValue }
      try check(
        tastes.having { $0.count() == 2 }.sorted(by: .descending { $0.sum(\.stock) - 1 }),
        [nil, "sweet"]
      ) { $0.0.storedValue }
      let prices = Snack.all.grouped(by: \.price, \.taste) { $0.count() }
      try check(prices, [nil, nil, 0.5, 1.0, 3.0]) { $0.0.storedValue }
      for size in 1...3 {
        try context.expectPages(
          store, Snack.all.select(\.taste).distinct().sorted(by: .descending(\.taste)), size: size,
          [[.string("sweet")], [.string("salty")], [.null]]
        ) { [$0.storedValue] }
      }
    },
  ]
}

extension ConformanceContext {
  /// Pages of a size, each after the end of the one before, make the whole.
  func expectPages<Model: PrimaryKeyed>(
    _ store: any Store, _ query: Query<Model>, size: Int, _ expected: [[StoredValue]],
    _ cells: (Model) -> [StoredValue]
  ) throws {
    try expectPages(expected, size: size, "\(query)") { cursor in
      let page = try store.fetchPage(query.limit(size).after(cursor))
      return (page.rows.map(cells), page.end, page.hasMore)
    }
  }

  /// Expects pages, as of models.
  fileprivate func expectPages<Model: Persistable, Row>(
    _ store: any Store, _ projection: Projection<Model, Row>, size: Int,
    _ expected: [[StoredValue]], _ cells: (Row) -> [StoredValue]
  ) throws {
    try expectPages(expected, size: size, "\(projection.query)") { cursor in
      let page = try store.fetchPage(projection.limit(size).after(cursor))
      return (page.rows.map(cells), page.end, page.hasMore)
    }
  }

  /// Expects pages, as of models.
  fileprivate func expectPages<Model: Persistable, Row>(
    _ store: any Store, _ grouping: Grouping<Model, Row>, size: Int, _ expected: [[StoredValue]],
    _ cells: (Row) -> [StoredValue]
  ) throws {
    try expectPages(expected, size: size, "groups") { cursor in
      let page = try store.fetchPage(grouping.limit(size).after(cursor))
      return (page.rows.map(cells), page.end, page.hasMore)
    }
  }

  private func expectPages(
    _ expected: [[StoredValue]], size: Int, _ subject: String,
    _ next: (QueryCursor?) throws -> ([[StoredValue]], QueryCursor?, Bool)
  ) throws {
    var found: [[StoredValue]] = []
    var cursor: QueryCursor?
    while found.count <= expected.count {
      let (rows, end, hasMore) = try next(cursor)
      found += rows
      try expectEqual(hasMore, found.count < expected.count, "\(subject): more than \(found.count)")
      if rows.count < size { break }
      // A cursor travels to a client and back, as JSON or as a short text.
      guard let end else { break }
      let coded = try JSONDecoder().decode(QueryCursor.self, from: JSONEncoder().encode(end))
      try expect(coded == end, "\(subject): a cursor as JSON")
      cursor = found.count / size % 2 == 0 ? coded : try QueryCursor(text: end.text)
    }
    try expectSame(
      found.map { .array($0) }, expected.map { .array($0) }, "\(subject) by pages of \(size)")
  }
}
