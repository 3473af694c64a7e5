internal import ORMValues

/// The integers of a list that a column is looked up in: a bit for each number of a span that they
/// fill well, as the keys of a page of rows mostly do, else in order.
///
/// So a look-up hashes nothing. It counts no references either, which would cost more than the rest:
/// the memory is the list's own.
// No lock: nothing changes once it is made.
final class IntegerList: @unchecked Sendable {
  /// True if nil is in the list too (clause 2.1).
  let holdsNull: Bool
  private let least: Int64
  /// The difference between the greatest and the least number.
  private let span: UInt64
  /// The bits; empty where the numbers lie too far apart.
  private let bits: UnsafeMutableBufferPointer<UInt64>
  /// The numbers in order, where there are no bits.
  private let sorted: UnsafeMutableBufferPointer<Int64>

  /// The list of a value; nil where it holds anything but integers and nil.
  init?(_ list: StoredValue) {
    guard case .array(let elements) = list else { return nil }
    var numbers: [Int64] = []
    numbers.reserveCapacity(elements.count)
    for element in elements {
      switch element {
      case .int(let number): numbers.append(number)
      case .null: continue
      default: return nil
      }
    }
    holdsNull = numbers.count < elements.count
    least = numbers.min() ?? 0
    span = UInt64(bitPattern: (numbers.max() ?? 0) &- least)
    // As many words as numbers, so that the bits take no more memory than the list did.
    guard span / 64 <= UInt64(numbers.count), !numbers.isEmpty else {
      bits = .allocate(capacity: 0)
      sorted = .allocate(capacity: numbers.count)
      _ = sorted.initialize(from: numbers.sorted())
      return
    }
    sorted = .allocate(capacity: 0)
    bits = .allocate(capacity: Int(span / 64) + 1)
    bits.initialize(repeating: 0)
    for number in numbers {
      let bit = UInt64(bitPattern: number &- least)
      bits[Int(bit >> 6)] |= 1 << (bit & 63)
    }
  }

  deinit {
    bits.deallocate()
    sorted.deallocate()
  }

  func contains(_ number: Int64) -> Bool {
    // A number below the least wraps to a position beyond the span.
    let bit = UInt64(bitPattern: number &- least)
    if bit > span { return false }
    if !bits.isEmpty { return bits[Int(bit >> 6)] >> (bit & 63) & 1 != 0 }
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low < sorted.count && sorted[low] == number
  }
}
