public import FoundationEssentials
public import ORMStorage

/// Values as a database gives them, from a statement or to a function, which the engine reads as a
/// row.
///
/// A backend conforms two small structs: the current row of a statement, and the arguments of a
/// function. It implements five readers; the engine implements `RowReader` with them. Columns count
/// from 0, and a column that does not exist reads as null.
public protocol SQLRow: RowReader {
  /// The columns of the row, as the engine gave them to the statement or to the evaluator.
  var layout: SQLRowLayout { get }
  /// Returns the kind of a value, before any other reader is called for the column.
  func rawKind(at column: Int) -> SQLValue.Kind
  /// Returns an integer; 0 for a value of another kind that cannot be converted.
  func rawInt64(at column: Int) -> Int64
  /// Returns a double; 0 for a value of another kind that cannot be converted.
  func rawDouble(at column: Int) -> Double
  /// Returns the bytes of a text, valid until the next step or the function's end; without an
  /// address for null.
  func rawText(at column: Int) -> UnsafeRawBufferPointer
  /// Returns the bytes of a text or blob, valid as those of ``rawText(at:)``; without an address for
  /// null, and for no bytes.
  func rawBlob(at column: Int) -> UnsafeRawBufferPointer
}

extension SQLRow {
  /// The number of columns.
  public var columnCount: Int { layout.columns.count }

  /// Returns whether the column is null.
  @inlinable @inline(__always)
  public func isNull(at column: Int) throws -> Bool {
    if case .null = rawKind(at: column) { true } else { false }
  }

  /// Returns the value of a `bool` column.
  @inlinable @inline(__always)
  public func bool(at column: Int) throws -> Bool {
    switch try int64(at: column) {
    case 0: return false
    case 1: return true
    default: throw fault("an integer that is not a truth value", column)
    }
  }

  /// Returns the value of an integer column.
  ///
  /// This and the readers of doubles and texts are made of those for columns that may be null. So a
  /// database reads a value of a kind in one function.
  @inlinable @inline(__always)
  public func int64(at column: Int) throws -> Int64 {
    guard let value = try int64IfPresent(at: column) else { throw nullFault(.integer, column) }
    return value
  }

  /// Returns the value of a `double` column.
  @inlinable @inline(__always)
  public func double(at column: Int) throws -> Double {
    guard let value = try doubleIfPresent(at: column) else { throw nullFault(.real, column) }
    return value
  }

  /// Returns the value of a `string` column.
  @inlinable @inline(__always)
  public func string(at column: Int) throws -> String {
    guard let value = try stringIfPresent(at: column) else { throw nullFault(.text, column) }
    return value
  }

  /// Returns the value of an integer column; nil if it is null.
  @inlinable @inline(__always)
  public func int64IfPresent(at column: Int) throws -> Int64? {
    let value = rawInt64(at: column)
    if value == 0, try isNull(.integer, column) { return nil }
    return value
  }

  /// Returns the value of a `double` column; nil if it is null.
  @inlinable @inline(__always)
  public func doubleIfPresent(at column: Int) throws -> Double? {
    let value = rawDouble(at: column)
    if value == 0, try isNull(.real, column) { return nil }
    return value
  }

  /// Returns the value of a `string` column; nil if it is null.
  @inlinable @inline(__always)
  public func stringIfPresent(at column: Int) throws -> String? {
    let bytes = rawText(at: column)
    if bytes.baseAddress == nil, try isNull(.text, column) { return nil }
    guard let text = RecordText.string(of: bytes) else {
      throw fault("a text that is not valid UTF-8", column)
    }
    return text
  }

  /// Returns the value of a `uint64` column.
  @inlinable
  public func uint64(at column: Int) throws -> UInt64 {
    guard let value = StoredForm.unsigned(rawText(at: column)) else {
      throw fault("a text that is not an unsigned integer", column)
    }
    return value
  }

  /// Returns the value of a `data` column.
  @inlinable
  public func data(at column: Int) throws -> Data {
    let bytes = rawBlob(at: column)
    if bytes.baseAddress == nil { try require(.blob, column) }
    return Data(bytes)
  }

  /// Returns the value of a `date` column.
  @inlinable
  public func date(at column: Int) throws -> Date {
    Date(timeIntervalSinceReferenceDate: try double(at: column))
  }

