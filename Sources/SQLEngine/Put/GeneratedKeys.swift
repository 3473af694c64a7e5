internal import ORMStorage

/// The greatest key of each entity that generates keys, as far as this transaction knows it.
///
/// The greatest key is that of the table's last row, or the one recorded before rows were deleted (clause
/// 5.5); nothing is written when a key is given out.
///
/// If writers run together, keys are reserved outside of the transaction (``ReservedKeys``).
struct GeneratedKeys {
  private var greatest: [ExactText: Int64] = [:]
  /// The greatest key put into tables whose greatest was not read yet; its row may still wait to be
  /// written.
  private var noted: [ExactText: Int64] = [:]
  /// The keys that are reserved for the transaction; nil in a store with one writer at a time.
  private(set) var reserved: ReservedKeys?

  /// Makes keys, from a source where writers run together.
  init(_ source: KeySource? = nil) { reserved = source.map { ReservedKeys($0) } }

  /// The state to which the keys go back when later writes are undone.
  var mark: ReservedKeys.Mark? { reserved?.mark }

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
    if let key = try reserved?.next(table) { return key }
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
    if reserved != nil {
      reserved?.note(key, table)
    } else if let known = greatest[table.name] {
      greatest[table.name] = max(known, key)
    } else {
      noted[table.name] = max(noted[table.name] ?? 0, key)
    }
  }

  /// Forgets everything, as after a rollback of a part of the transaction, which began with a mark.
  mutating func forget(to mark: ReservedKeys.Mark?) {
    greatest.removeAll()
    noted.removeAll()
    if let mark { reserved?.goBack(to: mark) }
  }

  /// Records explicit keys, and gives back those that were not used; right before the commit.
  mutating func settle() throws { try reserved?.settle() }

  /// Ends the transaction.
  ///
  /// - Parameter outcome: true if it was committed, false if it was not, and nil if that is unknown.
  mutating func end(_ outcome: Bool?) {
    reserved?.end(outcome)
    reserved = nil
  }
}
