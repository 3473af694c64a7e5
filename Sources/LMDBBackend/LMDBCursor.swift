internal import CLMDB
internal import ORMStorage
package import OrderedEngine

/// A position in one keyspace of a batch, or of a snapshot that the library reads.
///
/// Owns an `MDB_cursor`, opened at the first seek and closed with its transaction, or before a
/// savepoint, after which the next seek opens it again.
package final class LMDBCursor: OrderedCursor {
  let transaction: LMDBTransaction
  let keyspace: Keyspace
  /// The cursor of the library; nil until the first seek, and for a keyspace that does not exist.
  @exclusivity(unchecked) private(set) var pointer: OpaquePointer?
  private(set) var handle: LMDBKeyspaceTable.Handle = 0
  /// The transaction's session that this cursor belongs to.
  private let session: UInt64
  /// The value of ``LMDBTransaction/moves(of:)`` when the cursor was moved; 0 if it has no
  /// position.
  private var movesAtSeek: UInt64 = 0
  /// The key and the value at which it is.
  private let values: UnsafeMutablePointer<MDB_val>

  init(transaction: LMDBTransaction, keyspace: Keyspace) {
    self.transaction = transaction
    self.keyspace = keyspace
    session = transaction.session
    values = .allocate(capacity: 2)
    values.initialize(repeating: MDB_val(), count: 2)
  }

  deinit { values.deallocate() }

  /// Closes the cursor of the library, while the transaction is open.
  func close() {
    movesAtSeek = 0
    if let pointer { mdb_cursor_close(pointer) }
    pointer = nil
  }

  /// Resets the cursor for its next use.
  func reuse() { movesAtSeek = 0 }

  /// The cursor of the library, opened where need be; nil when the keyspace does not exist.
  @inline(__always)
  func opened() throws -> OpaquePointer? {
    movesAtSeek = 0
    if session == transaction.session, let pointer { return pointer }
    return try open()
  }

  @inline(never)
  private func open() throws -> OpaquePointer? {
    guard session == transaction.session, let within = transaction.pointer else {
      throw StoreError(.transactionEnded, "A cursor was used after its transaction ended.")
    }
    handle = transaction.table.handle(of: keyspace)
    if handle == 0 { return nil }
    try transaction.environment.check(mdb_cursor_open(within, handle, &pointer), "read")
    return pointer
  }

  // MARK: Moving

  package func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
    guard let pointer = try opened() else { return false }
    if key.isEmpty { return try move(pointer, MDB_FIRST) }
    values[0] = MDB_val(key)
    return try move(pointer, MDB_SET_RANGE)
  }

  /// Moves to the entry of a key; false, standing nowhere, when there is none.
  ///
  /// The cursor's `key` is the one given. If the cursor is near it, the tree is not searched.
  @inline(__always)
  func find(_ key: UnsafeRawBufferPointer) throws -> Bool {
    guard let pointer = try opened(), !key.isEmpty else { return false }
    values[0] = MDB_val(key)
    return try move(pointer, MDB_SET)
  }

  package func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    try find(key) ? value : nil
  }

  /// True if it still is where it was moved to.
  @inline(__always)
  var stands: Bool { movesAtSeek != 0 && movesAtSeek == transaction.moves(of: handle) }

  package func seek(before key: UnsafeRawBufferPointer) throws -> Bool {
    guard let pointer = try opened(), !key.isEmpty else { return false }
    values[0] = MDB_val(key)
    let isPast = try !move(pointer, MDB_SET_RANGE)
    return try move(pointer, isPast ? MDB_LAST : MDB_PREV)
  }

  package func seekLast() throws -> Bool {
    guard let pointer = try opened() else { return false }
    return try move(pointer, MDB_LAST)
  }

  package func next() throws -> Bool {
    guard let pointer, movesAtSeek == transaction.moves(of: handle) else { return false }
    return try moveOn(pointer, MDB_NEXT)
  }

  package func previous() throws -> Bool {
    guard let pointer, movesAtSeek == transaction.moves(of: handle) else { return false }
    return try moveOn(pointer, MDB_PREV)
  }

  /// Moves on from the entry that it stood on, whose value it may have replaced since.
  func moveOn() throws -> Bool {
    guard session == transaction.session, let pointer else { return false }
    return try moveOn(pointer, MDB_NEXT)
  }

  /// Moves, and notes the cursor's new position as valid.
  private func move(_ pointer: OpaquePointer, _ operation: MDB_cursor_op) throws -> Bool {
    guard try moveOn(pointer, operation) else { return false }
    movesAtSeek = transaction.moves(of: handle)
    return true
  }

  /// Moves; false, standing nowhere, when there is nothing to move to.
  @inline(__always)
  private func moveOn(_ pointer: OpaquePointer, _ operation: MDB_cursor_op) throws -> Bool {
    let code = mdb_cursor_get(pointer, values, values + 1, operation)
    if code == MDB_SUCCESS { return true }
    movesAtSeek = 0
    values[0].mv_size = 0
    values[1].mv_size = 0
    if code == MDB_NOTFOUND { return false }
    throw transaction.environment.error(code, "read")
  }

  package var entry: OrderedEntry {
    OrderedEntry(key: UnsafeRawBufferPointer(values[0]), value: UnsafeRawBufferPointer(values[1]))
  }
}
