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
    case .real(let value): ("'\(Self.text(of: value))'", true)
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
    case .bool(let value): literal(value)
    case .string(let value), .json(let value): string(value)
    default: Self.text(of: value).map { "'\($0)'" } ?? "NULL"
    }
  }

  /// The text that the server reads as a scalar, without quotes; nil for null and for an array.
  static func text(of value: StoredValue) -> String? {
    switch value {
    case .null, .array: nil
    case .bool(let value): value ? "t" : "f"
    case .int(let value): String(value)
    case .uint(let value): String(value)
    case .double(let value): text(of: value)
    case .date(let value): text(of: value.timeIntervalSinceReferenceDate)
    case .string(let value), .json(let value): PostgresText.escaped(value)
    case .data(let value): "\\x" + hexadecimal(value)
    case .uuid(let value): value.uuidString
    case .decimal(let value): DecimalText.text(of: value)
    }
  }

  /// The shortest text of a double, which the server reads as the nearest one.
  private static func text(of value: Double) -> String {
    value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : "\(value)"
  }

  // MARK: Elements

  /// Lets the server remove the elements of a row that is deleted.
  ///
  /// A constraint refers to a primary key. Where there is none, a rule removes them.
  func creation(of cleaner: SQLCleaner) -> String {
    let elements = quoted(table: cleaner.elements)
    let table = quoted(table: cleaner.table)
    if cleaner.hasOverflowKeys {
      let matches = zip(cleaner.owners, cleaner.key).map { "\(quoted($0)) = OLD.\(quoted($1))" }
      return "CREATE RULE \(quoted(cleaner.name)) AS ON DELETE TO \(table) DO ALSO "
        + "DELETE FROM \(elements) WHERE \(matches.joined(separator: " AND "))"
    }
    let owners = cleaner.owners.map { quoted($0) }.joined(separator: ", ")
    let key = cleaner.key.map { quoted($0) }.joined(separator: ", ")
    return "ALTER TABLE \(elements) ADD CONSTRAINT \(quoted(cleaner.name)) "
      + "FOREIGN KEY (\(owners)) REFERENCES \(table) (\(key)) ON DELETE CASCADE"
  }

  func removal(of cleaner: SQLCleaner) -> String {
    cleaner.hasOverflowKeys
      ? "DROP RULE \(quoted(cleaner.name)) ON \(quoted(table: cleaner.table))"
      : "ALTER TABLE \(quoted(table: cleaner.elements)) DROP CONSTRAINT \(quoted(cleaner.name))"
  }

  // MARK: Lists of keys

  /// A function, called for each row and before a table is emptied by `TRUNCATE`.
  ///
  /// It has a search path of its own, since programs of others call it.
  func creations(of lister: SQLKeyLister) -> [String] {
    let function = quoted(table: lister.name)
    let table = quoted(table: lister.table)
    let columns = lister.columns.map { quoted($0) }.joined(separator: ", ")
    let key = lister.key.map { quoted($0) }
    let insertion = "INSERT INTO \(quoted(table: lister.list)) (\(columns)) "
    let end = " ON CONFLICT DO NOTHING"
    func listing(_ row: String) -> String {
      insertion + "VALUES (\(key.map { "\(row).\($0)" }.joined(separator: ", ")))" + end
    }
    let all = string(insertion + "SELECT \(key.joined(separator: ", ")) FROM ")
    return [
      """
      CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql \
      SET search_path = \(PostgresSettings.path) AS $strata$ BEGIN \
      IF TG_OP = 'TRUNCATE' THEN \
      EXECUTE \(all) || TG_RELID::pg_catalog.regclass::text || \(string(end)); RETURN NULL; END IF; \
      IF TG_OP <> 'INSERT' THEN \(listing("OLD")); END IF; \
      IF TG_OP <> 'DELETE' THEN \(listing("NEW")); END IF; \
      RETURN NULL; END $strata$
      """,
      "CREATE TRIGGER \(quoted(lister.name)) AFTER INSERT OR UPDATE OR DELETE ON \(table) "
        + "FOR EACH ROW EXECUTE FUNCTION \(function)()",
      "CREATE TRIGGER \(quoted(lister.name + "$all")) BEFORE TRUNCATE ON \(table) "
        + "FOR EACH STATEMENT EXECUTE FUNCTION \(function)()",
    ]
  }

  /// Removes the function, and with it the triggers.
  func removals(of lister: SQLKeyLister) -> [String] {
    ["DROP FUNCTION IF EXISTS \(quoted(table: lister.name))() CASCADE"]
  }

  // MARK: Overflow keys

  /// An entry of an index has at most 2,704 bytes.
  func canOverflow(_ kind: AttributeType.Kind) -> Bool { kind == .string || kind == .data }

  /// 600 bytes or fewer.
  func beginning(of value: SQLText, _ kind: AttributeType.Kind) -> SQLText {
    kind == .string ? "left(\(value), 150)" : "substring(\(value) FROM 1 FOR 600)"
  }

  /// The server's own function for SHA-256, of the bytes of each value.
  func digest(of columns: [(name: String, kind: AttributeType.Kind)]) -> String {
    let digests = columns.map { column in
      // Only the cast gives the bytes of a text under all settings of the session; it reads backslashes.
      column.kind == .string
        ? "sha256(replace(\(column.name), E'\\\\', E'\\\\\\\\')::bytea)" : "sha256(\(column.name))"
    }
    return digests.count == 1 ? digests[0] : "sha256(\(digests.joined(separator: " || ")))"
  }

  /// A hash index has no limit.
  func equalityIndex(of column: String, in table: String) -> String {
    "CREATE INDEX ON \(quoted(table: table)) USING hash (\(column))"
  }
}
