internal import ORMStorage

/// Rows and entries that are passed on several at once.
extension RowStream {
  /// True if ``nextBlock(_:atMost:)`` can be asked.
  ///
  /// Records that are looked up stay where they are in a snapshot alone.
  var hasBlocks: Bool { walksRows || index != nil && filter == nil && view.isFixed }

  /// True if records stay where they are until the end of the stream, also while rows are written.
  var isFixed: Bool { view.isFixed }

  /// Moves over up to `most` rows whose records or entries are loaded, and puts views of the records into a
  /// buffer with capacity for ``KeyCursor/largestBatch``.
  ///
  /// The views are valid until the next call.
  ///
  /// - Returns: the number of views, 0 at the end.
  func nextBlock(
    _ views: UnsafeMutablePointer<RecordView>, atMost most: Int
  ) throws -> Int {
    guard try advance() else { return 0 }
    let count = min(filled &- position, most)
    var record = entity.columns.expectant.view
    if let index {
      return try lookUp(count, of: index, views, &record)
    }
    try view.open(entry.value, under: entry.key, of: entity, in: keyspace, &record)
    views.initialize(to: record)
    guard let first = entries.baseAddress else { return passed(1) }
    let found = UnsafePointer(first + position)
    let keyspace = keyspace
    // A record that cannot be read is reported at the next call, after those before it.
    var number = 1
    if entity.layout.hasChecksums {
      while number < count {
        let entry = found[number]
        guard RecordLayout.isSealed(entry.value, under: entry.key, in: keyspace),
          record.move(to: entry.value)
        else { break }
        (views + number).initialize(to: record)
        number &+= 1
      }
    } else {
      while number < count {
        let entry = found[number]
        guard view.opens(entry.value, under: entry.key, of: entity, in: keyspace, &record) else {
          break
        }
        (views + number).initialize(to: record)
        number &+= 1
      }
    }
    return passed(number)
  }

  /// Looks up the rows of a number of entries, from the one at which the stream is.
  private func lookUp(
    _ count: Int, of index: IndexStorage, _ views: UnsafeMutablePointer<RecordView>,
    _ record: inout RecordView
  ) throws -> Int {
    try lookUpEntry(of: index, &record)
    views.initialize(to: record)
    let first = position
    for number in 1..<max(count, 1) {
      position = first &+ number
      do {
        try lookUpEntry(of: index, &record)
      } catch {
        // Reported at the next call, after those before it.
        position = first
        return passed(number)
      }
      (views + number).initialize(to: record)
    }
    position = first
    return passed(count)
  }

  /// Moves to the last of the entries that were looked at.
  @discardableResult
  func passed(_ count: Int) -> Int {
    position &+= count &- 1
    view.rowsRead &+= count &- 1
    return count
  }

  /// Moves to the next entries, all that are at hand and inside the range; empty at the end.
  ///
  /// The stream stands on the first of them until ``passed(_:)`` learns how many were used. They
  /// are valid until the next call.
  @inline(__always)
  func nextEntries() throws -> UnsafeBufferPointer<OrderedEntry> {
    guard try advancePassing() else { return UnsafeBufferPointer(start: nil, count: 0) }
    let end = filter == nil ? filled : position + 1
    return UnsafeBufferPointer(rebasing: entries[position..<end])
  }
}
