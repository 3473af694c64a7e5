internal import FoundationEssentials

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
  /// The types without elements.
  private static let plain: [AttributeType] = [
    .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
    .string, .data, .date, .uuid, .decimal, .json,
  ]

  /// The name of the case, which coded types and messages use.
  package var name: String {
    switch self {
    case .bool: "bool"
    case .int8: "int8"
    case .int16: "int16"
    case .int32: "int32"
    case .int64: "int64"
    case .uint8: "uint8"
    case .uint16: "uint16"
    case .uint32: "uint32"
    case .uint64: "uint64"
    case .float: "float"
    case .double: "double"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .uuid: "uuid"
    case .decimal: "decimal"
    case .array: "array"
    case .json: "json"
    }
  }

  /// Reads a type in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no type.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    if let plain = Self.plain.first(where: { $0.name == coded.name }) {
      self = plain
    } else if coded.name == "array" {
      self = .array(try coded.value())
    } else {
      throw coded.isUnknown
    }
  }

  /// Encodes the type as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    if case .array(let element) = self {
      try CodedCase.encode(name, element, to: encoder)
    } else {
      CodedCase.encode(name, to: encoder)
    }
  }
}

// The table of kinds.
extension AttributeType.Kind {
  /// The widest type, the words and the zero of each kind.
  private var facts: (widestType: AttributeType?, words: String, zero: StoredValue) {
    switch self {
    case .bool: (.bool, "a truth value", .bool(false))
    case .int: (.int64, "an integer", .int(0))
    case .unsigned: (.uint64, "an integer", .int(0))
    case .double: (.double, "a number", .double(0))
    case .string: (.string, "text", .string(""))
    case .data: (.data, "data", .data(Data()))
    case .date: (.date, "a date", .date(Date(timeIntervalSinceReferenceDate: 0)))
    case .uuid:
      (.uuid, "a UUID", .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))))
    case .decimal: (.decimal, "a decimal number", .decimal(0))
    case .array: (nil, "a list", .array([]))
    case .json: (.json, "JSON", .json("null"))
    }
  }

  /// The type that holds every value of this kind; nil for arrays, whose elements a kind does not
  /// name.
  package var widestType: AttributeType? { facts.widestType }

  /// A value of the kind in words, for errors.
  package var words: String { facts.words }

  /// The value of the kind that is zero or empty.
  package var zero: StoredValue { facts.zero }
}
