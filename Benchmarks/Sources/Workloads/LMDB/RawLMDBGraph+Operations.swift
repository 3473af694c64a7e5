import CBenchLMDB

extension RawLMDBGraph: GraphOperations {
  package func fill(clubs count: Int, size: Int, tags tagCount: Int) throws {
    try raw.write { transaction in
      for database in [clubs, members, byClub, tags, links, backLinks] {
        try RawLMDB.check(mdb_drop(transaction, database, 0))
      }
      for id in 1...Int64(count) {
        try put(Array(GraphData.clubName(id).utf8), at: id, clubs, transaction)
      }
      for index in 0..<Int64(count * size) {
        let club = index / Int64(size) + 1
        var bytes: [UInt8] = []
        withUnsafeBytes(of: GraphData.age(index + 1)) { bytes += $0 }
        withUnsafeBytes(of: club) { bytes += $0 }
        bytes += GraphData.memberName(index + 1).utf8
        try put(bytes, at: index + 1, members, transaction)
        try link(club, index + 1, byClub, transaction)
      }
      for id in 1...Int64(tagCount) { try put(Array("Tag \(id)".utf8), at: id, tags, transaction) }
    }
  }

  private func put(
    _ bytes: [UInt8], at id: Int64, _ database: MDB_dbi, _ transaction: OpaquePointer
  ) throws {
    var bytes = bytes
    try withKey(id) { key in
      try bytes.withUnsafeMutableBytes { buffer in
        var value = MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
        try RawLMDB.check(mdb_put(transaction, database, &key, &value, UInt32(MDB_APPEND)))
      }
    }
  }

  private func link(
    _ from: Int64, _ to: Int64, _ database: MDB_dbi, _ transaction: OpaquePointer
  ) throws {
    try withKey(from) { key in
      try withKey(to) { value in
        let code = mdb_put(transaction, database, &key, &value, UInt32(MDB_NODUPDATA))
        // A link that is there stays.
        if code != MDB_KEYEXIST { try RawLMDB.check(code) }
      }
    }
  }

  package func prefetch() throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, clubs) { rows in
        try withMembers(transaction) { index, members in
          var found: [Club] = []
          var key = MDB_val()
          var value = MDB_val()
          var code = mdb_cursor_get(rows, &key, &value, MDB_FIRST)
          while code == MDB_SUCCESS {
            let club = Club(
              id: key.mv_data.loadUnaligned(as: Int64.self),
              name: RawLMDB.text(value.mv_data, value.mv_size))
            fillMembers(of: club, index, members)
            found.append(club)
            code = mdb_cursor_get(rows, &key, &value, MDB_NEXT)
          }
          return sum(of: found)
        }
      }
    }
  }

  package func load(_ ids: [Int64]) throws -> Int {
    try raw.read { transaction in
      try withMembers(transaction) { index, members in
        let found = ids.map { Club(id: $0, name: GraphData.clubName($0)) }
        for club in found { fillMembers(of: club, index, members) }
        return sum(of: found)
      }
    }
  }

  /// Cursors over the keys of members by club and over the members.
  private func withMembers<R>(
    _ transaction: OpaquePointer, _ body: (OpaquePointer, OpaquePointer) throws -> R
  ) throws -> R {
    try raw.cursor(transaction, byClub) { index in
      try raw.cursor(transaction, members) { try body(index, $0) }
    }
  }

  package func countAny(age: Int64) throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, members) { rows in
        var found: Set<Int64> = []
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(rows, &key, &value, MDB_FIRST)
        while code == MDB_SUCCESS, let bytes = value.mv_data {
          if bytes.loadUnaligned(as: Int64.self) >= age {
            found.insert(bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self))
          }
          code = mdb_cursor_get(rows, &key, &value, MDB_NEXT)
        }
        return found.count
      }
    }
  }

  package func attach(clubs count: Int, tags tagCount: Int) throws -> Int {
    try raw.write { transaction in
      for club in 1...Int64(count) {
        for tag in 1...Int64(tagCount) {
          try link(club, tag, links, transaction)
          try link(tag, club, backLinks, transaction)
        }
      }
    }
    return count * tagCount
  }

  package func deleteClubs() throws -> Int {
    try raw.write { transaction in
      let ids = try keys(of: clubs, transaction)
      for id in ids {
        for member in try values(of: id, byClub, transaction) {
          try withKey(member) { key in
            try RawLMDB.check(mdb_del(transaction, members, &key, nil))
          }
        }
        for tag in try values(of: id, links, transaction) {
          try withKey(tag) { tag in
            try withKey(id) { club in
              try RawLMDB.check(mdb_del(transaction, backLinks, &tag, &club))
            }
          }
        }
        try withKey(id) { key in
          for database in [byClub, links] {
            let code = mdb_del(transaction, database, &key, nil)
            if code != MDB_NOTFOUND { try RawLMDB.check(code) }
          }
          try RawLMDB.check(mdb_del(transaction, clubs, &key, nil))
        }
      }
      return ids.count
    }
  }

  private func keys(of database: MDB_dbi, _ transaction: OpaquePointer) throws -> [Int64] {
    try raw.cursor(transaction, database) { rows in
      var ids: [Int64] = []
      var key = MDB_val()
      var value = MDB_val()
      var code = mdb_cursor_get(rows, &key, &value, MDB_FIRST)
      while code == MDB_SUCCESS {
        ids.append(key.mv_data.loadUnaligned(as: Int64.self))
        code = mdb_cursor_get(rows, &key, &value, MDB_NEXT)
      }
      return ids
    }
  }

  private func values(
    of id: Int64, _ database: MDB_dbi, _ transaction: OpaquePointer
  ) throws -> [Int64] {
    try raw.cursor(transaction, database) { rows in
      withKey(id) { key in
        var ids: [Int64] = []
        var value = MDB_val()
        var code = mdb_cursor_get(rows, &key, &value, MDB_SET)
        while code == MDB_SUCCESS {
          ids.append(value.mv_data.loadUnaligned(as: Int64.self))
          code = mdb_cursor_get(rows, &key, &value, MDB_NEXT_DUP)
        }
        return ids
      }
    }
  }
}
