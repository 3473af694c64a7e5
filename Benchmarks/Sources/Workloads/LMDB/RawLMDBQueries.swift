import CBenchLMDB
import Glibc

/// Questions by hand-written loops over the code of ``RawLMDB``, with a second index.
package final class RawLMDBQueries: QueryOperations {
  private let raw: RawLMDB
  private var byTeam: MDB_dbi = 0
  /// Score and key, eight bytes each, by country.
  private var byCountry: MDB_dbi = 0

  package init(path: String) throws {
    raw = try RawLMDB(path: path)
    try raw.write { transaction in
      try RawLMDB.check(
        mdb_dbi_open(
          transaction, "team",
          UInt32(MDB_CREATE | MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP),
          &byTeam))
      try RawLMDB.check(
        mdb_dbi_open(
          transaction, "country", UInt32(MDB_CREATE | MDB_DUPSORT | MDB_DUPFIXED), &byCountry))
    }
  }

  package func fill(_ players: [PlayerData]) throws {
    _ = try raw.indexedInsert(players)()
    try raw.write { transaction in
      for player in players {
        var country = player.country
        try country.withUTF8 { text in
          // Numbers that are not negative, so that big-endian bytes are in their order.
          var entry = (player.score.bigEndian, player.id.bigEndian)
          try withUnsafeMutableBytes(of: &entry) { entry in
            var key = MDB_val(
              mv_size: text.count, mv_data: UnsafeMutableRawPointer(mutating: text.baseAddress))
            var value = MDB_val(mv_size: 16, mv_data: entry.baseAddress)
            try RawLMDB.check(mdb_put(transaction, byCountry, &key, &value, 0))
          }
        }
        guard var team = player.team else { continue }
        var id = player.id
        try withUnsafeMutableBytes(of: &team) { team in
          try withUnsafeMutableBytes(of: &id) { id in
            var key = MDB_val(mv_size: 8, mv_data: team.baseAddress)
            var value = MDB_val(mv_size: 8, mv_data: id.baseAddress)
            try RawLMDB.check(mdb_put(transaction, byTeam, &key, &value, 0))
          }
        }
      }
    }
  }

  package func single(_ keys: [Int64]) throws -> Int { try raw.find(keys) }

  private func ids(_ value: Int64, _ index: OpaquePointer, to ids: inout [Int64]) {
    var value = value
    withUnsafeMutableBytes(of: &value) { bytes in
      var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
      var id = MDB_val()
      var code = mdb_cursor_get(index, &key, &id, MDB_SET)
      while code == MDB_SUCCESS {
        ids.append(id.mv_data.loadUnaligned(as: Int64.self))
        code = mdb_cursor_get(index, &key, &id, MDB_NEXT_DUP)
      }
    }
  }

  package func either(_ pairs: [(score: Int64, team: Int64)]) throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, raw.byScore) { scores in
        try raw.cursor(transaction, byTeam) { teams in
          var sum = 0
          for pair in pairs {
            var found: [Int64] = []
            ids(pair.score, scores, to: &found)
            ids(pair.team, teams, to: &found)
            found.sort()
            var players: [PlayerData] = []
            var last: Int64?
            for id in found where id != last {
              last = id
              if let player = raw.find(id, transaction) { players.append(player) }
            }
            sum &+= players.checksum
          }
          return sum
        }
      }
    }
  }

  package func among(_ lists: [[Int64]]) throws -> Int {
    try raw.read { transaction in
      lists.reduce(0) { sum, list in
        sum &+ list.sorted().compactMap { raw.find($0, transaction) }.checksum
      }
    }
  }

  package func pages(_ count: Int) throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, raw.byScore) { index in
        var sum = 0
        for page in 0..<count {
          var players: [PlayerData] = []
          var key = MDB_val()
          var value = MDB_val()
          var code = mdb_cursor_get(index, &key, &value, MDB_FIRST)
          var place = 0
          while code == MDB_SUCCESS, players.count < 20 {
            if place >= page * 20,
              let player = raw.find(value.mv_data.loadUnaligned(as: Int64.self), transaction)
            {
              players.append(player)
            }
            place += 1
            code = mdb_cursor_get(index, &key, &value, MDB_NEXT)
          }
          sum &+= players.checksum
        }
        return sum
      }
    }
  }

  package func count(from scores: [Int64]) throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, raw.byScore) { index in
        var sum = 0
        for score in scores {
          var first = score
          withUnsafeMutableBytes(of: &first) { bytes in
            var key = MDB_val(mv_size: 8, mv_data: bytes.baseAddress)
            var value = MDB_val()
            var code = mdb_cursor_get(index, &key, &value, MDB_SET_RANGE)
            while code == MDB_SUCCESS, key.mv_data.loadUnaligned(as: Int64.self) < score + 100 {
              var count = 0
              mdb_cursor_count(index, &count)
              sum += count
              code = mdb_cursor_get(index, &key, &value, MDB_NEXT_NODUP)
            }
          }
        }
        return sum
      }
    }
  }

  /// Goes over every row; the body is handed its value.
  private func each(_ body: (UnsafeRawBufferPointer) -> Void) throws {
    try raw.read { transaction in
      try raw.cursor(transaction, raw.indexed) { rows in
        var key = MDB_val()
        var value = MDB_val()
        var code = mdb_cursor_get(rows, &key, &value, MDB_FIRST)
        while code == MDB_SUCCESS {
          body(UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
          code = mdb_cursor_get(rows, &key, &value, MDB_NEXT)
        }
      }
    }
  }

  package func sums() throws -> Int {
    var sums: [Int64: Int64] = [:]
    var none: Int64?
    try each { bytes in
      let score = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
      if bytes[24] & 2 != 0 {
        none = (none ?? 0) + score
      } else {
        sums[bytes.loadUnaligned(as: Int64.self), default: 0] += score
      }
    }
    let start = none.map { 0.adding(team: nil, sum: $0) } ?? 0
    return sums.sorted { $0.key < $1.key }.reduce(start) { $0.adding(team: $1.key, sum: $1.value) }
  }

  package func sumsByCountry() throws -> Int {
    try raw.read { transaction in
      try raw.cursor(transaction, byCountry) { index in
        var checksum = 0
        var key = MDB_val()
        var entries = MDB_val()
        var found = mdb_cursor_get(index, &key, &entries, MDB_FIRST)
        while found == MDB_SUCCESS {
          var sum: Int64 = 0
          // A page of entries at once.
          var code = mdb_cursor_get(index, &key, &entries, MDB_GET_MULTIPLE)
          let country = RawLMDB.text(key.mv_data, key.mv_size)
          while code == MDB_SUCCESS {
            for place in stride(from: 0, to: entries.mv_size, by: 16) {
              sum += Int64(
                bigEndian: entries.mv_data.loadUnaligned(fromByteOffset: place, as: Int64.self))
            }
            code = mdb_cursor_get(index, &key, &entries, MDB_NEXT_MULTIPLE)
          }
          checksum = checksum.adding(country: country, sum: sum)
          found = mdb_cursor_get(index, &key, &entries, MDB_NEXT_NODUP)
        }
        return checksum
      }
    }
  }

  package func matching() throws -> Int {
    var pattern = regex_t()
    regcomp(&pattern, "^Player [0-9]*77$", REG_EXTENDED | REG_NOSUB)
    defer { regfree(&pattern) }
    var count = 0
    try each { bytes in
      // The texts have no terminator: the matcher is given where the name ends. It begins where the
      // text does, since the matcher's beginning of a line is that of its text.
      let length = Int(bytes.loadUnaligned(fromByteOffset: 25, as: UInt16.self))
      var bounds = regmatch_t(rm_so: 0, rm_eo: regoff_t(length))
      let name = UnsafeRawBufferPointer(rebasing: bytes[31..<(31 + length)])
      let text = name.baseAddress?.assumingMemoryBound(to: CChar.self)
      if regexec(&pattern, text, 1, &bounds, REG_STARTEND) == 0 { count += 1 }
    }
    return count
  }
}
