internal import CLMDB
internal import ORMPlatform
internal import OrderedEngine

/// Owns an `MDB_txn`, with the transactions nested in it: a reader from `init(reading:)` to
/// ``close()``, renewed for each snapshot in between (see ``LMDBReader``); a writer from
/// ``beginWriting(_:)`` to ``commit()`` or ``abort()``, again and again.
///
/// A transaction is used by one thread at a time, a writer on one thread from begin to end. After a
/// fork the child calls nothing here: the reader table it would change is its parent's too.
// One snapshot or batch has it at a time; `LMDBMap` passes it on under its lock.
final class LMDBTransaction: @unchecked Sendable {
  let environment: LMDBEnvironment
  /// The innermost transaction; nil while a writer is between batches, or a reader is closed.
  @exclusivity(unchecked) var pointer: OpaquePointer?
  /// The transactions that `pointer` is nested in, the outermost first.
  var outer: [OpaquePointer] = []
  /// The handles this transaction may use.
  var table = LMDBKeyspaceTable.empty {
    didSet { lastHandle = (0, 0) }
  }
  /// The keyspace looked up last and its handle; no handle when there was none.
  private var lastHandle: (keyspace: Keyspace, handle: LMDBKeyspaceTable.Handle) = (
    0, 0
  )
  /// Changes when a batch begins and when it ends: a cursor of another session is not used.
  private(set) var session: UInt64 = 0
  /// Cursors of a writer, cached for reuse.
  @exclusivity(unchecked) var cursors: [LMDBCursor] = []
  /// The counts of events that move entries away from under cursors: at 0 ends and savepoints, at the
  /// index of a handle writes to its keyspace.
  private let moves: UnsafeMutablePointer<UInt64>

  private init(_ environment: LMDBEnvironment, slots: Int) {
    self.environment = environment
    moves = .allocate(capacity: slots)
    moves.initialize(repeating: 0, count: slots)
    moves[0] = 1
  }

  deinit { moves.deallocate() }

  /// A writer, not begun.
  convenience init(writing environment: LMDBEnvironment) {
    self.init(environment, slots: Self.slots(environment))
  }

  /// One more than the greatest handle: two are the library's own.
  private static func slots(_ environment: LMDBEnvironment) -> Int {
    environment.settings.maximumKeyspaces + 2
  }

  /// A reader on the newest commit, which tracks its cursors if it `hasCursors`.
  convenience init(reading environment: LMDBEnvironment, hasCursors: Bool = false) throws {
    self.init(environment, slots: hasCursors ? Self.slots(environment) : 1)
    try environment.check(
      mdb_txn_begin(environment.pointer, nil, UInt32(MDB_RDONLY), &pointer), "read")
    if environment.newestCommit != number { try renewUntilNewest() }
  }

  // MARK: Readers

  /// Closes the cursors and releases the snapshot, but keeps the slot in the reader table.
  func reset() {
    closeCursors()
    mdb_txn_reset(pointer)
  }

  /// Takes a snapshot of the newest commit, after ``reset()``.
  @inline(__always)
  func renew() throws {
    try environment.check(mdb_txn_renew(pointer), "read")
    if environment.newestCommit != number { try renewUntilNewest() }
  }

  /// Takes snapshots until one is sure to be of the commit whose number it has.
  ///
  /// The library reads the number of the newest commit, and then copies that commit's record without a
  /// lock. The second commit afterwards overwrites the record: a thread that was interrupted in between
  /// has another commit's trees under the number. While no later commit is there after the copy, no writer
  /// has begun to overwrite it. A commit that is there and not yet announced is met by a few repeats.
  @inline(never)
  private func renewUntilNewest() throws {
    for _ in 0..<64 {
      mdb_txn_reset(pointer)
      try environment.check(mdb_txn_renew(pointer), "read")
      if environment.newestCommit == number { return }
      sched_yield()
    }
  }

  /// Ends the reader for good, and gives the handles opened in it to the environment.
  func publishHandles() throws {
    let pointer = pointer
    self.pointer = nil
    try environment.check(mdb_txn_commit(pointer), "open the keyspaces of")
  }

  /// Frees the reader with its slot.
  func close() {
    closeCursors()
    mdb_txn_abort(pointer)
    pointer = nil
  }

  // MARK: Writers

  /// Begins the write transaction; waits for that of another process.
  func beginWriting(_ table: LMDBKeyspaceTable) throws {
    try environment.check(mdb_txn_begin(environment.pointer, nil, 0, &pointer), "write")
    self.table = table
    session &+= 1
    moves[0] &+= 1
  }

  /// Makes everything written durable.
  ///
  /// Afterwards the transaction has ended, also if this throws.
  func commit() throws {
    let pointer = endSession()
    try environment.check(mdb_txn_commit(pointer), "commit to")
  }

  /// Undoes everything written.
  func abort() { mdb_txn_abort(endSession()) }

  private func endSession() -> OpaquePointer? {
    session &+= 1
    closeCursors()
    defer {
      pointer = nil
      outer = []
    }
    return outer.first ?? pointer
  }

  // MARK: Savepoints

  /// Begins a transaction in the transaction.
  func beginNested() throws {
    releaseCursors()
    var inner: OpaquePointer?
    try environment.check(
      mdb_txn_begin(environment.pointer, pointer, 0, &inner), "begin a savepoint in")
    if let pointer { outer.append(pointer) }
    pointer = inner
  }

  /// Makes the innermost transaction part of the one around it.
  func commitNested() throws {
    releaseCursors()
    let inner = pointer
    pointer = outer.popLast()
    try environment.check(mdb_txn_commit(inner), "end a savepoint in")
  }

  /// Undoes the innermost transaction.
  func abortNested() {
    releaseCursors()
    mdb_txn_abort(pointer)
    pointer = outer.popLast()
  }

  /// Leaves every cursor standing nowhere and closes it: the library does not allow those of a
  /// transaction to be used while another is nested in it, and frees them itself at the end.
  func releaseCursors() {
    moves[0] &+= 1
    for cursor in cursors { cursor.close() }
  }

  /// Closes every cursor for good; those of a reader of pages are not made here.
  @inline(__always)
  private func closeCursors() {
    if cursors.isEmpty { return }
    session &+= 1
    releaseCursors()
    cursors = []
  }

  // MARK: Keyspaces

  /// The handle of a keyspace; 0 when there is none.
  @inline(__always)
  func handle(of keyspace: Keyspace) -> LMDBKeyspaceTable.Handle {
    if lastHandle.keyspace == keyspace, lastHandle.handle != 0 { return lastHandle.handle }
    let handle = table.handle(of: keyspace)
    lastHandle = (keyspace, handle)
    return handle
  }

  // MARK: Positions of cursors

  /// A number that is the same for as long as a cursor on the keyspace stays where it stands; never 0.
  @inline(__always)
  func moves(of handle: LMDBKeyspaceTable.Handle) -> UInt64 {
    moves[0] &+ moves[Int(handle)]
  }

  /// Leaves the cursors of a keyspace at no entry.
  @inline(__always)
  func noteWrite(to handle: LMDBKeyspaceTable.Handle) { moves[Int(handle)] &+= 1 }

  /// A cursor on a keyspace, perhaps one that its maker has released.
  func cursor(in keyspace: UInt32) -> LMDBCursor {
    for index in cursors.indices where cursors[index].keyspace == keyspace {
      if isKnownUniquelyReferenced(&cursors[index]) {
        cursors[index].reuse()
        return cursors[index]
      }
    }
    let cursor = LMDBCursor(transaction: self, keyspace: keyspace)
    cursors.append(cursor)
    return cursor
  }
}
