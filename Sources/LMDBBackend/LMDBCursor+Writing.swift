internal import CLMDB
internal import OrderedEngine

extension LMDBCursor {
  /// Sets the value of a key where the keyspace exists.
  ///
  /// - Parameter isPastLast: whether the key seems greater than every key of the keyspace, so that
  ///   pages are filled instead of split in halves. Costs a second look when it is not.
  @inline(__always)
  func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isPastLast: Bool
  ) throws {
    if try isPastLast && write(key, value, MDB_APPEND) { return }
    _ = try write(key, value, 0)
  }

  /// Puts as ``put(_:_:isPastLast:)`` does, unless the key is there: then returns false.
  @inline(__always)
  func insert(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isPastLast: Bool
  ) throws -> Bool {
    if try isPastLast && write(key, value, MDB_APPEND | MDB_NOOVERWRITE) { return true }
    return try write(key, value, MDB_NOOVERWRITE)
  }

  /// Sets the value of the cursor's entry, whose key is given.
  @inline(__always)
  func replace(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
    _ = try write(key, value, MDB_CURRENT)
  }

  /// Calls `body` with every entry, and sets the value that it returns, if any.
  func replaceValues(
    maximumKeyLength: Int,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer?
  ) throws {
    // The library may move an entry, and its key with it, before it reads the key.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumKeyLength, alignment: 8)
    defer { copy.deallocate() }
    var stands = try seek(UnsafeRawBufferPointer(start: nil, count: 0))
    while stands {
      let count = min(key.count, copy.count)
      copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: key[..<count]))
      let whole = UnsafeRawBufferPointer(rebasing: copy[..<count])
      let old = value
      if let new = try body(whole, old) {
        if let start = old.baseAddress, let copy = new.baseAddress,
          (start..<start + old.count).contains(copy)
        {
          // The library removes an entry of another size before it reads the new value.
          try Array(new).withUnsafeBytes { try replace(whole, $0) }
        } else {
          try replace(whole, new)
        }
      }
      stands = try moveOn()
    }
  }

  /// Removes the cursor's entry.
  @inline(__always)
  func remove() throws {
    try transaction.environment.check(mdb_cursor_del(try opened(), 0), "write")
    transaction.noteWrite(to: handle)
  }

  @inline(__always)
  private func write(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ flags: Int32
  ) throws -> Bool {
    let pointer = try opened()
    var key = MDB_val(key)
    var value = MDB_val(value)
    let code = mdb_cursor_put(pointer, &key, &value, UInt32(flags))
    if code == MDB_KEYEXIST { return false }
    try transaction.environment.check(code, "write")
    transaction.noteWrite(to: handle)
    return true
  }
}
