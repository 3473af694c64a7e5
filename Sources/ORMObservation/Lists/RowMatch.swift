/// The rows that two sequences of keys share.
struct RowMatch {
  /// The keys of some rows, each once, and a digest of each row's content.
  typealias Rows<Key> = (keys: [Key], digests: [Int])

  /// The row before of each row after; -1 if it is new.
  private(set) var origins: [Int]
  /// True for each row before that is in the list after.
  private(set) var isMatched: [Bool]

  /// Matches the rows of two sequences by their keys.
  ///
  /// Both are passed side by side, over gaps of a few rows. Rows with the same content that are
  /// further apart find each other by their digests, without a hash of their keys; only the others are
  /// looked up by key.
  init<Key: Hashable>(_ old: Rows<Key>, _ new: Rows<Key>) {
    origins = Array(repeating: -1, count: new.keys.count)
    isMatched = Array(repeating: false, count: old.keys.count)
    func isSame(_ oldRow: Int, _ newRow: Int) -> Bool {
      old.digests[oldRow] == new.digests[newRow] && old.keys[oldRow] == new.keys[newRow]
    }
    var (oldEnd, newEnd) = (old.keys.count, new.keys.count)
    while oldEnd > 0, newEnd > 0, isSame(oldEnd - 1, newEnd - 1) {
      oldEnd -= 1
      newEnd -= 1
      match(oldEnd, newEnd)
    }
    var (oldRow, newRow) = (0, 0)
    while oldRow < oldEnd, newRow < newEnd {
      if isSame(oldRow, newRow) {
        match(oldRow, newRow)
        oldRow += 1
        newRow += 1
        continue
      }
      // Rows were updated, deleted or inserted; without a match nearby, both are left for later.
      var (skippedOld, skippedNew) = (1, 1)
      for gap in 1...Self.longestGap {
        let (furtherOld, furtherNew) = (oldRow + gap, newRow + gap)
        if furtherOld < oldEnd, furtherNew < newEnd, isSame(furtherOld, furtherNew) {
          (skippedOld, skippedNew) = (gap, gap)
          break
        }
        if furtherOld < oldEnd, isSame(furtherOld, newRow) {
          (skippedOld, skippedNew) = (gap, 0)
          break
        }
        if furtherNew < newEnd, isSame(oldRow, furtherNew) {
          (skippedOld, skippedNew) = (0, gap)
          break
        }
      }
      oldRow += skippedOld
      newRow += skippedNew
    }
    matchContents(old, (0..<oldEnd).filter { !isMatched[$0] }, new, newEnd)
    matchKeys(old, oldEnd, new, newEnd)
  }

  /// The most rows that are passed over to find the next match.
  private static var longestGap: Int { 4 }

  private mutating func matchContents<Key: Hashable>(
    _ old: Rows<Key>, _ oldRows: [Int], _ new: Rows<Key>, _ newEnd: Int
  ) {
    if oldRows.isEmpty { return }
    // A hash table without chains; digests are hashes already.
    var mask = 1
    while mask < oldRows.count * 2 { mask *= 2 }
    mask -= 1
    var table = Array(repeating: -1, count: mask + 1)
    for row in oldRows {
      var slot = old.digests[row] & mask
      while table[slot] >= 0 { slot = (slot + 1) & mask }
      table[slot] = row
    }
    for row in 0..<newEnd where origins[row] < 0 {
      let digest = new.digests[row]
      var slot = digest & mask
      while table[slot] >= 0 {
        let found = table[slot]
        if old.digests[found] == digest, old.keys[found] == new.keys[row] {
          match(found, row)
          break
        }
        slot = (slot + 1) & mask
      }
    }
  }

  private mutating func matchKeys<Key: Hashable>(
    _ old: Rows<Key>, _ oldEnd: Int, _ new: Rows<Key>, _ newEnd: Int
  ) {
    var positions: [Key: Int] = [:]
    for row in 0..<oldEnd where !isMatched[row] { positions[old.keys[row]] = row }
    if positions.isEmpty { return }
    for row in 0..<newEnd where origins[row] < 0 {
      if let found = positions[new.keys[row]] { match(found, row) }
    }
  }

  private mutating func match(_ old: Int, _ new: Int) {
    origins[new] = old
    isMatched[old] = true
  }
}
