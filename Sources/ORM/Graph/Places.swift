internal import ORMCore

/// The places of an ordered to-many: integers with gaps, so that something can go between two
/// others without the rest being written.
enum Places {
  /// The distance between neighbours that are placed anew: room for 20 halvings.
  static let gap: Int64 = 1 << 20

  /// The places after the last.
  ///
  /// - Throws: `keysExhausted` when the integers end.
  static func following(_ last: Int64, count: Int) throws -> [Int64] {
    guard last < Int64.max - gap * (Int64(count) + 1) else {
      throw StoreError(
        .keysExhausted,
        "the ordering keys of this to-many are used up; assign it again as a whole")
    }
    return (0..<count).map { last + gap * (Int64($0) + 1) }
  }

  /// Places in ascending order for things that have some, or none, of them already.
  ///
  /// As many as can stay do: those of a longest ascending row among them. The others get places
  /// in the gaps; where a gap is too small, everything is placed anew.
  static func arranged(_ known: [Int64?]) -> [Int64] {
    let kept = longestAscending(known)
    var places = known.map { $0 ?? 0 }
    var start = 0
    var before: Int64 = 0
    for stop in kept + [known.count] {
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
        for index in 0..<Int(count) { places[start + index] = before + step * Int64(index + 1) }
      }
      if let after { before = after }
      start = stop + 1
    }
    return places
  }

  /// The positions of a longest strictly ascending row of the values above 0 (Fredman, 1975).
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
