internal import ORMStorage

/// The greatest key of each entity that generates keys, as far as this transaction knows it.
///
/// The greatest key is that of the table's last row, or what was recorded before rows were deleted
/// (clause 5.5); nothing is written when a key is given out.
struct GeneratedKeys {
  private var greatest: [String: Int64] = [:]
  /// The greatest key put into tables whose greatest was not read yet; its row may still wait to be
  /// written.
  private var noted: [String: Int64] = [:]

  /// The greatest key of a table, read by `read` at first use.
  private mutating func greatest(
    _ table: String, _ read: () throws -> Int64
  ) rethrows -> Int64 {
    if let key = greatest[table] { return key }
    let key = max(try read(), noted[table] ?? 0)
    greatest[table] = key
    return key
  }

  /// A new key; `keysExhausted` after the last.
  mutating func next(_ table: SQLTable, _ read: () throws -> Int64) throws -> Int64 {
    let key = try greatest(table.name, read)
    guard key < Int64.max else {
      throw StoreError(
        .keysExhausted, "all integer keys are used up", entity: table.entity.modelName)
    }
    greatest[table.name] = key + 1
    return key + 1
  }

  /// A row with this key was put.
  mutating func note(_ key: Int64, _ table: SQLTable) {
    if let known = greatest[table.name] {
      greatest[table.name] = max(known, key)
    } else {
      noted[table.name] = max(noted[table.name] ?? 0, key)
    }
  }

  /// Forgets everything, as after a rollback of a part of the transaction.
  mutating func forget() {
    greatest.removeAll()
    noted.removeAll()
  }
}
