public import FoundationEssentials
public import ORMStorage

/// A type that can be a primary key: a scalar attribute, or several in a ``CompositeKey``.
public protocol PrimaryKey: Hashable, Sendable {
  /// The values of the key's attributes, in the order the entity declares them.
  func keyValues() throws -> [StoredValue]
  /// The key as the one integer that it is, of up to 64 bits with a sign; nil for any other.
  ///
  /// A find by such a key then makes no list of values.
  var integerKey: Int64? { get }
  /// The key made of its attributes' values.
  init(keyValues: [StoredValue]) throws
  /// Reads a key from a row's columns, in key order.
  static func read<R: RowReader & ~Copyable>(
    from row: borrowing R, at columns: [Int]
  ) throws -> Self
  /// Writes a key to a row's columns, in key order.
  func write<W: RowWriter & ~Copyable>(to row: inout W, at columns: [Int]) throws
}

extension PrimaryKey {
  /// Nil: the key is not one integer.
  @inlinable public var integerKey: Int64? { nil }
}

extension PrimaryKey where Self: AttributeValue {
  /// The one value.
  public func keyValues() -> [StoredValue] { [storedValue] }
  /// Makes a key from its one value.
  public init(keyValues: [StoredValue]) throws {
    guard keyValues.count == 1 else { throw StoredValue.unexpected("a key of one attribute") }
    try self.init(storedValue: keyValues[0])
  }
}

extension Bool: PrimaryKey {}
extension Int8: PrimaryKey {
  /// The integer.
  @inlinable public var integerKey: Int64? { Int64(self) }
}
extension Int16: PrimaryKey {
  /// The integer.
  @inlinable public var integerKey: Int64? { Int64(self) }
}
extension Int32: PrimaryKey {
  /// The integer.
  @inlinable public var integerKey: Int64? { Int64(self) }
}
extension Int64: PrimaryKey {
  /// The integer.
  @inlinable public var integerKey: Int64? { self }
}
extension Int: PrimaryKey {
  /// The integer.
  @inlinable public var integerKey: Int64? { Int64(self) }
}
extension UInt8: PrimaryKey {
  /// The integer.
  @inlinable public var integerKey: Int64? { Int64(self) }
}
extension UInt16: PrimaryKey {
  /// The integer.
  @inlinable public var integerKey: Int64? { Int64(self) }
}
extension UInt32: PrimaryKey {
  /// The integer.
  @inlinable public var integerKey: Int64? { Int64(self) }
}
extension UInt64: PrimaryKey {}
extension UInt: PrimaryKey {}
extension Float: PrimaryKey {}
extension Double: PrimaryKey {}
extension String: PrimaryKey {}
extension Data: PrimaryKey {}
extension Date: PrimaryKey {}
extension UUID: PrimaryKey {}
extension Decimal: PrimaryKey {}
extension URL: PrimaryKey {}

/// A key of several attributes: a struct of scalars whose coding keys are the attributes' names.
///
/// ```swift
/// struct ID: CompositeKey { var classNumber: Int; var studentNumber: Int }
/// ```
///
/// The entity declares each with `.key("classNumber", \.id.classNumber)`, in the order of the
/// struct's properties. Codable's synthesis does the rest; write `keyValues()` and
/// `init(keyValues:)` by hand where finding by key must be fastest.
public protocol CompositeKey: PrimaryKey, FormatArgument, Codable, PartedValue {}

extension CompositeKey {
  /// The values of the properties, in order.
  public func keyValues() throws -> [StoredValue] { try RowEncoding.keyValues(of: self) }
  /// Makes a key from the values of its properties, in order.
  public init(keyValues: [StoredValue]) throws {
    self = try RowDecoder.key(Self.self, from: keyValues)
  }
}

extension UUID {
  /// The key "not given yet" of entities whose UUIDs are made by Strata: all bits zero.
  ///
  /// ```swift
  /// @PrimaryKey(.uuidV7) var id: UUID = .unassigned
  /// ```
  public static let unassigned = UUIDGenerator.unassigned
}
