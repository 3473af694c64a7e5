@_spi(Records) internal import ORMStorage

/// Walks over the records that an access names, one after another.
final class RowStream {
  let view: StoreView
  let entity: EntityStorage
  let keyspace: Keyspace
  @exclusivity(unchecked) private var access: BoundAccess
  @exclusivity(unchecked) private var ranges: [KeyRange]
  /// The cursor that walks: over the rows, or over the index's entries; nil where keys suffice.
  private let walk: KeyCursor?
  /// The cursor that looks rows up.
  private var rows: KeyCursor?
  /// The number of keys or ranges that were begun.
  private var begun = 0
  /// True if the range begun last may have more entries than were read.
  private var isInRange = false
  /// Entries that were read of the range; the stream is at one of them.
  ///
  /// All are inside of it.
  let entries: UnsafeMutableBufferPointer<OrderedEntry>
  var position = 0
  private(set) var filled = 0
  /// The number of entries that are read next: twice as many each time, so that going too far costs
  /// little.
  private var batch = 1
  /// The number of entries of a range that are read at first, after the one that it begins with.
  private var firstBatch = 2
  /// The key at which the range begun last ends.
  ///
  /// No key before it belongs to the range when it is read from its end, and no key from there on
  /// otherwise.
  @exclusivity(unchecked) private var rangeEnd = ByteBuffer()
  private var hasRangeEnd = false
  /// The keys of several accesses, once they are collected.
  private var run: SortedKeySet?
  /// Several accesses in the order asked for, once they are begun.
  private var merge: MergedRows?
  /// The sort keys by which they are merged.
  private let order: [SortKey]
  /// The test of the entries of an index.
  let filter: EntryFilter?
  /// True if the rows are walked over, whose records are then in the entries.
  let walksRows: Bool
  /// True if others have the cursors.
  private var isFinished = false
  /// The index whose entries are scanned.
  let index: IndexStorage?

  init(
    _ view: StoreView, _ entity: EntityStorage, _ access: BoundAccess, by order: [SortKey] = [],
    filter: EntryFilter? = nil
  ) throws {
    self.order = order
    self.filter = filter
    walk = try Self.walk(view, entity, access)
    entries = walk?.makeBuffer() ?? .init(start: nil, count: 0)
    self.view = view
    self.entity = entity
    self.access = access
    keyspace = entity.keyspace ?? 0
    ranges = access.path.ranges
    walksRows = if case .rows = access.path { true } else { false }
    index = if case .index(let index, _) = access.path { index } else { nil }
  }

  /// Begins anew with an access of the same plan to other keys, of the same kind; the cursors stay
  /// open.
  ///
  /// False, and nothing is done, where the access is of another kind.
  func restart(_ access: BoundAccess) -> Bool {
    assert(!isFinished, "others have the cursors")
    switch (access.path, self.access.path) {
    case (.rows, .rows), (.index, .index), (.keys, .keys): break
    default: return false
    }
    self.access = access
    ranges = access.path.ranges
    rewind()
    return true
  }

  /// Begins anew with the keys that begin with single values, where there was one range of them;
  /// nothing is allocated.
  ///
  /// False where there was not, or no key can have the values: then it is begun anew otherwise, or not
  /// used any more.
  func restart(_ prefix: [KeyPrefixPart], _ bindings: [StoredValue]) -> Bool {
    assert(!isFinished, "others have the cursors")
    guard ranges.count == 1 else { return false }
    rangeEnd.truncate()
    for part in prefix where !part.append(bindings, to: &rangeEnd) { return false }
    ranges[0].begin(with: rangeEnd.bytes)
    rewind()
    return true
  }

  private func rewind() {
    (begun, position, filled, batch, firstBatch) = (0, 0, 0, 1, 2)
    isInRange = false
  }

  /// Returns the cursors to the view, for its next request; the stream is not read any more.
  ///
  /// Not called when the stream is released, which may happen on any thread.
  func finish() {
    checkInvariants()
    if isFinished { return }
    isFinished = true
    if let walk { view.keep(walk, in: index?.keyspace ?? keyspace) }
    if let rows { view.keep(rows, in: keyspace) }
  }

