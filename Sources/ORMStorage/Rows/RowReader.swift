public import FoundationEssentials
public import ORMValues

/// One row under the cursor, read column by column.
///
/// Columns are counted from 0 in the order of the request: for whole rows, the order of
/// `StoredEntity.columns`. A row is valid only during the call that passes it; values read from it may
/// outlive the call. The typed readers are for columns of that kind that are not null. Any other column is
/// `StoreError.Code.decoding`, never a trap and never a silent conversion.
///
/// A row needs ``columnCount`` and ``value(at:)`` alone. Everything else is made of the value by default; a
/// row that reads a kind without making a value of it implements the reader of that kind.
public protocol RowReader: ~Copyable {
  /// The number of columns the row has.
  var columnCount: Int { get }
  /// Returns whether the column is null.
  func isNull(at column: Int) throws -> Bool
  /// The value of a `bool` column.
  func bool(at column: Int) throws -> Bool
  /// The value of an integer column of any width but unsigned 64 bits.
  func int64(at column: Int) throws -> Int64
  /// The value of a `uint64` column.
  func uint64(at column: Int) throws -> UInt64
  /// The value of a `double` or `float` column.
  func double(at column: Int) throws -> Double
  /// The value of a `string` column; invalid UTF-8 is `decoding`.
  func string(at column: Int) throws -> String
  /// The value of a `data` column.
  func data(at column: Int) throws -> Data
  /// The value of a `date` column.
  func date(at column: Int) throws -> Date
  /// The value of a `uuid` column.
  func uuid(at column: Int) throws -> UUID
  /// The value of a `decimal` column.
  func decimal(at column: Int) throws -> Decimal
  /// The elements of an `array` column.
  func array(at column: Int) throws -> [StoredValue]
  /// The text of a `json` column.
  func json(at column: Int) throws -> String
  /// The value of any column, null included.
  func value(at column: Int) throws -> StoredValue
  /// The bytes of a `string`, `data` or `json` column, without a copy, for the length of the call.
  func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R
  /// Returns the value of an integer column, as ``int64(at:)``; nil if the column is null.
  ///
  /// This and the next two ask ``isNull(at:)`` first by default. A row that looks each value up implements
  /// them with one look.
  func int64IfPresent(at column: Int) throws -> Int64?
  /// Returns the value of a `double` or `float` column; nil if the column is null.
  func doubleIfPresent(at column: Int) throws -> Double?
  /// Returns the value of a `string` column; nil if the column is null.
  func stringIfPresent(at column: Int) throws -> String?
}

extension RowReader where Self: ~Copyable {
  /// Returns whether the value of a column is null.
  @inlinable
  public func isNull(at column: Int) throws -> Bool { try value(at: column).isNull }
  /// Returns a truth value.
  @inlinable
  public func bool(at column: Int) throws -> Bool {
    guard case .bool(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a bool")
    }
    return value
  }
  /// Returns an integer.
  @inlinable
  public func int64(at column: Int) throws -> Int64 {
    guard case .int(let value) = try value(at: column) else {
      throw StoredValue.unexpected("an integer of this width")
    }
    return value
  }
  /// Returns an unsigned integer.
  @inlinable
  public func uint64(at column: Int) throws -> UInt64 {
    switch try value(at: column) {
    case .uint(let value): return value
    case .int(let value) where value >= 0: return UInt64(value)
    default: throw StoredValue.unexpected("an unsigned integer")
    }
  }
  /// Returns a double.
  @inlinable
  public func double(at column: Int) throws -> Double {
    guard case .double(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a double")
    }
    return value
  }
  /// Returns a text.
  @inlinable
  public func string(at column: Int) throws -> String {
    guard case .string(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a text")
    }
    return value
  }
  /// Returns data.
  @inlinable
  public func data(at column: Int) throws -> Data {
    guard case .data(let value) = try value(at: column) else {
      throw StoredValue.unexpected("data")
    }
    return value
  }
  /// Returns a date.
  @inlinable
  public func date(at column: Int) throws -> Date {
    guard case .date(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a date")
    }
    return value
  }
  /// Returns a UUID.
  @inlinable
  public func uuid(at column: Int) throws -> UUID {
    guard case .uuid(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a UUID")
    }
    return value
  }
  /// Returns a decimal.
  @inlinable
  public func decimal(at column: Int) throws -> Decimal {
    guard case .decimal(let value) = try value(at: column) else {
      throw StoredValue.unexpected("a decimal")
    }
    return value
  }
  /// Returns the elements of an array.
  @inlinable
  public func array(at column: Int) throws -> [StoredValue] {
    guard case .array(let elements) = try value(at: column) else {
      throw StoredValue.unexpected("an array")
    }
    return elements
  }
  /// Returns a JSON text.
  @inlinable
  public func json(at column: Int) throws -> String {
    guard case .json(let text) = try value(at: column) else { throw StoredValue.unexpected("JSON") }
    return text
  }
  /// Calls `body` with the bytes of a text, of data or of a JSON text.
  @inlinable
  public func withBytes<R>(
    at column: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    switch try value(at: column) {
    case .string(var text), .json(var text):
      return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    case .data(let bytes): return try bytes.withUnsafeBytes(body)
    default: throw StoredValue.unexpected("text or data")
    }
  }
}

extension RowReader where Self: ~Copyable {
  /// Returns the integer; nil if the column is null.
  @inlinable @inline(__always)
  public func int64IfPresent(at column: Int) throws -> Int64? {
    try isNull(at: column) ? nil : int64(at: column)
  }

  /// Returns the double; nil if the column is null.
  @inlinable @inline(__always)
  public func doubleIfPresent(at column: Int) throws -> Double? {
    try isNull(at: column) ? nil : double(at: column)
  }

  /// Returns the text; nil if the column is null.
  @inlinable @inline(__always)
  public func stringIfPresent(at column: Int) throws -> String? {
    try isNull(at: column) ? nil : string(at: column)
  }
}

extension RowReader where Self: ~Copyable {
  /// The value of a `json` column as any Codable type: `address = try row.decodeJSON(at: 3)`; an
  /// optional one is nil where the column is null.
  ///
  /// - Throws: `decoding`.
  public func decodeJSON<Value: Decodable>(
    _ type: Value.Type = Value.self, at column: Int
  ) throws -> Value {
    try JSONCoding.decode(type, from: isNull(at: column) ? "null" : json(at: column))
  }
}
