internal import ORMValues

/// The text of a format: its bytes, and errors that say where in it something is wrong.
struct FormatSource {
  let bytes: [UInt8]
  /// The entity that the format asks, for errors.
  let entity: String?

  /// The text between two offsets.
  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  /// An error at an offset.
  func fault(
    _ message: String, at offset: Int, code: StoreError.Code = .invalidCondition,
    entity: String? = nil, attributes: [String] = []
  ) -> StoreError {
    StoreError(
      code, "\(location(of: offset)): \(message)", entity: entity ?? self.entity,
      attributes: attributes)
  }

  /// Returns a description of the position of a byte offset.
  ///
  /// Lines and columns count from 1, a column is a Unicode scalar, and offsets are bytes of UTF-8
  /// from 0.
  private func location(of offset: Int) -> String {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return "line \(line), column \(column) (offset \(offset))"
  }
}
