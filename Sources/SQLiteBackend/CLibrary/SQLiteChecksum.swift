internal import CSQLite
internal import ORMStorage

/// The checksum of a row, which takes one value after another.
///
/// Files keep checksums, so its definition in `Layout.md` does not change.
struct SQLiteChecksum {
  private var hash: UInt64 = 0

  /// Takes an argument of a call from SQL, by its storage class and its bytes.
  mutating func add(_ value: OpaquePointer?) {
    let kind = sqlite3_value_type(value)
    let seed = hash &+ UInt64(truncatingIfNeeded: kind)
    switch kind {
    case SQLITE_INTEGER: add(UInt64(bitPattern: sqlite3_value_int64(value)), seed)
    case SQLITE_FLOAT: add(sqlite3_value_double(value).bitPattern, seed)
    case SQLITE_TEXT, SQLITE_BLOB:
      // The bytes as they are stored: files are in UTF-8, and a text needs no NUL at its end here.
      let start = sqlite3_value_blob(value)
      let count = start == nil ? 0 : Int(sqlite3_value_bytes(value))
      hash = XXHash64.hash(UnsafeRawBufferPointer(start: start, count: count), seed: seed)
    default: add(0, seed)
    }
  }

  private mutating func add(_ word: UInt64, _ seed: UInt64) {
    hash = withUnsafeBytes(of: word.littleEndian) { XXHash64.hash($0, seed: seed) }
  }

  var value: Int64 { Int64(bitPattern: hash) }
}

extension SQLiteConnection {
  /// Registers the function that gives the checksum of its arguments, and the one that throws where
  /// a row does not fit its checksum.
  ///
  /// The first is part of the schema of tables and called for every row that is written or verified,
  /// so it is not one of ``SQLiteFunction``.
  func register(checksum name: String, requirement: String) throws {
    try handle.check()
    try handle.check(
      sqlite3_create_function_v2(
        handle.database, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
        { context, count, values in
          var checksum = SQLiteChecksum()
          // The library passes `count` values.
          for index in 0..<Int(count) { checksum.add(values?[index]) }
          sqlite3_result_int64(context, checksum.value)
        }, nil, nil, nil))
    try register(function: requirement, argumentCount: 2) { arguments, output in
      guard arguments[0].int64 != 1 else { return output.set(true) }
      throw StoreError(
        .corrupt, "a row to be changed is damaged: it does not match its checksum",
        entity: arguments[1].text)
    }
  }
}
