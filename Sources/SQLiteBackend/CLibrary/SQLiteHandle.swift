internal import CSQLite
internal import ORMStorage

/// Owns an open `sqlite3 *`: closed when its connection and all its statements have released it.
///
/// The library's failures become errors here alone. A handle that was carried over a fork
/// is never closed in the child: that would break the parent's locks; its memory is given up.
@usableFromInline
final class SQLiteHandle {
  let database: OpaquePointer
  let interrupter: SQLiteInterrupter
  /// The bounded wait for other processes' locks.
  var wait: SQLiteWait
  /// An error thrown by a Swift function that the engine called; the failing step throws it.
  ///
  /// Only set and taken, by the connection's one user.
  var functionFailure: (any Error)?
  /// The result that the library gets for such an error.
  static let functionFailureMessage = "a function of the store failed inside SQLite"
  /// The statements that are stopped when the running operation is to end early.
  var stoppable = Stoppable.nothing
  private(set) var isClosed = false

  /// The statements that are stopped when the running operation is to end early.
  enum Stoppable {
    /// No statement: no transaction runs, or its end has begun.
    case nothing
    /// Every statement of a read, and the wait for a transaction.
    case reads
    /// Statements of a write transaction that read, and those that write if the operation ends in which
    /// the transaction began: the library undoes it with them. A block or scope in it is another.
    case writes(of: RunningOperation?)
  }

  private let fork = ForkCheck()

  /// Leaves the library's count of the memory it has in use off, the first time anything is opened.
  ///
  /// The count is guarded by one lock of the process that every allocation takes: threads that read
  /// side by side wait for one another there, and one alone is an eighth slower. SQLite recommends
  /// to be built without. If other code initialized the library before, the count stays.
  private static let leavesMemoryUncounted: Bool =
    strata_sqlite3_leave_memory_uncounted() == SQLITE_OK

  private static func prepareLibrary() { _ = leavesMemoryUncounted }

  /// Opens a file, which the library reads no further than its header.
  init(name: String, flags: Int32, wait: Duration) throws {
    Self.prepareLibrary()
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, SQLiteSystem.name)
    guard result == SQLITE_OK, let opened else {
      let message = String(cString: sqlite3_errstr(result))
      let extended = opened.map { sqlite3_extended_errcode($0) } ?? result
      let system = opened.map { sqlite3_system_errno($0) } ?? 0
      sqlite3_close_v2(opened)
      throw StoreError(sqlite: extended, message, systemError: system)
    }
    // The library silently opens a file for reading that cannot be written.
    if flags & SQLITE_OPEN_READWRITE != 0, sqlite3_db_readonly(opened, "main") != 0 {
      sqlite3_close_v2(opened)
      throw StoreError(.readOnly, "\(name): the file cannot be written")
    }
    database = opened
    interrupter = SQLiteInterrupter(opened)
    self.wait = SQLiteWait(limit: wait)
    sqlite3_extended_result_codes(opened, 1)
    sqlite3_progress_handler(
      opened, Self.instructionsBetweenLooks,
      { context in
        guard let context else { return 0 }
        let handle = Unmanaged<SQLiteHandle>.fromOpaque(context).takeUnretainedValue()
        return handle.isStopped ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    sqlite3_busy_handler(
      opened,
      { context, attempt in
        guard let context else { return 0 }
        let handle = Unmanaged<SQLiteHandle>.fromOpaque(context).takeUnretainedValue()
        if handle.interrupter.isRequested || handle.isStopped { return 0 }
        return handle.wait.again(attempt: Int(attempt)) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { close() }

  /// True if this process is a fork of the one that opened the handle.
  var isForked: Bool { fork.isInherited }

  /// Throws `closed` or `forked` when the handle is not to be used any more.
  func check() throws {
    if isClosed { throw StoreError(.closed, "the store was closed") }
    if isForked { throw StoreError(.forked, "the store was opened before this process was forked") }
  }

  /// Closes at once, or with the last statement.
  ///
  /// Safe to call twice.
  func close() {
    if isClosed || isForked { return }
    isClosed = true
    interrupter.detach()
    sqlite3_close_v2(database)
  }

  /// The reason to stop the running statement; nil if it may go on or must not be stopped.
  private var stop: RunningOperation.Stop? {
    switch stoppable {
    case .nothing: return nil
    case .reads: return RunningOperation.current?.stop
    case .writes(let beginner):
      guard let stop = RunningOperation.current?.stop else { return nil }
      if !isChanging { return stop }
      return beginner?.ownsTransaction == true ? beginner?.stop : nil
    }
  }

  /// True if a statement runs that writes.
  private var isChanging: Bool {
    var statement = sqlite3_next_stmt(database, nil)
    while let found = statement {
      if sqlite3_stmt_busy(found) != 0, sqlite3_stmt_readonly(found) == 0 { return true }
      statement = sqlite3_next_stmt(database, found)
    }
    return false
  }

  /// True if the running statement is to be stopped.
  var isStopped: Bool { stop != nil }

  /// The number of the library's instructions after which a statement asks whether it is to be stopped.
  private static var instructionsBetweenLooks: Int32 { 1_000 }

  /// The error of a call that gave `result` just now.
  func error(_ result: Int32) -> any Error {
    if result & 0xff == SQLITE_INTERRUPT || result & 0xff == SQLITE_BUSY, let stop {
      return stop.error
    }
    let isLast = sqlite3_errcode(database) & 0xff == result & 0xff
    let message = String(cString: isLast ? sqlite3_errmsg(database) : sqlite3_errstr(result))
    if let failure = functionFailure {
      functionFailure = nil
      // A function may also have failed without a report, in a statement that was abandoned.
      if message == Self.functionFailureMessage { return failure }
    }
    if result & 0xff == SQLITE_BUSY, interrupter.isRequested {
      return StoreError(sqlite: SQLITE_INTERRUPT, String(cString: sqlite3_errstr(SQLITE_INTERRUPT)))
    }
    return StoreError(sqlite: result, message, systemError: sqlite3_system_errno(database))
  }

  /// Repeats the beginning of a transaction, as often as the wait allows, while locks are refused; throws
  /// any other error of it.
  ///
  /// The runs together wait no longer than one.
  @inline(never)
  func retry<Result>(after failure: any Error, _ body: () throws -> Result) throws -> Result {
    wait.beginSharing()
    defer { wait.endSharing() }
    return try SQLiteWait.retrying(
      limit: wait.limit, after: failure, unless: { interrupter.isRequested || isStopped }, body)
  }

  /// Runs every statement of a text, to its end; rows are not looked at.
  func execute(_ sql: String) throws {
    try check(sqlite3_exec(database, sql, nil, nil, nil))
  }

  /// The one error check: anything but `SQLITE_OK` is thrown.
  func check(_ result: Int32) throws {
    if result != SQLITE_OK { throw error(result) }
  }
}
