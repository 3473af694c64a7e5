public import ORMStorage

/// A Swift type that can be an attribute: it knows its declared type and reads and writes itself.
///
/// Conforming types are those of the attribute list in the README, optionals of them, enums with a
/// raw value, arrays and sets of scalars.
public protocol AttributeValue: FormatArgument, Sendable {
  /// The type declared for an attribute of this Swift type.
  static var attributeType: AttributeType { get }
  /// True if nil is one of the values.
  static var isOptional: Bool { get }
  /// Reads the value of a column; `decoding` if the stored value is not of this type.
  static func read<R: RowReader & ~Copyable>(from row: borrowing R, at column: Int) throws -> Self
  /// Reads the value of a column, as ``read(from:at:)``; nil if the column is null.
  ///
  /// The default checks for null first.
  static func readIfPresent<R: RowReader & ~Copyable>(
    from row: borrowing R, at column: Int
  ) throws -> Self?
  /// Writes the value into a column; `invalidValue` when it cannot be stored (NaN).
  func write<W: RowWriter & ~Copyable>(to row: inout W, at column: Int) throws
  /// The value as conditions and requests hold it.
  var storedValue: StoredValue { get }
  /// The value made from its stored form; `decoding` when it is of another kind.
  init(storedValue: StoredValue) throws
}

extension AttributeValue {
  /// False, unless the type says otherwise.
  @inlinable @inline(__always)
  public static var isOptional: Bool { false }

  /// Asks whether the column is null, and reads its value.
  @inlinable @inline(__always)
  public static func readIfPresent<R: RowReader & ~Copyable>(
    from row: borrowing R, at column: Int
  ) throws -> Self? {
    try row.isNull(at: column) ? nil : read(from: row, at: column)
  }
}
