import ORMStorage

/// The file that holds a whole ``MemoryMap``.
///
/// Numbers are little-endian.
///
///     offset  bytes
///     0       9     STRATAMEM
///     9       3     zero
///     12      4     version of the format, 1
///     16      8     length of the whole file
///     24      8     XXH64 of the 24 bytes before; so far every version has the same beginning
///     32      8     number of sections
///             …     the sections, by ascending number of keyspace
///             8     XXH64 of everything before
///
/// A section begins with the number of the keyspace (4 bytes), zero (4), the number of its entries
/// (8), and the bytes of all its keys and values (8). The entries follow by ascending key. An entry
/// is the length of the key and that of the value, each as a LEB128 number, then key and value. An
/// empty keyspace has no section.
enum Image {
  static let magic = Array("STRATAMEM".utf8)
  static let version: UInt32 = 1
  static let headerSize = 32
  static let sectionHeaderSize = 24
  static let checksumSize = 8
  /// The number of bytes read or written at a time: enough that system calls cost almost nothing.
  static let bufferSize = 256 << 10

  /// The first 32 bytes of a file.
  static func header(length: Int) -> [UInt8] {
    var header = magic + [0, 0, 0]
    header += bytes(version) + bytes(UInt64(length))
    return header + bytes(header.withUnsafeBytes { XXHash64.hash($0) })
  }

  /// Checks the first bytes of a file (all, when it has less than a header) and its size.
  ///
  /// Throws `notADatabase` for a file of another kind, `corrupt` for a damaged or shortened one of
  /// ours, `schemaTooNew` for one of a later version.
  static func check(_ header: UnsafeRawBufferPointer, size: Int) throws {
    let start = header.prefix(magic.count)
    guard !start.isEmpty, magic.starts(with: start) else {
      throw StoreError(.notADatabase, "The file is not an image of a memory store.")
    }
    guard header.count == headerSize,
      header.number(at: 24, as: UInt64.self)
        == XXHash64.hash(UnsafeRawBufferPointer(rebasing: header[..<24]))
    else { throw damage("its header") }
    let version = header.number(at: 12, as: UInt32.self)
    guard version <= Self.version else {
      throw StoreError(
        .schemaTooNew,
        "The image has format \(version), and this program reads formats up to \(Self.version).")
    }
    guard version > 0, header.number(at: 16, as: UInt64.self) == UInt64(size) else {
      throw damage("its length")
    }
  }

  static func damage(_ part: String) -> StoreError {
    StoreError(.corrupt, "The image of a memory store is damaged: \(part) is wrong.")
  }

  static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }

  /// A number as LEB128: seven bits a byte, the lowest first.
  static func appendVarint(_ number: Int, to bytes: inout [UInt8]) {
    var rest = UInt64(number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Returns the number of bytes a number takes as LEB128.
  static func varintSize(_ number: Int) -> Int {
    max(1, (Int.bitWidth - number.leadingZeroBitCount + 6) / 7)
  }
}

extension UnsafeRawBufferPointer {
  /// A little-endian number.
  func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Number.Type
  ) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
