/// The right to open one reader of a store, which the transaction scheduler gives to a driver.
///
/// Only the library makes a turn, and a driver can pass it on but not keep it. So a program that has a store
/// cannot get a reader that bypasses the scheduler. A store that wraps another passes its turn along:
///
/// ```swift
/// func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
///   LoggingReader(try base.reader(turn))
/// }
/// ```
public struct ReadTurn: ~Copyable, Sendable {
  /// True if the reader is for one operation: its snapshot may be fixed by its first request, and need
  /// not be when it is opened.
  public let isForOperation: Bool
  /// The freshness that is asked for.
  ///
  /// A store without replicas gives its newest state.
  public let freshness: ReadFreshness

  package init(isForOperation: Bool = false, freshness: ReadFreshness = .newest) {
    self.isForOperation = isForOperation
    self.freshness = freshness
  }
}

/// The right to begin the write transaction of a store, which the transaction scheduler gives to a
/// driver.
///
/// Validation, hooks, relationships and the order of writers are above the driver. A program cannot
/// make a turn, so it cannot write past them. A store that wraps another passes its turn along, as
/// with ``ReadTurn``.
public struct WriteTurn: ~Copyable, Sendable {
  /// True if the transaction is for one operation: it may begin with its first request.
  public let isForOperation: Bool

  package init(isForOperation: Bool = false) { self.isForOperation = isForOperation }
}

/// The right to close a driver, given once nothing runs on the store any more.
///
/// Programs call `close()` of the module `ORM`, which waits for transactions and streams and then
/// passes the turn. A store that wraps another passes its turn along, as with ``ReadTurn``.
public struct CloseTurn: ~Copyable, Sendable {
  package init() {}
}