  /// The entry at which the stream is.
  @inline(__always)
  var entry: OrderedEntry { entries[position] }

  /// Moves to the next row; false at the end.
  ///
  /// The view of its record is valid until the next call.
  @inline(__always)
  func next(_ record: inout RecordView) throws -> Bool {
    guard walksRows else { return try nextLookedUp(&record) }
    guard try advance() else { return false }
    let entry = entry
    try view.open(entry.value, under: entry.key, of: entity, in: keyspace, &record)
    return true
  }

  @inline(never)
  private func nextLookedUp(_ record: inout RecordView) throws -> Bool {
    if let index {
      guard try advancePassing() else { return false }
      try lookUpEntry(of: index, &record)
      return true
    }
    switch access.path {
    case .nothing, .rows, .index: return false
    case .keys(let keys):
      while begun < keys.count {
        let key = keys[access.isReversed ? keys.count - 1 - begun : begun]
        begun += 1
        view.rowsRead &+= 1
        try view.stopCheck.step()
        if try key.withUnsafeBytes({ try lookUp($0, &record) }) { return true }
      }
      return false
    case .union, .intersection: return try nextCollected(&record)
    case .merged(let branches):
      let merge = try self.merge ?? MergedRows(view, entity, branches, by: order)
      self.merge = merge
      return try merge.next(&record)
    }
  }

  private func nextCollected(_ record: inout RecordView) throws -> Bool {
    let run = try self.run ?? collected(access.path)
    self.run = run
    guard begun < run.count else { return false }
    try view.stopCheck.step()
    let position = access.isReversed ? run.count - 1 - begun : begun
    begun += 1
    let isThere = try run.withKey(at: position) { try lookUp($0, &record) }
    guard isThere else { throw entity.missing() }
    return true
  }

  /// Calls `body` with the primary key of each row that meets a condition, some perhaps twice, in
  /// no order; rows are read where there is a condition, or nothing else notes that they are there.
  func forEachKey(
    where condition: RecordCondition?, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard let condition else { return try forEachKey(body) }
    try forEachRow(where: condition) { key, _ in try body(key) }
  }

  /// Calls `body` with the primary key and the record of each row that meets a condition, some
  /// perhaps twice where they are not walked over.
  func forEachRow(
    where condition: RecordCondition?,
    _ body: (_ key: UnsafeRawBufferPointer, RecordView) throws -> Void
  ) throws {
    var row = RecordReader(entity.columns)
    var key = ByteBuffer()
    while try next(&row.view) {
      if let condition, try !condition.matches(row) { continue }
      key.truncate()
      for term in entity.key.terms { try key.append(term, of: row.view) }
      try body(key.bytes, row.view)
    }
  }

  /// Calls `body` with the primary key of each row, without reading rows where keys suffice.
  func forEachKey(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    switch access.path {
    case .rows:
      while try advance() { try body(entry.key) }
    case .index(let index, _):
      while try advancePassing() {
        guard try index.withPrimaryKey(of: entry.key, body) != nil else {
          throw entity.damaged(index)
        }
      }
    case .keys(let keys):
      var record = RecordView(entity.layout)
      while try nextLookedUp(&record) {
        try keys[access.isReversed ? keys.count - begun : begun - 1].withUnsafeBytes(body)
      }
    case .merged(let branches):
      for branch in branches {
        try RowStream(view, entity, BoundAccess(path: branch.path)).forEachKey(body)
      }
    case .union, .intersection: try collected(access.path).forEach(body)
    case .nothing: return
    }
  }

  /// Moves to the next row or entry without looking at it; for counting.
  func skip() throws -> Bool {
    switch access.path {
    case .nothing: return false
    case .rows, .index: return try advancePassing()
    case .keys, .merged:
      var record = RecordView(entity.layout)
      return try nextLookedUp(&record)
    case .union, .intersection:
      let run = try self.run ?? collected(access.path)
      self.run = run
      begun += 1
      return begun <= run.count
    }
  }

