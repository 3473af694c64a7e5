import ORM

/// The growing table in a Strata store.
package struct StrataGrowth: GrowthOperations, WholeOperations {
  package let store: any Store
  private let open: (String) throws -> any Store

  /// - Parameter open: opens a new store of the same kind.
  package init(store: any Store, open: @escaping (String) throws -> any Store) {
    self.store = store
    self.open = open
  }

  package func insert(_ rows: [GrowthData]) throws { try store.insert(rows.map(GrowthRow.init)) }

  package func find(_ keys: [Int64]) throws -> Int {
    try store.read { tx in
      try keys.reduce(0) { try $0 &+ (tx.find(GrowthRow.self, $1)?.data.checksum ?? 0) }
    }
  }

  package func range(_ ranges: [Range<Int64>]) throws -> Int {
    try store.read { tx in
      try ranges.reduce(0) { sum, range in
        let query = GrowthRow.all
          .where { $0.rank >= range.lowerBound && $0.rank < range.upperBound }
          .sorted(by: .ascending(\.rank))
        return try tx.fetch(query).reduce(sum) { $0 &+ $1.data.checksum }
      }
    }
  }

  package func top(_ times: Int) throws -> Int {
    let query = GrowthRow.all.sorted(by: .descending(\.rank)).limit(20)
    return try store.read { tx in
      try (0..<times).reduce(0) { sum, _ in
        try tx.fetch(query).reduce(sum) { $0 &+ $1.data.checksum }
      }
    }
  }

  package func copy(to path: String) throws -> Int {
    let target = try open(path)
    let digests = try StoreCopy(from: store, to: target).run()
    try target.close()
    return digests.reduce(0) { $0 + $1.rows }
  }

  package func check() throws -> Int {
    let report = try store.check()
    guard report.isSound else { throw StoreError(.corrupt, "the check found faults") }
    return report.rows.reduce(0) { $0 + $1.count }
  }
}
