import CBenchLMDB

// Changes of every row of the plain section, in place.
extension RawLMDB {
  package func changeScores(_ body: (Int64) -> Int64) throws {
    try changeEach { rows, key, value in
      let place = value.mv_data.unsafelyUnwrapped
      let score = body(place.loadUnaligned(fromByteOffset: 8, as: Int64.self))
      return withUnsafeTemporaryAllocation(byteCount: value.mv_size, alignment: 8) { bytes in
        bytes.copyMemory(from: UnsafeRawBufferPointer(start: place, count: value.mv_size))
        bytes.storeBytes(of: score, toByteOffset: 8, as: Int64.self)
        var changed = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
        return mdb_cursor_put(rows, &key, &changed, UInt32(MDB_CURRENT))
      }
    }
  }

  package func sumOfScores() throws -> Int64 {
    var sum: Int64 = 0
    try read { transaction in
      try cursor(transaction, plain) { rows in
        var key = MDB_val()
        var value = MDB_val()
        while mdb_cursor_get(rows, &key, &value, MDB_NEXT) == MDB_SUCCESS {
          sum += value.mv_data.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        }
      }
    }
    return sum
  }

  private func changeEach(
    _ body: (_ rows: OpaquePointer, _ key: inout MDB_val, MDB_val) -> Int32
  ) throws {
    try write { transaction in
      try cursor(transaction, plain) { rows in
        var key = MDB_val()
        var value = MDB_val()
        while mdb_cursor_get(rows, &key, &value, MDB_NEXT) == MDB_SUCCESS {
          try Self.check(body(rows, &key, value))
        }
      }
    }
  }
}
