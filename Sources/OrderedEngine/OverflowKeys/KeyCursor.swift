/// A cursor over keys of any length: as the map's, with overflow keys whole and in their order.
///
/// `key` and `value` are valid as those of the map's cursor are.
final class KeyCursor {
  private let cursor: any OrderedCursor
  private let overflowKeys: OverflowKeys
  /// The overflow entries that begin like the one the cursor is at, in the order of their whole keys;
  /// empty when it is not at one.
  @exclusivity(unchecked) private var bucket: [Entry] = []
  private var position = 0
  /// The entry at which the map's cursor was when it was last moved.
  private var entry = OrderedEntry()

  /// Capacity for entries that are read at once; none before it is asked for.
  private var buffer: UnsafeMutablePointer<OrderedEntry>?

  /// The most entries that are read at once.
  static let largestBatch = 32

  private struct Entry {
    var mapKey: [UInt8]
    var key: [UInt8]
  }

  init(_ cursor: any OrderedCursor, _ overflowKeys: OverflowKeys) {
    self.cursor = cursor
    self.overflowKeys = overflowKeys
  }

  deinit { buffer?.deallocate() }

  /// Capacity for ``largestBatch`` entries, which lives as long as the cursor.
  func makeBuffer() -> UnsafeMutableBufferPointer<OrderedEntry> {
    let buffer = buffer ?? .allocate(capacity: Self.largestBatch)
    self.buffer = buffer
    return UnsafeMutableBufferPointer(start: buffer, count: Self.largestBatch)
  }

  /// The whole key of the entry.
  @inline(__always)
  var key: UnsafeRawBufferPointer {
    bucket.isEmpty
      ? entry.key
      : OverflowKeys.key(in: entry.value) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The value stored under the key.
  @inline(__always)
  var value: UnsafeRawBufferPointer {
    bucket.isEmpty
      ? entry.value
      : OverflowKeys.value(in: entry.value) ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// Moves to the following entry.
  @inline(__always)
  func next() throws -> Bool {
    guard bucket.isEmpty else { return try step(1) }
    return try cursor.next() && settle(forwards: true)
  }

  /// Moves to the preceding entry.
  @inline(__always)
  func previous() throws -> Bool {
    guard bucket.isEmpty else { return try step(-1) }
    return try cursor.previous() && settle(forwards: false)
  }

  /// Moves on by at least one entry and puts the passed entries into `entries`, as the map's cursor does;
  /// 0 at the end.
  func read(
    _ entries: UnsafeMutableBufferPointer<OrderedEntry>, forwards: Bool
  ) throws -> Int {
    if !bucket.isEmpty { return try readOne(entries, try forwards ? next() : previous()) }
    let count = try cursor.read(entries, forwards: forwards)
    if !overflowKeys.mayBeLong || count == 0 {
      if count > 0 { entry = entries[count - 1] }
      return count
    }
    guard let long = entries[..<count].firstIndex(where: { overflowKeys.isOverflow($0.key) }) else {
      entry = entries[count - 1]
      return count
    }
    // Back to the overflow entry, or to the last entry before it.
    guard try cursor.seek(entries[max(long - 1, 0)].key) else { return 0 }
    if long == 0 { return try readOne(entries, settle(forwards: forwards)) }
    entry = entries[long - 1]
    return long
  }

  private func readOne(
    _ entries: UnsafeMutableBufferPointer<OrderedEntry>, _ stands: Bool
  ) throws -> Int {
    guard stands else { return 0 }
    entries[0] = OrderedEntry(key: key, value: value)
    return 1
  }

  /// Moves on by a number of entries, backwards when negative; gives how many it moved by, fewer at
  /// the end.
  func move(by count: Int) throws -> Int {
    let forwards = count > 0
    let wanted = Int(clamping: count.magnitude)
    var moved = 0
    while !bucket.isEmpty, moved < wanted {
      guard try step(forwards ? 1 : -1) else { return moved }
      moved += 1
    }
    if moved == wanted { return moved }
    let rest = wanted - moved
    let steps = try cursor.move(by: forwards ? rest : -rest)
    guard steps == rest else { return moved + steps }
    entry = cursor.entry
    if overflowKeys.isOverflow(entry.key) { try enterInside() }
    return wanted
  }

  /// Goes into the bucket of the overflow entry that the map's cursor is at, to the position among
  /// whole keys that the overflow entry has among its like: as many come before it.
  private func enterInside() throws {
    let mapKey = Array(cursor.key)
    try load()
    position = bucket.count { $0.mapKey.lexicographicallyPrecedes(mapKey) }
    _ = try stand()
  }

  /// Moves to the first entry whose whole key is not less than `key`.
  @inline(__always)
  func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
    if !bucket.isEmpty { bucket = [] }
    if overflowKeys.isLong(key) { return try seek(overflow: key) }
    return try cursor.seek(key) && settle(forwards: true)
  }

  /// The value of a whole key, valid as the map's cursor says; nil when there is none.
  ///
  /// It leaves the cursor standing anywhere or nowhere.
  @inline(__always)
  func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    if !bucket.isEmpty { bucket = [] }
    if !overflowKeys.isLong(key) { return try cursor.value(of: key) }
    return try seek(overflow: key) && self.key.elementsEqual(key) ? value : nil
  }

