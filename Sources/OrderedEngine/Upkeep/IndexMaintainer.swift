internal import ORMStorage

/// Keeps the indexes of one entity in step with its rows during one operation.
///
/// Insert, update and delete are one operation: the entries of the old row that the new one has not
/// go, those that only the new one has come. Unique rules hold when the operation ends. While a migration
/// copies the entity, the keys of changed rows are listed.
final class IndexMaintainer {
  private let queues: [Upkeep]
  private let keyList: KeyListUpkeep?

  /// - Parameters:
  ///   - isWhole: whether the indexes are not read before the operation ends, so that removals of entries may
  ///     wait until then too, to run in order.
  ///   - capacity: how many bytes of them wait.
  init(
    _ entity: EntityStorage, in batch: any OrderedBatch, isWhole: Bool = false,
    capacity: Int = EntryQueue.capacity
  ) {
    queues = entity.maintained.map {
      Upkeep($0, of: entity, in: batch, isWhole: isWhole, capacity: capacity)
    }
    keyList = KeyListUpkeep(entity, in: batch, capacity: capacity)
  }

  /// True if there is anything to keep in step.
  var hasIndexes: Bool { !queues.isEmpty || keyList != nil }

  /// Discards the state of an operation that failed.
  func clear() {
    for queue in queues { queue.clear() }
    keyList?.clear()
  }

  /// Computes the entries that a row's change removes and adds, and writes nothing yet.
  ///
  /// `isChecked` has the unique rules looked at now, which is right only while no other row of the
  /// operation waits; the error is returned, for other rows of the operation may still resolve it.
  func prepare(
    old: RecordView?, new: RecordView?, key: UnsafeRawBufferPointer, isChecked: Bool = false
  ) throws -> StoreError? {
    var broken: StoreError?
    if let keyList, let row = old ?? new { try keyList.prepare(row, key: key) }
    for queue in queues {
      let error = try queue.prepare(old: old, new: new, key: key, isChecked: isChecked)
      broken = broken ?? error
    }
    return broken
  }

  /// Takes the entries prepared last: old ones are removed, new ones wait for the end.
  func accept() throws {
    for queue in queues { try queue.accept() }
    try keyList?.accept()
  }

  /// True if entries that wait are removed before those of the next row do.
  var isFull: Bool {
    for queue in queues where queue.isFull { return true }
    return keyList?.isFull == true
  }

  /// Ends the operation: inserts the new entries; `duplicate` when a unique rule is broken.
  func finish() throws {
    for queue in queues { try queue.finish() }
    try keyList?.finish()
  }
}

/// The upkeep of one index for ``IndexMaintainer``.
private final class Upkeep {
  private let index: IndexStorage
  private let isWhole: Bool
  @exclusivity(unchecked) private var queue: EntryQueue
  @exclusivity(unchecked) private var old = EntryList()
  @exclusivity(unchecked) private var new = EntryList()
  private var isChecked = false

  init(
    _ index: IndexStorage, of entity: EntityStorage, in batch: any OrderedBatch, isWhole: Bool,
    capacity: Int
  ) {
    self.index = index
    self.isWhole = isWhole
    queue = EntryQueue(index, of: entity, in: batch, capacity: capacity)
  }

  func clear() {
    queue.clear()
    old.clear()
    new.clear()
  }

  func prepare(
    old oldRow: RecordView?, new newRow: RecordView?, key: UnsafeRawBufferPointer,
    isChecked: Bool
  ) throws -> StoreError? {
    old.clear()
    new.clear()
    if let oldRow { try old.append(index, of: oldRow, key: key) }
    if let newRow { try new.append(index, of: newRow, key: key) }
    EntryList.removeShared(&old, &new)
    self.isChecked = isChecked
    guard isChecked, index.index.isUnique, !new.isExempt, index.work == nil else { return nil }
    var broken: StoreError?
    try new.forEach { entry, ruled in
      if broken == nil, try queue.isTaken(entry, ruled: ruled) {
        broken = try queue.duplicate(entry, of: newRow)
      }
    }
    if broken != nil { self.isChecked = false }
    return broken
  }

  func accept() throws {
    if isWhole {
      // All entries of a row are queued, or none: the caller checks the capacity before each row.
      try queue.makeBuffer()
      old.forEach { entry, _ in queue.addRemoval(entry) }
    } else {
      try old.forEach { entry, _ in try queue.remove(entry) }
    }
    let isRuled =
      index.index.isUnique && !new.isExempt && (!isChecked || index.work != nil)
    try new.forEach { entry, ruled in try queue.add(entry, ruled: isRuled ? ruled : 0) }
    old.clear()
    new.clear()
  }

  var isFull: Bool { queue.isFull }

  func finish() throws {
    if !queue.isEmpty { try queue.finish() }
  }
}
