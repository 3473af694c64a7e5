/// Integers, and the position that each was given.
///
/// A hash table of open addresses. The standard library's hash of eight bytes takes 80 instructions, and
/// a multiplication is enough here. Positions are at least 0.
@usableFromInline
package struct IntegerKeyTable: Sendable {
  /// A power of two of them, at most half of which are used.
  @usableFromInline var slots: [Slot] = Array(repeating: Slot(), count: leastSlots)
  /// The number of integers.
  package private(set) var count = 0
  /// The number of bits by which a product is shifted right, which leaves the number of a slot.
  @usableFromInline var shift: UInt64 = 60
  @usableFromInline let multiplier = Self.factor

  @usableFromInline
  struct Slot: Sendable {
    @usableFromInline var key: Int64 = 0
    /// -1 in an empty slot.
    @usableFromInline var position = -1
  }

  private static let leastSlots = 16

  /// Makes a table without integers.
  package init() {}

  /// The position of an integer; nil if it has none.
  @inlinable
  package func position(of key: Int64) -> Int? {
    let position = find(key).position
    return position < 0 ? nil : position
  }

  /// The position of an integer: the one that it has, or else `next`, which it has from now on.
  @inlinable @inline(__always)
  package mutating func position(of key: Int64, next: Int) -> Int {
    let (slot, position) = find(key)
    if position >= 0 { return position }
    insert(key, next, slot)
    return next
  }

  /// Gives an integer a position, replacing the one that it may have.
  package mutating func set(_ position: Int, for key: Int64) {
    let (slot, known) = find(key)
    if known < 0 { insert(key, position, slot) } else { slots[slot].position = position }
  }

  /// Removes all integers; the capacity stays if about as much was used.
  package mutating func removeAll() {
    if count == 0 { return }
    if count * 8 < slots.count {
      self = IntegerKeyTable()
    } else {
      count = 0
      slots.withUnsafeMutableBufferPointer { $0.update(repeating: Slot()) }
    }
  }

  /// The slot of an integer, or the empty one that it would have, and the position there.
  @inlinable @inline(__always)
  func find(_ key: Int64) -> (slot: Int, position: Int) {
    // The upper bits of the product are those that all bits of the key have a part in.
    var slot = Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* multiplier) &>> shift)
    while true {
      let found = slots[slot]
      if found.position < 0 || found.key == key { return (slot, found.position) }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
  }

  @usableFromInline @inline(never)
  mutating func insert(_ key: Int64, _ position: Int, _ slot: Int) {
    slots[slot] = Slot(key: key, position: position)
    count += 1
    if count * 2 > slots.count { grow() }
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    shift -= 1
    for entry in old where entry.position >= 0 { slots[find(entry.key).slot] = entry }
  }

  /// Odd, and anew in each process, so that a program's input cannot choose keys that share a slot:
  /// with a random factor few of any keys meet (Dietzfelbinger and others, "A Reliable Randomized Algorithm
  /// for the Closest-Pair Problem", 1997).
  private static let factor = UInt64.random(in: .min ... .max) | 1
}

/// Keys, and the position that each was given.
///
/// Keys are the same as groups are (``GroupKey``): `1`, `1.0` and the decimal 1 are one key.
package struct KeyTable: Sendable {
  private var integers = IntegerKeyTable()
  private var others: [GroupKey: Int] = [:]

  /// Makes a table without keys.
  package init() {}

  /// The number of keys.
  package var count: Int { integers.count + others.count }

  /// The position of a key; nil if it has none.
  package func position(of key: [StoredValue]) -> Int? {
    if let integer = Self.integer(key) { return integers.position(of: integer) }
    return others[GroupKey(key)]
  }

  /// The position of a key: the one that it has, or else `next`, which it has from now on.
  package mutating func position(of key: [StoredValue], next: Int) -> Int {
    if let integer = Self.integer(key) { return integers.position(of: integer, next: next) }
    let key = GroupKey(key)
    if let known = others[key] { return known }
    others[key] = next
    return next
  }

  /// The position of a key of one value, as of a key in an array.
  package mutating func position(of value: StoredValue, next: Int) -> Int {
    if let integer = Self.integer(value) { return integers.position(of: integer, next: next) }
    return position(of: [value], next: next)
  }

  /// The position of a key that is an integer, as of a key in an array.
  package mutating func position(ofInteger key: Int64, next: Int) -> Int {
    integers.position(of: key, next: next)
  }

  /// Gives a key a position, replacing the one that it may have.
  package mutating func set(_ position: Int, for key: [StoredValue]) {
    if let integer = Self.integer(key) {
      integers.set(position, for: integer)
    } else {
      others[GroupKey(key)] = position
    }
  }

  /// Removes all keys.
  package mutating func removeAll() {
    integers.removeAll()
    if !others.isEmpty { others.removeAll(keepingCapacity: true) }
  }

  private static func integer(_ key: [StoredValue]) -> Int64? {
    key.count == 1 ? integer(key[0]) : nil
  }

  /// The integer that a number is; nil for a number that is none, and for other values.
  ///
  /// A `.uint` is none: it is above the greatest.
  private static func integer(_ value: StoredValue) -> Int64? {
    switch value {
    case .int(let integer): integer
    case .double(let number): Int64(exactly: number)
    case .decimal(let number): DecimalParts(number)?.integer(as: Int64.self)
    default: nil
    }
  }
}
