/// The longest run of ascending numbers that a sequence has, not necessarily side by side.
enum LongestRun {
  /// Returns whether each of some different numbers is in the longest ascending run.
  static func members(of numbers: [Int]) -> [Bool] {
    members(of: numbers.map { $0..<$0 + 1 })
  }

  /// Returns whether each of some ranges is in the longest ascending run of all their numbers.
  ///
  /// The ranges have no number in common. A longest run has all numbers of a range, or none.
  static func members(of ranges: [Range<Int>]) -> [Bool] {
    var isMember = Array(repeating: true, count: ranges.count)
    if zip(ranges, ranges.dropFirst()).allSatisfy({ $0.lowerBound < $1.lowerBound }) {
      return isMember
    }
    let sorted = ranges.indices.sorted { ranges[$0].lowerBound < ranges[$1].lowerBound }
    var ranks = isMember.indices.map { $0 }
    for (rank, index) in sorted.enumerated() { ranks[index] = rank + 1 }
    // A Fenwick tree of the longest runs that end in the ranges up to a rank.
    var longest: [(length: Int, index: Int)] = Array(repeating: (0, -1), count: ranges.count + 1)
    /// The range before each in its run; -1 for the first.
    var previous = Array(repeating: -1, count: ranges.count)
    var end = (length: 0, index: -1)
    for (index, range) in ranges.enumerated() {
      var best = (length: 0, index: -1)
      var rank = ranks[index] - 1
      while rank > 0 {
        if longest[rank] > best { best = longest[rank] }
        rank &= rank - 1
      }
      previous[index] = best.index
      let run = (length: best.length + range.count, index: index)
      rank = ranks[index]
      while rank < longest.count {
        if run > longest[rank] { longest[rank] = run }
        rank += rank & -rank
      }
      if run > end { end = run }
    }
    for index in isMember.indices { isMember[index] = false }
    while end.index >= 0 {
      isMember[end.index] = true
      end.index = previous[end.index]
    }
    return isMember
  }
}
