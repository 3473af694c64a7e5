import CBenchLMDB

/// The best hand-written code over liblmdb: native integer keys, fixed fields first in the value,
/// an index of duplicates, one cursor kept.
package final class RawLMDB {
  package let environment: OpaquePointer
  package var plain: MDB_dbi = 0
  package var indexed: MDB_dbi = 0
  package var byScore: MDB_dbi = 0
  /// The transaction of reads: reset after one, renewed for the next.
  private var reading: OpaquePointer?

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

  deinit {
    if let reading { mdb_txn_abort(reading) }
    mdb_env_close(environment)
  }

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
    if let reading {
      try Self.check(mdb_txn_renew(reading))
    } else {
      try Self.check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reading))
    }
    guard let reading else { throw Failure(code: 0) }
    defer { mdb_txn_reset(reading) }
    return try body(reading)
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
  func encode(_ player: PlayerData, _ count: Int, into place: UnsafeMutableRawPointer) {
    let bytes = UnsafeMutableRawBufferPointer(start: place, count: count)
    bytes.storeBytes(of: player.team ?? 0, toByteOffset: 0, as: Int64.self)
    bytes.storeBytes(of: player.score, toByteOffset: 8, as: Int64.self)
    bytes.storeBytes(of: player.rating, toByteOffset: 16, as: Double.self)
    bytes[24] =
      (player.isActive ? 1 : 0) | (player.team == nil ? 2 : 0) | (player.note == nil ? 4 : 0)
    var offset = 31
    func append(_ text: String, lengthAt place: Int) {
      var text = text
      text.withUTF8 { utf8 in
        bytes.storeBytes(of: UInt16(utf8.count), toByteOffset: place, as: UInt16.self)
        if let start = utf8.baseAddress {
          bytes.baseAddress?.advanced(by: offset).copyMemory(from: start, byteCount: utf8.count)
        }
        offset += utf8.count
      }
    }
    append(player.name, lengthAt: 25)
    append(player.country, lengthAt: 27)
    append(player.note ?? "", lengthAt: 29)
  }

  /// The size of a player's value.
  func size(of player: PlayerData) -> Int {
    31 + player.name.utf8.count + player.country.utf8.count + (player.note?.utf8.count ?? 0)
  }

  @inline(__always)
  package func decode(_ id: Int64, _ value: MDB_val) -> PlayerData {
    let bytes = value.mv_data.unsafelyUnwrapped
    let flags = bytes.load(fromByteOffset: 24, as: UInt8.self)
    let name = Int(bytes.loadUnaligned(fromByteOffset: 25, as: UInt16.self))
    let country = Int(bytes.loadUnaligned(fromByteOffset: 27, as: UInt16.self))
    let note = Int(bytes.loadUnaligned(fromByteOffset: 29, as: UInt16.self))
    return PlayerData(
      id: id, name: Self.text(bytes + 31, name),
      team: flags & 2 != 0 ? nil : bytes.loadUnaligned(fromByteOffset: 0, as: Int64.self),
      score: bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self),
      rating: bytes.loadUnaligned(fromByteOffset: 16, as: Double.self),
      country: Self.text(bytes + 31 + name, country), isActive: flags & 1 != 0,
      note: flags & 4 != 0 ? nil : Self.text(bytes + 31 + name + country, note))
  }

  @inline(__always)
  package static func text(_ start: UnsafeMutableRawPointer, _ count: Int) -> String {
    String(
      decoding: UnsafeBufferPointer(
        start: start.assumingMemoryBound(to: UInt8.self), count: count), as: UTF8.self)
  }

  func put(
    _ players: [PlayerData], _ database: MDB_dbi, isIndexed: Bool, flags: Int32
  ) throws -> Int {
    try write { transaction in
      try cursor(transaction, database) { rows in
        try cursor(transaction, byScore) { index in
          for player in players {
            var id = player.id
            try withUnsafeMutableBytes(of: &id) { idBytes in
              var key = MDB_val(mv_size: 8, mv_data: idBytes.baseAddress)
              // The library makes section, and the value is written in place.
              let count = size(of: player)
              var value = MDB_val(mv_size: count, mv_data: nil)
              try Self.check(mdb_cursor_put(rows, &key, &value, UInt32(flags | MDB_RESERVE)))
              encode(player, count, into: value.mv_data)
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
