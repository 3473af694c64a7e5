/// A search for the likely position of a number among ascending ones.
///
/// It assumes that they lie evenly between the least and the greatest. That is true of keys that
/// were counted up, and nearly true of random ones.
///
/// A binary search takes as many steps as the number of keys has bits. Each step waits for the one
/// before, and for memory where keys lie with their records. A correct guess takes one step.
@usableFromInline
package enum InterpolationSearch {
  /// Among fewer, halving is as fast.
  @inlinable package static var fewest: Int { 12 }
  /// A guess that is not right is mostly no further off.
  @inlinable package static var reach: Int { 6 }

  /// Returns the number of steps above the least the number is likely to be, `steps` being that of
  /// the greatest; nil where nothing can be said.
  ///
  /// - Parameter number: Neither less than the least nor more than the greatest.
  @inlinable @inline(__always)
  package static func steps(
    to number: UInt64, from least: UInt64, to greatest: UInt64, of steps: Int
  ) -> Int? {
    let width = Int64(bitPattern: greatest &- least)
    let distance = Int64(bitPattern: number &- least)
    guard width > 0, distance >= 0, distance <= width else { return nil }
    // A bit more, so that rounding down does not lead one step below.
    let guess = Int(Float(distance) / Float(width) * Float(steps) + 0.01)
    return min(guess, steps)
  }
}
