internal import Dispatch
internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// Clauses 3.3, 4.1 and 4.2: totals, counts beside pages, selections, and how all are explained.
  static let totals: [ConformanceCase] = [
    ConformanceCase("several aggregates are one request", "4.1") { context in
      let base = try context.open(Snack.self)
      try base.save([
        Snack(1, "a", taste: "x", price: 1, stock: 10), Snack(2, "b", taste: "x", stock: 20),
        Snack(3, "c", price: 4, stock: 33),
      ])
      let store = CountingStore(base)
      let totals = Snack.all.totals {
        ($0.count(), $0.count(\.price), $0.sum(\.stock), $0.average(\.price), $0.max(\.name))
      }
      var row: (Int, Int, Int, Double?, String?) = (0, 0, 0, nil, nil)
      let requests: [FetchRequest] = try store.requests { row = try $0.fetch(totals) }
      try context.expectEqual(requests.count, 1)
      try context.expect(row == (3, 2, 63, 2.5, "c"), "\(row)")
      let some = try store.fetch(
        Snack.where { $0.stock > 15 }.totals { ($0.count(), $0.min(\.price)) })
      try context.expect(some == (2, 4), "\(some)")
      let none = try store.fetch(
        Snack.where { $0.id > 9 }.totals {
          ($0.count(), $0.sum(\.stock), $0.average(\.price), $0.min(\.name), $0.max(\.stock))
        })
      try context.expect(none == (0, 0, nil, nil, nil), "\(none)")
      let one = try store.fetch(Snack.all.totals { $0.countDistinct(\.taste) })
      try context.expectEqual(one, 1)
      let worked = try store.fetch(
        Snack.all.totals { ($0.sum(\.stock) / $0.count(), $0.sum(of: { $0.stock * 2 })) })
      try context.expect(worked == (21, 126), "\(worked)")
    },
    ConformanceCase("totals take whole queries, and aggregates alone", "4.1", "3.3") { context in
      let store = try context.open(Snack.self)
      try store.save([Snack(1, "a", stock: 1), Snack(2, "b", stock: 2)])
      try context.expectError(.invalidPage) {
        try store.fetch(Snack.all.limit(1).totals { $0.count() })
      }
      try context.expectError(.invalidCondition) {
        try store.fetch(Snack.all.totals { ($0.count(), $0.name) })
      }
      try store.save(Snack(3, "c", stock: .max))
      try context.expectError(.overflow) {
        try store.fetch(Snack.all.totals { ($0.count(), $0.sum(\.stock)) })
      }
      let page = try store.fetchPage(Snack.all.limit(1))
      let rest = try store.fetch(Snack.all.after(page.end).totals { ($0.count(), $0.min(\.name)) })
      try context.expect(rest == (2, "b"), "\(rest)")
    },
    ConformanceCase("totals go through relationships, and are made into other shapes", "4.1") {
      context in
      let store = try context.openLinked()
      struct Summary: Equatable {
        var teams: Int
        var most: Int?
      }
      let summary = try store.fetch(
        Team.all.totals { ($0.count(), $0.max(of: { $0.players.count })) }.map(Summary.init))
      try context.expectEqual(summary, Summary(teams: 3, most: 3))
      try store.write { tx in
        try tx.save(Team(9, "Greens"))
        try context.expectEqual(try tx.fetch(Team.all.totals { $0.count() }), 4)
      }
    },
    ConformanceCase(async: "totals by their own method, async and with a handler", "4.1", "6.2") {
      context in
      let store = try await offThePool { try context.open(Snack.self) }
      try await store.save([Snack(1, "a", stock: 1), Snack(2, "b", stock: 2)])
      let totals = Snack.all.totals { ($0.count(), $0.sum(\.stock)) }
      let own = try await totals.fetch(in: store)
      try context.expect(own == (2, 3), "\(own)")
      let later = try await completed {
        store.read(on: .global(), { try $0.fetch(totals) }, completion: $0)
      }
      try context.expect(later == (2, 3), "\(later)")
      try await offThePool {
        try Persistence.with(store) {
          let (count, sum) = try Snack.all.totals { ($0.count(), $0.sum(\.stock)) }.fetch()
          try context.expectEqual([count, sum], [2, 3])
        }
      }
    },
    ConformanceCase("a page comes with the count of all rows on request", "3.3", "4.2") { context in
      let store = try context.open(Snack.self)
      try store.save((1...7).map { Snack(Int64($0), $0 % 2 == 0 ? "even" : "odd", stock: $0) })
      let query = Snack.where { $0.stock > 1 }.sorted(by: .descending(\.stock))
      let first = try store.fetchPage(query.limit(2), withTotal: true)
      try context.expectEqual(first.rows.map(\.id), [7, 6])
      try context.expectEqual(first.total, 6)
      let next = try store.fetchPage(query.limit(2).after(first.end), withTotal: true)
      try context.expectEqual(next.rows.map(\.id), [5, 4])
      try context.expectEqual(next.total, 6, "wherever the page begins")
      try context.expectEqual(
        try store.fetchPage(query.page(9, size: 3), withTotal: true).total, 6)
      try context.expectEqual(try store.fetchPage(query.limit(2)).total, nil)
      let names = Snack.all.select(\.name)
      try context.expectEqual(try store.fetchPage(names.limit(1), withTotal: true).total, 7)
      try context.expectEqual(
        try store.fetchPage(names.distinct().limit(1), withTotal: true).total, 2)
      let groups = Snack.all.grouped(by: \.name) { $0.count() }
      let page = try store.fetchPage(groups.limit(1), withTotal: true)
      try context.expectEqual(page.rows.map(\.1), [3])
      try context.expectEqual(page.total, 2)
      try context.expectEqual(
        try store.fetchPage(groups.having { $0.count() > 3 }.limit(9), withTotal: true).total, 1)
      try context.expectEqual(
        try query.limit(1).fetchPage(in: store, withTotal: true).total, 6)
    },
    ConformanceCase(async: "a store fetches selections by names", "4.2") { context in
      let store = try await offThePool { try context.open(Snack.self) }
      try await store.save((1...5).map { Snack(Int64($0), taste: $0 < 3 ? "x" : "y") })
      let selection = DynamicSelection(
        "Snack", [.value("taste"), .aggregate("n", Aggregate(.count))],
        keys: [.attribute("taste")])
      try await offThePool {
        try context.expectEqual(try store.fetch(selection).map { $0["n"] }, [.int(2), .int(3)])
        try context.expectEqual(try store.count(selection), 2)
        try context.expectError(.unknownEntity) {
          try store.fetch(DynamicSelection("Nothing", [.value("a")]))
        }
        try context.expectEqual(
          try store.explain(selection), try store.read { try $0.explain(selection) })
      }
      try context.expectEqual(try await store.fetch(selection).count, 2)
      let rows = try await completed {
        store.read(on: .global(), { try $0.fetch(selection) }, completion: $0)
      }
      try context.expectEqual(rows.map { $0["taste"] }, [.string("x"), .string("y")])
    },
    ConformanceCase("projections, groups, totals and selections are explained by a run", "4.2") {
      context in
      let store = try context.open(Snack.self)
      try store.save((1...40).map { Snack(Int64($0), $0 < 11 ? "a" : "b", stock: $0) })
      let all = Snack.all
      // A store that counts no rows says so of every request.
      let counts = try store.explain(all, analyze: true).rowsRead != nil
      func rows(_ count: Int) -> Int? { counts ? count : nil }
      let one = Snack.where { $0.id == 7 }.select(\.name)
      try context.expectEqual(try store.explain(one).rowsRead, nil, "not run")
      try context.expectEqual(try store.explain(one, analyze: true).rowsRead, rows(1))
      let some = Snack.where { $0.id.isIn(11...20) }.grouped(by: \.stock) { $0.count() }
      try context.expectEqual(try store.explain(some, analyze: true).rowsRead, rows(10))
      try context.expectEqual(
        try store.explain(all.totals { ($0.count(), $0.sum(\.stock)) }, analyze: true).rowsRead,
        rows(40))
      let selection = DynamicSelection("Snack", [.value("stock")])
      try context.expectEqual(try store.explain(selection, analyze: true).rowsRead, rows(40))
      try Persistence.with(store) {
        try context.expectEqual(try one.explain(analyze: true).rowsRead, rows(1))
        try context.expectEqual(try some.explain(in: store, analyze: true).rowsRead, rows(10))
      }
    },
  ]
}
