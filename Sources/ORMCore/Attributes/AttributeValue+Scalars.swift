public import FoundationEssentials
public import ORMStorage

extension Bool: AttributeValue {
  /// The attribute type `bool`.
  public static var attributeType: AttributeType { .bool }
  /// Reads a `bool` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Bool
  { try row.bool(at: column) }
  /// Writes a `bool` column.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(self, at: column)
  }
  /// The value as `.bool`.
  public var storedValue: StoredValue { .bool(self) }
  /// Reads a `.bool`.
  public init(storedValue: StoredValue) throws {
    guard case .bool(let value) = storedValue else { throw StoredValue.unexpected("a bool") }
    self = value
  }
}

extension Double: AttributeValue {
  /// The attribute type `double`.
  public static var attributeType: AttributeType { .double }
  /// Reads a `double` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Double
  { try row.double(at: column) }
  /// Reads a `double` column; nil if it is null.
  @inlinable @inline(__always)
  public static func readIfPresent<R: RowReader & ~Copyable>(
    from row: borrowing R, at column: Int
  ) throws -> Double? { try row.doubleIfPresent(at: column) }
  /// Writes a `double` column; NaN is `invalidValue`.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    if isNaN { throw StoredValue.notANumber }
    try row.set(self, at: column)
  }
  /// The value as `.double`.
  public var storedValue: StoredValue { .double(self) }
  /// Reads a `.double`.
  public init(storedValue: StoredValue) throws {
    guard case .double(let value) = storedValue else { throw StoredValue.unexpected("a double") }
    self = value
  }
}

extension Float: AttributeValue {
  /// The attribute type `float`.
  public static var attributeType: AttributeType { .float }
  /// Reads a `float` column; a double that is no float is `decoding`.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Float
  {
    let value = try row.double(at: column)
    let float = Float(value)
    if Double(float).bitPattern != value.bitPattern { throw StoredValue.unexpected("a float") }
    return float
  }
  /// Writes a `float` column; NaN is `invalidValue`.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    if isNaN { throw StoredValue.notANumber }
    try row.set(Double(self), at: column)
  }
  /// `.double` of the same number.
  public var storedValue: StoredValue { .double(Double(self)) }
  /// Reads a `.double` that a float holds exactly.
  public init(storedValue: StoredValue) throws {
    guard case .double(let value) = storedValue,
      Double(Float(value)).bitPattern == value.bitPattern
    else { throw StoredValue.unexpected("a float") }
    self = Float(value)
  }
}

extension String: AttributeValue {
  /// The attribute type `string`.
  public static var attributeType: AttributeType { .string }
  /// Reads a `string` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> String
  { try row.string(at: column) }
  /// Reads a `string` column; nil if it is null.
  @inlinable @inline(__always)
  public static func readIfPresent<R: RowReader & ~Copyable>(
    from row: borrowing R, at column: Int
  ) throws -> String? { try row.stringIfPresent(at: column) }
  /// Writes a `string` column.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(self, at: column)
  }
  /// The value as `.string`.
  public var storedValue: StoredValue { .string(self) }
  /// Reads a `.string`.
  public init(storedValue: StoredValue) throws {
    guard case .string(let value) = storedValue else { throw StoredValue.unexpected("a text") }
    self = value
  }
}

extension Data: AttributeValue {
  /// The attribute type `data`.
  public static var attributeType: AttributeType { .data }
  /// Reads a `data` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Data
  { try row.data(at: column) }
  /// Writes a `data` column.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(self, at: column)
  }
  /// The value as `.data`.
  public var storedValue: StoredValue { .data(self) }
  /// Reads a `.data`.
  public init(storedValue: StoredValue) throws {
    guard case .data(let value) = storedValue else { throw StoredValue.unexpected("data") }
    self = value
  }
}

extension Date: AttributeValue {
  /// The attribute type `date`.
  public static var attributeType: AttributeType { .date }
  /// Reads a `date` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Date
  { try row.date(at: column) }
  /// Writes a `date` column; NaN is `invalidValue`.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    if timeIntervalSinceReferenceDate.isNaN { throw StoredValue.notANumber }
    try row.set(self, at: column)
  }
  /// The value as `.date`.
  public var storedValue: StoredValue { .date(self) }
  /// Reads a `.date`.
  public init(storedValue: StoredValue) throws {
    guard case .date(let value) = storedValue else { throw StoredValue.unexpected("a date") }
    self = value
  }
}

extension UUID: AttributeValue {
  /// The attribute type `uuid`.
  public static var attributeType: AttributeType { .uuid }
  /// Reads a `uuid` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> UUID
  { try row.uuid(at: column) }
  /// Writes a `uuid` column.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(self, at: column)
  }
  /// The value as `.uuid`.
  public var storedValue: StoredValue { .uuid(self) }
  /// Reads a `.uuid`.
  public init(storedValue: StoredValue) throws {
    guard case .uuid(let value) = storedValue else { throw StoredValue.unexpected("a UUID") }
    self = value
  }
}

extension Decimal: AttributeValue {
  /// The attribute type `decimal`.
  public static var attributeType: AttributeType { .decimal }
  /// Reads a `decimal` column.
  @inlinable @inline(__always)
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Decimal
  { try row.decimal(at: column) }
  /// Writes a `decimal` column; NaN is `invalidValue`.
  @inlinable @inline(__always)
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    if isNaN { throw StoredValue.notANumber }
    try row.set(self, at: column)
  }
  /// The value as `.decimal`.
  public var storedValue: StoredValue { .decimal(self) }
  /// Reads a `.decimal`.
  public init(storedValue: StoredValue) throws {
    guard case .decimal(let value) = storedValue else { throw StoredValue.unexpected("a decimal") }
    self = value
  }
}

extension URL: AttributeValue {
  /// `string`: the URL's text.
  public static var attributeType: AttributeType { .string }
  /// Reads a `string` column; a text that is no URL is `decoding`.
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> URL
  { try URL(storedValue: .string(row.string(at: column))) }
  /// Writes a `string` column.
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(absoluteString, at: column)
  }
  /// `.string` of the URL's text.
  public var storedValue: StoredValue { .string(absoluteString) }
  /// Reads a `.string` that is a URL.
  public init(storedValue: StoredValue) throws {
    guard case .string(let text) = storedValue, let value = URL(string: text) else {
      throw StoredValue.unexpected("a URL")
    }
    self = value
  }
}
