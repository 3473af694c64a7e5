internal import ORMStorage

/// Entries of an index with the number of their bytes that a unique rule compares, sorted by their bytes
/// and written in blocks.
struct SortedEntries: ~Copyable {
  /// The bytes of a block from which on the next entry begins another.
  private static var blockSize: Int { 32 << 10 }

  private var bytes = ByteBuffer()
  private var items: [Item] = []
  /// The bytes of the entries so far.
  var size: Int { bytes.count }

  private struct Item: AbbreviatedKeySortable {
    var abbreviatedKey: UInt64
    var start: Int
    var count: Int
    var ruled: Int
  }

  /// True if there is no entry.
  var isEmpty: Bool { items.isEmpty }

  /// Adds an entry; `ruled` is 0 if no unique rule applies to it.
  mutating func add(_ entry: UnsafeRawBufferPointer, ruled: Int) {
    items.append(
      Item(
        abbreviatedKey: entry.abbreviatedKey, start: bytes.count, count: entry.count,
        ruled: ruled))
    bytes.append(entry)
  }

  /// Sorts the entries.
  mutating func sort() throws {
    let base = UnsafeRawPointer(bytes.base)
    try items.sortByAbbreviatedKeys { a, b in
      ByteOrder.compare(
        UnsafeRawBufferPointer(start: base + a.start, count: a.count),
        UnsafeRawBufferPointer(start: base + b.start, count: b.count)) == .less
    }
  }

  /// Calls `body` with each entry, in the order in which they were added or sorted.
  func forEach(_ body: (_ entry: UnsafeRawBufferPointer, _ ruled: Int) throws -> Void) rethrows {
    for item in items {
      try body(bytes.bytes(from: item.start, to: item.start + item.count), item.ruled)
    }
  }

  /// Calls `body` with blocks of the entries in the form that ``SortedRun`` reads.
  func forEachBlock(_ body: (_ number: Int, _ block: UnsafeRawBufferPointer) throws -> Void) throws
  {
    var block = ByteBuffer()
    var number = 0
    try forEach { entry, ruled in
      block.append(littleEndian: UInt32(truncatingIfNeeded: entry.count))
      block.append(littleEndian: UInt32(truncatingIfNeeded: ruled))
      block.append(entry)
      if block.count < Self.blockSize { return }
      try body(number, block.bytes)
      number += 1
      block.truncate()
    }
    if block.count > 0 { try body(number, block.bytes) }
  }
}

/// A run of sorted entries, read from a position on.
struct SortedRun {
  let number: Int
  /// The position of the current entry.
  private(set) var position: IndexWorkState.Position
  /// The current entry, valid as values of the snapshot are.
  private(set) var entry = UnsafeRawBufferPointer(start: nil, count: 0)
  /// The number of its bytes that a unique rule compares.
  private(set) var ruled = 0
  private var block: UnsafeRawBufferPointer?
  private let work: IndexWork
  private let snapshot: any OrderedSnapshot

  /// A run at a position.
  init(
    _ number: Int, at position: IndexWorkState.Position, of work: IndexWork,
    in snapshot: any OrderedSnapshot
  ) {
    self.number = number
    self.position = position
    self.work = work
    self.snapshot = snapshot
  }

  /// Reads the entry at the position; false at the end of the run.
  mutating func read() throws -> Bool {
    if block == nil { block = try work.block(run: number, number: position.block, in: snapshot) }
    guard let held = block else { return false }
    if position.offset >= held.count {
      position = .init(block: position.block + 1, offset: 0)
      block = nil
      return try read()
    }
    guard let count = held.integer(UInt32.self, at: position.offset),
      let ruled = held.integer(UInt32.self, at: position.offset + 4), ruled <= count,
      let entry = held.part(from: position.offset + 8, to: position.offset + 8 + Int(count))
    else { throw Catalog.damaged }
    self.entry = entry
    self.ruled = Int(ruled)
    return true
  }

  /// Moves behind the current entry and reads the next; false at the end of the run.
  mutating func next() throws -> Bool {
    position.offset += 8 + entry.count
    return try read()
  }
}

/// The runs of an index, read together in the order of their entries.
struct MergedRuns {
  /// The runs that have entries left, the one with the least entry first: a binary heap.
  private var heap: [SortedRun] = []
  /// The positions of all runs.
  private(set) var positions: [IndexWorkState.Position]

  /// Reads runs from their positions on.
  init(
    from positions: [IndexWorkState.Position], of work: IndexWork, in snapshot: any OrderedSnapshot
  ) throws {
    self.positions = positions
    for (number, position) in positions.enumerated() {
      var run = SortedRun(number, at: position, of: work, in: snapshot)
      guard try run.read() else { continue }
      heap.append(run)
    }
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// Calls `body` with the next entry; false if there is none.
  mutating func next(_ body: (SortedRun) throws -> Void) throws -> Bool {
    if heap.isEmpty { return false }
    try body(heap[0])
    let stands = try heap[0].next()
    positions[heap[0].number] = heap[0].position
    if !stands {
      let last = heap.removeLast()
      if heap.isEmpty { return true }
      heap[0] = last
    }
    sink(0)
    return true
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = 2 * index + 1
      if least >= heap.count { return }
      if least + 1 < heap.count, isLess(least + 1, least) { least += 1 }
      if !isLess(least, index) { return }
      heap.swapAt(least, index)
      index = least
    }
  }

  private func isLess(_ a: Int, _ b: Int) -> Bool {
    ByteOrder.compare(heap[a].entry, heap[b].entry) == .less
  }
}
