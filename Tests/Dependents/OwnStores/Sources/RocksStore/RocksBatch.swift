import CRocksDB
import ORMCore
import OrderedEngine

/// The write transaction of a ``RocksMap``: its writes with an index over them, in memory until the
/// commit writes them at once.
///
/// A savepoint keeps the old value of each key that is written in it. RocksDB's own savepoints
/// cannot be released through the C interface, and to go back to one indexes the whole batch anew.
package final class RocksBatch: RocksView, OrderedBatch {
  private let updates: OpaquePointer
  /// The values that were handed out since the last write.
  private var found: [UnsafeMutablePointer<CChar>] = []
  /// The number of the next run; 0 where it was not read yet.
  private var nextRun: UInt64 = 0
  /// The runs of keyspaces that were emptied.
  private var emptied: [UInt64] = []
  /// Writes that restore what savepoints found.
  private var undo: [(key: [UInt8], value: [UInt8]?)] = []
  private var savepoints = 0
  private var time = 0
  private var changes: [Keyspace: Int] = [:]
  /// The clock of the last begin or end of a savepoint.
  private var lastSavepoint = 0

  init(_ map: RocksMap) {
    updates = rocksdb_writebatch_wi_create(0, 1)
    super.init(map, isFixed: false)
  }

  // The end destroys what this class holds.
  deinit { end() }

  override var clock: Int { time }

  override func lastChange(of keyspace: Keyspace) -> Int {
    max(changes[keyspace] ?? 0, lastSavepoint)
  }

  override func newIterator() -> OpaquePointer? {
    // The new iterator owns the base.
    rocksdb_writebatch_wi_create_iterator_with_base(
      updates, rocksdb_create_iterator(map.db, options))
  }

  override func find(_ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    try check()
    var count = 0
    let bytes = try rocks(map.path) {
      rocksdb_writebatch_wi_get_from_batch_and_db(
        updates, map.db, options, key.chars, key.count, &count, &$0)
    }
    guard let bytes else { return nil }
    found.append(bytes)
    return UnsafeRawBufferPointer(start: bytes, count: count)
  }

  override func ended() {
    for value in found { rocksdb_free(value) }
    found = []
    rocksdb_writebatch_wi_destroy(updates)
    map.ended(isWriting: true)
  }

  // MARK: Writes

  package func put(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws {
    _ = try write(key, value, in: keyspace, replaces: true)
  }

  package func insert(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) throws -> Bool {
    try write(key, value, in: keyspace, replaces: false)
  }

  private func write(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in keyspace: Keyspace,
    replaces: Bool
  ) throws -> Bool {
    var record = try record(of: keyspace)
    if record.run == 0 { record.run = try takeRun() }
    return try RocksKey.with(record.run, key) { key in
      let old = try find(key)
      if old != nil && !replaces { return false }
      note(key, old)
      rocksdb_writebatch_wi_put(updates, key.chars, key.count, value.chars, value.count)
      if old == nil { record.count += 1 }
      changed(keyspace, record)
      return true
    }
  }

  package func remove(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
    var record = try record(of: keyspace)
    if record.run == 0 { return false }
    return try RocksKey.with(record.run, key) { key in
      guard let old = try find(key) else { return false }
      note(key, old)
      rocksdb_writebatch_wi_delete(updates, key.chars, key.count)
      record.count -= 1
      changed(keyspace, record)
      return true
    }
  }

  /// Takes the keyspace's run from it; the commit removes the run as one range.
  package func removeAll(in keyspace: Keyspace) throws {
    let record = try record(of: keyspace)
    if record.run != 0 { emptied.append(record.run) }
    changed(keyspace, KeyspaceRecord())
  }

  /// Gives out the number of a run that no keyspace ever had.
  private func takeRun() throws -> UInt64 {
    if nextRun == 0 {
      nextRun = try RocksKey.withNextRun { key in
        guard let bytes = try find(key) else { return 1 }
        guard bytes.count == 8 else {
          throw StoreError(.corrupt, "\(map.path): the number of runs is damaged")
        }
        return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
      }
    }
    defer { nextRun += 1 }
    return nextRun
  }

  /// Keeps the value that a write is about to replace, in a savepoint.
  private func note(_ key: UnsafeRawBufferPointer, _ old: UnsafeRawBufferPointer?) {
    if savepoints > 0 { undo.append((Array(key), old.map { Array($0) })) }
  }

  private func changed(_ keyspace: Keyspace, _ record: KeyspaceRecord) {
    records[keyspace] = record
    time += 1
    changes[keyspace] = time
    for value in found { rocksdb_free(value) }
    found.removeAll(keepingCapacity: true)
  }

  // MARK: Transactions

  package func savepoint(_ body: () throws -> Void) throws {
    try check()
    let (writes, records, run, emptied) = (undo.count, records, nextRun, emptied)
    beganOrEndedSavepoint(by: 1)
    defer { beganOrEndedSavepoint(by: -1) }
    do {
      try body()
    } catch {
      guard isOpen else { throw error }
      for (key, value) in undo[writes...].reversed() {
        key.withUnsafeBytes { key in
          guard let value else {
            return rocksdb_writebatch_wi_delete(updates, key.chars, key.count)
          }
          value.withUnsafeBytes {
            rocksdb_writebatch_wi_put(updates, key.chars, key.count, $0.chars, $0.count)
          }
        }
      }
      undo.removeSubrange(writes...)
      (self.records, nextRun, self.emptied) = (records, run, emptied)
      throw error
    }
  }

  private func beganOrEndedSavepoint(by step: Int) {
    savepoints += step
    if savepoints == 0 { undo = [] }
    time += 1
    lastSavepoint = time
  }

  package func commit() throws {
    try check()
    defer { end() }
    if time == 0 { return }
    for keyspace in changes.keys {
      guard let record = records[keyspace] else { continue }
      RocksKey.withRecord(of: keyspace) { key in
        record.withBytes {
          rocksdb_writebatch_wi_put(updates, key.chars, key.count, $0.chars, $0.count)
        }
      }
    }
    if nextRun != 0 {
      RocksKey.withNextRun { key in
        withUnsafeBytes(of: nextRun.bigEndian) {
          rocksdb_writebatch_wi_put(updates, key.chars, key.count, $0.chars, $0.count)
        }
      }
    }
    let options = rocksdb_writeoptions_create()
    defer { rocksdb_writeoptions_destroy(options) }
    rocksdb_writeoptions_set_sync(options, map.isSynced ? 1 : 0)
    if emptied.isEmpty {
      try rocks(map.path) { rocksdb_write_writebatch_wi(map.db, options, updates, &$0) }
    } else {
      try writeWithRanges(options)
    }
  }

  /// Commits with the removal of whole runs, which an indexed batch cannot hold.
  private func writeWithRanges(_ options: OpaquePointer?) throws {
    var size = 0
    let data = rocksdb_writebatch_wi_data(updates, &size)
    let batch = rocksdb_writebatch_create_from(data, size)
    defer { rocksdb_writebatch_destroy(batch) }
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    for run in emptied {
      RocksKey.with(run, nothing) { first in
        RocksKey.with(run + 1, nothing) {
          rocksdb_writebatch_delete_range(batch, first.chars, first.count, $0.chars, $0.count)
        }
      }
    }
    try rocks(map.path) { rocksdb_write(map.db, options, batch, &$0) }
  }
}
