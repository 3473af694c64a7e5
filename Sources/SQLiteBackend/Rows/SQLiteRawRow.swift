package import FoundationEssentials
package import ORMCore
package import SQLEngine

/// Values as the library gives them, from a statement or to a function; what makes rows of them.
package protocol SQLiteRawRow: RowReader {
  /// What the columns are.
  var layout: SQLRowLayout { get }
  /// The storage class of a column; ask before reading.
  func rawKind(at column: Int) -> SQLiteKind
  /// An integer, converted silently.
  func rawInt64(at column: Int) -> Int64
  /// A double, converted silently.
  func rawDouble(at column: Int) -> Double
  /// The bytes of a text; no address for null.
  func rawText(at column: Int) -> UnsafeRawBufferPointer
  /// The bytes of a text or blob; no address for null, and for no bytes.
  func rawBlob(at column: Int) -> UnsafeRawBufferPointer
}

extension SQLiteRawRow {
  @inline(__always)
  package func isNull(at column: Int) throws -> Bool { rawKind(at: column) == .null }

  @inline(__always)
  package func bool(at column: Int) throws -> Bool {
    switch try int64(at: column) {
    case 0: return false
    case 1: return true
    default: throw fault("an integer that is no truth value", column)
    }
  }

  @inline(__always)
  package func int64(at column: Int) throws -> Int64 {
    let value = rawInt64(at: column)
    if value == 0 { try require(.integer, column) }
    return value
  }

  @inline(__always)
  package func double(at column: Int) throws -> Double {
    let value = rawDouble(at: column)
    if value == 0 { try require(.real, column) }
    return value
  }

  @inline(__always)
  package func string(at column: Int) throws -> String {
    let bytes = rawText(at: column)
    if bytes.baseAddress == nil { try require(.text, column) }
    guard let text = RecordText.string(of: bytes) else {
      throw fault("a text that is not valid UTF-8", column)
    }
    return text
  }

  package func uint64(at column: Int) throws -> UInt64 {
    let bytes = rawText(at: column)
    var value: UInt64 = 0
    guard bytes.count == 20 else { throw fault("a text that is no unsigned integer", column) }
    for byte in bytes {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte &- UInt8(ascii: "0")))
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), !overflow, !carry else {
        throw fault("a text that is no unsigned integer", column)
      }
      value = sum
    }
    return value
  }

  package func data(at column: Int) throws -> Data {
    let bytes = rawBlob(at: column)
    if bytes.baseAddress == nil { try require(.blob, column) }
    return Data(bytes)
  }

  package func date(at column: Int) throws -> Date {
    Date(timeIntervalSinceReferenceDate: try double(at: column))
  }

  package func uuid(at column: Int) throws -> UUID {
    let bytes = rawBlob(at: column)
    guard bytes.count == 16 else { throw fault("bytes that are no UUID", column) }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  package func decimal(at column: Int) throws -> Decimal {
    guard let value = DecimalText.decimal(from: try string(at: column)) else {
      throw fault("a text that is no decimal", column)
    }
    return value
  }

  package func array(at column: Int) throws -> [StoredValue] {
    guard layout.columns.indices.contains(column),
      case .array(let element) = layout.columns[column].type
    else { throw fault("a column that holds no array", column) }
    if layout.columns[column].isTagged {
      guard let value = TaggedValue.value(of: rawBlob(at: column)) else {
        throw fault("bytes that are no value", column)
      }
      return [value]
    }
    do {
      return try JSONText.decode(array: try string(at: column), element: element)
    } catch let error as StoreError {
      throw fault(error.message, column)
    }
  }

  package func json(at column: Int) throws -> String { try string(at: column) }

  package func value(at column: Int) throws -> StoredValue {
    guard layout.columns.indices.contains(column) else {
      throw fault("no such column", column)
    }
    if rawKind(at: column) == .null { return .null }
    return switch layout.columns[column].type.kind {
    case .bool: .bool(try bool(at: column))
    case .int: .int(try int64(at: column))
    case .unsigned: .unsigned(try uint64(at: column))
    case .double: .double(try double(at: column))
    case .string: .string(try string(at: column))
    case .data: .data(try data(at: column))
    case .date: .date(try date(at: column))
    case .uuid: .uuid(try uuid(at: column))
    case .decimal: .decimal(try decimal(at: column))
    case .array: .array(try array(at: column))
    case .json: .json(try json(at: column))
    }
  }

  package func withBytes<R>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    let bytes = rawBlob(at: column)
    if bytes.baseAddress == nil, rawKind(at: column) == .null { throw fault("nil", column) }
    return try body(bytes)
  }

  /// Throws `decoding` unless the column is of a storage class.
  private func require(_ kind: SQLiteKind, _ column: Int) throws {
    let found = rawKind(at: column)
    if found != kind { throw fault("\(found) where \(kind) is expected", column) }
  }

  @inline(never)
  private func fault(_ message: String, _ column: Int) -> StoreError {
    layout.decodingError("the store holds \(message)", at: column, in: self)
  }
}
