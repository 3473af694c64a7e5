@_spi(Records) internal import ORMStorage

/// Copies of records, in the order of their sort keys; with a limit, only the first of them.
///
/// It belongs to one cursor, and nothing that it calls calls back: so access is not checked while
/// the program runs.
final class SortedRecords {
  private let limit: Int
  @exclusivity(unchecked) private var chunks = ByteChunks()
  @exclusivity(unchecked) private var items: [Item] = []
  /// The sort key of the current record.
  @exclusivity(unchecked) private var key = ByteBuffer()
  /// The key of the last record that is certain to be needed, once there are as many as the limit.
  private var threshold: [UInt8]?
  private let pruneAt: Int

  private struct Item {
    /// The first eight bytes of the key as a number, so that most comparisons need no more.
    var abbreviatedKey: UInt64
    /// The address of the key, which the record follows.
    var start: UnsafeRawPointer
    var keyCount: Int
    var recordCount: Int

    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: keyCount) }
    var record: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: start + keyCount, count: recordCount)
    }
  }

  init(limit: Int) {
    self.limit = limit
    pruneAt = limit < .max / 4 ? max(limit * 2, 256) : .max
  }

  /// The number of records.
  var count: Int { items.count }

  /// A record, by its index in the order.
  func record(_ position: Int) -> UnsafeRawBufferPointer { items[position].record }

  /// Adds a copy of a record, unless it cannot be among the first.
  func add(_ row: RecordView, _ keys: [SortKey]) throws {
    if limit == 0 { return }
    key.truncate()
    for part in keys { try part.append(row, to: &key) }
    if let threshold, threshold.withUnsafeBytes({ ByteOrder.compare(key.bytes, $0) == .greater }) {
      return
    }
    items.append(
      Item(
        abbreviatedKey: key.bytes.abbreviatedKey, start: chunks.append(key.bytes, row.bytes),
        keyCount: key.count,
        recordCount: row.count))
    if items.count >= pruneAt { try prune() }
  }

  /// Adds a copy of a record that comes after all others in the order.
  func append(_ record: UnsafeRawBufferPointer) {
    let key = UnsafeRawBufferPointer(start: nil, count: 0)
    items.append(
      Item(
        abbreviatedKey: 0, start: chunks.append(key, record), keyCount: 0, recordCount: record.count
      ))
  }

  /// Puts the records in order.
  func finish() throws {
    try items.sortStoppably { a, b in
      a.abbreviatedKey == b.abbreviatedKey
        ? ByteOrder.compare(a.key, b.key) == .less : a.abbreviatedKey < b.abbreviatedKey
    }
    if items.count > limit { items.removeLast(items.count - limit) }
  }

  /// Releases the records that cannot be among the first.
  private func prune() throws {
    try finish()
    var live = ByteChunks()
    for index in items.indices {
      items[index].start = live.append(items[index].key, items[index].record)
    }
    swap(&chunks, &live)
    if let last = items.last, items.count == limit { threshold = Array(last.key) }
  }
}

/// Bytes that stay where they were put: in pieces of memory, of which a larger one is taken when the
/// last is full, so that nothing is copied as they grow.
private struct ByteChunks: ~Copyable {
  private var pieces: [UnsafeMutableRawPointer] = []
  private var free = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var size = 2048

  /// The size from which pieces do not grow, so that little is left unused.
  private static let largest = 1 << 20

  deinit { for piece in pieces { piece.deallocate() } }

  /// Puts two strings of bytes one after the other; gives where the first begins.
  mutating func append(
    _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
  ) -> UnsafeRawPointer {
    let count = first.count + second.count
    if count > free.count || free.baseAddress == nil { take(count) }
    let target = UnsafeMutableRawBufferPointer(rebasing: free[..<count])
    free = UnsafeMutableRawBufferPointer(rebasing: free[count...])
    UnsafeMutableRawBufferPointer(rebasing: target[..<first.count]).copyMemory(from: first)
    UnsafeMutableRawBufferPointer(rebasing: target[first.count...]).copyMemory(from: second)
    return UnsafeRawPointer(target.baseAddress ?? pieces[pieces.count - 1])
  }

  @inline(never)
  private mutating func take(_ count: Int) {
    size = min(2 * size, Self.largest)
    let piece = UnsafeMutableRawPointer.allocate(byteCount: max(size, count), alignment: 8)
    pieces.append(piece)
    free = UnsafeMutableRawBufferPointer(start: piece, count: max(size, count))
  }
}

extension UnsafeRawBufferPointer {
  /// The first eight bytes as a number that orders as they do; missing bytes count as 0.
  var abbreviatedKey: UInt64 {
    if count >= 8 { return UInt64(bigEndian: loadUnaligned(as: UInt64.self)) }
    var abbreviatedKey: UInt64 = 0
    for i in 0..<8 {
      abbreviatedKey = abbreviatedKey << 8 | (i < count ? UInt64(self[i]) : 0)
    }
    return abbreviatedKey
  }
}
