public import FoundationEssentials
public import ORMValues

/// One row being written, column by column.
///
/// Columns are counted as in ``RowReader``. Every column of the request is set exactly once, in
/// ascending order; one left out is null. The setters take values as they are: ranges, NaN and
/// sizes are checked by `AttributeValue` and the checks of core before they get here.
public protocol RowWriter: ~Copyable {
  /// Sets a column to null.
  mutating func setNull(at column: Int) throws
  /// Sets a `bool` column.
  mutating func set(_ value: Bool, at column: Int) throws
  /// Sets an integer column of any width but unsigned 64 bits.
  mutating func set(_ value: Int64, at column: Int) throws
  /// Sets a `uint64` column.
  mutating func set(_ value: UInt64, at column: Int) throws
  /// Sets a `double` or `float` column.
  mutating func set(_ value: Double, at column: Int) throws
  /// Sets a `string` column.
  mutating func set(_ value: String, at column: Int) throws
  /// Sets a `data` column.
  mutating func set(_ value: Data, at column: Int) throws
  /// Sets a `date` column.
  mutating func set(_ value: Date, at column: Int) throws
  /// Sets a `uuid` column.
  mutating func set(_ value: UUID, at column: Int) throws
  /// Sets a `decimal` column.
  mutating func set(_ value: Decimal, at column: Int) throws
  /// Sets an `array` column.
  mutating func set(array value: [StoredValue], at column: Int) throws
  /// Sets a `json` column to a JSON text.
  mutating func set(json value: String, at column: Int) throws
}

extension RowWriter where Self: ~Copyable {
  /// Sets a column of a known type to a value, which was checked to be of its kind.
  public mutating func set(value: StoredValue, at column: Int, type: AttributeType) throws {
    switch value {
    case .null: try setNull(at: column)
    case .bool(let value): try set(value, at: column)
    case .int(let value):
      if type.kind == .unsigned {
        try set(UInt64(bitPattern: value), at: column)
      } else {
        try set(value, at: column)
      }
    case .uint(let value): try set(value, at: column)
    case .double(let value): try set(value, at: column)
    case .string(let value): try set(value, at: column)
    case .data(let value): try set(value, at: column)
    case .date(let value): try set(value, at: column)
    case .uuid(let value): try set(value, at: column)
    case .decimal(let value): try set(value, at: column)
    case .array(let value): try set(array: value, at: column)
    case .json(let value): try set(json: value, at: column)
    }
  }

  /// Sets a `json` column from any Codable value, to null from nil:
  /// `try row.encodeJSON(address, at: 3)`.
  ///
  /// - Throws: `invalidValue` for a value that JSON cannot represent (NaN).
  public mutating func encodeJSON<Value: Encodable>(_ value: Value, at column: Int) throws {
    let text = try JSONCoding.encode(value)
    if text == "null" { try setNull(at: column) } else { try set(json: text, at: column) }
  }
}
