/// A snapshot that can begin anew once it has ended.
///
/// A map conforms if a snapshot allocates something that the next read can use again. The engine casts a
/// snapshot once, when it makes a reader of it.
public protocol RestartableSnapshot: OrderedSnapshot {
  /// Begins a snapshot that has ended anew, on the newest commit, and returns true; or does nothing and
  /// returns false.
  ///
  /// The engine calls it instead of ``OrderedStore/snapshot()``, whose errors it throws, for reads that
  /// follow each other, so that the snapshot's memory is used again. Former cursors and bytes stay as they
  /// are after the end. After an error the snapshot is over, as before.
  func restart() throws -> Bool
}

/// A batch that can replace a value where a cursor is.
///
/// Updates of all rows use it. In other batches the engine sets values in parts, each after a look-up.
public protocol ValueReplacingBatch: OrderedBatch {
  /// Calls `body` with every entry of the keyspace, in the order of keys, and sets the value that it
  /// returns, if any.
  ///
  /// The bytes that `body` gets and returns are valid until its next call. It may write to other
  /// keyspaces. If it throws, values that were set stay.
  func replaceValues(
    in keyspace: Keyspace,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws ->
      UnsafeRawBufferPointer?
  ) throws
}

extension OrderedBatch {
  /// Sets the values of a keyspace as a ``ValueReplacingBatch`` does, which every other batch can by
  /// parts.
  package func setValues(
    in keyspace: Keyspace,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws ->
      UnsafeRawBufferPointer?
  ) throws {
    if let batch = self as? any ValueReplacingBatch {
      return try batch.replaceValues(in: keyspace, body)
    }
    let cursor = try cursor(in: keyspace)
    // Of each entry the key and its new value, one after another.
    var bytes: [UInt8] = []
    var lengths: [(key: Int, value: Int)] = []
    func write() throws {
      var start = 0
      try bytes.withUnsafeBytes { bytes in
        for (key, value) in lengths {
          try put(
            UnsafeRawBufferPointer(rebasing: bytes[start..<start + key]),
            UnsafeRawBufferPointer(rebasing: bytes[start + key..<start + key + value]),
            in: keyspace)
          start += key + value
        }
      }
      bytes.removeAll(keepingCapacity: true)
      lengths.removeAll(keepingCapacity: true)
    }
    // The entry at the cursor: its bytes stay where they are while `body` writes elsewhere, and the result
    // may refer to them.
    var entry: [UInt8] = []
    var stands = try cursor.seek(UnsafeRawBufferPointer(start: nil, count: 0))
    while stands {
      let count = cursor.key.count
      entry.removeAll(keepingCapacity: true)
      entry.append(contentsOf: cursor.key)
      entry.append(contentsOf: cursor.value)
      try entry.withUnsafeBytes { entry in
        let key = UnsafeRawBufferPointer(rebasing: entry[..<count])
        guard let value = try body(key, UnsafeRawBufferPointer(rebasing: entry[count...])) else {
          return
        }
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
        lengths.append((count, value.count))
      }
      if bytes.count < 1 << 18 {
        stands = try cursor.next()
        continue
      }
      // The cursor is at no entry after a write; no key lies between this one and its successor.
      let next = entry[..<count] + [0]
      try write()
      stands = try next.withUnsafeBytes { try cursor.seek($0) }
    }
    try write()
  }
}
