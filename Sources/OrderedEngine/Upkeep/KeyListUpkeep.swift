internal import ORMStorage

/// Lists the keys of rows that change while a migration copies their entity (clause 10.19), for
/// ``IndexMaintainer``.
///
/// They wait until the operation ends, since nothing may be written while rows are walked over.
final class KeyListUpkeep {
  private let key: KeyShape
  private let list: EntityStorage
  private let keyspace: Keyspace
  private let batch: any OrderedBatch
  private let capacity: Int
  /// The record of the row that was prepared last, and its key.
  private var record: RecordBuilder
  private var recordKey = ByteBuffer()
  /// Keys and records that wait, one after another.
  private var bytes = ByteBuffer()
  private var ends: [(key: Int, record: Int)] = []

  /// Returns nil for an entity whose keys are not listed.
  init?(_ entity: EntityStorage, in batch: any OrderedBatch, capacity: Int) {
    guard let list = entity.keyList, let keyspace = list.keyspace else { return nil }
    key = entity.key
    self.list = list
    self.keyspace = keyspace
    self.batch = batch
    self.capacity = capacity
    record = RecordBuilder(list.layout)
  }

  /// Discards the keys that wait.
  func clear() {
    bytes.truncate()
    ends.removeAll(keepingCapacity: true)
  }

  /// Makes the entry of a row; its key is that of the list too.
  func prepare(_ row: RecordView, key: UnsafeRawBufferPointer) throws {
    record.clear()
    for (term, own) in zip(self.key.terms, list.key.terms) {
      try record.set(try row.value(term.field), own.field)
    }
    try record.finish()
    recordKey.truncate()
    recordKey.append(key)
  }

  /// Takes the entry that was made last.
  func accept() throws {
    if isFull { try finish() }
    record.seal(under: recordKey.bytes, in: keyspace)
    bytes.append(recordKey.bytes)
    let end = bytes.count
    bytes.append(record.bytes)
    ends.append((end, bytes.count))
  }

  /// True if entries that wait are written before the next comes.
  var isFull: Bool { bytes.count > capacity }

  /// Writes the entries.
  func finish() throws {
    var start = 0
    for (key, end) in ends {
      _ = try batch.set(
        bytes.bytes(from: start, to: key), bytes.bytes(from: key, to: end), in: keyspace,
        list.overflowKeys, onlyNew: true)
      start = end
    }
    clear()
  }
}
