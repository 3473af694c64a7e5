internal import FoundationEssentials
internal import ORMStorage
internal import SQLEngine

/// The row on which a statement stands, read where the library holds it.
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
    case .bool, .int4, .int8: .integer
    case .float8: .real
    case .text, .numeric: .text
    default: .blob
    }
  }

  func rawInt64(at column: Int) -> Int64 { statement.int64(at: column) }

  func rawDouble(at column: Int) -> Double {
    PostgresDecoding.double(statement.bytes(at: column)) ?? 0
  }

  func rawText(at column: Int) -> UnsafeRawBufferPointer { statement.bytes(at: column) }

  func rawBlob(at column: Int) -> UnsafeRawBufferPointer { statement.bytes(at: column) }

  // MARK: Values

  func isNull(at column: Int) throws -> Bool { statement.isNull(at: column) }

  func bool(at column: Int) throws -> Bool {
    let bytes = try bytes(at: column)
    guard statement.type(at: column) == .bool, bytes.count == 1 else {
      throw fault("a value that is no truth value", column)
    }
    return bytes[0] != 0
  }

  func int64(at column: Int) throws -> Int64 {
    let bytes = try bytes(at: column)
    let type = statement.type(at: column)
    if let value = PostgresDecoding.int64(bytes, type) { return value }
    if type == .numeric { throw StoreError(.overflow, "a sum of integers exceeds 64 bits") }
    throw fault("a value that is no integer", column)
  }

  func double(at column: Int) throws -> Double {
    guard let value = PostgresDecoding.double(try bytes(at: column)),
      statement.type(at: column) == .float8
    else { throw fault("a value that is no double", column) }
    return value
  }

  func string(at column: Int) throws -> String {
    guard let value = PostgresDecoding.string(try bytes(at: column)) else {
      throw fault("a text that is not valid UTF-8", column)
    }
    return value
  }

  func json(at column: Int) throws -> String { try string(at: column) }

  func data(at column: Int) throws -> Data { Data(try bytes(at: column)) }

  func uuid(at column: Int) throws -> UUID {
    let bytes = try bytes(at: column)
    guard bytes.count == 16 else { throw fault("a value that is no UUID", column) }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
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
    let bytes = try bytes(at: column)
    return switch statement.type(at: column) {
    case .numeric: PostgresNumeric.text(of: bytes)
    case let type: PostgresDecoding.int64(bytes, type).map { String($0) }
    }
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
    if statement.type(at: column) == .bytea { return try body(bytes) }
    return try PostgresText.withPlain(bytes, body)
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
