/// The size of a file, and how much of it is in use.
package struct SQLiteStatistics: Hashable, Sendable {
  /// The size of a page, in bytes.
  package var pageSize: Int
  /// The number of pages the snapshot has, those still in the log included.
  package var pageCount: Int
  /// The number of those pages that are free for new content.
  package var freePageCount: Int
}

extension SQLiteConnection {
  /// The statistics of the current snapshot, or of the newest commit.
  package func statistics() throws -> SQLiteStatistics {
    SQLiteStatistics(
      pageSize: Int(try integer("PRAGMA page_size") ?? 0),
      pageCount: Int(try integer("PRAGMA page_count") ?? 0),
      freePageCount: Int(try integer("PRAGMA freelist_count") ?? 0))
  }

  /// A number that changes when another connection, of this process or any other, commits.
  ///
  /// Compare it with an earlier number of the *same* connection, and read it outside of a read transaction.
  /// It waits for no lock; a caller that looks for commits looks again later.
  package func dataVersion() throws -> Int64 {
    let wait = handle.wait
    handle.wait = SQLiteWait(limit: .zero)
    defer {
      handle.wait = wait
      endRead()
    }
    return try beginRead()
  }
}

extension SQLiteFile {
  /// The bytes the file and its log take on disk.
  package func sizes() throws -> (file: Int, log: Int) {
    (try Self.size(of: path) ?? 0, try Self.size(of: path + "-wal") ?? 0)
  }
}
