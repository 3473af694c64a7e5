package import FoundationEssentials
package import ORMValues

/// The stored form of a column whose larger values core keeps beside the rows.
///
/// It is data that begins with a byte for the kind of content that follows.
package enum ExternalForm {
  /// The value itself follows.
  private static let inlineMark: UInt8 = 0
  /// The digest of the value follows, its length and its checksum.
  private static let referenceMark: UInt8 = 1

  /// A value that stays in its row.
  package static func inline(_ value: Data) -> Data {
    var bytes = Data(capacity: value.count + 1)
    bytes.append(inlineMark)
    bytes.append(value)
    return bytes
  }

  /// Returns the stored form of a reference to a value that is stored beside the rows.
  package static func reference(_ reference: ExternalReference) -> Data {
    var bytes = Data(capacity: ExternalReference.count + 1)
    bytes.append(referenceMark)
    bytes.append(contentsOf: reference.digest.bytes)
    withUnsafeBytes(of: UInt64(reference.length).bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: reference.checksum.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// The content of a column.
  package enum Content {
    /// The value, which follows the first byte of the column.
    case inline(UnsafeRawBufferPointer)
    /// A reference to the value.
    case reference(ExternalReference)
  }

  /// Reads the bytes of a column.
  ///
  /// - Throws: `corrupt` for bytes that core never writes.
  package static func content(of bytes: UnsafeRawBufferPointer) throws -> Content {
    switch bytes.first {
    case inlineMark: return .inline(UnsafeRawBufferPointer(rebasing: bytes[1...]))
    case referenceMark:
      guard let reference = ExternalReference(UnsafeRawBufferPointer(rebasing: bytes[1...])) else {
        break
      }
      return .reference(reference)
    default: break
    }
    throw StoreError(
      .corrupt, "the stored bytes are neither a value nor a reference to an external content")
  }

  /// Returns the reference in a column's bytes; nil for a value that is in its row.
  ///
  /// - Throws: `corrupt`.
  package static func reference(in bytes: UnsafeRawBufferPointer) throws -> ExternalReference? {
    guard case .reference(let reference) = try content(of: bytes) else { return nil }
    return reference
  }
}

/// A content stored beside the rows: the request, and the expected digest.
package struct ExternalReference: Hashable, Sendable {
  /// The number of bytes a reference takes in a row.
  package static let count = SHA256.count + 16

  /// The name of the content: equal contents have equal ones.
  package var digest: SHA256
  /// The number of bytes it has.
  package var length: Int
  /// Its XXH64, which finds damage at every reading and costs a tenth of the digest.
  package var checksum: UInt64

  /// Makes a reference to a content.
  package init(to content: UnsafeRawBufferPointer) {
    digest = SHA256(of: content)
    length = content.count
    checksum = XXHash64.hash(content)
  }

  fileprivate init?(_ bytes: UnsafeRawBufferPointer) {
    func number(_ offset: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    guard bytes.count == Self.count,
      let digest = SHA256(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<SHA256.count])),
      let length = Int(exactly: number(SHA256.count))
    else { return nil }
    self.digest = digest
    self.length = length
    checksum = number(SHA256.count + 8)
  }

  /// Returns whether a content has the referenced length and checksum.
  package func fits(_ content: UnsafeRawBufferPointer) -> Bool {
    content.count == length && XXHash64.hash(content) == checksum
  }
}
