/// The rows that two lists share.
struct ListMatch {
  /// The row before of each row after; -1 if it is new.
  private(set) var origins: [Int]
  /// True for each row before that is in the list after.
  private(set) var isKept: [Bool]

  /// Matches the rows of two lists by their keys.
  ///
  /// Both lists are passed side by side, over gaps of a few rows. Rows with the same content that are
  /// further apart find each other by their digests, without a hash of their keys; only the others are
  /// looked up by key.
  init<Key>(_ old: ListLayout<Key>, _ new: ListLayout<Key>) {
    origins = Array(repeating: -1, count: new.count)
    isKept = Array(repeating: false, count: old.count)
    func isSame(_ oldRow: Int, _ newRow: Int) -> Bool {
      old.digests[oldRow] == new.digests[newRow] && old.keys[oldRow] == new.keys[newRow]
    }
    var (oldEnd, newEnd) = (old.count, new.count)
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
    matchContents(old, (0..<oldEnd).filter { !isKept[$0] }, new, newEnd)
    matchKeys(old, oldEnd, new, newEnd)
  }

  /// The most rows that are passed over to find the next match.
  private static var longestGap: Int { 4 }

  private mutating func matchContents<Key>(
    _ old: ListLayout<Key>, _ oldRows: [Int], _ new: ListLayout<Key>, _ newEnd: Int
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

  private mutating func matchKeys<Key>(
    _ old: ListLayout<Key>, _ oldEnd: Int, _ new: ListLayout<Key>, _ newEnd: Int
  ) {
    var places: [Key: Int] = [:]
    for row in 0..<oldEnd where !isKept[row] { places[old.keys[row]] = row }
    if places.isEmpty { return }
    for row in 0..<newEnd where origins[row] < 0 {
      if let found = places[new.keys[row]] { match(found, row) }
    }
  }

  private mutating func match(_ old: Int, _ new: Int) {
    origins[new] = old
    isKept[old] = true
  }
}

/// The longest run of ascending numbers that a sequence has, not necessarily side by side.
enum LongestRun {
  /// Returns whether each of some different numbers is in the longest ascending run.
  static func members(of numbers: [Int]) -> [Bool] {
    var isMember = Array(repeating: false, count: numbers.count)
    /// The least number that ends a run of each length, and its place.
    var least: [Int] = []
    var ends: [Int] = []
    /// The place before each in its run; -1 for the first.
    var previous = Array(repeating: -1, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      // From the end on in growing steps: most numbers continue a long run.
      var range = ends.count..<ends.count
      var step = 1
      while range.lowerBound > 0, least[range.lowerBound - 1] > number {
        range = max(0, range.lowerBound - step)..<range.lowerBound - 1
        step *= 2
      }
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        range =
          least[middle] < number
          ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      let length = range.lowerBound
      if length > 0 { previous[place] = ends[length - 1] }
      if length == ends.count {
        least.append(number)
        ends.append(place)
      } else {
        least[length] = number
        ends[length] = place
      }
    }
    var place = ends.last ?? -1
    while place >= 0 {
      isMember[place] = true
      place = previous[place]
    }
    return isMember
  }
}
