internal import FoundationEssentials
internal import ORMStorage
internal import SQLEngine

/// The current row of a statement, read where the library holds it.
struct PostgresRow: SQLRow {
  private let statement: PostgresStatement
  let layout: SQLRowLayout

  init(_ statement: PostgresStatement, _ layout: SQLRowLayout) {
    self.statement = statement
    self.layout = layout
  }

  // MARK: Raw values

  func rawKind(at column: Int) -> SQLValue.Kind {
    if statement.isNull(at: column) { return .null }
    return switch statement.type(at: column) {
    case .bool, .int2, .int4, .int8, .oid: .integer
    case .float4, .float8: .real
    case let type: type.isText || type == .numeric ? .text : .blob
    }
  }

  func rawInt64(at column: Int) -> Int64 { statement.int64(at: column) }

  func rawDouble(at column: Int) -> Double {
    PostgresDecoding.double(statement.bytes(at: column), statement.type(at: column)) ?? 0
  }

  func rawText(at column: Int) -> UnsafeRawBufferPointer { statement.bytes(at: column) }

  func rawBlob(at column: Int) -> UnsafeRawBufferPointer { statement.bytes(at: column) }

  // MARK: Values

  func value(at column: Int) throws -> StoredValue {
    guard layout.columns.indices.contains(column) else { throw fault("no such column", column) }
    if statement.isNull(at: column) { return .null }
    if layout.columns[column].isUntyped { return try untypedValue(at: column) }
    return try typedValue(at: column)
  }

  /// The value of a column of a query that the program wrote, of the kind that the server gives it.
  private func untypedValue(at column: Int) throws -> StoredValue {
    let type = statement.type(at: column)
    switch type {
    case .bool: return .bool(try bool(at: column))
    case .int2, .int4, .int8, .oid: return .int(try int64(at: column))
    case .float4, .float8: return .double(try double(at: column))
    case .numeric: return .decimal(try decimal(at: column))
    case .bytea: return .data(try data(at: column))
    case .uuid: return .uuid(try uuid(at: column))
    case .date, .timestamp, .timestampTZ: return .date(try date(at: column))
    case .jsonb: return .json(try json(at: column))
    default:
      if type.isText { return .string(try string(at: column)) }
      if let element = type.element?.attributeType,
        let value = PostgresDecoding.array(try bytes(at: column), of: element)
      {
        return .array(value)
      }
      throw fault("a type that the store does not know; cast it to text", column)
    }
  }

  func date(at column: Int) throws -> Date {
    let bytes = try bytes(at: column)
    switch statement.type(at: column) {
    // The server counts from 2000, in days and in microseconds; 2001 began 366 days later.
    case .date:
      guard let days = PostgresDecoding.int64(bytes, .int4) else { break }
      return Date(timeIntervalSinceReferenceDate: Double(days - 366) * 86_400)
    case .timestamp, .timestampTZ:
      guard let microseconds = PostgresDecoding.int64(bytes, .int8) else { break }
      return Date(
        timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000 - 366 * 86_400)
    default: break
    }
    return Date(timeIntervalSinceReferenceDate: try double(at: column))
  }

  func isNull(at column: Int) throws -> Bool { statement.isNull(at: column) }

  func bool(at column: Int) throws -> Bool {
    let bytes = try bytes(at: column)
    guard statement.type(at: column) == .bool, bytes.count == 1 else {
      throw fault("a value that is no truth value", column)
    }
    return bytes[0] != 0
  }

  func int64IfPresent(at column: Int) throws -> Int64? {
    let bytes = statement.bytes(at: column)
    if bytes.baseAddress == nil { return nil }
    let type = statement.type(at: column)
    if let value = PostgresDecoding.int64(bytes, type) { return value }
    if type == .numeric { throw StoreError(.overflow, "a sum of integers exceeds 64 bits") }
    throw fault("a value that is no integer", column)
  }

  func doubleIfPresent(at column: Int) throws -> Double? {
    let bytes = statement.bytes(at: column)
    if bytes.baseAddress == nil { return nil }
    if let value = PostgresDecoding.double(bytes, statement.type(at: column)) { return value }
    throw fault("a value that is no double", column)
  }

  func stringIfPresent(at column: Int) throws -> String? {
    let bytes = statement.bytes(at: column)
    if bytes.baseAddress == nil { return nil }
    let type = statement.type(at: column)
    if let value = PostgresDecoding.string(bytes, type) { return value }
    throw fault(
      type.isText ? "a text that is not valid UTF-8" : "a value that is no text", column)
  }

  func json(at column: Int) throws -> String {
    guard statement.type(at: column) == .jsonb else { return try string(at: column) }
    guard let value = RecordText.string(of: Self.text(ofBinary: try bytes(at: column))) else {
      throw fault("a text that is not valid UTF-8", column)
    }
    return value
  }

  /// The text of a value of the server's binary type of JSON, behind the version of the form.
  private static func text(ofBinary bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  }

  func data(at column: Int) throws -> Data {
    let bytes = try bytes(at: column)
    guard statement.type(at: column) == .bytea else {
      throw fault("a value that is no data", column)
    }
    return Data(bytes)
  }

  func uuid(at column: Int) throws -> UUID {
    if let value = PostgresDecoding.uuid(try bytes(at: column), statement.type(at: column)) {
      return value
    }
    throw fault("a value that is no UUID", column)
  }

  func uint64(at column: Int) throws -> UInt64 {
    guard let value = try number(at: column).flatMap({ UInt64($0) }) else {
      throw fault("a number that is not an unsigned integer", column)
    }
    return value
  }

  func decimal(at column: Int) throws -> Decimal {
    guard let value = try number(at: column).flatMap({ DecimalText.decimal(from: $0) }) else {
      throw fault("a number that is no decimal of 38 digits", column)
    }
    return value
  }

  private func number(at column: Int) throws -> String? {
    PostgresDecoding.number(try bytes(at: column), statement.type(at: column))
  }

  func array(at column: Int) throws -> [StoredValue] {
    guard layout.columns.indices.contains(column),
      case .array(let element) = layout.columns[column].type,
      let value = PostgresDecoding.array(try bytes(at: column), of: element)
    else { throw fault("a value that is no array of the declared type", column) }
    return value
  }

  func withBytes<R>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    let bytes = try bytes(at: column)
    switch statement.type(at: column) {
    case .bytea: return try body(bytes)
    case .jsonb: return try body(Self.text(ofBinary: bytes))
    default: return try PostgresText.withPlain(bytes, body)
    }
  }

  /// The bytes of a value that is not null.
  @inline(__always)
  private func bytes(at column: Int) throws -> UnsafeRawBufferPointer {
    let bytes = statement.bytes(at: column)
    if bytes.baseAddress == nil { throw fault("nil where a value is expected", column) }
    return bytes
  }

  @inline(never)
  private func fault(_ message: String, _ column: Int) -> StoreError {
    layout.decodingError("the store holds \(message)", at: column, in: self)
  }
}