  /// Moves to the last entry whose whole key is less than `key`.
  func seek(before key: UnsafeRawBufferPointer) throws -> Bool {
    bucket = []
    if overflowKeys.isLong(key) {
      // A key that is not less is not less than the bucket's end, or is in the bucket.
      return try seek(overflow: key) ? previous() : seekLast()
    }
    return try cursor.seek(before: key) && settle(forwards: false)
  }

  /// Moves to the last entry of all.
  func seekLast() throws -> Bool {
    bucket = []
    return try cursor.seekLast() && settle(forwards: false)
  }

  /// Goes into the bucket when the map's cursor came upon one.
  @inline(__always)
  private func settle(forwards: Bool) throws -> Bool {
    entry = cursor.entry
    return overflowKeys.isOverflow(entry.key) ? try enter(forwards: forwards) : true
  }

  @inline(never)
  private func enter(forwards: Bool) throws -> Bool {
    try load()
    position = forwards ? 0 : bucket.count - 1
    return try stand()
  }

  /// Reads the bucket of the overflow entry that the map's cursor is at.
  private func load() throws {
    let stem = Array(overflowKeys.stem(cursor.key))
    bucket = []
    var stands = try stem.withUnsafeBytes { try cursor.seek($0) }
    // A plain key may be the stem itself; it comes before the bucket.
    if stands && !overflowKeys.isOverflow(cursor.key) { stands = try cursor.next() }
    while stands, overflowKeys.isOverflow(cursor.key), cursor.key.starts(with: stem) {
      guard let key = OverflowKeys.key(in: cursor.value) else { throw OverflowKeys.damaged }
      bucket.append(Entry(mapKey: Array(cursor.key), key: Array(key)))
      stands = try cursor.next()
    }
    bucket.sort { $0.key.lexicographicallyPrecedes($1.key) }
  }

  private func stand() throws -> Bool {
    let stands = try bucket[position].mapKey.withUnsafeBytes { try cursor.seek($0) }
    entry = stands ? cursor.entry : OrderedEntry()
    return stands
  }

  @inline(never)
  private func step(_ direction: Int) throws -> Bool {
    position += direction
    if bucket.indices.contains(position) { return try stand() }
    return try leave(forwards: direction > 0)
  }

  /// Goes on beyond the bucket.
  private func leave(forwards: Bool) throws -> Bool {
    let mapKeys = bucket.lazy.map(\.mapKey)
    let edge =
      forwards
      ? mapKeys.max { $0.lexicographicallyPrecedes($1) }
      : mapKeys.min { $0.lexicographicallyPrecedes($1) }
    bucket = []
    guard let edge, try edge.withUnsafeBytes({ try cursor.seek($0) }) else { return false }
    return try forwards ? next() : previous()
  }

  @inline(never)
  private func seek(overflow key: UnsafeRawBufferPointer) throws -> Bool {
    let stem = overflowKeys.stem(key)
    var stands = try cursor.seek(stem)
    if stands && !overflowKeys.isOverflow(cursor.key) && cursor.key.elementsEqual(stem) {
      stands = try cursor.next()
    }
    guard stands else { return false }
    guard overflowKeys.isOverflow(cursor.key), cursor.key.starts(with: stem) else {
      return try settle(forwards: true)
    }
    try load()
    if let first = bucket.firstIndex(where: { !$0.key.lexicographicallyPrecedes(key) }) {
      position = first
      return try stand()
    }
    return try leave(forwards: true)
  }
}
