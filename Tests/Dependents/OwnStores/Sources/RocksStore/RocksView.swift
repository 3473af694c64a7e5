import CRocksDB
import ORMCore
import OrderedEngine

/// A snapshot of a ``RocksMap``, and the base of its batch.
///
/// It owns every iterator of its cursors and every value that it handed out. So all of them live
/// until it ends, whatever becomes of the cursors.
package class RocksView: OrderedSnapshot {
  let map: RocksMap
  let options: OpaquePointer
  private let snapshot: OpaquePointer?
  private var iterators: Set<OpaquePointer> = []
  /// The values that were handed out: RocksDB keeps their blocks in memory.
  private var pinned: [OpaquePointer] = []
  /// The records of keyspaces that were read, and changed by the batch.
  var records: [Keyspace: KeyspaceRecord] = [:]
  private(set) var isOpen = true
  /// A number that grows with each write of a batch.
  var clock: Int { 0 }

  init(_ map: RocksMap, isFixed: Bool) {
    self.map = map
    options = rocksdb_readoptions_create()
    snapshot = isFixed ? rocksdb_create_snapshot(map.db) : nil
    if let snapshot { rocksdb_readoptions_set_snapshot(options, snapshot) }
  }

  deinit { end() }

  package func value(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> UnsafeRawBufferPointer? {
    let run = try record(of: keyspace).run
    return run == 0 ? nil : try RocksKey.with(run, key) { try find($0) }
  }

  package func cursor(in keyspace: Keyspace) throws -> RocksCursor {
    try check()
    return RocksCursor(self, keyspace)
  }

  package func count(of keyspace: Keyspace) throws -> Int { try record(of: keyspace).count }

  package func end() {
    guard isOpen else { return }
    isOpen = false
    // In the child of a fork everything is the parent's.
    if map.fork.isInherited { return }
    for iterator in iterators { rocksdb_iter_destroy(iterator) }
    iterators = []
    for slice in pinned { rocksdb_pinnableslice_destroy(slice) }
    pinned = []
    rocksdb_readoptions_destroy(options)
    if let snapshot { rocksdb_release_snapshot(map.db, snapshot) }
    ended()
  }

  /// Reports the end to the map.
  func ended() { map.ended(isWriting: false) }

  func check() throws {
    guard isOpen else {
      throw StoreError(.transactionEnded, "the view of \(map.path) has ended", store: map.path)
    }
  }

  /// The value of a key of the database, valid until the view ends, or its batch writes.
  func find(_ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    try check()
    let slice = try rocks(map.path) {
      rocksdb_get_pinned(map.db, options, key.chars, key.count, &$0)
    }
    guard let slice else { return nil }
    pinned.append(slice)
    var count = 0
    let bytes = rocksdb_pinnableslice_value(slice, &count)
    return UnsafeRawBufferPointer(start: bytes, count: count)
  }

  /// The record of a keyspace; that of an empty one where there is none.
  func record(of keyspace: Keyspace) throws -> KeyspaceRecord {
    if let record = records[keyspace] { return record }
    let record = try RocksKey.withRecord(of: keyspace) { key in
      guard let bytes = try find(key) else { return KeyspaceRecord() }
      guard let record = KeyspaceRecord(bytes) else {
        throw StoreError(.corrupt, "\(map.path): the record of keyspace \(keyspace) is damaged")
      }
      return record
    }
    records[keyspace] = record
    return record
  }

  // MARK: Iterators

  func newIterator() -> OpaquePointer? { rocksdb_create_iterator(map.db, options) }

  /// Opens an iterator, which lives until `close` or the end of the view.
  func openIterator() throws -> OpaquePointer {
    try check()
    guard let iterator = newIterator() else {
      throw StoreError(.engine, "\(map.path) gave no iterator", store: map.path)
    }
    iterators.insert(iterator)
    return iterator
  }

  /// Closes an iterator, unless the view has ended and closed it.
  func close(_ iterator: OpaquePointer) {
    if iterators.remove(iterator) != nil { rocksdb_iter_destroy(iterator) }
  }

  /// The clock of the last write that leaves cursors in a keyspace standing nowhere.
  func lastChange(of keyspace: Keyspace) -> Int { 0 }
}
