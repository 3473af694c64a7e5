/// The declared type of an attribute: the stored value, and the range that is checked.
public indirect enum AttributeType: Hashable, Codable, Sendable {
  /// A `Bool`.
  case bool
  /// `Int8`, with its range checked.
  case int8
  /// `Int16`, with its range checked.
  case int16
  /// `Int32`, with its range checked.
  case int32
  /// `Int64` and `Int`.
  case int64
  /// `UInt8`, with its range checked.
  case uint8
  /// `UInt16`, with its range checked.
  case uint16
  /// `UInt32`, with its range checked.
  case uint32
  /// `UInt64` and `UInt`, exact and in order.
  case uint64
  /// `Float`, stored as the double it converts to.
  case float
  /// A `Double`.
  case double
  /// `String`; `URL` and enums with a text raw value are stored as text.
  case string
  /// `Data` and `[UInt8]`.
  case data
  /// A `Date`.
  case date
  /// A `UUID`.
  case uuid
  /// A `Decimal`.
  case decimal
  /// An array or a set of scalars.
  case array(AttributeType)
  /// Any Codable value, as a JSON text.
  case json
}

extension AttributeType {
  /// The kind of ``StoredValue`` that holds the values of a type.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// `.bool`
    case bool
    /// `.int` of any width but unsigned 64 bits.
    case int
    /// `.int` up to `Int64.max`, above it `.uint`.
    case unsigned
    /// `.double`
    case double
    /// `.string`
    case string
    /// `.data`
    case data
    /// `.date`
    case date
    /// `.uuid`
    case uuid
    /// `.decimal`
    case decimal
    /// `.array`
    case array
    /// `.json`
    case json
  }

  /// The kind of value that stores this type.
  public var kind: Kind {
    switch self {
    case .bool: .bool
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: .int
    case .uint64: .unsigned
    case .float, .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .decimal: .decimal
    case .array: .array
    case .json: .json
    }
  }

  /// The integers this type holds; nil for other types and for `uint64`.
  public var integerRange: ClosedRange<Int64>? {
    switch self {
    case .int8: Int64(Int8.min)...Int64(Int8.max)
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    case .int64: Int64.min...Int64.max
    case .uint8: 0...Int64(UInt8.max)
    case .uint16: 0...Int64(UInt16.max)
    case .uint32: 0...Int64(UInt32.max)
    default: nil
    }
  }

  /// True if values of this type have an order, and so can be keys, sorted by and compared by `<`.
  public var isScalar: Bool {
    switch self {
    case .array, .json: false
    default: true
    }
  }
}

extension AttributeType {
  /// Reads a type in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no type.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "bool": self = .bool
    case "int8": self = .int8
    case "int16": self = .int16
    case "int32": self = .int32
    case "int64": self = .int64
    case "uint8": self = .uint8
    case "uint16": self = .uint16
    case "uint32": self = .uint32
    case "uint64": self = .uint64
    case "float": self = .float
    case "double": self = .double
    case "string": self = .string
    case "data": self = .data
    case "date": self = .date
    case "uuid": self = .uuid
    case "decimal": self = .decimal
    case "array": self = .array(try coded.value())
    case "json": self = .json
    default: throw coded.isUnknown
    }
  }

  /// Encodes the type as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .bool: CodedCase.encode("bool", to: encoder)
    case .int8: CodedCase.encode("int8", to: encoder)
    case .int16: CodedCase.encode("int16", to: encoder)
    case .int32: CodedCase.encode("int32", to: encoder)
    case .int64: CodedCase.encode("int64", to: encoder)
    case .uint8: CodedCase.encode("uint8", to: encoder)
    case .uint16: CodedCase.encode("uint16", to: encoder)
    case .uint32: CodedCase.encode("uint32", to: encoder)
    case .uint64: CodedCase.encode("uint64", to: encoder)
    case .float: CodedCase.encode("float", to: encoder)
    case .double: CodedCase.encode("double", to: encoder)
    case .string: CodedCase.encode("string", to: encoder)
    case .data: CodedCase.encode("data", to: encoder)
    case .date: CodedCase.encode("date", to: encoder)
    case .uuid: CodedCase.encode("uuid", to: encoder)
    case .decimal: CodedCase.encode("decimal", to: encoder)
    case .array(let element): try CodedCase.encode("array", element, to: encoder)
    case .json: CodedCase.encode("json", to: encoder)
    }
  }
}

extension AttributeType.Kind {
  /// The type that holds every value of this kind; nil for arrays, whose elements a kind does not
  /// name.
  package var widestType: AttributeType? {
    switch self {
    case .bool: .bool
    case .int: .int64
    case .unsigned: .uint64
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .decimal: .decimal
    case .json: .json
    case .array: nil
    }
  }
}
