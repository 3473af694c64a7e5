internal import FoundationEssentials
internal import ORMStorage

/// A value of SQL: the result of a function, or a default to be written down.
public enum SQLValue: Hashable, Sendable {
  /// No value.
  case null
  /// An integer.
  case integer(Int64)
  /// A double, not NaN.
  case real(Double)
  /// A text.
  case text(String)
  /// A sequence of bytes.
  case blob([UInt8])

  /// Returns whether both are of one kind and hold the same; texts are compared by scalars.
  public static func == (a: SQLValue, b: SQLValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    case (.text(let a), .text(let b)): a.hasSameScalars(as: b)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// The kind of a value of SQL.
  public enum Kind: Sendable {
    /// A 64-bit integer.
    case integer
    /// A double.
    case real
    /// A text in UTF-8.
    case text
    /// A run of bytes.
    case blob
    /// No value.
    case null
  }

  /// Makes the value that a column of a kind keeps.
  init(storing value: StoredValue, as kind: AttributeType.Kind) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .integer(value ? 1 : 0)
    case .int(let value):
      self = kind == .unsigned ? .text(Self.digits(UInt64(clamping: value))) : .integer(value)
    case .uint(let value): self = .text(Self.digits(value))
    case .double(let value): self = .real(value)
    case .string(let value), .json(let value): self = .text(value)
    case .data(let value): self = .blob(Array(value))
    case .date(let value): self = .real(value.timeIntervalSinceReferenceDate)
    case .uuid(let value): self = .blob(withUnsafeBytes(of: value.uuid) { Array($0) })
    case .decimal(let value): self = .text(DecimalText.text(of: value))
    case .array(let value): self = .text(JSONText.encode(array: value))
    }
  }

  /// Makes the value that a column of a frame or of a result holds.
  init(_ value: StoredValue, in column: SQLRowLayout.Column) {
    guard column.isTagged else {
      self.init(storing: value, as: column.type.kind)
      return
    }
    switch value {
    case .null: self = .null
    // As it was read.
    case .array(let elements) where elements.count == 1:
      self = .blob(TaggedValue.bytes(of: elements[0]))
    default: self = .blob(TaggedValue.bytes(of: value))
    }
  }

  /// The text of an unsigned integer, which orders as the numbers do.
  private static func digits(_ value: UInt64) -> String {
    let text = String(value)
    return String(repeating: "0", count: 20 - text.utf8.count) + text
  }
}
