import CBenchLMDB

extension RawLMDB: ScanOperations {
  package func filterByScan(below rating: Double) throws -> Int {
    var found: [PlayerData] = []
    try each { id, value in
      if value.mv_data.loadUnaligned(fromByteOffset: 16, as: Double.self) < rating {
        found.append(decode(id, value))
      }
    }
    return found.checksum
  }

  package func countByScan(below rating: Double) throws -> Int {
    var count = 0
    try each { _, value in
      if value.mv_data.loadUnaligned(fromByteOffset: 16, as: Double.self) < rating { count += 1 }
    }
    return count
  }

  package func sumOfRatings() throws -> Int {
    var sum = 0.0
    try each { _, value in
      sum += value.mv_data.loadUnaligned(fromByteOffset: 16, as: Double.self)
    }
    return sum.inThousandths
  }

  /// Goes over every row of the indexed table.
  func each(_ body: (Int64, MDB_val) -> Void) throws {
    try read { transaction in
      try cursor(transaction, indexed) { rows in
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(rows, &key, &value, MDB_FIRST)
        while code == MDB_SUCCESS {
          body(key.mv_data.loadUnaligned(as: Int64.self), value)
          code = mdb_cursor_get(rows, &key, &value, MDB_NEXT)
        }
      }
    }
  }
}
