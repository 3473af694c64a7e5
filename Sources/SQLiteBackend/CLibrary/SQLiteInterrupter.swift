internal import CSQLite
internal import ORMStorage
internal import Synchronization

/// Stops the running statement of a connection, from any thread.
///
/// A statement that runs, or waits for a lock, then throws an error that says
/// `isSQLiteInterruption`; so does every further one until the transaction ends. Without effect
/// when nothing runs, and after the connection was closed.
package final class SQLiteInterrupter: Sendable {
  /// The connection's address, 0 once it is closed.
  private let address: Lock<UInt>
  private let requested = Atomic<Bool>(false)

  init(_ database: OpaquePointer) { address = Lock(UInt(bitPattern: database)) }

  /// Stops the connection.
  package func interrupt() {
    address.withLock { address in
      guard let database = OpaquePointer(bitPattern: address) else { return }
      requested.store(true, ordering: .relaxed)
      sqlite3_interrupt(database)
    }
  }

  /// True if an interruption was asked for since the transaction began.
  var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// Forgets an earlier interruption; when a transaction begins.
  func forget() {
    // A load is cheaper than a store to a line that other threads may read.
    if isRequested { requested.store(false, ordering: .relaxed) }
  }

  /// Makes `interrupt` do nothing; before the connection closes.
  func detach() { address.withLock { $0 = 0 } }
}
