internal import ORMStorage

/// Keys of any length over a map whose keys are limited.
///
/// A key that is at least 12 bytes shorter than the limit is stored as it is. Of any other the
/// map's key is its first bytes, up to that length, and then 8 bytes of hash. A counter of 4 bytes
/// tells keys of equal hash apart; the value begins with the length of the whole key in 4 bytes,
/// and the whole key. So a stored key has the limit's length exactly when its key is long, and
/// overflow keys that begin alike are adjacent, in the order of their hashes: cursors put each
/// such bucket into the order of the whole keys.
struct OverflowKeys: Sendable {
  /// The length of the map's keys for overflow keys.
  let limit: Int
  /// The longest key that is stored as it is.
  let plainLimit: Int
  /// The hash of a whole key of the given length; tests take one that collides.
  ///
  /// A function without a context: the shape is copied with every key, and counts no references.
  typealias Hash = @convention(c) @Sendable (UnsafeRawPointer?, Int) -> UInt64
  let hash: Hash

  private static let hashSize = 8
  private static let counterSize = 4
  /// The bytes that follow an overflow key's first ones.
  static let extraSize = hashSize + counterSize

  init(
    limit: Int,
    hash: @escaping Hash = { XXHash64.hash(UnsafeRawBufferPointer(start: $0, count: $1)) }
  ) {
    self.limit = limit
    plainLimit = limit == .max ? .max : limit - Self.extraSize
    self.hash = hash
  }

  /// True if any key is long.
  var mayBeLong: Bool { limit < .max }

  /// Returns whether a key is too long for the map and becomes an overflow key.
  @inline(__always)
  func isLong(_ key: UnsafeRawBufferPointer) -> Bool { key.count > plainLimit }

  /// Returns whether a key of the map stands for a long one.
  @inline(__always)
  func isOverflow(_ mapKey: UnsafeRawBufferPointer) -> Bool { mapKey.count > plainLimit }

  /// The bytes that all overflow keys of one bucket begin with.
  func stem(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: key.prefix(plainLimit))
  }

  /// The whole key in the value of an overflow entry; nil when the bytes are none.
  @inline(__always)
  static func key(in value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let length = value.integer(UInt32.self, at: 0) else { return nil }
    return value.part(from: 4, to: 4 + Int(length))
  }

  /// Returns the value that an overflow entry keeps for the key; nil if the entry is damaged.
  @inline(__always)
  static func value(in value: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let length = value.integer(UInt32.self, at: 0) else { return nil }
    return value.part(from: 4 + Int(length), to: value.count)
  }

  /// The error for an overflow entry whose value cannot be.
  static var damaged: StoreError {
    StoreError(.corrupt, "an entry of an overflow key is damaged")
  }

  /// The map's key of an overflow key, or the one that it would have.
  struct Slot {
    /// The map's key that it has or would have.
    var mapKey: [UInt8]
    /// True if it is there.
    var isTaken: Bool
  }

  /// Looks for an overflow key among those of its hash.
  func slot(
    of key: UnsafeRawBufferPointer, in keyspace: Keyspace, of snapshot: any OrderedSnapshot
  ) throws -> Slot {
    var mapKey = Array(stem(key))
    withUnsafeBytes(of: hash(key.baseAddress, key.count).bigEndian) { mapKey += $0 }
    let start = mapKey.count
    var free: UInt32 = 0
    let cursor = try snapshot.cursor(in: keyspace)
    var stands = try mapKey.withUnsafeBytes { try cursor.seek($0) }
    while stands, isOverflow(cursor.key), cursor.key.starts(with: mapKey) {
      guard let found = Self.key(in: cursor.value) else { throw Self.damaged }
      if found.elementsEqual(key) {
        return Slot(mapKey: Array(cursor.key), isTaken: true)
      }
      // Counters are in order, so the first gap is where they stop following each other.
      let counter = cursor.key.dropFirst(start).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if counter == free { free += 1 }
      stands = try cursor.next()
    }
    withUnsafeBytes(of: free.bigEndian) { mapKey += $0 }
    return Slot(mapKey: mapKey, isTaken: false)
  }
}
