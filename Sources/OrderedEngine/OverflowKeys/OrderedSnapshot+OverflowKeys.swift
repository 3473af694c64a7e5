internal import ORMStorage

extension OrderedSnapshot {
  /// Calls `body` with the value of a key of any length; nil when there is none.
  @inline(__always)
  func get<R>(
    _ key: UnsafeRawBufferPointer, in keyspace: Keyspace, _ overflowKeys: OverflowKeys,
    _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    if !overflowKeys.isLong(key) { return try get(key, in: keyspace, body) }
    return try get(overflow: key, in: keyspace, overflowKeys, body)
  }

  @inline(never)
  private func get<R>(
    overflow key: UnsafeRawBufferPointer, in keyspace: Keyspace, _ overflowKeys: OverflowKeys,
    _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    let slot = try overflowKeys.slot(of: key, in: keyspace, of: self)
    guard slot.isTaken else { return nil }
    return try slot.mapKey.withUnsafeBytes { mapKey in
      try get(mapKey, in: keyspace) { value in
        guard let value = OverflowKeys.value(in: value) else { throw OverflowKeys.damaged }
        return try body(value)
      }
    }
  }
}

extension OrderedBatch {
  /// Sets the value of a key of any length.
  ///
  /// False, with nothing changed, when `onlyNew` and the key is there.
  @inline(__always)
  func set(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace,
    _ overflowKeys: OverflowKeys, onlyNew: Bool
  ) throws -> Bool {
    if overflowKeys.isLong(key) {
      return try set(overflow: key, value, in: keyspace, overflowKeys, onlyNew: onlyNew)
    }
    if onlyNew { return try insert(key, value, in: keyspace) }
    try put(key, value, in: keyspace)
    return true
  }

  @inline(never)
  private func set(
    overflow key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace,
    _ overflowKeys: OverflowKeys, onlyNew: Bool
  ) throws -> Bool {
    let slot = try overflowKeys.slot(of: key, in: keyspace, of: self)
    if slot.isTaken && onlyNew { return false }
    var whole = ByteBuffer(capacity: 4 + key.count + value.count)
    whole.append(littleEndian: UInt32(truncatingIfNeeded: key.count))
    whole.append(key)
    whole.append(value)
    let bytes = whole.bytes
    try slot.mapKey.withUnsafeBytes { try put($0, bytes, in: keyspace) }
    return true
  }

  /// Removes a key of any length.
  ///
  /// False when it was not there.
  @inline(__always)
  func remove(
    _ key: UnsafeRawBufferPointer, in keyspace: Keyspace, _ overflowKeys: OverflowKeys
  ) throws -> Bool {
    if !overflowKeys.isLong(key) { return try remove(key, in: keyspace) }
    let slot = try overflowKeys.slot(of: key, in: keyspace, of: self)
    guard slot.isTaken else { return false }
    return try slot.mapKey.withUnsafeBytes { try remove($0, in: keyspace) }
  }
}
