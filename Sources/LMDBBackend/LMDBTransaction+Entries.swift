internal import CLMDB
internal import ORMStorage
internal import OrderedEngine

/// Single entries and whole keyspaces.
extension LMDBTransaction {
  typealias Handle = LMDBKeyspaceTable.Handle

  /// The handle of the unnamed database, which holds the records of the named ones.
  private static var mainHandle: Handle { 1 }

  /// The value of a key, valid until the transaction writes or ends.
  @inline(__always)
  func value(of key: UnsafeRawBufferPointer, in handle: Handle) throws -> UnsafeRawBufferPointer? {
    if handle == 0 || key.isEmpty { return nil }
    var key = MDB_val(key)
    var value = MDB_val()
    let code = mdb_get(pointer, handle, &key, &value)
    if code == MDB_SUCCESS { return UnsafeRawBufferPointer(value) }
    if code == MDB_NOTFOUND { return nil }
    throw environment.error(code, "read")
  }

  /// The record of a keyspace's tree, valid until the transaction writes or ends.
  func treeRecord(of keyspace: Keyspace) throws -> UnsafeRawBufferPointer? {
    try LMDBKeyspaceTable.withName(of: keyspace) { try value(of: $0, in: Self.mainHandle) }
  }

  /// Removes every entry of a keyspace.
  func removeAll(in handle: Handle) throws {
    if handle == 0 { return }
    noteWrite(to: handle)
    try environment.check(mdb_drop(pointer, handle, 0), "write")
  }

  /// Returns the number of entries a keyspace has.
  func count(of handle: Handle) throws -> Int {
    if handle == 0 { return 0 }
    var stat = MDB_stat()
    try environment.check(mdb_stat(pointer, handle, &stat), "read")
    return stat.ms_entries
  }

  /// Returns the number of keyspaces the file has, as this transaction sees it.
  @inline(__always)
  func keyspaceCount() throws -> Int { try count(of: Self.mainHandle) }

  /// The number of the commit this transaction reads; a writer's own number.
  var number: UInt64 { UInt64(UInt(bitPattern: mdb_txn_id(pointer))) }

  /// Opens the handle of a keyspace, and makes the keyspace where it is missing and `creates` says so.
  ///
  /// No other thread may open handles: the library chooses their slots without a lock. They
  /// become the environment's when this transaction commits.
  func openHandle(of keyspace: Keyspace, creates: Bool) throws -> Handle {
    var handle: Handle = 0
    let code = mdb_dbi_open(
      pointer, LMDBKeyspaceTable.name(of: keyspace), creates ? UInt32(MDB_CREATE) : 0, &handle)
    try environment.check(code, "open a keyspace of")
    return handle
  }

  /// Opens the handles of all keyspaces that `table` lacks.
  ///
  /// See ``openHandle(of:creates:)``.
  func openMissingHandles(_ table: LMDBKeyspaceTable) throws -> LMDBKeyspaceTable {
    var main: Handle = 0
    try environment.check(mdb_dbi_open(pointer, nil, 0, &main), "open")
    var missing: [Keyspace] = []
    try forEachEntry(of: main) { name, _ in
      guard let keyspace = LMDBKeyspaceTable.keyspace(named: name) else {
        throw StoreError(
          .notADatabase,
          "\(environment.path) is an LMDB file, but another program wrote it: it has entries "
            + "that are not Strata's.")
      }
      if table.handle(of: keyspace) == 0 { missing.append(keyspace) }
    }
    return table.adding(
      try missing.map { ($0, try openHandle(of: $0, creates: false)) })
  }

  private func forEachEntry(
    of handle: Handle,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var opened: OpaquePointer?
    try environment.check(mdb_cursor_open(pointer, handle, &opened), "read")
    defer { mdb_cursor_close(opened) }
    var key = MDB_val()
    var value = MDB_val()
    var code = mdb_cursor_get(opened, &key, &value, MDB_FIRST)
    while code == MDB_SUCCESS {
      try body(UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(value))
      code = mdb_cursor_get(opened, &key, &value, MDB_NEXT)
    }
    if code != MDB_NOTFOUND { throw environment.error(code, "read") }
  }
}

extension MDB_val {
  /// Points at bytes that the library only reads.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(
      mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes that the library points at.
  @inline(__always)
  init(_ value: MDB_val) { self.init(start: value.mv_data, count: value.mv_size) }
}
