package import OrderedEngine

/// The bytes of a key or a value.
package typealias Bytes = [UInt8]

/// An entry with its own bytes.
package struct Pair: Hashable, CustomStringConvertible {
  /// The key.
  package var key: Bytes
  /// The value.
  package var value: Bytes

  /// An entry of bytes.
  package init(_ key: Bytes, _ value: Bytes) {
    self.key = key
    self.value = value
  }

  /// An entry of texts.
  package init(_ key: String, _ value: String) { self.init(Bytes(key.utf8), Bytes(value.utf8)) }

  /// The beginning of the key, and the value where it is short.
  package var description: String {
    "\(key.prefix(24)):\(value.count > 24 ? [] : value)#\(value.count)"
  }
}

extension Bytes {
  /// Order as unsigned bytes, a prefix before longer keys that it begins.
  package func precedes(_ other: Bytes) -> Bool { lexicographicallyPrecedes(other) }
}

/// An error of the contract's own, which a map has to pass on.
package struct Interruption: Error, Equatable {
  /// A number that distinguishes one from another.
  package var number: Int

  /// An error of this number.
  package init(number: Int) { self.number = number }
}

extension OrderedStore {
  /// Runs `body` in a batch and commits it.
  package func write<R>(_ body: (Batch) throws -> R) throws -> R {
    let batch = try batch(wait: 5)
    defer { batch.end() }
    let result = try body(batch)
    try batch.commit()
    return result
  }

  /// Runs `body` on a snapshot.
  package func read<R>(_ body: (Snapshot) throws -> R) throws -> R {
    let snapshot = try snapshot()
    defer { snapshot.end() }
    return try body(snapshot)
  }
}

extension OrderedSnapshot {
  /// The value of a key, copied.
  package func value(_ key: Bytes, in keyspace: Keyspace) throws -> Bytes? {
    try key.withUnsafeBytes { try get($0, in: keyspace) { Bytes($0) } }
  }

  /// The value of a key, as text.
  package func value(_ key: String, in keyspace: Keyspace) throws -> String? {
    try value(Bytes(key.utf8), in: keyspace).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every entry, read forwards.
  package func entries(in keyspace: Keyspace) throws -> [Pair] {
    let cursor = try cursor(in: keyspace)
    var pairs: [Pair] = []
    var stands = try cursor.seek([])
    while stands {
      pairs.append(cursor.pair)
      stands = try cursor.next()
    }
    return pairs
  }

  /// Every entry, read backwards.
  package func reversedEntries(in keyspace: Keyspace) throws -> [Pair] {
    let cursor = try cursor(in: keyspace)
    var pairs: [Pair] = []
    var stands = try cursor.seekLast()
    while stands {
      pairs.append(cursor.pair)
      stands = try cursor.previous()
    }
    return pairs
  }

  /// Requires exactly these entries: by both scans, by key, and by count.
  package func expect(
    _ pairs: [Pair], in keyspace: Keyspace, _ note: @autoclosure () -> String = "",
    file: String = #fileID, line: Int = #line
  ) throws {
    func check<Value: Equatable>(_ got: Value, _ expected: Value, _ way: String) throws {
      try requireEqual(got, expected, "\(way) \(note())", file: file, line: line)
    }
    try check(try entries(in: keyspace), pairs, "forwards")
    try check(try reversedEntries(in: keyspace), pairs.reversed(), "backwards")
    try check(try count(of: keyspace), pairs.count, "count")
    let missing = try pairs.filter { try value($0.key, in: keyspace) != $0.value }
    try check(missing, [], "by key")
    let cursor = try cursor(in: keyspace)
    let unseen = try pairs.filter { try cursor.value($0.key) != $0.value }
    try check(unseen, [], "by key, by one cursor")
  }
}

extension OrderedCursor {
  /// Moves to the first entry whose key is not less.
  package func seek(_ key: Bytes) throws -> Bool { try key.withUnsafeBytes { try seek($0) } }
  /// Moves to the first entry whose key is not less.
  package func seek(_ key: String) throws -> Bool { try seek(Bytes(key.utf8)) }
  /// The value of a key, copied.
  package func value(_ key: Bytes) throws -> Bytes? {
    try key.withUnsafeBytes { try value(of: $0).map { Bytes($0) } }
  }
  /// Moves to the last entry whose key is less.
  package func seek(before key: Bytes) throws -> Bool {
    try key.withUnsafeBytes { try seek(before: $0) }
  }
  /// Moves to the last entry whose key is less.
  package func seek(before key: String) throws -> Bool { try seek(before: Bytes(key.utf8)) }
  /// The current entry, copied.
  package var pair: Pair { Pair(Bytes(key), Bytes(value)) }
  /// The current key, as text.
  package var text: String { String(decoding: key, as: UTF8.self) }
  /// Returns a copy of the entries that `read` gives.
  package func pairs(upTo room: Int, forwards: Bool) throws -> [Pair] {
    try withUnsafeTemporaryAllocation(of: OrderedEntry.self, capacity: room) {
      let count = try read($0, forwards: forwards)
      return $0[..<count].map { Pair(Bytes($0.key), Bytes($0.value)) }
    }
  }
}

extension OrderedBatch {
  /// Sets the value of a key.
  package func put(_ key: Bytes, _ value: Bytes, in keyspace: Keyspace) throws {
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes { try put(key, $0, in: keyspace) }
    }
  }

  /// Sets the value of a key.
  package func put(_ key: String, _ value: String, in keyspace: Keyspace) throws {
    try put(Bytes(key.utf8), Bytes(value.utf8), in: keyspace)
  }

  /// Sets the value of a key unless the key is there.
  package func insert(_ key: Bytes, _ value: Bytes, in keyspace: Keyspace) throws -> Bool {
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes { try insert(key, $0, in: keyspace) }
    }
  }

  /// Sets the value of a key unless the key is there.
  package func insert(_ key: String, _ value: String, in keyspace: Keyspace) throws -> Bool {
    try insert(Bytes(key.utf8), Bytes(value.utf8), in: keyspace)
  }

  /// Removes a key.
  package func remove(_ key: Bytes, in keyspace: Keyspace) throws -> Bool {
    try key.withUnsafeBytes { try remove($0, in: keyspace) }
  }

  /// Removes a key.
  package func remove(_ key: String, in keyspace: Keyspace) throws -> Bool {
    try remove(Bytes(key.utf8), in: keyspace)
  }
}
