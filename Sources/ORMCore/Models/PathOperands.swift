internal import ORMStorage

/// The operands of key paths that were used before, found by the key path itself: one that is
/// written in a program is the same object each time.
///
/// Hashing and comparing key paths by their components takes longer than the rest of making a term.
final class PathOperands: Sendable {
  /// The maximum number of operands, a power of two; a new one replaces the one at its position.
  private static let slotCount = 64

  private struct Entry: Sendable {
    /// Retained, so no other key path ever has its address.
    let path: any AnyKeyPath & Sendable
    let operand: Operand
  }

  private let entries = Lock<[Entry?]>([])

  /// The operand of a key path; nil where none can be made, which is not remembered.
  func operand(
    of path: any AnyKeyPath & Sendable, orMake make: (any AnyKeyPath & Sendable) -> Operand?
  ) -> Operand? {
    let slot = Self.slot(of: path)
    let known = entries.withLock { entries -> Operand? in
      guard !entries.isEmpty, let entry = entries[slot], entry.path === path else { return nil }
      return entry.operand
    }
    if let known { return known }
    guard let operand = make(path) else { return nil }
    entries.withLock { entries in
      if entries.isEmpty { entries = Array(repeating: nil, count: Self.slotCount) }
      entries[slot] = Entry(path: path, operand: operand)
    }
    return operand
  }

  /// Objects lie at multiples of 16 bytes, those of a kind often side by side.
  private static func slot(of path: any AnyKeyPath & Sendable) -> Int {
    let address = UInt(bitPattern: ObjectIdentifier(path))
    return Int(truncatingIfNeeded: (address >> 4) ^ (address >> 10)) & (slotCount - 1)
  }
}