  /// Skips a number of rows, without looking them up where keys or entries show that they are
  /// there; gives how many there were, fewer at the end.
  ///
  /// They count as read.
  func pass(_ count: Int) throws -> Int {
    var passed = 0
    var range = begun
    /// The number of entries of the current range that were passed, and whether it goes on for as many
    /// more.
    var inRange = 0
    var isLong = true
    while passed < count {
      if isInRange, filter == nil, isLong, inRange >= Self.shortestMove, position + 1 >= filled {
        let moved = try move(by: min(inRange, Self.longestMove, count - passed))
        passed += moved
        inRange += moved
        isLong = moved > 0
      } else {
        guard try skip() else { break }
        passed += 1
        if range != begun { (range, inRange, isLong) = (begun, 0, true) }
        inRange += 1
      }
    }
    return passed
  }

  /// The number of entries of a range that are passed one by one before several are passed at once.
  ///
  /// A move passes no more than have been passed in the range, so that going too far costs little.
  private static let shortestMove = 16
  private static let longestMove = 256

  /// Moves on by `count` entries from the last one read and returns `count`.
  ///
  /// Returns 0, without having moved, when the range ends before.
  private func move(by count: Int) throws -> Int {
    guard let walk else { return 0 }
    try view.stopCheck.step()
    let start = Array(entry.key)
    if try walk.move(by: access.isReversed ? -count : count) == count, isInside(walk.key) {
      stand(on: walk)
      view.rowsRead &+= count
      return count
    }
    if try start.withUnsafeBytes({ try walk.seek($0) }) { stand(on: walk) }
    return 0
  }

  /// Moves to the next key of a row or entry of an index; nil at the end.
  ///
  /// The bytes are valid until the next call.
  func nextEntry() throws -> UnsafeRawBufferPointer? {
    switch access.path {
    case .rows, .index: try advancePassing() ? entry.key : nil
    case .nothing, .keys, .union, .merged, .intersection: nil
    }
  }

  /// Moves to the next key or entry that passes the test of entries.
  @inline(__always)
  func advancePassing() throws -> Bool {
    while try advance() {
      guard let filter else { return true }
      if try filter.passes(entry.key) { return true }
    }
    return false
  }

  /// Looks up the row of the entry at which the stream is.
  @inline(__always)
  func lookUpEntry(of index: IndexStorage, _ record: inout RecordView) throws {
    let isThere =
      if let key = index.plainPrimaryKey(of: entry.key) {
        try lookUp(key, &record)
      } else {
        try index.withPrimaryKey(of: entry.key) { try lookUp($0, &record) } ?? false
      }
    if !isThere { throw entity.damaged(index) }
  }

  private func lookUp(
    _ key: UnsafeRawBufferPointer, _ record: inout RecordView
  ) throws -> Bool {
    guard let value = try (rows ?? openRows()).value(of: key) else { return false }
    try view.open(value, under: key, of: entity, in: keyspace, &record)
    return true
  }

  @inline(__always)
  func advance() throws -> Bool {
    let next = position &+ 1
    guard next < filled else { return try readOn() }
    position = next
    view.rowsRead &+= 1
    return true
  }

  /// Reads the next entries of the range, or goes to the next range.
  @inline(never)
  private func readOn() throws -> Bool {
    checkInvariants()
    guard let walk else { return false }
    try view.stopCheck.step()
    if isInRange {
      let buffer = UnsafeMutableBufferPointer(rebasing: entries[..<batch])
      let count = try walk.read(buffer, forwards: !access.isReversed)
      filled = countInside(count)
      position = 0
      isInRange = count > 0 && filled == count
      batch = min(2 * batch, KeyCursor.largestBatch)
      if filled > 0 {
        view.rowsRead &+= 1
        return true
      }
    }
    return try beginRange(walk)
  }

