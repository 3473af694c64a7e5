internal import ORMStorage

extension LMDBMap {
  /// Figures that the file and the library report about themselves.
  package struct Statistics: Hashable, Sendable {
    /// Bytes of the file.
    package var fileSize: Int
    /// Bytes of a page.
    package var pageSize: Int
    /// Pages that have been given out, those that are free again included.
    package var pages: Int
    /// Pages that are free to be written again.
    package var freePages: Int
    /// Slots of the reader table that have been in use at once, of all processes together.
    package var readerSlots: Int
    /// Snapshots of this process that are open.
    package var snapshots: Int
    /// Address space that is reserved for the file.
    package var mapSize: Int
    /// Keyspaces that have been written.
    package var keyspaces: Int
    /// The number of the newest commit; each commit of any process has the next one.
    package var commitNumber: UInt64
  }

  /// Returns the figures that the file and the library report about themselves.
  ///
  /// Reads the list of free pages.
  package func statistics() throws -> Statistics {
    let fileSize = try file.location.stamp()?.size ?? 0
    let snapshot = try snapshot()
    defer { snapshot.end() }
    let freePages = try LMDBFile.freePageCount(file.location)
    let (snapshots, table) = state.withLock { ($0.snapshotCount - 1, $0.table) }
    let now = environment.information
    return Statistics(
      fileSize: Int(fileSize), pageSize: environment.pageSize, pages: now.lastPage &+ 1,
      freePages: freePages, readerSlots: now.readerSlots, snapshots: snapshots,
      mapSize: now.mapSize, keyspaces: table.count, commitNumber: now.lastTransaction)
  }

  /// True if a commit returns only when the file has been synced.
  package var areCommitsSynced: Bool { environment.isCommitSynced }

  /// True if the structure of the file was checked when it was opened.
  package var wasChecked: Bool { file.wasChecked }
}
