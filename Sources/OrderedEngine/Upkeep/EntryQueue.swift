internal import ORMStorage

/// New entries of one index, waiting for the end of an operation: to be inserted in their order, which
/// costs a fraction of any other, and for unique rules to be looked at when every row is written.
///
/// If each row is changed once and no one reads the index meanwhile, removals wait too.
struct EntryQueue: ~Copyable {
  /// The number of bytes that wait before they are written, for new entries and for old ones.
  static var capacity: Int { 64 << 20 }

  private let entity: EntityStorage
  private let index: IndexStorage
  private let batch: any OrderedBatch
  private let capacity: Int
  private var bytes = ByteBuffer()
  private var items: [Item] = []
  /// Old entries, to be removed before.
  private var oldBytes = ByteBuffer(capacity: 0)
  private var oldItems: [Item] = []
  private var checks: KeyCursor?
  /// Inserted before the end of the operation, so that their unique rule is still to be looked at.
  private var lateBytes = ByteBuffer(capacity: 0)
  private var lateItems: [Item] = []

  private struct Item: AbbreviatedKeySortable {
    /// The first eight bytes as a number, so that most comparisons need no more.
    var abbreviatedKey: UInt64
    var start: Int
    var count: Int
    /// The number of bytes that tell the rows apart that a unique rule forbids; 0 when it does not
    /// apply.
    var ruled: Int
  }

  init(
    _ index: IndexStorage, of entity: EntityStorage, in batch: any OrderedBatch,
    capacity: Int = EntryQueue.capacity
  ) {
    self.index = index
    self.entity = entity
    self.batch = batch
    self.capacity = capacity
  }

  /// True if nothing waits.
  var isEmpty: Bool { items.isEmpty && oldItems.isEmpty && lateItems.isEmpty }

  /// Discards the entries that wait.
  mutating func clear() {
    bytes.truncate()
    lateBytes.truncate()
    oldBytes.truncate()
    items.removeAll(keepingCapacity: true)
    oldItems.removeAll()
    lateItems.removeAll()
    checks = nil
  }

  /// Adds an entry; `ruled` bytes of it are looked at for the unique rule, none when it is 0.
  mutating func add(_ entry: UnsafeRawBufferPointer, ruled: Int) throws {
    let item = Item(
      abbreviatedKey: entry.abbreviatedKey, start: bytes.count, count: entry.count, ruled: ruled)
    bytes.append(entry)
    items.append(item)
    if bytes.count > capacity { try insertEarly() }
  }

  /// Returns whether another row already has the values in an entry's first bytes.
  mutating func isTaken(_ entry: UnsafeRawBufferPointer, ruled: Int) throws -> Bool {
    let checks = try self.checks ?? KeyCursor(batch.cursor(in: index.keyspace), index.overflowKeys)
    self.checks = checks
    let prefix = UnsafeRawBufferPointer(rebasing: entry.prefix(ruled))
    var stands = try checks.seek(prefix)
    while stands, checks.key.starts(with: prefix) {
      if !checks.key.elementsEqual(entry) { return true }
      stands = try checks.next()
    }
    return false
  }

  /// Removes an entry that is in the index, or waits to be.
  mutating func remove(_ entry: UnsafeRawBufferPointer) throws {
    if try batch.remove(entry, in: index.keyspace, index.overflowKeys) {
      try index.work?.noteRemoval(of: entry, in: batch)
      return
    }
    // The row was changed before in this operation.
    try insertEarly()
    try removeNow(entry)
  }

  /// Removes an entry that is in the index, unless that is being built and lacks it.
  private func removeNow(_ entry: UnsafeRawBufferPointer) throws {
    let isThere = try batch.remove(entry, in: index.keyspace, index.overflowKeys)
    if let work = index.work {
      try work.noteRemoval(of: entry, in: batch)
    } else if !isThere {
      throw entity.damaged(index)
    }
  }

  /// Adds an entry that is in the index, to be removed; nothing is written.
  mutating func addRemoval(_ entry: UnsafeRawBufferPointer) {
    oldItems.append(
      Item(
        abbreviatedKey: entry.abbreviatedKey, start: oldBytes.count, count: entry.count, ruled: 0))
    oldBytes.append(entry)
  }

  /// True if enough old entries wait that they are to be removed before those of another row come.
  var isFull: Bool { oldBytes.count > capacity }

  /// Removes the old entries that wait where there are that many.
  mutating func makeBuffer() throws {
    if isFull { try removeOld() }
  }

  private mutating func removeOld() throws {
    try Self.sort(&oldItems, in: oldBytes)
    var check = StopCheck()
    for item in oldItems {
      try check.step()
      try removeNow(oldBytes.bytes(from: item.start, to: item.start + item.count))
    }
    oldItems.removeAll(keepingCapacity: true)
    oldBytes.truncate()
  }

