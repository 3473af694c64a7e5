internal import ORMStorage

extension RecordLayout {
  /// Returns whether bytes found under a key match the checksum that was written with them.
  ///
  /// True without checksums.
  @inline(__always)
  func isWhole(
    _ record: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) -> Bool {
    let size = checksumSize
    guard size > 0 else { return true }
    guard record.count > size, let start = record.baseAddress else { return false }
    let content = UnsafeRawBufferPointer(start: start + size, count: record.count &- size)
    return Checksum.ofRecord(content, under: key, in: keyspace)
      == UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
  }

  /// True if records have checksums, which ``isSealed(_:under:in:)`` compares.
  @inline(__always)
  var hasChecksums: Bool { checksumSize > 0 }

  /// Returns the answer of ``isWhole(_:under:in:)`` for records with checksums, inlined into a loop over
  /// many.
  @inline(__always)
  static func isSealed(
    _ record: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in keyspace: Keyspace
  ) -> Bool {
    let size = MemoryLayout<UInt64>.size
    guard record.count > size, let start = record.baseAddress else { return false }
    let content = UnsafeRawBufferPointer(start: start + size, count: record.count &- size)
    return Checksum.inlinedOfRecord(content, under: key, in: keyspace)
      == UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
  }
}

extension RecordBuilder {
  /// Writes the checksum of a finished record that will be stored under a key.
  @inline(__always)
  mutating func seal(under key: UnsafeRawBufferPointer, in keyspace: Keyspace) {
    guard layout.checksumSize > 0 else { return }
    checksum = Checksum.ofRecord(content, under: key, in: keyspace)
  }
}
