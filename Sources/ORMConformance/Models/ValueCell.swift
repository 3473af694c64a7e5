internal import FoundationEssentials
internal import ORM
internal import ORMCore

/// A type of attributes with values that a store may read wrongly.
protocol CellValue: AttributeValue, Codable, Equatable {
  /// The least and the greatest value of the cells, typed; nil for a type without an order.
  static func extremes(in store: any Store) throws -> [StoredValue]?
}

extension CellValue {
  static func extremes(in store: any Store) throws -> [StoredValue]? { nil }
}

extension CellValue where Self: ComparableAttribute {
  static func extremes(in store: any Store) throws -> [StoredValue]? {
    let cells = ValueCell<Self>.all
    return [
      try store.min(cells, \.required)?.storedValue, try store.max(cells, \.required)?.storedValue,
      try store.min(cells, \.optional)?.storedValue, try store.max(cells, \.optional)?.storedValue,
      try store.min(cells, \.indexed)?.storedValue, try store.max(cells, \.indexed)?.storedValue,
      try store.min(cells, \.unique)?.storedValue, try store.max(cells, \.unique)?.storedValue,
    ].map { $0 ?? .null }
  }
}

extension Bool: CellValue {}
extension Int8: CellValue {}
extension Int16: CellValue {}
extension Int32: CellValue {}
extension Int64: CellValue {}
extension UInt8: CellValue {}
extension UInt16: CellValue {}
extension UInt32: CellValue {}
extension UInt64: CellValue {}
extension Float: CellValue {}
extension Double: CellValue {}
extension String: CellValue {}
extension Data: CellValue {}
extension Date: CellValue {}
extension UUID: CellValue {}
extension Decimal: CellValue {}
extension Array: CellValue where Element: CellValue {}

/// A model with attributes of one type, required and not, with indexes and without, mapped by hand.
///
/// Its rows are read by every function of the row protocols, which must agree.
struct ValueCell<Value: CellValue>: PrimaryKeyed, Equatable {
  var id: Int64
  var required: Value
  var optional: Value?
  var indexed: Value?
  var unique: Value?

  init(_ id: Int64, _ values: [StoredValue]) throws {
    self.id = id
    required = try Value(storedValue: values[0])
    optional = try Value?(storedValue: values[1])
    indexed = try Value?(storedValue: values[2])
    unique = try Value?(storedValue: values[3])
  }

  static var entity: Entity<ValueCell> {
    ShapeTable.entity(of: ValueCell.self) {
      Entity("Cell") {
        let part = EntityPart<ValueCell>.key("id", \.id)
          .attribute("required", \.required)
          .attribute("optional", \.optional)
        return Value.attributeType.isScalar
          ? part.attribute("indexed", \.indexed, .indexed).attribute("unique", \.unique, .unique)
          : part.attribute("indexed", \.indexed, .indexed(.elements)).attribute("unique", \.unique)
      }
    }
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    required = try row[1]
    optional = try row[2]
    indexed = try row[3]
    unique = try row[4]
    for (column, value) in zip(1..., stored) {
      try RowFunction.check(row, at: column, Value.attributeType.kind, value)
    }
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    try row.write(required, at: 1)
    try row.write(optional, at: 2)
    try row.write(indexed, at: 3)
    try row.write(unique, at: 4)
  }

  var stored: [StoredValue] {
    [required.storedValue, optional.storedValue, indexed.storedValue, unique.storedValue]
  }
}

/// A subentity of ``ValueCell``, mapped by `Codable`.
struct SubCell<Value: CellValue>: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var required: Value
  var optional: Value?
  var indexed: Value?
  var unique: Value?
  var own: Value?

  init(_ id: Int64, _ values: [StoredValue]) throws {
    self.id = id
    required = try Value(storedValue: values[0])
    optional = try Value?(storedValue: values[1])
    indexed = try Value?(storedValue: values[2])
    own = optional
  }

  static var entity: Entity<SubCell> {
    ShapeTable.entity(of: SubCell.self) {
      Entity("SubCell", parent: ValueCell<Value>.self) {
        .key("id", \.id)
          .attribute("required", \.required)
          .attribute("optional", \.optional)
          .attribute("indexed", \.indexed)
          .attribute("unique", \.unique)
          .attribute("own", \.own)
      }
    }
  }

  var stored: [StoredValue] {
    [required.storedValue, optional.storedValue, indexed.storedValue, unique.storedValue]
  }
}

