/// The rows that two lists share, in runs of neighbors.
struct ListMatch: Sendable {
  /// Some rows side by side in the list after.
  struct Run: Sendable {
    /// The position of the first in the list before, where they are side by side too; -1 for new rows.
    let old: Int
    /// The position of the first in the list after.
    let new: Int
    var count: Int
    /// True if the content of each is another than before.
    let isUpdated: Bool

    /// True if the rows are not in the list before.
    var isInserted: Bool { old < 0 }
  }

  /// All rows of the list after, in their order.
  private(set) var runs: [Run] = []
  /// The positions of the rows before that are not in the list after, in ascending order.
  private(set) var deleted: [Int] = []

  /// Matches the rows of two lists by their keys.
  init<Key>(_ old: ListLayout<Key>, _ new: ListLayout<Key>) {
    let whole = Window(old: 0..<old.keys.count, new: 0..<new.keys.count)
    self.init([whole], (old.keys, old.digests), (new.keys, new.digests), whole)
  }

  /// Matches the rows of two lists; those of chunks that both have are not looked at.
  ///
  /// - Parameters:
  ///   - old: the list before; nil for one without rows.
  ///   - keys: returns the keys of some rows.
  init<Element, Key: Hashable>(
    _ old: ListRows<Element>?, _ new: ListRows<Element>, keys: ([Element]) -> [Key]
  ) {
    let old = old ?? ListRows([])
    let changed = Self.changedChunks(old.chunks, new.chunks)
    func rows(_ list: ListRows<Element>, _ chunks: Range<Int>) -> Range<Int> {
      list.starts[chunks.lowerBound]..<list.starts[chunks.upperBound]
    }
    func content(_ chunks: ArraySlice<ListChunk<Element>>) -> (keys: [Key], digests: [Int]) {
      (chunks.flatMap { keys($0.rows) }, chunks.flatMap(\.digests))
    }
    self.init(
      changed.map { Window(old: rows(old, $0.old), new: rows(new, $0.new)) },
      content(changed.flatMap { old.chunks[$0.old] }[...]),
      content(changed.flatMap { new.chunks[$0.new] }[...]),
      Window(old: 0..<old.count, new: 0..<new.count))
  }

  /// Matches the rows of two lists by their primary keys, as stores distinguish them.
  init<Element, ID: PrimaryKey>(
    _ old: ListRows<Element>?, _ new: ListRows<Element>, by positions: KeyPositions<ID>,
    ids: ([Element]) -> [ID]
  ) {
    if positions.isPlain {
      self.init(old, new, keys: ids)
    } else {
      self.init(old, new) { ids($0).map { KeyPositions<ID>.meaning(of: $0) } }
    }
  }

  // MARK: - Windows

  /// A range of rows or chunks of the old list, and the range of the new list that replaced it.
  private struct Window {
    let old: Range<Int>
    let new: Range<Int>
  }

  /// The ranges of chunks between those that both lists have.
  private static func changedChunks<Element>(
    _ old: [ListChunk<Element>], _ new: [ListChunk<Element>]
  ) -> [Window] {
    var start = 0
    while start < old.count, start < new.count, old[start] === new[start] { start += 1 }
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > start, newEnd > start, old[oldEnd - 1] === new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    var indexes: [ObjectIdentifier: Int] = [:]
    for index in start..<oldEnd { indexes[ObjectIdentifier(old[index])] = index }
    var windows: [Window] = []
    var (oldStart, newStart) = (start, start)
    func add(_ oldStart: Int, _ oldEnd: Int, _ newStart: Int, _ newEnd: Int) {
      if oldStart == oldEnd, newStart == newEnd { return }
      windows.append(Window(old: oldStart..<oldEnd, new: newStart..<newEnd))
    }
    for index in start..<newEnd {
      // Chunks that both lists have never change their order.
      guard let found = indexes[ObjectIdentifier(new[index])], found >= oldStart else { continue }
      add(oldStart, found, newStart, index)
      (oldStart, newStart) = (found + 1, index + 1)
    }
    add(oldStart, oldEnd, newStart, newEnd)
    return windows
  }

  // MARK: - Runs

  /// Matches the rows of some windows by their keys; all others are in both lists.
  private init<Key: Hashable>(
    _ windows: [Window], _ old: (keys: [Key], digests: [Int]),
    _ new: (keys: [Key], digests: [Int]), _ whole: Window
  ) {
    let match = RowMatch(old, new)
    /// The positions in the list before of the windows' rows.
    let rows = windows.flatMap(\.old)
    var (oldRow, newRow) = (0, 0)
    var (oldNumber, newNumber) = (0, 0)
    for window in windows {
      add(oldRow, newRow, count: window.new.lowerBound - newRow)
      for row in window.old {
        if !match.isMatched[oldNumber] { deleted.append(row) }
        oldNumber += 1
      }
      for row in window.new {
        let origin = match.origins[newNumber]
        let isUpdated = origin >= 0 && old.digests[origin] != new.digests[newNumber]
        add(origin < 0 ? -1 : rows[origin], row, count: 1, isUpdated: isUpdated)
        newNumber += 1
      }
      (oldRow, newRow) = (window.old.upperBound, window.new.upperBound)
    }
    add(oldRow, newRow, count: whole.new.upperBound - newRow)
  }

  /// Adds a run, or makes the last one longer.
  private mutating func add(_ old: Int, _ new: Int, count: Int, isUpdated: Bool = false) {
    if count == 0 { return }
    if let last = runs.last, last.isUpdated == isUpdated,
      old < 0 ? last.isInserted : !last.isInserted && last.old + last.count == old
    {
      runs[runs.count - 1].count += count
    } else {
      runs.append(Run(old: old, new: new, count: count, isUpdated: isUpdated))
    }
  }
}