  /// Returns the number of the `count` entries read that are in the range: mostly all.
  private func countInside(_ count: Int) -> Int {
    if count == 0 || isInside(entries[count - 1].key) { return count }
    var (inside, outside) = (0, count - 1)
    while inside < outside {
      let middle = (inside + outside) / 2
      if isInside(entries[middle].key) { inside = middle + 1 } else { outside = middle }
    }
    return inside
  }

  /// Returns whether a key on the way has not left the range begun last.
  private func isInside(_ key: UnsafeRawBufferPointer) -> Bool {
    if !hasRangeEnd { return true }
    let isBefore = ByteOrder.compare(key, rangeEnd.bytes) == .less
    return isBefore != access.isReversed
  }

  /// Notes where a range ends that is begun.
  private func setRangeEnd(_ range: KeyRange) {
    rangeEnd.truncate()
    if access.isReversed {
      range.lower.withUnsafeBytes { rangeEnd.append($0) }
      hasRangeEnd = rangeEnd.count > 0
    } else {
      range.upper?.withUnsafeBytes { rangeEnd.append($0) }
      hasRangeEnd = range.upper != nil
    }
  }

  /// Notes the maximum number of rows that are taken; about as many will be.
  func expect(atMost rows: Int) {
    firstBatch = min(max(rows - 1, 2), KeyCursor.largestBatch)
  }

  /// Takes the entry to which the cursor was moved.
  private func stand(on walk: KeyCursor) {
    entries[0] = OrderedEntry(key: walk.key, value: walk.value)
    position = 0
    filled = 1
  }

  /// Goes to the first entry of the next range that has any.
  private func beginRange(_ walk: KeyCursor) throws -> Bool {
    while begun < ranges.count {
      let range = ranges[access.isReversed ? ranges.count - 1 - begun : begun]
      begun += 1
      if begun & 0xFF == 0 { try view.stopCheck.step() }
      let stands: Bool
      if !access.isReversed {
        stands = try range.lower.withUnsafeBytes { try walk.seek($0) }
      } else if let upper = range.upper {
        stands = try upper.withUnsafeBytes { try walk.seek(before: $0) }
      } else {
        stands = try walk.seekLast()
      }
      setRangeEnd(range)
      if stands && isInside(walk.key) {
        stand(on: walk)
        isInRange = true
        batch = firstBatch
        view.rowsRead &+= 1
        return true
      }
    }
    filled = 0
    return false
  }

  private static func walk(
    _ view: StoreView, _ entity: EntityStorage, _ access: BoundAccess
  ) throws -> KeyCursor? {
    switch access.path {
    case .rows:
      try view.keyCursor(in: entity.keyspace ?? 0, entity.overflowKeys)
    case .index(let index, _):
      try view.keyCursor(in: index.keyspace, index.overflowKeys)
    case .nothing, .keys, .union, .merged, .intersection: nil
    }
  }

  @inline(never)
  private func openRows() throws -> KeyCursor {
    let opened = try view.keyCursor(in: keyspace, entity.overflowKeys)
    rows = opened
    return opened
  }
}

extension RowStream {
  /// Checks the numbered invariants; release builds drop it.
  ///
  /// 1. The stream stands on an entry that was read, unless none is at hand.
  /// 2. Only a stream that walks has a buffer of entries, and no more are at hand than it holds.
  /// 3. No more ranges were begun than there are, and only the last may have more entries.
  /// 4. The number of entries that are read next is between one and the size of the buffer.
  func checkInvariants() {
    assert(filled == 0 || (0..<filled).contains(position), "1: is outside of its entries")
    assert(filled <= entries.count, "2: more entries than the buffer holds")
    assert(entries.isEmpty == (walk == nil), "2: a buffer without a walk, or a walk without one")
    assert(begun >= 0 && (walk == nil || begun <= ranges.count), "3: a range that is not there")
    assert(!isInRange || begun > 0 && walk != nil, "3: in a range that was not begun")
    assert(
      batch >= 1 && batch <= KeyCursor.largestBatch
        && firstBatch >= 2 && firstBatch <= KeyCursor.largestBatch,
      "4: batches out of bounds")
  }
}
