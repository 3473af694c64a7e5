internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

/// An operation whose work has no end that a test could wait for, on few rows.
///
/// Most make one request work for minutes. Those that no request can make long are run again and again.
struct EndlessLoop<Transaction>: Sendable {
  /// The kind of loop that the work is in.
  let name: String
  let run: @Sendable (Transaction) throws -> Void

  /// An operation that is long by itself.
  init(_ name: String, _ run: @escaping @Sendable (Transaction) throws -> Void) {
    self.name = name
    self.run = run
  }

  /// An operation that is run for half a minute.
  init(repeating name: String, _ run: @escaping @Sendable (Transaction) throws -> Void) {
    self.name = name
    self.run = {
      let end = ContinuousClock.now + .seconds(30)
      while ContinuousClock.now < end { try run($0) }
    }
  }
}

extension EndlessLoop {
  /// A condition that looks at all links for each link of each row.
  private static var deep: Filter<Tangle> {
    get throws { try Filter(format: "fibres.tangles.fibres.tangles.@count > 1000000") }
  }

  /// The number of links of links, for each of which all links are looked at.
  private static var links: Field<Tangle, Int> { Fields().fibres.tangles.fibres.tangles.count }

  /// A condition of thousands of parts, none of which holds for all rows.
  private static var wide: Filter<Tangle> {
    Filter(
      .all(
        (1...1_500).map { number in
          .any([
            attribute("weight").compare(.notEqual, int(number)),
            Operand.function(.count, attribute("numbers")).compare(.greater, int(number)),
          ])
        }))
  }

  /// Tangles with links and a new text, as a program would save them.
  private static func tangles(_ keys: ClosedRange<Int64>) -> [Tangle] {
    keys.map {
      Tangle(
        $0, text: "saved", fibres: ToMany([Fibre(1), Fibre(2)]), tassels: ToMany([Tassel($0)]))
    }
  }

  /// A condition that tries each combination of rows.
  static var combined: Filter<Tangle> {
    get throws {
      try Filter(
        format: """
          SUBQUERY(fibres, $s, SUBQUERY($s.tangles, $k, SUBQUERY($k.fibres, $t, SUBQUERY($t.tangles, $l, \
          $l.id + $k.id + id > 1000000000).@count > 0).@count > 0).@count > 0).@count > 0
          """)
    }
  }
}

