public import FoundationEssentials

/// One stored value of any kind, as rows, conditions and requests hold it.
///
/// `==` and hashing are by kind and content, so `.int(1)` and `.double(1)` differ here, and so do
/// composed and decomposed é; ``StoredValue/==(_:_:)`` says the rest. How values compare in a
/// condition is ``compare(_:_:)``.
public enum StoredValue: Codable, Sendable {
  /// No value.
  case null
  /// A truth value.
  case bool(Bool)
  /// An integer of any width up to 64 bits.
  case int(Int64)
  /// An unsigned integer above `Int64.max`; smaller ones are always `.int`.
  case uint(UInt64)
  /// A double; a NaN is never stored.
  case double(Double)
  /// A text with every scalar, NUL included.
  case string(String)
  /// A sequence of bytes.
  case data(Data)
  /// A timestamp, with the bits of its `timeIntervalSinceReferenceDate`.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
  /// A decimal number.
  case decimal(Decimal)
  /// A list of scalars.
  case array([StoredValue])
  /// A JSON text.
  case json(String)
}

extension StoredValue {
  /// The value of an unsigned integer, in its one form.
  @inlinable
  public static func unsigned(_ value: UInt64) -> StoredValue {
    value <= UInt64(Int64.max) ? .int(Int64(value)) : .uint(value)
  }

  /// True if this is `.null`.
  @inlinable
  public var isNull: Bool { if case .null = self { true } else { false } }
}

extension StoredValue {
  /// The kind of the value; nil for null.
  ///
  /// An integer is `.int` up to `Int64.max`, above it `.unsigned`.
  public var kind: AttributeType.Kind? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int: .int
    case .uint: .unsigned
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .decimal: .decimal
    case .array: .array
    case .json: .json
    }
  }
  /// The rank of the value's kind among the kinds; numbers share one.
  var kindRank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .uint, .double, .decimal: 2
    case .date: 3
    case .string: 4
    case .uuid: 5
    case .data: 6
    case .array: 7
    case .json: 8
    }
  }
}

extension StoredValue {
  /// Reads a value in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is not in this form.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "null": self = .null
    case "bool": self = .bool(try coded.value())
    case "int": self = .int(try coded.value())
    case "uint": self = .uint(try coded.value())
    case "double": self = .double(try coded.number { $0 })
    case "string": self = .string(try coded.value())
    case "data": self = .data(try coded.value())
    case "date":
      self = .date(try coded.number { Date(timeIntervalSinceReferenceDate: $0) })
    case "uuid": self = .uuid(try coded.value())
    case "decimal": self = .decimal(try coded.value())
    case "array": self = .array(try coded.value())
    case "json": self = .json(try coded.value())
    default: throw coded.isUnknown
    }
  }

  /// Encodes the value as an object whose one member has the name of the kind.
  ///
  /// Every coder takes every value: where a coder has no form of an infinite number, it is a text.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .null: CodedCase.encode("null", to: encoder)
    case .bool(let value): try CodedCase.encode("bool", value, to: encoder)
    case .int(let value): try CodedCase.encode("int", value, to: encoder)
    case .uint(let value): try CodedCase.encode("uint", value, to: encoder)
    case .double(let value): try CodedCase.encode("double", value, number: value, to: encoder)
    case .string(let value): try CodedCase.encode("string", value, to: encoder)
    case .data(let value): try CodedCase.encode("data", value, to: encoder)
    case .date(let value):
      try CodedCase.encode(
        "date", value, number: value.timeIntervalSinceReferenceDate, to: encoder)
    case .uuid(let value): try CodedCase.encode("uuid", value, to: encoder)
    case .decimal(let value): try CodedCase.encode("decimal", value, to: encoder)
    case .array(let value): try CodedCase.encode("array", value, to: encoder)
    case .json(let value): try CodedCase.encode("json", value, to: encoder)
    }
  }
}

extension StoredValue {
  /// The error for a stored value of another kind than asked for.
  public static func unexpected(_ what: String) -> StoreError {
    StoreError(.decoding, "the stored value is not \(what)")
  }
  /// The error for a NaN given to be stored.
  public static var notANumber: StoreError {
    StoreError(.invalidValue, "NaN cannot be stored")
  }
}
