internal import ORM
internal import ORMCore

extension ConformanceCase {
  /// The cost of queries: a scan where an index would do is a defect.
  static let plans: [ConformanceCase] = [
    ConformanceCase("questions that an index answers read no more rows than it leads to", "3.4") {
      context in
      let store = try context.open(Snack.self)
      try store.save(snacks)
      func isAnswered(
        _ query: Query<Snack>, by access: Explanation.Access?, index: Bool, reading most: Int,
        giving count: Int, line: Int = #line
      ) throws {
        let explanation = try store.explain(query, analyze: true)
        try context.expectEqual(try store.fetch(query).count, count, line: line)
        // The reference counts nothing, and has no access to speak of.
        if explanation.rowsRead == nil, explanation.access == .scan { return }
        if let access {
          try context.expectEqual(explanation.access, access, "\(explanation)", line: line)
        }
        if let read = explanation.rowsRead {
          try context.expect(
            read <= most, "\(read) rows read, at most \(most): \(explanation)", line: line)
        }
        if index {
          try context.expect(explanation.index != nil, "\(explanation)", line: line)
        }
      }
      let all = Snack.all
      try isAnswered(all.where { $0.id == 7 }, by: .keyLookup, index: false, reading: 1, giving: 1)
      try isAnswered(
        all.where { $0.id.isIn([3, 5, 9000]) }, by: .keyLookup, index: false, reading: 3, giving: 2)
      try isAnswered(
        all.where { $0.id > 390 }, by: .keyRange, index: false, reading: 10, giving: 10)
      try isAnswered(
        all.where { $0.name == "n7" }, by: .indexRange, index: true, reading: 8, giving: 8)
      try isAnswered(
        all.where { $0.name.equals("N7", .caseInsensitive) }, by: .indexRange, index: true,
        reading: 8, giving: 8)
      try isAnswered(
        all.where { $0.name.isIn(["n7", "n9", "none"]) }, by: .indexRange, index: true, reading: 16,
        giving: 16)
      try isAnswered(
        all.where { $0.name.beginsWith("n17") }, by: .indexRange, index: true, reading: 8,
        giving: 8)
      try isAnswered(
        all.where { $0.name.like("n17*") }, by: .indexRange, index: true, reading: 8, giving: 8)
      try isAnswered(
        all.where { $0.name.like("N17*", .caseInsensitive) }, by: .indexRange, index: true,
        reading: 8, giving: 8)
      // An expression is tested on the texts that begin with its literal prefix.
      try isAnswered(
        all.where { $0.name.matches("n17x*") }, by: .indexRange, index: true, reading: 8,
        giving: 8)
      try isAnswered(
        all.where { $0.name.matches("n17[0-9]") }, by: .indexRange, index: true, reading: 8,
        giving: 0)
      try isAnswered(
        all.where { $0.name.matches("(?i)N49") }, by: nil, index: false, reading: 400, giving: 8)
      try isAnswered(
        all.where { $0.name.matches("n4[0-9]|x") }, by: nil, index: false, reading: 400,
        giving: 80)
      try isAnswered(
        all.where { $0.price >= 10 && $0.price <= 12 }, by: .indexRange, index: true, reading: 12,
        giving: 12)
      try isAnswered(
        all.where { $0.tags.contains("t3") }, by: .indexRange, index: true, reading: 4, giving: 4)
      try isAnswered(
        all.where { $0.name == "n7" || $0.price == 3 }, by: .union, index: false, reading: 12,
        giving: 12)
      try isAnswered(
        all.where { $0.name == "n7" || $0.id == 3 }, by: .union, index: false, reading: 9,
        giving: 9)
      try isAnswered(
        all.sorted(by: .ascending(\.name)).limit(5), by: nil, index: true, reading: 6, giving: 5)
      try isAnswered(
        all.where { $0.name == "none" }, by: .indexRange, index: true, reading: 0, giving: 0)
    },
    ConformanceCase("a page by its number reads what comes before it and itself", "3.3", "3.4") {
      context in
      let store = try context.open(Snack.self)
      try store.save(snacks)
      func reads(
        _ query: Query<Snack>, _ most: Int, giving keys: [Int64], line: Int = #line
      ) throws {
        try context.expectEqual(try store.fetch(query).map(\.id), keys, line: line)
        let explanation = try store.explain(query, analyze: true)
        guard let read = explanation.rowsRead else { return }
        try context.expect(read <= most, "\(read) rows read, at most \(most)", line: line)
      }
      let byKey = Snack.all.sorted(by: .ascending(\.id))
      try reads(byKey.page(3, size: 20), 80, giving: Array(61...80))
      // Prices 0, 1, 2 and so on have four rows each; the greatest, 99, is that of 99, 199, …
      let byPrice = Snack.all.sorted(by: .descending(\.price))
      try reads(
        byPrice.page(10, size: 8), 88, giving: [379, 279, 179, 79, 378, 278, 178, 78])
      let dear = Snack.all.where { $0.price >= 90 }.sorted(by: .ascending(\.price))
      try reads(dear.page(4, size: 8), 40, giving: [98, 198, 298, 398, 99, 199, 299, 399])
      try reads(dear.page(30, size: 8), 40, giving: [])
    },
    ConformanceCase("aggregates of what an index holds read its entries, or its ends", "4.1", "3.4")
    {
      context in
      let store = try context.open(Snack.self)
      try store.save(snacks)
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      func read(_ condition: Condition, _ kinds: Aggregate.Kind...) throws -> Int? {
        let request = FetchRequest(
          entity: "Snack", output: .aggregates(kinds.map { Aggregate($0, .attribute("price")) }),
          condition: condition)
        let explanation = try reader.explain(request, analyze: true)
        return explanation.rowsRead
      }
      let all = Condition.constant(true)
      for kind in [Aggregate.Kind.minimum, .maximum] {
        let count = try read(all, kind)
        try context.expect(count ?? 0 <= 2, "\(kind) reads \(count ?? 0) rows")
      }
      let dear = Condition.compare(
        .attribute("price"), .greaterOrEqual, .value(.double(98)), [])
      let count = try read(dear, .count, .sum)
      try context.expect(count ?? 0 <= 8, "a range is summed by \(count ?? 0) rows")
    },
    ConformanceCase("every store says where groups are formed, in the same words", "4.2", "3.4") {
      context in
      let store = try context.open(Snack.self)
      try store.save(snacks)
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      func explained(_ key: Operand) throws -> Explanation {
        let request = FetchRequest(
          entity: "Snack",
          output: .groups(keys: [key], aggregates: [Aggregate(.count)], having: .constant(true)),
          sort: RequestLowering.total([], keyCount: 1))
        return try reader.explain(request, analyze: true)
      }
      let byName = try explained(.attribute("name"))
      let named = try context.unwrap(byName.groups, "groups by an attribute")
      // Only an index brings rows group after group; a store that counts no rows has no access to
      // speak of.
      if named.component == .engine, byName.rowsRead != nil {
        try context.expect(named.areInOrder, "groups of an indexed attribute: \(named)")
      }
      // Core evaluates the computed values of a row, on every store.
      try context.expectEqual(
        try explained(.function(.count, .attribute("tags"))).groups,
        Explanation.Groups(.core, areInOrder: false))
      let rows = try reader.explain(FetchRequest(entity: "Snack"))
      try context.expectEqual(rows.groups, nil)
    },
  ]

  /// The snacks: eight of each of 50 names, four of each of 100 prices, and four of each of 100 tags.
  private static let snacks = (1...400).map { number in
    Snack(
      Int64(number), "n\(number % 50)", price: Double(number % 100), stock: number,
      tags: ["t\(number % 100)"])
  }
}
