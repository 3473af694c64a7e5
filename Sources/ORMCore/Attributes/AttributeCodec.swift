public import ORMStorage

/// A type that is stored as another attribute type: a colour as its hex text, money as a decimal.
///
/// ```swift
/// struct Colour: AttributeCodec {
///   var hex: String
///   init(stored: String) throws { hex = stored }
///   var stored: String { hex }
/// }
/// ```
public protocol AttributeCodec: AttributeValue {
  /// The type that the value is stored as.
  associatedtype Stored: AttributeValue
  /// Makes the value from its stored form; throws if that cannot be read.
  init(stored: Stored) throws
  /// The stored form of the value.
  var stored: Stored { get }
}

extension AttributeCodec {
  /// The attribute type of the stored form.
  public static var attributeType: AttributeType { Stored.attributeType }
  /// True if the type of the stored form is optional.
  public static var isOptional: Bool { Stored.isOptional }
  /// Reads the value from its stored form.
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Self
  { try Self(stored: Stored.read(from: row, at: column)) }
  /// Writes the stored form of the value.
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try stored.write(to: &row, at: column)
  }
  /// The stored form, as a stored value.
  public var storedValue: StoredValue { stored.storedValue }
  /// Makes the value from its stored form.
  public init(storedValue: StoredValue) throws {
    try self.init(stored: Stored(storedValue: storedValue))
  }
}

/// A Codable type that is stored as a JSON text and can be queried by path.
///
/// ```swift
/// struct Address: JSONAttribute { var street: String; var city: String }
/// ```
public protocol JSONAttribute: AttributeValue, Codable {}

extension JSONAttribute {
  /// The attribute type `json`.
  public static var attributeType: AttributeType { .json }
  /// Decodes a `json` column.
  public static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws
    -> Self
  { try JSONCoding.decode(Self.self, from: row.json(at: column)) }
  /// Encodes into a `json` column, its members sorted by name.
  public func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws {
    try row.set(json: JSONCoding.encode(self), at: column)
  }
  /// `.json`; a value that has no JSON is `.json` of an empty text, which no store accepts.
  public var storedValue: StoredValue { .json((try? JSONCoding.encode(self)) ?? "") }
  /// Decodes a `.json`.
  public init(storedValue: StoredValue) throws {
    guard case .json(let text) = storedValue else { throw StoredValue.unexpected("JSON") }
    self = try JSONCoding.decode(Self.self, from: text)
  }
}
