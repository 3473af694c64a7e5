internal import FoundationEssentials
internal import ORM

/// The attributes of a record as a row, of which its model is made.
///
/// It is valid while the text and the cells are, for the length of a call.
struct JSONRow: RowReader {
  let scanner: JSONScanner
  let cells: UnsafeMutablePointer<JSONCell>
  let columnCount: Int
  let values: [StoredValue]

  @inline(__always)
  private func cell(_ column: Int) throws -> JSONCell {
    guard column >= 0, column < columnCount else { throw StoredValue.noColumn(column) }
    return cells[column]
  }

  func isNull(at column: Int) throws -> Bool {
    let cell = try cell(column)
    switch cell.kind {
    case .null, .missing, .refused: return true
    case .other: return values[Int(cell.bits)].isNull
    default: return false
    }
  }

  func bool(at column: Int) throws -> Bool {
    let cell = try cell(column)
    if cell.kind == .bool { return cell.bits != 0 }
    guard case .bool(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a bool")
    }
    return value
  }

  func int64(at column: Int) throws -> Int64 {
    let cell = try cell(column)
    if cell.kind == .integer { return Int64(bitPattern: cell.bits) }
    guard case .int(let value) = try value(at: column) else {
      throw StoredValue.unexpected("an integer of this width")
    }
    return value
  }

  func double(at column: Int) throws -> Double {
    let cell = try cell(column)
    if cell.kind == .double { return Double(bitPattern: cell.bits) }
    guard case .double(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a double")
    }
    return value
  }

  func string(at column: Int) throws -> String {
    let cell = try cell(column)
    if cell.kind == .text { return try text(cell) }
    guard case .string(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a text")
    }
    return value
  }

  func value(at column: Int) throws -> StoredValue {
    let cell = try cell(column)
    switch cell.kind {
    case .null, .missing, .refused: return .null
    case .bool: return .bool(cell.bits != 0)
    case .integer: return .int(Int64(bitPattern: cell.bits))
    case .double: return .double(Double(bitPattern: cell.bits))
    case .text, .escapedText: return .string(try text(cell))
    case .other: return values[Int(cell.bits)]
    case .now: return .date(Date())
    case .uuid: return .uuid(UUID())
    }
  }

  /// The text of a cell that is one.
  @inline(__always)
  func text(_ cell: JSONCell) throws -> String {
    let range = cell.start..<cell.start + Int(cell.count)
    let text =
      cell.kind == .text
      ? RecordText.string(of: UnsafeRawBufferPointer(rebasing: scanner.bytes[range]))
      : scanner.text(of: JSONScanner.StringToken(range: range, hasEscapes: true))
    guard let text else { throw StoredValue.unexpected("a text") }
    return text
  }
}