/// A model that is linked to cells in every manner, and has an attribute of their type.
struct Grid<Value: CellValue>: PrimaryKeyed, Codable, Equatable {
  var id: Int64
  var value: Value?
  var one: ToOne<ValueCell<Value>>
  var many: ToMany<ValueCell<Value>>
  var shared: ToMany<ValueCell<Value>>

  static var entity: Entity<Grid> {
    ShapeTable.entity(of: Grid.self) {
      Entity("Grid") {
        .key("id", \.id)
          .attribute("value", \.value)
          .relationship("one", \.one)
          .relationship("many", \.many)
          .relationship("shared", \.shared, ordered: true, shared: true)
      }
    }
  }
}

/// A model with JSON as it is stored, mapped by hand.
struct Sheet: PrimaryKeyed {
  struct Content: Codable, Sendable {}
  var id: Int64
  var required = Content()
  var optional: Content?
  /// The text of the required attribute.
  var text: StoredValue

  static let entity = Entity<Sheet>("Sheet") {
    .key("id", \.id)
      .json("required", \.required)
      .json("optional", \.optional)
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    text = .json(try row.json(at: 1))
    try RowFunction.check(row, at: 1, .json, text)
    try RowFunction.check(row, at: 2, .json, .null)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    if case .json(let text) = text { try row.set(json: text, at: 1) }
    try row.setNull(at: 2)
  }
}

/// A function by which a row is read.
enum RowFunction {
  /// Reads a value by every function that is meant for its kind, and throws unless all agree.
  static func check<R: RowReader & ~Copyable>(
    _ row: borrowing R, at column: Int, _ kind: AttributeType.Kind, _ value: StoredValue
  ) throws {
    func expect(_ got: StoredValue, _ function: String) throws {
      if StoredValue.array([got]).isIdentical(to: .array([value])) { return }
      throw StoreError(
        .decoding, "\(function) of \(R.self) gives \(got) in column \(column) instead of \(value)")
    }
    try expect(try row.value(at: column), "value(at:)")
    guard try row.isNull(at: column) == value.isNull else {
      throw StoreError(.decoding, "isNull(at:) of \(R.self) is wrong for \(value)")
    }
    if value.isNull {
      switch kind {
      case .int: try expect(optional(try row.int64IfPresent(at: column)) { .int($0) }, "int64")
      case .double:
        try expect(optional(try row.doubleIfPresent(at: column)) { .double($0) }, "double")
      case .string:
        try expect(optional(try row.stringIfPresent(at: column)) { .string($0) }, "string")
      case .bool, .unsigned, .data, .date, .uuid, .decimal, .array, .json: break
      }
      return
    }
    switch kind {
    case .bool: try expect(.bool(row.bool(at: column)), "bool(at:)")
    case .int:
      try expect(.int(row.int64(at: column)), "int64(at:)")
      try expect(optional(row.int64IfPresent(at: column)) { .int($0) }, "int64IfPresent(at:)")
    case .unsigned: try expect(.unsigned(row.uint64(at: column)), "uint64(at:)")
    case .double:
      try expect(.double(row.double(at: column)), "double(at:)")
      try expect(optional(row.doubleIfPresent(at: column)) { .double($0) }, "doubleIfPresent(at:)")
    case .string:
      try expect(.string(row.string(at: column)), "string(at:)")
      try expect(optional(row.stringIfPresent(at: column)) { .string($0) }, "stringIfPresent(at:)")
      let text = try row.withBytes(at: column) { String(decoding: $0, as: UTF8.self) }
      try expect(.string(text), "withBytes(at:)")
    case .data:
      try expect(.data(row.data(at: column)), "data(at:)")
      try expect(.data(row.withBytes(at: column) { Data($0) }), "withBytes(at:)")
    case .date: try expect(.date(row.date(at: column)), "date(at:)")
    case .uuid: try expect(.uuid(row.uuid(at: column)), "uuid(at:)")
    case .decimal: try expect(.decimal(row.decimal(at: column)), "decimal(at:)")
    case .array: try expect(.array(row.array(at: column)), "array(at:)")
    case .json:
      try expect(.json(row.json(at: column)), "json(at:)")
      let text = try row.withBytes(at: column) { String(decoding: $0, as: UTF8.self) }
      try expect(.json(text), "withBytes(at:)")
    }
  }

