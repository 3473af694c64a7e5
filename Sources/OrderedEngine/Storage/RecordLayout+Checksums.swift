internal import ORMCore

extension RecordLayout {
  /// Whether bytes found under a key are what was sealed there.
  ///
  /// True without checksums.
  @inline(__always)
  func isWhole(
    _ record: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, in space: Space
  ) -> Bool {
    guard checksumSize > 0 else { return true }
    guard let sum = record.integer(UInt64.self, at: 0),
      let content = record.part(from: checksumSize, to: record.count)
    else { return false }
    return Checksum.of(content, under: key, in: space) == sum
  }
}

extension RecordBuilder {
  /// Writes the checksum of a finished record that is to be kept under a key.
  @inline(__always)
  mutating func seal(under key: UnsafeRawBufferPointer, in space: Space) {
    guard layout.checksumSize > 0 else { return }
    checksum = Checksum.of(content, under: key, in: space)
  }
}