extension EndlessLoop where Transaction == ReadTransaction {
  /// The loops that read.
  static let reading: [Self] = [
    Self("a filter that counts through relationships") { _ = try $0.count(Tangle.all.where(deep)) },
    Self("a filter of combinations") { _ = try $0.count(Tangle.all.where(combined)) },
    Self("a fetch of models") { _ = try $0.fetch(Tangle.all.where(deep)) },
    Self("a fetch by names") {
      let query = try DynamicQuery(
        "Tangle", in: $0.store.schema, where: "fibres.tangles.fibres.tangles.@count > 1000000")
      _ = try $0.fetch(query)
    },
    Self("an order by a count through relationships") {
      let query = try DynamicQuery(
        "Tangle", in: $0.store.schema, sortedBy: "fibres.tangles.fibres.tangles.@count")
      _ = try $0.fetch(query)
    },
    Self("an aggregate") { _ = try $0.sum(Tangle.all.where(deep), \.weight) },
    Self("a mean") { _ = try $0.average(Tangle.all.where(deep), \.weight) },
    Self("groups") {
      _ = try $0.fetch(Tangle.all.where(deep).grouped(by: \.weight) { $0.count() })
    },
    Self("groups by a count through relationships") {
      _ = try $0.fetch(Tangle.all.grouped(by: { _ in links }) { $0.count() })
    },
    Self("distinct values") {
      _ = try $0.fetch(Tangle.all.select { ($0.weight, links) }.distinct())
    },
    Self("the first of each group") {
      _ = try $0.fetch(Tangle.all.where(deep).first(1, per: \.weight))
    },
    Self("a page") { _ = try $0.fetchPage(Tangle.all.where(deep).limit(10), withTotal: true) },
    Self("a page after a cursor") {
      let query = try Tangle.all.where(deep).sorted(by: .ascending(\.weight))
      _ = try $0.fetch(query.after(try $0.cursor(after: Tangle(1), in: query)).limit(10))
    },
    Self("a pattern") {
      let filter = try Filter<Tangle>(
        format: "text MATCHES '(a|b)*a(a|b){400}[cd]' OR text MATCHES '(a|b)*b(a|b){400}[cd]'")
      for _ in 0..<20 { _ = try $0.count(Tangle.all.where(filter)) }
    },
    Self("elements of arrays") {
      let filter = try Filter<Tangle>(
        format: """
          ANY SUBQUERY(numbers, $x, ANY SUBQUERY(numbers, $y, ANY SUBQUERY(numbers, $z, \
          $x + $y + $z > 1000000)))
          """)
      _ = try $0.count(Tangle.all.where(filter))
    },
    Self("elements of lists in JSON") {
      let list = json("info", "list")
      let sum = Operand.item(1) + Operand.item(2) + Operand.item(3)
      let found = Condition.someItem(
        of: list, scope: 1,
        .someItem(
          of: list, scope: 2,
          .someItem(of: list, scope: 3, sum.compare(.greater, int(1_000_000)))))
      _ = try $0.count(Tangle.all.where(Filter(found)))
    },
    Self(repeating: "a pattern of LIKE") {
      let pattern = "*" + String(repeating: "?", count: 4_900) + "c"
      let filter = Filter<Tangle>(attribute("text").text(.like, text(pattern)))
      _ = try $0.count(Tangle.all.where(filter))
    },
    Self(repeating: "a condition of thousands of parts") {
      _ = try $0.count(Tangle.all.where(wide))
    },
    Self(repeating: "a plan that is analyzed") {
      _ = try $0.explain(Tangle.all.where(deep), analyze: true)
    },
    Self(repeating: "a prefetch") {
      _ = try $0.fetch(Tangle.all.prefetch(\.fibres) { $0.prefetch(\.tangles) })
    },
    Self(repeating: "chunks") { try $0.chunks(Tangle.all, size: 100) { _ in } },
    Self(repeating: "finds by key") { _ = try $0.find(Tangle.self, 1) },
    Self(repeating: "a check") { _ = try $0.check(decoding: [Tangle.self]) },
  ]
}

extension EndlessLoop where Transaction == WriteTransaction {
  /// The loops that write; each changes nothing if it is ended.
  static let writing: [Self] = [
    Self("an update by a filter") {
      try $0.update(Tangle.all.where(deep)) { $0[\.weight] = $0[\.weight] + 9 }
    },
    Self("a delete by a filter") { try $0.delete(Tangle.all.where(deep)) },
    Self("an update by related values") {
      _ = try $0.update(DynamicQuery("Tangle"), ["weight": links.operand])
    },
    Self(repeating: "an update of every row") {
      try $0.update(Tangle.all) { $0[\.weight] = $0[\.weight] + 1 }
    },
    Self(repeating: "a batch that is saved") {
      try $0.save((0..<500).map { Fibre(1_000 + $0, tangles: .notLoaded) })
      try $0.delete(Fibre.all.where { $0.id >= 1_000 })
    },
    Self(repeating: "graphs that are saved") { try $0.save(tangles(1...300)) },
    Self(repeating: "rows that are saved by a match") {
      try $0.save(tangles(1...50), matching: BatchMatch(contain: [\.id]))
    },
    Self(repeating: "links that are moved") {
      try $0.save(Fibre(1, tangles: ToMany((1...300).map { Tangle($0) })))
      try $0.save(Fibre(1, tangles: ToMany((301...600).map { Tangle($0) })))
    },
    Self(repeating: "a delete that cascades") {
      try? $0.savepoint { transaction in
        try transaction.delete(Tangle.all.where { $0.id > 0 })
        throw StoreError(.denied, "the savepoint is undone")
      }
      _ = try $0.find(Tangle.self, 1)
    },
    Self(repeating: "single saves") { try $0.save(Fibre(2_000)) },
  ]
}
