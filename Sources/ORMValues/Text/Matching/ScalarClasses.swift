/// A partition of the scalars into classes whose members a pattern does not distinguish.
struct ScalarClasses: Sendable {
  /// The class of each ASCII scalar.
  let ascii: [UInt16]
  /// The numbers of the sets that hold each class, as bits.
  let members: [[UInt64]]
  /// The start of each run of scalars of one class, ascending from 0.
  private let starts: [UInt32]
  /// The class of each run.
  private let numbers: [UInt16]

  /// The number of classes.
  var count: Int { members.count }

  /// The classes that these sets make, fewer than 65,536: each set that was written has few ranges, and the
  /// properties' ranges together are fewer.
  ///
  /// - Throws: `tooComplex`.
  init(of sets: [ScalarSet]) throws {
    var flips: [(scalar: UInt32, set: Int)] = []
    for (number, set) in sets.enumerated() {
      for scalar in set.flips { flips.append((scalar, number)) }
    }
    flips.sort { $0.scalar < $1.scalar }
    var inside = [UInt64](repeating: 0, count: (sets.count + 63) / 64)
    var known: [[UInt64]: UInt16] = [:]
    var members: [[UInt64]] = []
    var starts: [UInt32] = []
    var numbers: [UInt16] = []
    var next = 0
    var start: UInt32 = 0
    while start < 0x11_0000 {
      while next < flips.count, flips[next].scalar == start {
        inside[flips[next].set >> 6] ^= 1 << UInt64(flips[next].set & 63)
        next += 1
      }
      let number: UInt16
      if let found = known[inside] {
        number = found
      } else {
        guard members.count < Self.limit else {
          throw StoreError(.tooComplex, "the pattern of MATCHES has too many character classes")
        }
        number = UInt16(members.count)
        known[inside] = number
        members.append(inside)
      }
      starts.append(start)
      numbers.append(number)
      start = next < flips.count ? flips[next].scalar : 0x11_0000
    }
    self.members = members
    self.starts = starts
    self.numbers = numbers
    var ascii = [UInt16](repeating: 0, count: 128)
    var run = 0
    for scalar in 0..<128 {
      while run + 1 < starts.count, starts[run + 1] <= UInt32(scalar) { run += 1 }
      ascii[scalar] = numbers[run]
    }
    self.ascii = ascii
  }

  /// More are not needed by any pattern within the limits of its size.
  private static let limit = 16_384

  /// Returns whether a class is inside a set.
  func isInside(_ number: Int, _ set: Int) -> Bool {
    members[number][set >> 6] >> UInt64(set & 63) & 1 != 0
  }

  /// The class of a scalar.
  func number(of scalar: UInt32) -> Int {
    starts.withUnsafeBufferPointer { starts in
      var low = 0
      var high = starts.count
      while high &- low > 1 {
        let middle = (low &+ high) >> 1
        if starts[middle] <= scalar { low = middle } else { high = middle }
      }
      return Int(numbers[low])
    }
  }
}
