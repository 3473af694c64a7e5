public import FoundationEssentials
public import ORMValues

/// A row being built as values: a ``RowWriter`` whose result is a ``BufferedRow``.
public struct RowBuilder: RowWriter, Sendable {
  /// The values so far by column; null where nothing was set.
  public var values: [StoredValue]
  /// The column set last; -1 before any.
  package var lastSet = -1

  /// A row of nulls.
  public init(columnCount: Int) { values = Array(repeating: .null, count: columnCount) }

  private mutating func keep(_ value: StoredValue, at column: Int) throws {
    guard values.indices.contains(column) else {
      throw StoreError(
        .invalidValue,
        "the model sets column \(column), but its entity has fewer columns: make the model's "
          + "coding match its entity")
    }
    values[column] = value
    lastSet = column
  }

  /// Sets a column to null.
  public mutating func setNull(at column: Int) throws { try keep(.null, at: column) }
  /// Sets a column to a truth value.
  public mutating func set(_ value: Bool, at column: Int) throws {
    try keep(.bool(value), at: column)
  }
  /// Sets a column to an integer.
  public mutating func set(_ value: Int64, at column: Int) throws {
    try keep(.int(value), at: column)
  }
  /// Sets a column to an unsigned integer.
  public mutating func set(_ value: UInt64, at column: Int) throws {
    try keep(.unsigned(value), at: column)
  }
  /// Sets a column to a double.
  public mutating func set(_ value: Double, at column: Int) throws {
    try keep(.double(value), at: column)
  }
  /// Sets a column to a text.
  public mutating func set(_ value: String, at column: Int) throws {
    try keep(.string(value), at: column)
  }
  /// Sets a column to data.
  public mutating func set(_ value: Data, at column: Int) throws {
    try keep(.data(value), at: column)
  }
  /// Sets a column to a date.
  public mutating func set(_ value: Date, at column: Int) throws {
    try keep(.date(value), at: column)
  }
  /// Sets a column to a UUID.
  public mutating func set(_ value: UUID, at column: Int) throws {
    try keep(.uuid(value), at: column)
  }
  /// Sets a column to a decimal.
  public mutating func set(_ value: Decimal, at column: Int) throws {
    try keep(.decimal(value), at: column)
  }
  /// Sets a column to an array.
  public mutating func set(array value: [StoredValue], at column: Int) throws {
    try keep(.array(value), at: column)
  }
  /// Sets a column to a JSON text.
  public mutating func set(json value: String, at column: Int) throws {
    try keep(.json(value), at: column)
  }
}
