internal import ORMValues

/// Gives integers the numbers that they are met with first.
///
/// A table of open addresses: the library's hash of eight bytes takes 80 instructions, and a
/// multiplication is enough here.
struct IntegerPositions {
  private var slots: [Slot] = Array(repeating: Slot(), count: 16)
  private var count = 0
  /// The number of bits by which a product is shifted right, which leaves the number of a slot.
  private var shift: UInt64 = 60
  private let multiplier = Self.factor

  private struct Slot {
    var key: Int64 = 0
    /// -1 in an empty slot.
    var position = -1
  }

  /// The number of an integer: the one that it has, or else `next`, which it has from now on.
  @inline(__always)
  mutating func position(of key: Int64, next: Int) -> Int {
    var slot = start(of: key)
    while true {
      let found = slots[slot]
      if found.position < 0 { break }
      if found.key == key { return found.position }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    insert(key, next, slot)
    return next
  }

  /// The slot that a search for a key begins with: the upper bits of the product are those that all
  /// bits of the key have a part in.
  @inline(__always)
  private func start(of key: Int64) -> Int {
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* multiplier) &>> shift)
  }

  @inline(never)
  private mutating func insert(_ key: Int64, _ position: Int, _ slot: Int) {
    slots[slot] = Slot(key: key, position: position)
    count += 1
    if count * 2 > slots.count { grow() }
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    shift -= 1
    for entry in old where entry.position >= 0 {
      var slot = start(of: entry.key)
      while slots[slot].position >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = entry
    }
  }

  /// Odd, and anew in each process, so that nobody can choose keys that all fall into one position:
  /// with a random factor few keys meet, whatever they are (Dietzfelbinger and others, "A Reliable
  /// Randomized Algorithm for the Closest-Pair Problem", 1997).
  private static let factor = UInt64.random(in: .min ... .max) | 1
}
