final class SortedArrayMap: OrderedStore {
  func snapshot() throws -> Batch { Batch() }
  func batch(wait: Double) throws -> Batch { Batch() }
  func close() {}
}

final class Batch: OrderedBatch {
  func value(of key: UnsafeRawBufferPointer, in keyspace: Keyspace) -> UnsafeRawBufferPointer? {
    nil
  }
  func cursor(in keyspace: Keyspace) -> Cursor { Cursor() }
  func count(of keyspace: Keyspace) -> Int { 0 }
  func end() {}
  func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace) {}
  func remove(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) -> Bool { false }
  func savepoint(_ body: () throws -> Void) throws { try body() }
  func commit() {}
}

final class Cursor: OrderedCursor {
  func seek(_ key: UnsafeRawBufferPointer) -> Bool { false }
  func seek(before key: UnsafeRawBufferPointer) -> Bool { false }
  func seekLast() -> Bool { false }
  func value(of key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? { nil }
  func next() -> Bool { false }
  func previous() -> Bool { false }
  var entry: OrderedEntry { fatalError() }
}

// SNIPPET