  private static func optional<T>(_ value: T?, _ stored: (T) -> StoredValue) -> StoredValue {
    value.map(stored) ?? .null
  }
}

/// The types of attributes, and values of each that a store may read wrongly.
enum HostileValues {
  /// Every type of scalars; ``of(_:)`` has the same in its `switch`.
  static let scalars: [any CellValue.Type] = [
    Bool.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt8.self, UInt16.self, UInt32.self,
    UInt64.self, Float.self, Double.self, String.self, Data.self, Date.self, UUID.self,
    Decimal.self,
  ]

  /// The types of scalars and their arrays.
  static var types: [any CellValue.Type] {
    func array<Value: CellValue>(_ type: Value.Type) -> (any CellValue.Type)? {
      // An array of bytes is data.
      type.attributeType == .uint8 ? nil : [Value].self
    }
    return scalars + scalars.compactMap { array($0) }
  }

  /// Texts with the scalars that a database may refuse or take for an end, in the order of scalars.
  static let texts = [
    "", "\0", "\0\u{1}\u{2}\u{3}", "\u{1}", "\u{1}\u{2}\u{2}", "\u{2}", "\u{3}", "\u{3}\u{1}",
    "'\"\\%_?*;--", "a\0b", "e\u{301}", "\u{E9}", "\u{FEFF}x", "\u{FFFF}", "\u{1F600}",
    "\u{10FFFF}",
  ]

  /// Values of a type, in ascending order; a new type needs a line here and in ``scalars``.
  static func of(_ type: AttributeType) -> [StoredValue] {
    let doubles: [Double] = [
      -.infinity, -.greatestFiniteMagnitude, -0.0, .leastNonzeroMagnitude, 0.1,
      9_007_199_254_740_992,
      .greatestFiniteMagnitude, .infinity,
    ]
    switch type {
    case .bool: return [.bool(false), .bool(true)]
    case .int8: return [.int(-128), .int(0), .int(127)]
    case .int16: return [.int(-32_768), .int(0), .int(32_767)]
    case .int32: return [.int(-2_147_483_648), .int(0), .int(2_147_483_647)]
    case .int64: return [.int(.min), .int(-1), .int(0), .int(9_007_199_254_740_993), .int(.max)]
    case .uint8: return [.int(0), .int(255)]
    case .uint16: return [.int(0), .int(65_535)]
    case .uint32: return [.int(0), .int(4_294_967_295)]
    case .uint64: return [.int(0), .int(.max), .uint(1 << 63), .uint(.max)]
    case .float:
      let least = Double(Float.leastNonzeroMagnitude)
      let greatest = Double(Float.greatestFiniteMagnitude)
      return [-.infinity, -greatest, -0.0, least, Double(0.1 as Float), greatest, .infinity]
        .map { .double($0) }
    case .double: return doubles.map { .double($0) }
    case .string: return texts.map { .string($0) }
    case .data:
      return [[], [0], [0, 1, 2, 3], [1, 2, 2], [92, 120], [255]].map { .data(Data($0)) }
    case .date: return doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid:
      let middle: uuid_t = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
      let greatest = uuid_t(
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255)
      return [UUID.unassigned, UUID(uuid: middle), UUID(uuid: greatest)].map { .uuid($0) }
    case .decimal:
      return [
        -Decimal.greatestFiniteMagnitude, -1, -Decimal.leastNonzeroMagnitude, 0,
        Decimal.leastNonzeroMagnitude, Decimal(sign: .plus, exponent: -2, significand: 1),
        Decimal.greatestFiniteMagnitude,
      ].map { .decimal($0) }
    case .array(let element):
      let values = of(element)
      return [.array([]), .array(values), .array(values.reversed())]
        + values.map { .array([$0, $0]) }
    case .json:
      return ["null", "true", "-0.0", "1e5", "\"\"", #""\u0000\u0001""#, "[]", #"{"a":[1,{}]}"#]
        .map { .json($0) }
    }
  }

  /// The values of rows of cells: each value in every attribute, and one row without optional ones.
  static func rows(of type: AttributeType) -> [[StoredValue]] {
    let values = of(type)
    let rows = values.map { value -> [StoredValue] in [value, value, value, value] }
    return rows + [[values[0], .null, .null, .null]]
  }
}
