internal import FoundationEssentials
internal import ORMStorage
internal import SQLEngine

/// Declarations of columns and their defaults.
extension PostgresDialect {
  func declaration(of column: StoredColumn, named name: String, isRowNumber: Bool) -> String {
    var text = "\(name) \(Self.type(of: column.type))"
    if Self.isText(column.type) { text += " COLLATE \"C\"" }
    if isRowNumber { text += " PRIMARY KEY" }
    if !column.isOptional { text += " NOT NULL" }
    if let check = Self.check(column.type, name) { text += " CHECK (\(check))" }
    return text
  }

  /// The type of the columns of an attribute.
  static func type(of type: AttributeType) -> String {
    switch type {
    case .array(let element): Self.type(of: element.kind) + "[]"
    case .uint64: "numeric(20,0)"
    default: Self.type(of: type.kind)
    }
  }

  /// The type of the values of a kind that is no array.
  static func type(of kind: AttributeType.Kind) -> String {
    switch kind {
    case .bool: "boolean"
    case .int: "bigint"
    case .unsigned, .decimal: "numeric"
    case .double, .date: "double precision"
    case .string, .json, .array: "text"
    case .data: "bytea"
    case .uuid: "uuid"
    }
  }

  private static func isText(_ type: AttributeType) -> Bool {
    switch type {
    case .string, .json: true
    case .array(let element): isText(element)
    default: false
    }
  }

  private static func check(_ type: AttributeType, _ name: String) -> String? {
    switch type {
    case .int8, .int16, .int32, .uint8, .uint16, .uint32:
      type.integerRange.map { "\(name) BETWEEN \($0.lowerBound) AND \($0.upperBound)" }
    case .uint64: "\(name) BETWEEN 0 AND \(UInt64.max)"
    case .float, .double, .date: "\(name) <> 'NaN'"
    case .decimal: "\(name) NOT IN ('NaN', 'Infinity', '-Infinity')"
    case .array(.float), .array(.double), .array(.date), .array(.decimal):
      "array_position(\(name), 'NaN') IS NULL"
    default: nil
    }
  }

  /// Every default is exact.
  func canAdd(_ column: StoredColumn) -> Bool { true }

  /// The server hides a column that is dropped, and reads no row.
  var columnRemoval: SQLColumnRemoval { .dropping }

  func literal(_ value: SQLValue) -> (text: String, isExact: Bool) {
    switch value {
    case .null: ("NULL", true)
    case .integer(let value): ("'\(value)'", true)
    case .real(let value): (literal(of: value), true)
    case .text(let value): (string(value), true)
    case .blob(let bytes): ("'\\x\(Self.hexadecimal(bytes))'", true)
    }
  }

  func literal(_ value: StoredValue, of column: StoredColumn) -> (text: String, isExact: Bool) {
    guard case .array(let elements) = value else { return (literal(of: value), true) }
    let type = Self.type(of: column.type)
    return ("ARRAY[\(elements.map(literal(of:)).joined(separator: ", "))]::\(type)", true)
  }

  private func literal(of value: StoredValue) -> String {
    switch value {
    case .null, .array: "NULL"
    case .bool(let value): literal(value)
    case .int(let value): "'\(value)'"
    case .uint(let value): "'\(value)'"
    case .double(let value): literal(of: value)
    case .date(let value): literal(of: value.timeIntervalSinceReferenceDate)
    case .string(let value), .json(let value): string(value)
    case .data(let value): "'\\x\(Self.hexadecimal(value))'"
    case .uuid(let value): "'\(value.uuidString)'"
    case .decimal(let value): "'\(DecimalText.text(of: value))'"
    }
  }

  /// The shortest text of a double, which the server reads as the nearest one.
  private func literal(of value: Double) -> String {
    if value.isInfinite { return value < 0 ? "'-Infinity'" : "'Infinity'" }
    return "'\(value)'"
  }

  // MARK: Elements

  /// Lets the server remove the elements of a row that is deleted.
  func creation(of cleaner: SQLCleaner) -> String {
    let owners = cleaner.owners.map { quoted($0) }.joined(separator: ", ")
    let key = cleaner.key.map { quoted($0) }.joined(separator: ", ")
    return "ALTER TABLE \(quoted(table: cleaner.elements)) ADD CONSTRAINT \(quoted(cleaner.name)) "
      + "FOREIGN KEY (\(owners)) REFERENCES \(quoted(table: cleaner.table)) (\(key)) ON DELETE CASCADE"
  }

  func removal(of cleaner: SQLCleaner) -> String {
    "ALTER TABLE \(quoted(table: cleaner.elements)) DROP CONSTRAINT \(quoted(cleaner.name))"
  }
}
