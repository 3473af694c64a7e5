import CRocksDB
import OrderedEngine

/// A position in one keyspace: an iterator over the whole database, whose keys are tested for the run
/// of the keyspace.
package final class RocksCursor: OrderedCursor {
  private let view: RocksView
  private let keyspace: Keyspace
  private var iterator: OpaquePointer?
  private var run: UInt64 = 0
  private var stands = false
  /// The view's clock at the last move.
  private var clock = 0

  init(_ view: RocksView, _ keyspace: Keyspace) {
    self.view = view
    self.keyspace = keyspace
  }

  deinit { if let iterator { view.close(iterator) } }

  package func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
    guard let iterator = try start() else { return false }
    RocksKey.with(run, key) { rocksdb_iter_seek(iterator, $0.chars, $0.count) }
    return try settle(iterator)
  }

  package func seek(before key: UnsafeRawBufferPointer) throws -> Bool {
    guard let iterator = try start() else { return false }
    RocksKey.with(run, key) { key in
      rocksdb_iter_seek_for_prev(iterator, key.chars, key.count)
      if rocksdb_iter_valid(iterator) != 0, Self.key(of: iterator).elementsEqual(key) {
        rocksdb_iter_prev(iterator)
      }
    }
    return try settle(iterator)
  }

  package func seekLast() throws -> Bool {
    guard let iterator = try start() else { return false }
    // No entry has the next run and an empty key.
    RocksKey.with(run + 1, UnsafeRawBufferPointer(start: nil, count: 0)) {
      rocksdb_iter_seek_for_prev(iterator, $0.chars, $0.count)
    }
    return try settle(iterator)
  }

  package func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    try view.value(of: key, in: keyspace)
  }

  package func next() throws -> Bool {
    guard let iterator = try standing() else { return false }
    rocksdb_iter_next(iterator)
    return try settle(iterator)
  }

  package func previous() throws -> Bool {
    guard let iterator = try standing() else { return false }
    rocksdb_iter_prev(iterator)
    return try settle(iterator)
  }

  package var entry: OrderedEntry {
    guard let iterator, stands, view.isOpen else {
      return OrderedEntry(key: .init(start: nil, count: 0), value: .init(start: nil, count: 0))
    }
    var count = 0
    let value = rocksdb_iter_value(iterator, &count)
    return OrderedEntry(
      key: UnsafeRawBufferPointer(rebasing: Self.key(of: iterator)[RocksKey.prefixSize...]),
      value: UnsafeRawBufferPointer(start: value, count: count))
  }

  private static func key(of iterator: OpaquePointer) -> UnsafeRawBufferPointer {
    var count = 0
    let bytes = rocksdb_iter_key(iterator, &count)
    return UnsafeRawBufferPointer(start: bytes, count: count)
  }

  /// The iterator for a seek in the keyspace's run; nil where the keyspace is empty.
  private func start() throws -> OpaquePointer? {
    stands = false
    try view.check()
    run = try view.record(of: keyspace).run
    if run == 0 { return nil }
    clock = view.clock
    if let iterator { return iterator }
    let opened = try view.openIterator()
    iterator = opened
    return opened
  }

  /// The iterator for a move from the entry that the cursor stands on; nil where it stands nowhere.
  private func standing() throws -> OpaquePointer? {
    guard stands, let iterator else { return nil }
    try view.check()
    if clock != view.clock {
      if clock < view.lastChange(of: keyspace) {
        stands = false
        return nil
      }
      // An iterator over a batch takes the writes to other keyspaces into account when it seeks.
      let key = Array(Self.key(of: iterator))
      key.withUnsafeBytes { rocksdb_iter_seek(iterator, $0.chars, $0.count) }
      clock = view.clock
      guard try settle(iterator) else { return nil }
    }
    return iterator
  }

  /// Returns whether the iterator stands on an entry of the run.
  private func settle(_ iterator: OpaquePointer) throws -> Bool {
    stands = false
    if rocksdb_iter_valid(iterator) != 0 {
      stands = RocksKey.run(of: Self.key(of: iterator)) == run
    } else {
      try rocks(view.map.path) { rocksdb_iter_get_error(iterator, &$0) }
    }
    return stands
  }
}
