/// A set of Unicode scalars, stored as the scalars at which membership changes.
struct ScalarSet: Hashable, Sendable {
  /// Ascending: each even one begins a range, each odd one is the end of it, no longer inside.
  private(set) var flips: [UInt32] = []

  /// One more than the last scalar.
  private static let end: UInt32 = 0x11_0000

  /// Every scalar.
  static let all = ScalarSet(0...end - 1)

  /// No scalar.
  init() {}

  init(_ scalar: UInt32) { flips = [scalar, scalar + 1] }

  init(_ range: ClosedRange<UInt32>) { flips = [range.lowerBound, range.upperBound + 1] }

  /// The scalars of all these ranges, which may overlap and be in any order.
  init(ranges: [ClosedRange<UInt32>]) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = flips.last, range.lowerBound <= last {
        flips[flips.count - 1] = max(last, range.upperBound + 1)
      } else {
        flips += [range.lowerBound, range.upperBound + 1]
      }
    }
  }

  /// The only scalar, where there is just one.
  var single: UInt32? { flips.count == 2 && flips[1] == flips[0] + 1 ? flips[0] : nil }

  /// The ranges, ascending.
  var ranges: [ClosedRange<UInt32>] {
    stride(from: 0, to: flips.count, by: 2).map { flips[$0]...flips[$0 + 1] - 1 }
  }

  func contains(_ scalar: UInt32) -> Bool {
    var low = 0
    var high = flips.count
    while low < high {
      let middle = (low + high) / 2
      if flips[middle] <= scalar { low = middle + 1 } else { high = middle }
    }
    return low % 2 == 1
  }

  /// The scalars that are not in it.
  var complement: ScalarSet {
    var copy = self
    if copy.flips.first == 0 { copy.flips.removeFirst() } else { copy.flips.insert(0, at: 0) }
    if copy.flips.last == Self.end {
      copy.flips.removeLast()
    } else {
      copy.flips.append(Self.end)
    }
    return copy
  }

  func union(_ other: ScalarSet) -> ScalarSet { combined(other) { $0 || $1 } }
  func intersection(_ other: ScalarSet) -> ScalarSet { combined(other) { $0 && $1 } }
  func subtracting(_ other: ScalarSet) -> ScalarSet { combined(other) { $0 && !$1 } }

  private func combined(_ other: ScalarSet, _ holds: (Bool, Bool) -> Bool) -> ScalarSet {
    var result = ScalarSet()
    var i = 0
    var j = 0
    var isInside = false
    while i < flips.count || j < other.flips.count {
      let here = i < flips.count ? flips[i] : .max
      let there = j < other.flips.count ? other.flips[j] : .max
      let next = min(here, there)
      if here == next { i += 1 }
      if there == next { j += 1 }
      if holds(i % 2 == 1, j % 2 == 1) != isInside {
        isInside.toggle()
        result.flips.append(next)
      }
    }
    return result
  }
}
