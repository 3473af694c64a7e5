internal import Foundation
package import ORM

/// Reads CSV as RFC 4180 has it: fields in quotes may hold commas, line ends and doubled quotes;
/// lines end in LF or CRLF. A UTF-8 byte order mark is passed over. Reads in blocks, in constant
/// memory.
package struct CSVReader {
  private let file: FileHandle
  private let path: String
  private var block: [UInt8] = []
  private var position = 0
  private var isAtEnd = false
  /// Where the next byte stands, from 1.
  package private(set) var line = 1
  package private(set) var column = 1

  package init(path: String) throws {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw StoreError(.cannotOpen, "the file \(path) cannot be read")
    }
    self.file = file
    self.path = path
    if try peek() == 0xEF {
      try refill()
      if block.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }
  }

  private mutating func refill() throws {
    guard position >= block.count, !isAtEnd else { return }
    block = [UInt8](try file.read(upToCount: 1 << 16) ?? Data())
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
      line += 1
      column = 1
    } else {
      column += 1
    }
    return byte
  }

  /// The fields of the next record; nil at the end. An empty field is an empty text.
  ///
  /// - Throws: `invalidImport`, saying line and column.
  package mutating func next() throws -> [String]? {
    guard try peek() != nil else { return nil }
    var fields: [String] = []
    while true {
      let (field, endsRecord) = try self.field()
      fields.append(field)
      if endsRecord { return fields }
    }
  }

  private mutating func field() throws -> (String, endsRecord: Bool) {
    let (startLine, startColumn) = (line, column)
    var bytes: [UInt8] = []
    var isQuoted = false
    if try peek() == UInt8(ascii: "\"") {
      isQuoted = true
      _ = try take()
      while true {
        guard let byte = try take() else {
          throw fault("a quote is not closed", startLine, startColumn)
        }
        if byte != UInt8(ascii: "\"") {
          bytes.append(byte)
        } else if try peek() == UInt8(ascii: "\"") {
          _ = try take()
          bytes.append(byte)
        } else {
          break
        }
      }
    }
    while true {
      let (atLine, atColumn) = (line, column)
      guard let byte = try take() else {
        return (try text(bytes, startLine, startColumn), true)
      }
      switch byte {
      case UInt8(ascii: ","): return (try text(bytes, startLine, startColumn), false)
      case UInt8(ascii: "\n"): return (try text(bytes, startLine, startColumn), true)
      case UInt8(ascii: "\r"):
        if try peek() == UInt8(ascii: "\n") {
          _ = try take()
          return (try text(bytes, startLine, startColumn), true)
        }
        bytes.append(byte)
      default:
        if isQuoted { throw fault("text follows a closing quote", atLine, atColumn) }
        if byte == UInt8(ascii: "\"") {
          throw fault("a quote stands inside a field without quotes", atLine, atColumn)
        }
        bytes.append(byte)
      }
    }
  }

  private func text(_ bytes: [UInt8], _ line: Int, _ column: Int) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw fault("the text is not UTF-8", line, column)
    }
    return text
  }

  /// The error of a place in the file.
  package func fault(_ message: String, _ line: Int, _ column: Int) -> StoreError {
    StoreError(.invalidImport, "\(path), line \(line), column \(column): \(message)")
  }
}
