extension Workloads {
  private typealias Queries = any QueryOperations

  /// Questions to the table with two indexes.
  package var queries: [Workload] {
    let keys = rows.keys(max(1, rows.count / 5))
    let pairs = (0..<20).map { (score: Int64($0 * 37), team: Int64($0)) }
    let either = pairs.reduce(0) { sum, pair in
      sum + rows.players.count { $0.score == pair.score || $0.team == pair.team }
    }
    let count = rows.count
    let lists = (0..<20).map { number in
      (0..<min(count, 1000)).map { Int64(($0 &* 7919 &+ number &* 13) % count) + 1 }
    }
    let scores = (0..<10).map { Int64($0 * 90) }
    return [
      Workload(
        "single", "one row by its key, a query each", unit: "query", units: keys.count,
        in: .queries, as: Queries.self, data: [.ranked]
      ) { section, _ in { try section.single(keys) } },
      Workload(
        "either", "OR of two indexes", unit: "row", units: either, in: .queries, as: Queries.self,
        data: [.ranked]
      ) { section, _ in { try section.either(pairs) } },
      Workload(
        "among", "IN of 1,000 keys", unit: "row", units: lists.reduce(0) { $0 + $1.count },
        in: .queries, as: Queries.self, data: [.ranked]
      ) { section, _ in { try section.among(lists) } },
      Workload(
        "pages", "page 1 to 100", unit: "query", units: 100, in: .queries, as: Queries.self,
        data: [.ranked]
      ) { section, _ in { try section.pages(100) } },
      Workload(
        "count", "count by index, a tenth of the rows", unit: "query", units: scores.count,
        in: .queries, as: Queries.self, data: [.ranked]
      ) { section, _ in { try section.count(from: scores) } },
      Workload(
        "group-sum", "group by team, sum of scores", unit: "row", units: rows.count, in: .queries,
        as: Queries.self, data: [.ranked]
      ) { section, _ in { try section.sums() } },
      Workload(
        "group-text", "group by country, sum of scores, by an index of both", unit: "row",
        units: rows.count, in: .queries, as: Queries.self, data: [.ranked]
      ) { section, _ in { try section.sumsByCountry() } },
      Workload(
        "regex", "regular expression, scan", unit: "row", units: rows.count, in: .queries,
        as: Queries.self, data: [.ranked]
      ) { section, _ in { try section.matching() } },
      Workload(
        "parse", "parse and bind of a format of ten terms", unit: "format", units: 20_000,
        in: .queries, as: (any FormatOperations).self
      ) { section, _ in { try section.parse(20_000) } },
    ]
  }

  /// Rows of ten integers.
  package var numbers: [Workload] {
    [
      Workload(
        "scan-ints", "scan to an array, 10 ints", unit: "row", units: rows.count, in: .numbers,
        as: (any NumberOperations).self, data: [.numbers]
      ) { section, _ in { try section.scanNumbers() } }
    ]
  }
}
