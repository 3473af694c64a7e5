import CBenchLMDB

extension RawLMDB: ChangeOperations {
  package func raise(_ scores: Range<Int64>) throws -> Int {
    try change(scores) { transaction, index, rows, ids in
      for (score, id) in ids {
        try withKey(id) { key in
          var value = MDB_val()
          try Self.check(mdb_cursor_get(rows, &key, &value, MDB_SET))
          var bytes = [UInt8](
            UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
          let raised = score + 1000
          bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: raised, toByteOffset: 8, as: Int64.self)
          }
          try bytes.withUnsafeMutableBytes { bytes in
            var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            try Self.check(mdb_cursor_put(rows, &key, &value, UInt32(MDB_CURRENT)))
          }
          try withKey(score) { old in
            try Self.check(mdb_del(transaction, byScore, &old, &key))
          }
          try withKey(raised) { new in
            try Self.check(mdb_cursor_put(index, &new, &key, 0))
          }
        }
      }
    }
  }

  package func delete(_ scores: Range<Int64>) throws -> Int {
    try change(scores) { transaction, _, _, ids in
      for (score, id) in ids {
        try withKey(id) { key in
          try Self.check(mdb_del(transaction, indexed, &key, nil))
          try withKey(score) { old in
            try Self.check(mdb_del(transaction, byScore, &old, &key))
          }
        }
      }
    }
  }

  /// Collects the rows of a range of scores from the index, in the order of keys, and changes them.
  private func change(
    _ scores: Range<Int64>,
    _ body: (OpaquePointer, OpaquePointer, OpaquePointer, [(score: Int64, id: Int64)]) throws ->
      Void
  ) throws -> Int {
    try write { transaction in
      try cursor(transaction, byScore) { index in
        try cursor(transaction, indexed) { rows in
          var ids: [(score: Int64, id: Int64)] = []
          withKey(scores.lowerBound) { key in
            var value = MDB_val()
            var code = mdb_cursor_get(index, &key, &value, MDB_SET_RANGE)
            while code == MDB_SUCCESS {
              let score = key.mv_data.loadUnaligned(as: Int64.self)
              guard score < scores.upperBound else { break }
              ids.append((score, value.mv_data.loadUnaligned(as: Int64.self)))
              code = mdb_cursor_get(index, &key, &value, MDB_NEXT)
            }
          }
          ids.sort { $0.id < $1.id }
          try body(transaction, index, rows, ids)
          return ids.count
        }
      }
    }
  }

  /// Hands out a key that holds a number.
  private func withKey<R>(_ number: Int64, _ body: (inout MDB_val) throws -> R) rethrows -> R {
    var number = number
    return try withUnsafeMutableBytes(of: &number) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      return try body(&key)
    }
  }
}
