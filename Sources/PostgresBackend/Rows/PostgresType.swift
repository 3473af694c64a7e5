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
