internal import CSQLite

/// A counter of the calls of a function; one for a connection.
final class SQLiteRowCounter {
  /// The count, which belongs to the one thread that uses the connection.
  var count = 0
}

extension SQLiteConnection {
  /// Makes a function callable that counts its calls in ``rowCounter``, and gives 1.
  ///
  /// It is called for every row that a statement changes, so it is no more than this, and not one of
  /// ``SQLiteFunction``. Nor is it deterministic: the engine would call it once for all rows.
  func register(rowCounter name: String) throws {
    try handle.check()
    // The library releases the counter, also when it refuses the function.
    try handle.check(
      sqlite3_create_function_v2(
        handle.database, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
        Unmanaged.passRetained(counter).toOpaque(),
        { context, _, _ in
          guard let context, let user = sqlite3_user_data(context) else { return }
          Unmanaged<SQLiteRowCounter>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.count &+= 1 }
          sqlite3_result_int(context, 1)
        }, nil, nil,
        { user in
          guard let user else { return }
          Unmanaged<SQLiteRowCounter>.fromOpaque(user).release()
        }))
  }
}
