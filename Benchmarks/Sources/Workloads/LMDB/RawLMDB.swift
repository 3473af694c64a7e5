import CBenchLMDB

/// The best hand-written code over liblmdb: native integer keys, fixed fields first in the value,
/// an index of duplicates, one cursor kept.
package final class RawLMDB {
  package let environment: OpaquePointer
  package var plain: MDB_dbi = 0
  package var indexed: MDB_dbi = 0
  package var byScore: MDB_dbi = 0

  package struct Failure: Error { let code: Int32 }

  package init(path: String) throws {
    var environment: OpaquePointer?
    try Self.check(mdb_env_create(&environment))
    guard let environment else { throw Failure(code: 0) }
    self.environment = environment
    mdb_env_set_maxdbs(environment, 16)
    mdb_env_set_mapsize(environment, 8 << 30)
    try Self.check(mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_NOTLS), 0o644))
    let flags = UInt32(MDB_CREATE | MDB_INTEGERKEY)
    try write { transaction in
      try Self.check(mdb_dbi_open(transaction, "plain", flags, &plain))
      try Self.check(mdb_dbi_open(transaction, "player", flags, &indexed))
      try Self.check(
        mdb_dbi_open(
          transaction, "score", flags | UInt32(MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP),
          &byScore))
    }
  }

  deinit { mdb_env_close(environment) }

  package static func check(_ code: Int32) throws {
    guard code == MDB_SUCCESS else { throw Failure(code: code) }
  }

  package func write<R>(_ body: (OpaquePointer) throws -> R) throws -> R {
    var transaction: OpaquePointer?
    try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
    guard let transaction else { throw Failure(code: 0) }
    let result = try body(transaction)
    try Self.check(mdb_txn_commit(transaction))
    return result
  }

  package func read<R>(_ body: (OpaquePointer) throws -> R) throws -> R {
    var transaction: OpaquePointer?
    try Self.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
    guard let transaction else { throw Failure(code: 0) }
    defer { mdb_txn_abort(transaction) }
    return try body(transaction)
  }

  package func cursor<R>(
    _ transaction: OpaquePointer, _ database: MDB_dbi, _ body: (OpaquePointer) throws -> R
  ) throws -> R {
    var cursor: OpaquePointer?
    try Self.check(mdb_cursor_open(transaction, database, &cursor))
    guard let cursor else { throw Failure(code: 0) }
    defer { mdb_cursor_close(cursor) }
    return try body(cursor)
  }

  /// team, score, rating, flags, lengths of name and country and note, then the texts.
  package func encode(_ player: PlayerData, into bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    func append<T>(_ value: T) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
    append(player.team ?? 0)
    append(player.score)
    append(player.rating)
    append(
      UInt8(player.isActive ? 1 : 0) | (player.team == nil ? 2 : 0) | (player.note == nil ? 4 : 0))
    append(UInt16(player.name.utf8.count))
    append(UInt16(player.country.utf8.count))
    append(UInt16(player.note?.utf8.count ?? 0))
    bytes.append(contentsOf: player.name.utf8)
    bytes.append(contentsOf: player.country.utf8)
    if let note = player.note { bytes.append(contentsOf: note.utf8) }
  }

  package func decode(_ id: Int64, _ value: MDB_val) -> PlayerData {
    let bytes = UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    let flags = bytes[24]
    let name = Int(bytes.loadUnaligned(fromByteOffset: 25, as: UInt16.self))
    let country = Int(bytes.loadUnaligned(fromByteOffset: 27, as: UInt16.self))
    let note = Int(bytes.loadUnaligned(fromByteOffset: 29, as: UInt16.self))
    func text(_ start: Int, _ count: Int) -> String {
      String(
        decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]), as: UTF8.self)
    }
    return PlayerData(
      id: id, name: text(31, name),
      team: flags & 2 != 0 ? nil : bytes.loadUnaligned(fromByteOffset: 0, as: Int64.self),
      score: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self),
      rating: bytes.loadUnaligned(fromByteOffset: 16, as: Double.self),
      country: text(31 + name, country), isActive: flags & 1 != 0,
      note: flags & 4 != 0 ? nil : text(31 + name + country, note))
  }

  func put(
    _ players: [PlayerData], _ database: MDB_dbi, isIndexed: Bool, flags: Int32
  ) throws -> Int {
    try write { transaction in
      try cursor(transaction, database) { rows in
        try cursor(transaction, byScore) { index in
          var bytes: [UInt8] = []
          for player in players {
            encode(player, into: &bytes)
            var id = player.id
            try withUnsafeMutableBytes(of: &id) { idBytes in
              var key = MDB_val(mv_size: 8, mv_data: idBytes.baseAddress)
              try bytes.withUnsafeMutableBytes { buffer in
                var value = MDB_val(mv_size: buffer.count, mv_data: buffer.baseAddress)
                try Self.check(mdb_cursor_put(rows, &key, &value, UInt32(flags)))
              }
              if isIndexed {
                var score = player.score
                try withUnsafeMutableBytes(of: &score) { scoreBytes in
                  var scoreKey = MDB_val(mv_size: 8, mv_data: scoreBytes.baseAddress)
                  try Self.check(mdb_cursor_put(index, &scoreKey, &key, 0))
                }
              }
            }
          }
        }
      }
      return players.count
    }
  }
}
