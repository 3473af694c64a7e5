internal import ORMStorage

/// A type of the server, by its number in the catalog.
///
/// The numbers of built-in types are the same on every server.
struct PostgresType: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt32

  static let bool = PostgresType(rawValue: 16)
  static let bytea = PostgresType(rawValue: 17)
  static let int8 = PostgresType(rawValue: 20)
  static let int4 = PostgresType(rawValue: 23)
  static let text = PostgresType(rawValue: 25)
  static let float8 = PostgresType(rawValue: 701)
  static let numeric = PostgresType(rawValue: 1700)
  static let uuid = PostgresType(rawValue: 2950)

  // Types of tables that are not the store's.
  static let int2 = PostgresType(rawValue: 21)
  static let oid = PostgresType(rawValue: 26)
  static let float4 = PostgresType(rawValue: 700)
  static let date = PostgresType(rawValue: 1082)
  static let timestamp = PostgresType(rawValue: 1114)
  static let timestampTZ = PostgresType(rawValue: 1184)
  static let jsonb = PostgresType(rawValue: 3802)

  /// True for a type whose binary form is the text itself.
  var isText: Bool {
    switch rawValue {
    // char, name, text, json, bpchar, varchar and values of unknown type.
    case 18, 19, 25, 114, 1042, 1043, 705: true
    default: false
    }
  }

  /// The type of attributes whose values are of this type; nil for one that the store has no use for.
  var attributeType: AttributeType? {
    switch self {
    case .bool: .bool
    case .bytea: .data
    case .int8: .int64
    case .text: .string
    case .float8: .double
    case .numeric: .decimal
    case .uuid: .uuid
    default: nil
    }
  }

  /// The type of an array's elements; nil for a type that is no array of a store.
  var element: PostgresType? {
    switch rawValue {
    case 1000: .bool
    case 1001: .bytea
    case 1009: .text
    case 1016: .int8
    case 1022: .float8
    case 1231: .numeric
    case 2951: .uuid
    default: nil
    }
  }
}
