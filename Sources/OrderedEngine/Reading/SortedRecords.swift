internal import ORMCore

/// Copies of records, in the order of their sort keys; with a limit, only the first so many.
///
/// It belongs to one cursor, and nothing that it calls calls back: so access is not checked while
/// the program runs.
final class SortedRecords {
  private let limit: Int
  @exclusivity(unchecked) private var bytes = ByteBuffer(capacity: 4096)
  @exclusivity(unchecked) private var items: [Item] = []
  /// The key of the last record that is certain to be needed, once there are as many as the limit.
  @exclusivity(unchecked) private var threshold: [UInt8]?
  private let pruneAt: Int

  private struct Item {
    /// The first eight bytes of the key as a number, so that most comparisons need no more.
    var rank: UInt64
    /// Where the key begins, where the record does, and where it ends.
    var start: Int
    var record: Int
    var end: Int
  }

  init(limit: Int) {
    self.limit = limit
    pruneAt = limit < .max / 4 ? max(limit * 2, 256) : .max
  }

  /// How many records there are.
  var count: Int { items.count }

  /// A record, by its place in the order.
  func record(_ position: Int) -> UnsafeRawBufferPointer {
    bytes.bytes(from: items[position].record, to: items[position].end)
  }

  /// Adds a copy of a record, unless it cannot be among the first.
  func add(_ row: RecordView, _ keys: [SortKey]) throws {
    if limit == 0 { return }
    let start = bytes.count
    for key in keys { try key.append(row, to: &bytes) }
    if let threshold, isBeyond(threshold, from: start) {
      bytes.truncate(to: start)
      return
    }
    let record = bytes.count
    bytes.append(row.bytes)
    items.append(
      Item(
        rank: bytes.bytes(from: start, to: record).rank, start: start, record: record,
        end: bytes.count))
    if items.count >= pruneAt { prune() }
  }

  /// Puts the records in order.
  func finish() {
    sort()
    if items.count > limit { items.removeLast(items.count - limit) }
  }

  private func isBeyond(_ threshold: [UInt8], from start: Int) -> Bool {
    threshold.withUnsafeBytes {
      ByteOrder.compare(bytes.bytes(from: start, to: bytes.count), $0) == .greater
    }
  }

  /// Lets go of what cannot be among the first.
  private func prune() {
    finish()
    var kept = ByteBuffer(capacity: bytes.count)
    for index in items.indices {
      let item = items[index]
      let start = kept.count
      kept.append(bytes.bytes(from: item.start, to: item.end))
      items[index] = Item(
        rank: item.rank, start: start, record: start + item.record - item.start,
        end: kept.count)
    }
    swap(&bytes, &kept)
    if let last = items.last, items.count == limit {
      threshold = Array(bytes.bytes(from: last.start, to: last.record))
    }
  }

  private func sort() {
    let base = UnsafeRawPointer(bytes.base)
    items.sort { a, b in
      if a.rank != b.rank { return a.rank < b.rank }
      return ByteOrder.compare(
        UnsafeRawBufferPointer(start: base + a.start, count: a.record - a.start),
        UnsafeRawBufferPointer(start: base + b.start, count: b.record - b.start)) == .less
    }
  }
}

extension UnsafeRawBufferPointer {
  /// The first eight bytes as a number that orders as they do; what is missing counts as 0.
  var rank: UInt64 {
    if count >= 8 { return UInt64(bigEndian: loadUnaligned(as: UInt64.self)) }
    var rank: UInt64 = 0
    for place in 0..<8 { rank = rank << 8 | (place < count ? UInt64(self[place]) : 0) }
    return rank
  }
}
