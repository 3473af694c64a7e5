internal import Foundation
package import ORM

/// Reads CSV as RFC 4180 has it: fields in quotes may hold commas, line ends and doubled quotes;
/// lines end in LF or CRLF.
///
/// A UTF-8 byte order mark is passed over. Reads in blocks, in constant memory.
package struct CSVReader {
  private let file: FileHandle
  private let path: String
  private var block: [UInt8] = []
  private var position = 0
  private var blockStart = 0
  private var isAtEnd = false
  /// The position of the next byte.
  package private(set) var place = ImportPlace(line: 1, column: 1)
  /// The start position of each field of the last record.
  package private(set) var places: [ImportPlace] = []
  /// The end position of the last record.
  package private(set) var end = ImportPlace(line: 1, column: 1)

  package init(path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw StoreError(.cannotOpen, "the file \(path) cannot be read")
    }
    self.file = file
    self.path = path
    try refill()
    if block.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The number of bytes that were read so far.
  package var offset: Int { blockStart + position }

  private mutating func refill() throws {
    guard position >= block.count, !isAtEnd else { return }
    blockStart += block.count
    do {
      block = [UInt8](try file.read(upToCount: 1 << 16) ?? Data())
    } catch {
      throw StoreError(.inputOutput, "the file \(path) cannot be read")
    }
    position = 0
    isAtEnd = block.isEmpty
  }

  private mutating func peek() throws -> UInt8? {
    try refill()
    return isAtEnd ? nil : block[position]
  }

  private mutating func take() throws -> UInt8? {
    guard let byte = try peek() else { return nil }
    position += 1
    if byte == UInt8(ascii: "\n") {
      place.line += 1
      place.column = 1
    } else if byte & 0xC0 != 0x80 {
      // The bytes that go on with a scalar are not counted.
      place.column += 1
    }
    return byte
  }

  /// The fields of the next record; nil at the end.
  ///
  /// An empty field is an empty text.
  ///
  /// - Throws: `invalidImport`, saying line and column.
  package mutating func next() throws -> [String]? {
    guard try peek() != nil else { return nil }
    var fields: [String] = []
    places.removeAll(keepingCapacity: true)
    while true {
      places.append(place)
      let (field, endsRecord) = try self.field()
      fields.append(field)
      if endsRecord { return fields }
    }
  }

  private mutating func field() throws -> (String, endsRecord: Bool) {
    let start = place
    var bytes: [UInt8] = []
    var isQuoted = false
    if try peek() == UInt8(ascii: "\"") {
      isQuoted = true
      try takeQuoted(into: &bytes)
    }
    while true {
      let at = place
      end = at
      guard let byte = try take() else { return (try text(bytes, start), true) }
      switch byte {
      case UInt8(ascii: ","): return (try text(bytes, start), false)
      case UInt8(ascii: "\n"): return (try text(bytes, start), true)
      case UInt8(ascii: "\r") where try isAtLineEnd():
        _ = try take()
        return (try text(bytes, start), true)
      default:
        if isQuoted { throw fault("text follows the closing quote of a field", at) }
        if byte == UInt8(ascii: "\"") {
          throw fault("a quote inside an unquoted field; quote the field and double the quote", at)
        }
        bytes.append(byte)
      }
    }
  }

  /// Returns whether what follows a carriage return makes it part of a line end.
  private mutating func isAtLineEnd() throws -> Bool {
    let byte = try peek()
    return byte == nil || byte == UInt8(ascii: "\n")
  }

  private mutating func takeQuoted(into bytes: inout [UInt8]) throws {
    let start = place
    _ = try take()
    while true {
      guard let byte = try take() else { throw fault("a quoted field has no closing quote", start) }
      if byte != UInt8(ascii: "\"") {
        bytes.append(byte)
      } else if try peek() == UInt8(ascii: "\"") {
        _ = try take()
        bytes.append(byte)
      } else {
        return
      }
    }
  }

  private func text(_ bytes: [UInt8], _ start: ImportPlace) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw fault("the text is not UTF-8", start)
    }
    return text
  }

  /// The error of a place in the file.
  package func fault(_ message: String, _ place: ImportPlace) -> StoreError {
    StoreError(
      .invalidImport, "\(path), line \(place.line), column \(place.column): \(message)")
  }
}
