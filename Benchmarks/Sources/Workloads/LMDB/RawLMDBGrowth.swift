import CBenchLMDB

/// The growing table in an LMDB file: the rank and the name by key, keys by rank.
package final class RawLMDBGrowth: GrowthOperations {
  private let raw: RawLMDB
  private var rows: MDB_dbi = 0
  private var byRank: MDB_dbi = 0

  package init(path: String) throws {
    raw = try RawLMDB(path: path)
    try raw.write { transaction in
      let flags = UInt32(MDB_CREATE | MDB_INTEGERKEY)
      try RawLMDB.check(mdb_dbi_open(transaction, "growth", flags, &rows))
      try RawLMDB.check(mdb_dbi_open(transaction, "rank", flags, &byRank))
    }
  }

  package func insert(_ data: [GrowthData]) throws {
    try raw.write { transaction in
      var bytes: [UInt8] = []
      for row in data {
        bytes.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: row.rank) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: row.name.utf8)
        var id = row.id
        var rank = row.rank
        try withUnsafeMutableBytes(of: &id) { id in
          var key = MDB_val(mv_size: 8, mv_data: id.baseAddress)
          try bytes.withUnsafeMutableBytes { buffer in
            var value = MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
            try RawLMDB.check(mdb_put(transaction, rows, &key, &value, UInt32(MDB_APPEND)))
          }
          // No two ranks are the same, so the index needs no duplicates.
          try withUnsafeMutableBytes(of: &rank) { rank in
            var rankKey = MDB_val(mv_size: 8, mv_data: rank.baseAddress)
            try RawLMDB.check(mdb_put(transaction, byRank, &rankKey, &key, 0))
          }
        }
      }
    }
  }

  private func row(_ id: Int64, _ transaction: OpaquePointer) -> GrowthData? {
    var id = id
    return withUnsafeMutableBytes(of: &id) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      var value = MDB_val()
      guard mdb_get(transaction, rows, &key, &value) == MDB_SUCCESS else { return nil }
      let row = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
      return GrowthData(
        id: bytes.loadUnaligned(as: Int64.self), rank: row.loadUnaligned(as: Int64.self),
        name: String(decoding: row.dropFirst(8), as: UTF8.self))
    }
  }

  package func find(_ keys: [Int64]) throws -> Int {
    try raw.read { transaction in
      keys.reduce(0) { $0 &+ (row($1, transaction)?.checksum ?? 0) }
    }
  }

  package func range(_ ranges: [Range<Int64>]) throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, byRank) { index in
        var sum = 0
        for range in ranges {
          var found: [GrowthData] = []
          var first = range.lowerBound
          withUnsafeMutableBytes(of: &first) { bytes in
            var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
            var value = MDB_val()
            var code = mdb_cursor_get(index, &key, &value, MDB_SET_RANGE)
            while code == MDB_SUCCESS,
              key.mv_data.loadUnaligned(as: Int64.self) < range.upperBound
            {
              if let row = row(value.mv_data.loadUnaligned(as: Int64.self), transaction) {
                found.append(row)
              }
              code = mdb_cursor_get(index, &key, &value, MDB_NEXT)
            }
          }
          sum &+= found.reduce(0) { $0 &+ $1.checksum }
        }
        return sum
      }
    }
  }

  package func top(_ times: Int) throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, byRank) { index in
        var sum = 0
        for _ in 0..<times {
          var found: [GrowthData] = []
          var key = MDB_val()
          var value = MDB_val()
          var code = mdb_cursor_get(index, &key, &value, MDB_LAST)
          while code == MDB_SUCCESS, found.count < 20 {
            if let row = row(value.mv_data.loadUnaligned(as: Int64.self), transaction) {
              found.append(row)
            }
            code = mdb_cursor_get(index, &key, &value, MDB_PREV)
          }
          sum &+= found.reduce(0) { $0 &+ $1.checksum }
        }
        return sum
      }
    }
  }
}