  /// Returns the value of a `uuid` column.
  @inlinable
  public func uuid(at column: Int) throws -> UUID {
    let bytes = rawBlob(at: column)
    guard bytes.count == 16 else { throw fault("bytes that are not a UUID", column) }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  /// Returns the value of a `decimal` column.
  @inlinable
  public func decimal(at column: Int) throws -> Decimal {
    guard let value = StoredForm.decimal(try string(at: column)) else {
      throw fault("a text that is not a decimal", column)
    }
    return value
  }

  /// Returns the elements of an `array` column.
  public func array(at column: Int) throws -> [StoredValue] {
    guard layout.columns.indices.contains(column),
      case .array(let element) = layout.columns[column].type
    else { throw fault("a column that does not hold an array", column) }
    if layout.columns[column].isTagged {
      guard let value = TaggedValue.value(of: rawBlob(at: column)) else {
        throw fault("bytes that are not a stored value", column)
      }
      return [value]
    }
    do {
      return try JSONText.decode(array: try string(at: column), element: element)
    } catch let error as StoreError {
      throw fault(error.message, column)
    }
  }

  /// Returns the text of a `json` column.
  @inlinable
  public func json(at column: Int) throws -> String { try string(at: column) }

  /// Returns the value of any column, null included.
  public func value(at column: Int) throws -> StoredValue {
    guard layout.columns.indices.contains(column) else {
      throw fault("no such column", column)
    }
    let kind = rawKind(at: column)
    if case .null = kind { return .null }
    if layout.columns[column].isUntyped { return try value(at: column, of: kind) }
    return try typedValue(at: column)
  }

  /// Returns the value of a column that is not null, by its type.
  package func typedValue(at column: Int) throws -> StoredValue {
    switch layout.columns[column].type.kind {
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

  /// The value of a column without a type.
  private func value(at column: Int, of kind: SQLValue.Kind) throws -> StoredValue {
    switch kind {
    case .null: .null
    case .integer: .int(rawInt64(at: column))
    case .real: .double(rawDouble(at: column))
    case .text: .string(try string(at: column))
    case .blob: .data(try data(at: column))
    }
  }

  /// Calls the closure with the bytes of a `string`, `data` or `json` column.
  @inlinable @inline(__always)
  public func withBytes<R>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    let bytes = rawBlob(at: column)
    if bytes.baseAddress == nil, try isNull(at: column) { throw fault("nil", column) }
    return try body(bytes)
  }

  /// Throws `decoding` unless the value of a column is of a kind.
  @inlinable
  func require(_ kind: SQLValue.Kind, _ column: Int) throws {
    let found = rawKind(at: column)
    if found != kind { throw fault("\(found) where \(kind) is expected", column) }
  }

  /// Returns whether the value of a column is null; throws `decoding` if it is not, and of another kind.
  @inlinable
  func isNull(_ kind: SQLValue.Kind, _ column: Int) throws -> Bool {
    let found = rawKind(at: column)
    if found == .null { return true }
    if found != kind { throw fault("\(found) where \(kind) is expected", column) }
    return false
  }

  @inline(never) @usableFromInline
  func nullFault(_ kind: SQLValue.Kind, _ column: Int) -> StoreError {
    fault("\(SQLValue.Kind.null) where \(kind) is expected", column)
  }

  @inline(never) @usableFromInline
  func fault(_ message: String, _ column: Int) -> StoreError {
    layout.decodingError("the store holds \(message)", at: column, in: self)
  }
}

/// The forms in which columns keep values that SQL has no type for.
@usableFromInline
enum StoredForm {
  /// The number of a text of twenty digits; nil for any other text.
  @usableFromInline
  static func unsigned(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    var value: UInt64 = 0
    guard bytes.count == 20 else { return nil }
    for byte in bytes {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte &- UInt8(ascii: "0")))
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), !overflow, !carry else {
        return nil
      }
      value = sum
    }
    return value
  }

  /// The number of a text; nil for a text that is no decimal.
  @usableFromInline
  static func decimal(_ text: String) -> Decimal? { DecimalText.decimal(from: text) }

  /// The text of a decimal.
  @usableFromInline
  static func text(of value: Decimal) -> String { DecimalText.text(of: value) }

  /// The bytes of the text of an array; a bound of them for an array that is far from a limit.
  @usableFromInline
  static func size(of value: [StoredValue], near limit: Int) -> Int {
    StoredValue.array(value).size(near: limit)
  }

  /// The folded text of a text.
  @inlinable
  static func folded(_ value: String) -> String { TextFolding.fold(value, .caseInsensitive) }
}