  /// Removes and inserts everything; `duplicate` when a unique rule is broken now.
  mutating func finish() throws {
    checkInvariants()
    var check = StopCheck()
    if !oldItems.isEmpty { try removeOld() }
    if index.work != nil { try insertEarly() }
    if !items.isEmpty {
      try Self.sort(&items, in: bytes)
      // Entries that were checked early are inserted first, so that the others are checked against them.
      for item in items where item.ruled == 0 {
        try check.step()
        try insert(bytes.bytes(from: item.start, to: item.start + item.count))
      }
      for item in items where item.ruled > 0 {
        try check.step()
        let entry = bytes.bytes(from: item.start, to: item.start + item.count)
        if try isTaken(entry, ruled: item.ruled) { throw try duplicate(entry) }
        try insert(entry)
      }
    }
    for item in lateItems {
      try check.step()
      let entry = lateBytes.bytes(from: item.start, to: item.start + item.count)
      if try isTaken(entry, ruled: item.ruled), try isThere(entry) { throw try duplicate(entry) }
    }
    clear()
  }

  /// Inserts the entries that wait; their unique rule is checked later.
  private mutating func insertEarly() throws {
    checkInvariants()
    if !oldItems.isEmpty { try removeOld() }
    try Self.sort(&items, in: bytes)
    var check = StopCheck()
    for item in items {
      try check.step()
      let entry = bytes.bytes(from: item.start, to: item.start + item.count)
      if index.work != nil {
        try insertUnchecked(entry, ruled: item.ruled)
        continue
      }
      try insert(entry)
      guard item.ruled > 0 else { continue }
      lateItems.append(
        Item(abbreviatedKey: 0, start: lateBytes.count, count: item.count, ruled: item.ruled))
      lateBytes.append(entry)
    }
    items.removeAll(keepingCapacity: true)
    bytes.truncate()
  }

  /// Inserts an entry into an index that is being built, and notes it if another row already has the
  /// values in its first bytes: the unique rule is checked at the end.
  mutating func insertUnchecked(_ entry: UnsafeRawBufferPointer, ruled: Int) throws {
    if ruled > 0, try isTaken(entry, ruled: ruled) {
      try index.work?.noteSuspect(UnsafeRawBufferPointer(rebasing: entry.prefix(ruled)), in: batch)
    }
    try insert(entry)
  }

  private func insert(_ entry: UnsafeRawBufferPointer) throws {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    _ = try batch.set(entry, nothing, in: index.keyspace, index.overflowKeys, onlyNew: true)
  }

  private func isThere(_ entry: UnsafeRawBufferPointer) throws -> Bool {
    try batch.get(entry, in: index.keyspace, index.overflowKeys) { _ in true } ?? false
  }

  private static func sort(_ items: inout [Item], in bytes: borrowing ByteBuffer) throws {
    let base = UnsafeRawPointer(bytes.base)
    try items.sortByAbbreviatedKeys { a, b in
      ByteOrder.compare(
        UnsafeRawBufferPointer(start: base + a.start, count: a.count),
        UnsafeRawBufferPointer(start: base + b.start, count: b.count)) == .less
    }
  }

  /// The error for an entry whose unique rule is broken, with the values of its row: as given, or
  /// as it was written.
  func duplicate(_ entry: UnsafeRawBufferPointer, of row: RecordView? = nil) throws -> StoreError {
    var error = StoreError(
      .duplicate, "another row has the same value of a unique attribute or set of attributes",
      entity: entity.declared.modelName,
      attributes: index.index.terms.map { entity.layout.entity.columns[$0.column].attribute })
    func fill(from row: RecordView) throws {
      error.values = try index.terms.map { try row.value($0.field) }
      error.key = try entity.key.terms.map { try row.value($0.field) }
    }
    if let row {
      try fill(from: row)
    } else if let keyspace = entity.keyspace {
      _ = try index.withPrimaryKey(of: entry) { key in
        try batch.get(key, in: keyspace, entity.overflowKeys) { record in
          var row = RecordView(entity.layout)
          if row.move(to: record) { try fill(from: row) }
        }
      }
    }
    return error
  }
}

extension EntryQueue {
  /// Checks the numbered invariants; release builds drop it.
  ///
  /// 1. The entries of each list are in its bytes, and together are all of them.
  /// 2. The abbreviated key of an entry is that of its bytes; entries that were inserted early have none.
  /// 3. A unique rule looks at bytes of the entry alone; only entries with a rule are late ones.
  func checkInvariants() {
    assert(areWhole(items, in: bytes) { $0.abbreviatedKey }, "1, 2: the new entries")
    assert(areWhole(oldItems, in: oldBytes) { $0.abbreviatedKey }, "1, 2: the old entries")
    assert(areWhole(lateItems, in: lateBytes) { _ in 0 }, "1, 2: the late entries")
    assert(items.allSatisfy { $0.ruled >= 0 && $0.ruled <= $0.count }, "3: a rule past its entry")
    assert(oldItems.allSatisfy { $0.ruled == 0 }, "3: a rule for an old entry")
    assert(
      lateItems.allSatisfy { $0.ruled > 0 && $0.ruled <= $0.count }, "3: a late one without a rule")
  }

  private func areWhole(
    _ items: [Item], in bytes: borrowing ByteBuffer,
    abbreviatedKey: (UnsafeRawBufferPointer) -> UInt64
  ) -> Bool {
    var size = 0
    for item in items {
      let end = item.start + item.count
      guard item.start >= 0, item.count >= 0, end <= bytes.count else { return false }
      if item.abbreviatedKey != abbreviatedKey(bytes.bytes(from: item.start, to: end)) {
        return false
      }
      size += item.count
    }
    return size == bytes.count
  }
}
