internal import ORMStorage

/// The ordering keys of an ordered to-many: integers with gaps, so that a target can go between two
/// others while the rest stays as it is.
package enum OrderingKeys {
  /// The distance between neighbours whose keys are set anew, enough for 20 halvings.
  package static let gap: Int64 = 1 << 20

  /// Returns the ordering keys after the last.
  ///
  /// - Throws: `keysExhausted` when the integers end.
  package static func following(_ last: Int64, count: Int) throws -> [Int64] {
    guard last < Int64.max - gap * (Int64(count) + 1) else {
      throw StoreError(
        .keysExhausted,
        "the ordering keys of this to-many are used up; assign it again as a whole")
    }
    return (0..<count).map { last + gap * (Int64($0) + 1) }
  }

  /// Returns ordering keys in ascending order for targets of which some have one already.
  ///
  /// As many keys as possible stay: those of a longest ascending subsequence. The others get keys
  /// in the gaps; if a gap is too small, all keys are set anew.
  package static func arranged(_ known: [Int64?]) -> [Int64] {
    let unchanged = longestAscending(known)
    var orderingKeys = known.map { $0 ?? 0 }
    var start = 0
    var before: Int64 = 0
    for stop in unchanged + [known.count] {
      let count = Int64(stop - start)
      let isLast = stop == known.count
      let after = isLast ? nil : known[stop]
      if count > 0 {
        let step: Int64
        if let after {
          let (gapSize, isTooFar) = after.subtractingReportingOverflow(before)
          step = isTooFar ? gap : gapSize / (count + 1)
        } else {
          step = before < Int64.max - gap * (count + 1) ? gap : 0
        }
        guard step > 0 else { return (1...known.count).map { Int64($0) * gap } }
        for index in 0..<Int(count) {
          orderingKeys[start + index] = before + step * Int64(index + 1)
        }
      }
      if let after { before = after }
      start = stop + 1
    }
    return orderingKeys
  }

  /// Returns the positions of a longest strictly ascending subsequence of the values above 0
  /// (Fredman, 1975).
  private static func longestAscending(_ values: [Int64?]) -> [Int] {
    var tails: [Int] = []
    var previous = Array(repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      guard let value, value > 0 else { continue }
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if values[tails[middle]] ?? 0 < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var row: [Int] = []
    var index = tails.last ?? -1
    while index >= 0 {
      row.append(index)
      index = previous[index]
    }
    return row.reversed()
  }
}
