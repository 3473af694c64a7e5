internal import CSQLite
internal import ORMStorage
internal import SQLEngine

/// Reads for one operation.
///
/// A find by key is a transaction by itself while its statement stands on the row: the statement that
/// holds the snapshot of other reads, and its end, are a tenth of a find.
extension SQLiteConnection {
  package func beginLateSnapshot(of version: Int64?) throws -> Bool {
    guard let version else { return false }
    try handle.check()
    interrupter.forget()
    handle.stoppable = .reads
    lateSchema = version
    readState = .late
    return true
  }

  package var isLate: Bool { readState == .late }

  package var beginsWithFind: Bool { true }

  package func beginNow() throws {
    readState = .none
    do {
      snapshotVersion = try beginRead()
    } catch {
      readState = .late
      throw error
    }
    if try schemaVersion() != lateSchema { throw SQLLayoutChange() }
  }

  package func noteFirstFind(isOnRow: Bool) throws {
    if let knownPages, knownPages.schema == lateSchema, knownPages.state == pageState {
      if isOnRow { readState = .byFind }
      return
    }
    // On a row this is in the transaction of the find. Without one it is a later transaction, and the
    // version never goes back.
    let statement = try transactions.statement(.schemaVersion)
    defer { statement.reset() }
    guard try statement.beginReading(), statement.int64(at: 0) == lateSchema, let lateSchema else {
      throw SQLLayoutChange()
    }
    knownPages = pageState.map { ($0, lateSchema) }
    if isOnRow { readState = .byFind }
  }

  /// The library's count of changes that others made to the file, as of the running transaction or else
  /// of the last one.
  private var pageState: UInt32? {
    var state: UInt32 = 0
    let result = sqlite3_file_control(
      handle.database, "main", SQLITE_FCNTL_DATA_VERSION, &state)
    return result == SQLITE_OK ? state : nil
  }
}
