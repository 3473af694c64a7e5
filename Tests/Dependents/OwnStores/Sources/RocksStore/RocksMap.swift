import CRocksDB
import ORMCore
import OrderedEngine
import Synchronization

/// An ordered map in a folder of RocksDB.
///
/// The key of an entry is the number of a run, eight bytes big-endian, and then the key. A keyspace is
/// one run at a time; to empty the keyspace is to give it another run. Run 0 holds the record of each
/// keyspace and the number of the next run; see ``RocksKey``.
// `db` is set once and may be used by any thread; everything that changes is behind `state`.
package final class RocksMap: OrderedStore, @unchecked Sendable {
  let path: String
  let db: OpaquePointer
  let isSynced: Bool
  let fork = ForkCheck()
  private let isReadOnly: Bool
  private let state = Mutex(State())

  private struct State {
    /// The number of snapshots and batches that are open.
    var views = 0
    var isWriting = false
    var isClosed = false
  }

  /// Opens the database of a folder.
  ///
  /// - Parameters:
  ///   - path: the folder.
  ///   - isReadOnly: whether nothing may be written; several may read at once, beside a writer.
  ///   - mayCreate: whether a folder that is missing or empty becomes a database.
  ///   - isSynced: whether a commit is on the disk when it returns. Otherwise a power cut may lose
  ///     the last commits, and a killed process loses none.
  package init(
    path: String, isReadOnly: Bool = false, mayCreate: Bool = true, isSynced: Bool = true
  ) throws {
    self.path = path
    self.isReadOnly = isReadOnly
    self.isSynced = isSynced
    db = try RocksFolder(path: path).open(isReadOnly: isReadOnly, mayCreate: mayCreate)
  }

  deinit { try? close() }

  /// Keys may be as long as memory allows.
  package var maximumKeyLength: Int { .max }

  package func snapshot() throws -> RocksView {
    try began(isWriting: false)
    return RocksView(self, isFixed: true)
  }

  package func batch(wait: Double) throws -> RocksBatch {
    if isReadOnly {
      throw StoreError(.readOnly, "\(path) was opened for reading alone", store: path)
    }
    try began(isWriting: true)
    return RocksBatch(self)
  }

  /// Counts a view that is about to open.
  private func began(isWriting: Bool) throws {
    try fork.check()
    try state.withLock { state in
      if state.isClosed { throw StoreError(.closed, "\(path) was closed", store: path) }
      if isWriting {
        if state.isWriting { throw StoreError(.busy, "\(path) is being written", store: path) }
        state.isWriting = true
      }
      state.views += 1
    }
  }

  /// Counts a view that has ended.
  func ended(isWriting: Bool) {
    state.withLock { state in
      state.views -= 1
      if isWriting { state.isWriting = false }
    }
  }

  /// Closes the folder; `busy` while a snapshot or a batch is open.
  ///
  /// A second call does nothing.
  package func close() throws {
    // In the child of a fork the database and its threads are the parent's.
    if fork.isInherited { return }
    let isFirst = try state.withLock { state in
      if state.isClosed { return false }
      guard state.views == 0 else {
        throw StoreError(.busy, "\(path) is being read or written", store: path)
      }
      state.isClosed = true
      return true
    }
    guard isFirst else { return }
    defer { rocksdb_close(db) }
    // Commits that were not synced one by one.
    if !isReadOnly && !isSynced { try rocks(path) { rocksdb_flush_wal(db, 1, &$0) } }
  }
}
