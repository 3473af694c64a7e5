/// A table whose size grows, with an index on numbers that are spread evenly and at random.
package protocol GrowthOperations {
  /// Inserts in one transaction.
  func insert(_ rows: [GrowthData]) throws
  /// Single rows by key, all in one transaction.
  func find(_ keys: [Int64]) throws -> Int
  /// The rows of each range of ranks, in their order, all in one transaction.
  func range(_ ranges: [Range<Int64>]) throws -> Int
  /// The 20 rows of the highest ranks, so many times, in one transaction.
  func top(_ times: Int) throws -> Int
}

/// The operations of a store on all of its rows.
package protocol WholeOperations {
  /// Copies everything to a new store of the same kind, and counts the rows.
  func copy(to path: String) throws -> Int
  /// Checks everything, and counts the rows.
  func check() throws -> Int
}

/// A row of the growing table.
package struct GrowthData: Sendable {
  package var id: Int64
  package var rank: Int64
  package var name: String

  package init(id: Int64, rank: Int64, name: String) {
    self.id = id
    self.rank = rank
    self.name = name
  }

  /// The numbers that ranks are spread over.
  package static let ranks: Range<Int64> = 0..<1 << 62

  /// Row `id`, the same in every run.
  package init(id: Int64) {
    // A multiplicative hash (Knuth, TAOCP 3, 6.4), whose upper bits are spread evenly.
    let mixed = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15
    self.init(id: id, rank: Int64(mixed >> 2), name: "Row number \(id)")
  }

  package var checksum: Int { Int(truncatingIfNeeded: id &+ rank) &+ name.utf8.count }
}
