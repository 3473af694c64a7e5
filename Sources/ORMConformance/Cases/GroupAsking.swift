internal import FoundationEssentials
internal import ORM
internal import ORMCore

/// A value of a table of expected rows, written as a literal.
struct Cell: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByNilLiteral, ExpressibleByBooleanLiteral
{
  let value: StoredValue

  init(_ value: StoredValue) { self.value = value }
  init(integerLiteral value: Int64) { self.value = .int(value) }
  init(floatLiteral value: Double) { self.value = .double(value) }
  init(stringLiteral value: String) { self.value = .string(value) }
  init(booleanLiteral value: Bool) { self.value = .bool(value) }
  init(nilLiteral: ()) { value = .null }

  static func decimal(_ value: Decimal) -> Cell { Cell(.decimal(value)) }
  static func unsigned(_ value: UInt64) -> Cell { Cell(.unsigned(value)) }
  static func date(_ seconds: Double) -> Cell {
    Cell(.date(Date(timeIntervalSinceReferenceDate: seconds)))
  }
}

/// A column of a result.
func column(_ number: Int) -> Operand { .output(number) }

extension Store {
  /// Groups by names, whose columns are the keys and then the aggregates.
  func groups(
    _ entity: String, by keys: [Operand], _ aggregates: [Aggregate],
    where condition: Condition = .constant(true), having: Condition = .constant(true),
    order: [SortTerm] = [], limit: Int? = nil, offset: Int = 0
  ) throws -> [[StoredValue]] {
    try read {
      try $0.groups(
        entity, by: keys, aggregates, where: condition, having: having, order: order, limit: limit,
        offset: offset)
    }
  }
}

extension ReadTransaction {
  /// Returns the groups of a request, as a store does.
  func groups(
    _ entity: String, by keys: [Operand], _ aggregates: [Aggregate],
    where condition: Condition = .constant(true), having: Condition = .constant(true),
    order: [SortTerm] = [], limit: Int? = nil, offset: Int = 0
  ) throws -> [[StoredValue]] {
    let columns =
      keys.enumerated().map { DynamicSelection.Column.value("k\($0)", $1) }
      + aggregates.enumerated().map { DynamicSelection.Column.aggregate("a\($0)", $1) }
    let selection = DynamicSelection(
      DynamicQuery(entity, where: condition, order: order, limit: limit, offset: offset), columns,
      keys: keys, having: having)
    return try fetch(selection).map { row in selection.names.map { row[$0] } }
  }
}

extension ConformanceContext {
  /// Rows are those expected, to the last bit and in this order.
  func expectRows(
    _ got: [[StoredValue]], _ expected: [[Cell]], _ subject: String = "", file: String = #fileID,
    line: Int = #line
  ) throws {
    try expectSame(
      got.map { .array($0) }, expected.map { .array($0.map(\.value)) }, subject, file: file,
      line: line)
  }

  /// Tastes in several spellings; the stocks are powers of two.
  func openFoldedSnacks() throws -> any Store {
    let store = try open(Snack.self)
    try store.save([
      Snack(1, "Café", taste: "salty", stock: 1), Snack(2, "CAFE", taste: "SALTY", stock: 2),
      Snack(3, "cafe\u{301}", taste: "Salty", stock: 4), Snack(4, taste: "Straße", stock: 8),
      Snack(5, taste: "STRASSE", stock: 16), Snack(6, stock: 32), Snack(7, stock: 64),
      Snack(8, taste: "sweet", stock: 128),
    ])
    return store
  }

  /// Three salty snacks, two sweet ones, two without a taste.
  func openGroupSnacks() throws -> any Store {
    let store = try open(Snack.self)
    try store.save([
      Snack(1, "chips", taste: "salty", price: 1, stock: 1, tags: ["x"]),
      Snack(2, "nuts", taste: "salty", price: 3, stock: 5, tags: ["x", "y"]),
      Snack(3, "pretzel", taste: "salty", price: 1),
      Snack(4, "cake", taste: "sweet", price: 0.5, tags: ["x"]),
      Snack(5, "fudge", taste: "sweet"),
      Snack(6, "cola", stock: 4),
      Snack(7, "water"),
    ])
    return store
  }
}
