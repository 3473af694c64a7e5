import CBenchLMDB

extension RawLMDB: PlayerOperations {
  package func clearPlain() throws {
    try write { try Self.check(mdb_drop($0, plain, 0)) }
  }

  package func clearIndexed() throws {
    try write { transaction in
      try Self.check(mdb_drop(transaction, indexed, 0))
      try Self.check(mdb_drop(transaction, byScore, 0))
    }
  }

  package func plainInsert(_ players: [PlayerData]) -> Action {
    { try self.put(players, self.plain, isIndexed: false, flags: MDB_APPEND) }
  }

  package func indexedInsert(_ players: [PlayerData]) -> Action {
    { try self.put(players, self.indexed, isIndexed: true, flags: MDB_APPEND) }
  }

  package func plainUpsert(_ players: [PlayerData]) -> Action {
    { try self.put(players, self.plain, isIndexed: false, flags: 0) }
  }

  package func scan() throws -> Int {
    try read { transaction in
      try cursor(transaction, indexed) { rows in
        var players: [PlayerData] = []
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(rows, &key, &value, MDB_FIRST)
        while code == MDB_SUCCESS {
          players.append(decode(key.mv_data.loadUnaligned(as: Int64.self), value))
          code = mdb_cursor_get(rows, &key, &value, MDB_NEXT)
        }
        return players.checksum
      }
    }
  }

  package func find(_ id: Int64, _ transaction: OpaquePointer) -> PlayerData? {
    var id = id
    return withUnsafeMutableBytes(of: &id) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      var value = MDB_val()
      guard mdb_get(transaction, indexed, &key, &value) == MDB_SUCCESS else { return nil }
      return decode(bytes.loadUnaligned(as: Int64.self), value)
    }
  }

  package func find(_ keys: [Int64]) throws -> Int {
    try read { transaction in
      keys.reduce(0) { $0 &+ (find($1, transaction)?.checksum ?? 0) }
    }
  }

  package func filter(_ scores: [Int64]) throws -> Int {
    try read { transaction in
      try cursor(transaction, byScore) { index in
        var sum = 0
        for var score in scores {
          var players: [PlayerData] = []
          withUnsafeMutableBytes(of: &score) { bytes in
            var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
            var value = MDB_val()
            var code = mdb_cursor_get(index, &key, &value, MDB_SET)
            while code == MDB_SUCCESS {
              if let player = find(value.mv_data.loadUnaligned(as: Int64.self), transaction) {
                players.append(player)
              }
              code = mdb_cursor_get(index, &key, &value, MDB_NEXT_DUP)
            }
          }
          sum &+= players.checksum
        }
        return sum
      }
    }
  }

  package func top(_ times: Int) throws -> Int {
    try read { transaction in
      try cursor(transaction, byScore) { index in
        var sum = 0
        for _ in 0..<times {
          var players: [PlayerData] = []
          var key = MDB_val()
          var value = MDB_val()
          var code = mdb_cursor_get(index, &key, &value, MDB_LAST)
          while code == MDB_SUCCESS, players.count < 20 {
            if let player = find(value.mv_data.loadUnaligned(as: Int64.self), transaction) {
              players.append(player)
            }
            code = mdb_cursor_get(index, &key, &value, MDB_PREV)
          }
          sum &+= players.checksum
        }
        return sum
      }
    }
  }
}
