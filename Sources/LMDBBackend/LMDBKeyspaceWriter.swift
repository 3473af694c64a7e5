internal import ORMPlatform
internal import OrderedEngine

/// Writes entries of one keyspace in one batch through one cursor.
///
/// It notices when they come in ascending order at the end of the keyspace, where appending is
/// quicker and fills the pages.
///
/// The writer copies one key: at first the key written last; after a greater one came, a key
/// that is not less than any of the keyspace, the bound. A key greater than the bound is appended,
/// and becomes the new bound.
///
/// Look-ups use the same cursor, so that a write of the key found, or of one near it, searches no
/// more.
final class LMDBKeyspaceWriter {
  private enum Known {
    /// Nothing is known of the keyspace.
    case nothing
    /// The key written last.
    case previous
    /// A key that none of the keyspace is greater than; an empty one for an empty keyspace.
    case bound
  }

  private let cursor: LMDBCursor
  private var known = Known.nothing
  private var knownCount = 0
  private let knownBytes: UnsafeMutableRawBufferPointer
  /// The known key as a number that orders like its bytes, where it has eight of them.
  private var knownHead: UInt64 = 0
  /// The key that was looked up last, at which the cursor may be.
  private var foundCount = 0
  private let foundBytes: UnsafeMutableRawBufferPointer

  init(cursor: LMDBCursor, maximumKeyLength: Int) {
    self.cursor = cursor
    knownBytes = .allocate(byteCount: maximumKeyLength, alignment: 1)
    foundBytes = .allocate(byteCount: maximumKeyLength, alignment: 1)
  }

  deinit {
    knownBytes.deallocate()
    foundBytes.deallocate()
  }

  /// The value of a key, valid until something is written.
  func value(of key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
    // New rows mostly come after all others: then there is nothing to look for.
    if known == .bound, isGreater(key) { return nil }
    return try find(key) ? cursor.value : nil
  }

  /// Removes a key; false when it was not there.
  func remove(_ key: UnsafeRawBufferPointer) throws -> Bool {
    guard try stands(on: key) || find(key) else { return false }
    try cursor.remove()
    return true
  }

  @inline(__always)
  private func find(_ key: UnsafeRawBufferPointer) throws -> Bool {
    foundCount = 0
    guard try cursor.find(key) else { return false }
    guard key.count <= foundBytes.count, let from = key.baseAddress,
      let to = foundBytes.baseAddress
    else { return true }
    foundCount = key.count
    memcpy(to, from, key.count)
    return true
  }

  /// Returns whether the cursor is at a key, since it was looked up and nothing was written
  /// then.
  @inline(__always)
  private func stands(on key: UnsafeRawBufferPointer) -> Bool {
    guard key.count == foundCount, cursor.stands, let found = foundBytes.baseAddress,
      let bytes = key.baseAddress
    else { return false }
    return memcmp(bytes, found, foundCount) == 0
  }

  func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
    if stands(on: key) { return try cursor.replace(key, value) }
    let isPastLast = try isPastLast(key)
    try cursor.put(key, value, isPastLast: isPastLast)
    keep(key, isPastLast)
  }

  func insert(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool {
    let isPastLast = try isPastLast(key)
    let isNew = try cursor.insert(key, value, isPastLast: isPastLast)
    keep(key, isPastLast)
    return isNew
  }

  /// Notes that the keyspace was emptied.
  func noteRemovalOfAll() {
    known = .bound
    knownCount = 0
  }

  @inline(__always)
  private func isPastLast(_ key: UnsafeRawBufferPointer) throws -> Bool {
    switch known {
    case .nothing: return false
    case .bound: return isGreater(key)
    case .previous:
      if !isGreater(key) { return false }
      return try findBound(key)
    }
  }

  /// Looks up the last key of the keyspace, which is the bound.
  private func findBound(_ key: UnsafeRawBufferPointer) throws -> Bool {
    foundCount = 0
    guard try cursor.seekLast() else { return false }
    copy(cursor.key)
    known = .bound
    return isGreater(key)
  }

  @inline(__always)
  private func keep(_ key: UnsafeRawBufferPointer, _ isPastLast: Bool) {
    if known == .bound && !isPastLast { return }
    if known == .nothing { known = .previous }
    copy(key)
  }

  @inline(__always)
  private func copy(_ key: UnsafeRawBufferPointer) {
    if key.count == 8, knownBytes.count >= 8, let from = key.baseAddress {
      // Most keys are one integer.
      let word = from.loadUnaligned(as: UInt64.self)
      knownBytes.storeBytes(of: word, as: UInt64.self)
      knownHead = UInt64(bigEndian: word)
      knownCount = 8
      return
    }
    copy(other: key)
  }

  @inline(never)
  private func copy(other key: UnsafeRawBufferPointer) {
    guard key.count <= knownBytes.count, let from = key.baseAddress, let to = knownBytes.baseAddress
    else { return }
    knownCount = key.count
    memcpy(to, from, key.count)
  }

  /// Returns whether the key is greater than the known one.
  @inline(__always)
  private func isGreater(_ key: UnsafeRawBufferPointer) -> Bool {
    if key.count == 8, knownCount == 8, let bytes = key.baseAddress {
      return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) > knownHead
    }
    return isGreater(other: key)
  }

  @inline(never)
  private func isGreater(other key: UnsafeRawBufferPointer) -> Bool {
    guard knownCount > 0, let known = knownBytes.baseAddress, let bytes = key.baseAddress else {
      return !key.isEmpty
    }
    let order = memcmp(bytes, known, min(key.count, knownCount))
    return order == 0 ? key.count > knownCount : order > 0
  }
}
