package import FoundationEssentials
internal import ORMStorage

/// Makes the UUIDs that Strata gives as keys (RFC 9562).
package enum UUIDGenerator {
  /// The key "not given yet": all bits zero.
  package static let unassigned = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  /// The last time-ordered UUID's milliseconds and counter, so that each is greater than the last.
  private static let last = Lock<(milliseconds: UInt64, counter: UInt16)>((0, 0))

  /// A key for an entity whose UUIDs are made here; nil for other entities.
  ///
  /// - Parameter uuids: the program's own UUIDs, see `StoreOptions.uuids`.
  package static func key(
    for source: StoredEntity.KeySource, by uuids: (@Sendable () -> UUID)?
  ) -> UUID? {
    switch source {
    case .uuidV4: random(by: uuids)
    case .uuidV7: uuids?() ?? timeOrdered()
    case .program, .generated, .hidden: nil
    }
  }

  /// The key of a new row that was given none: a new UUID, or 0 for the store to replace.
  package static func newKey(
    for source: StoredEntity.KeySource, by uuids: (@Sendable () -> UUID)?
  ) -> StoredValue {
    key(for: source, by: uuids).map { .uuid($0) } ?? .int(0)
  }

  /// A random UUID, version 4, or one of the program's own.
  package static func random(by uuids: (@Sendable () -> UUID)?) -> UUID { uuids?() ?? UUID() }

  /// A time-ordered UUID, version 7: 48 bits of milliseconds since 1970, a 12-bit counter that
  /// starts at random in each millisecond (RFC 9562, 6.2, method 1), 62 random bits.
  ///
  /// Each made in this process is greater than the one before.
  package static func timeOrdered() -> UUID {
    let now = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    let (milliseconds, counter) = last.withLock { last in
      if now > last.milliseconds {
        // The upper bit stays clear, so that a millisecond can have 2,048 more.
        last = (now, UInt16.random(in: 0..<0x800))
      } else if last.counter < 0xFFF {
        last.counter += 1
      } else {
        last = (last.milliseconds + 1, UInt16.random(in: 0..<0x800))
      }
      return last
    }
    let tail = UInt64.random(in: 0..<(1 << 62)) | (0b10 << 62)
    func byte(_ value: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: value >> (8 * index))
    }
    return UUID(
      uuid: (
        byte(milliseconds, 5), byte(milliseconds, 4), byte(milliseconds, 3),
        byte(milliseconds, 2), byte(milliseconds, 1), byte(milliseconds, 0),
        0x70 | UInt8(counter >> 8), UInt8(counter & 0xFF),
        byte(tail, 7), byte(tail, 6), byte(tail, 5), byte(tail, 4),
        byte(tail, 3), byte(tail, 2), byte(tail, 1), byte(tail, 0)
      ))
  }
}
