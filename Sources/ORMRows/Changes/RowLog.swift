internal import ORMStorage

/// The changes of one stored entity's rows in a transaction, in the order of the writes.
package struct RowLog: Sendable {
  /// One written row.
  package struct Entry: Sendable {
    let kind: RowChange.Kind
    /// True if the image after has no more than ``RecordedEntity/keyColumns``, as an insert may have
    /// below level `values`; false if it has the columns of the log's level.
    let isShort: Bool
    /// The position in `values` of the image before; negative where there is none.
    let old: Int
    /// The position in `values` of the image after; negative where there is none.
    let new: Int
  }

  package let entity: RecordedEntity
  let level: ChangeLevel
  /// The number of values of an image.
  let width: Int
  private let keyCount: Int
  private(set) var entries: [Entry] = []
  private(set) var values: [StoredValue] = []
  /// True if the rows that changed are not known.
  package private(set) var isEverything = false
  /// True if a row was deleted, which an insert may bring back.
  private(set) var hasDeletes = false
  /// The keys of rows that were written more than once and are as they were; known below level
  /// `attributes` alone, where there are no images to compare.
  var unchangedKeys: Set<GroupKey> = []

  package init(_ entity: RecordedEntity, level: ChangeLevel) {
    self.entity = entity
    self.level = level
    width = entity.columns(at: level).count
    keyCount = entity.entity.key.count
  }

  /// A position that the log can return to.
  struct Mark {
    fileprivate let entries: Int
    fileprivate let values: Int
    fileprivate let isEverything: Bool
  }

  var mark: Mark {
    Mark(entries: entries.count, values: values.count, isEverything: isEverything)
  }

  /// Forgets the entries added since the mark; all of them without one.
  mutating func undo(to mark: Mark?) {
    entries.removeLast(entries.count - (mark?.entries ?? 0))
    values.removeLast(values.count - (mark?.values ?? 0))
    isEverything = mark?.isEverything ?? false
  }

  // MARK: - Adding

  /// Adds the change of a row, by its images.
  mutating func add(
    _ kind: RowChange.Kind, old: [StoredValue]?, new: [StoredValue]?, limit: Int
  ) {
    add(kind, old: old.map { add($0) } ?? -1, new: new.map { add($0) } ?? -1, limit: limit)
  }

  /// Adds the change of a row, by the positions of its images.
  mutating func add(
    _ kind: RowChange.Kind, old: Int, new: Int, isShort: Bool = false, limit: Int
  ) {
    if isEverything { return }
    if kind == .deleted { hasDeletes = true }
    if entries.count < limit {
      entries.append(Entry(kind: kind, isShort: isShort, old: old, new: new))
    } else {
      isEverything = true
    }
  }

  /// Adds the change of a row whose image is its key, an integer.
  mutating func add(_ kind: RowChange.Kind, key: Int64, isShort: Bool, limit: Int) {
    if isEverything { return }
    values.append(.int(key))
    add(kind, old: -1, new: values.count - 1, isShort: isShort, limit: limit)
  }

  /// Adds an image, and returns its position; a negative one if images are not needed any more.
  mutating func add(_ image: [StoredValue]) -> Int {
    if isEverything { return -1 }
    values.append(contentsOf: image)
    return values.count - image.count
  }

  /// Adds the image of a row by the columns that it has, and returns its position; a negative one if
  /// images are not needed any more.
  mutating func add<R: RowReader & ~Copyable>(_ row: borrowing R, _ columns: [Int]) throws -> Int {
    if isEverything { return -1 }
    let position = values.count
    for column in columns { values.append(try row.value(at: column)) }
    return position
  }

  /// Sets a value of an image.
  mutating func set(_ value: StoredValue, at position: Int) { values[position] = value }

  /// Removes an image that no entry has, if it is the last.
  mutating func drop(_ image: Int, width: Int) {
    if image + width == values.count { values.removeLast(width) }
  }

  /// Notes that any row may have changed.
  mutating func addEverything() { isEverything = true }

  // MARK: - Reading

  /// The image of an entry's row before the write; nil if there is none.
  func old(_ entry: Entry) -> ArraySlice<StoredValue>? {
    entry.old < 0 ? nil : values[entry.old..<entry.old + width]
  }

  /// The image of an entry's row after the write; nil if there is none.
  func new(_ entry: Entry) -> ArraySlice<StoredValue>? {
    if entry.new < 0 { return nil }
    let count = entry.isShort ? entity.keyColumns.count : width
    return values[entry.new..<entry.new + count]
  }

  /// The level whose columns an entry's image after the write has.
  func level(ofNew entry: Entry) -> ChangeLevel { entry.isShort ? .keys : level }

  /// The key of an entry.
  package func key(_ entry: Entry) -> ArraySlice<StoredValue> {
    let start = keyStart(entry)
    return values[start..<start + keyCount]
  }

  private func keyStart(_ entry: Entry) -> Int { entry.new >= 0 ? entry.new : entry.old }

  /// True if the entries are of different rows, in the order of their keys.
  var isSorted: Bool {
    guard var last = entries.first else { return true }
    for entry in entries.dropFirst() {
      if order(last, entry) >= 0 { return false }
      last = entry
    }
    return true
  }

  /// Calls `body` with the first and the last write of each row, in the order of the keys, and with
  /// the number of its writes.
  package func forEachRow(_ body: (_ first: Entry, _ last: Entry, _ count: Int) throws -> Void)
    rethrows
  {
    if isSorted {
      for entry in entries { try body(entry, entry, 1) }
      return
    }
    let positions = entries.indices.sorted { a, b in
      let order = order(entries[a], entries[b])
      return order == 0 ? a < b : order < 0
    }
    var start = 0
    while start < positions.count {
      let first = entries[positions[start]]
      var end = start + 1
      while end < positions.count, order(first, entries[positions[end]]) == 0 { end += 1 }
      try body(first, entries[positions[end - 1]], end - start)
      start = end
    }
  }

  private func order(_ a: Entry, _ b: Entry) -> Int {
    let (a, b) = (keyStart(a), keyStart(b))
    for column in 0..<keyCount {
      if case .int(let a) = values[a + column], case .int(let b) = values[b + column] {
        if a != b { return a < b ? -1 : 1 }
        continue
      }
      let order = StoredValue.order(values[a + column], values[b + column])
      if order != 0 { return order }
    }
    return 0
  }
}
