internal import FoundationEssentials
package import ORMStorage
package import SQLEngine

/// SQL as SQLite writes it, and the layout of a store's tables, which `Layout.md` describes.
package struct SQLiteDialect: SQLDialect {
  package let evaluatesInEngine: Bool

  /// Makes the dialect of connections with or without the functions of the engine.
  package init(evaluatesInEngine: Bool = true) { self.evaluatesInEngine = evaluatesInEngine }

  package var storeKind: String? { "sqlite" }

  package func quoted(_ name: String) -> String {
    var text = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" { text.unicodeScalars.append(scalar) }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }

  package func placeholder(_ number: Int) -> String { "?\(number)" }

  package func declaration(
    of column: StoredColumn, named name: String, isRowNumber: Bool
  ) -> String {
    var text = "\(name) \(storage(column.type))"
    if isRowNumber { text += " PRIMARY KEY" }
    if !column.isOptional { text += " NOT NULL" }
    if let check = check(column, name) { text += " CHECK (\(check))" }
    return text
  }

  private func storage(_ type: AttributeType) -> String {
    switch type.kind {
    case .bool, .int: "INTEGER"
    // A column of type REAL would lose the sign of -0.0.
    case .double, .date: "ANY"
    case .unsigned, .string, .decimal, .array, .json: "TEXT"
    case .data, .uuid: "BLOB"
    }
  }

  private func check(_ column: StoredColumn, _ name: String) -> String? {
    switch column.type {
    case .bool: return "\(name) IN (0, 1)"
    case .int8, .int16, .int32, .uint8, .uint16, .uint32:
      return column.type.integerRange.map {
        "\(name) BETWEEN \($0.lowerBound) AND \($0.upperBound)"
      }
    case .float, .double, .date:
      return "typeof(\(name)) \(column.isOptional ? "IN ('real', 'null')" : "= 'real'")"
    case .uuid: return "length(\(name)) = 16"
    case .uint64: return "length(\(name)) = 20"
    case .int64, .string, .data, .decimal, .array, .json: return nil
    }
  }

  package func tableEnding(hasRowNumbers: Bool) -> String {
    hasRowNumbers ? " STRICT" : " STRICT, WITHOUT ROWID"
  }

  package func literal(_ value: SQLValue) -> (text: String, isExact: Bool) {
    switch value {
    case .integer(let value): (String(value), true)
    case .real(let value): literal(value)
    case .text(let text): literal(text)
    case .blob(let bytes): ("x'\(hexadecimal(bytes))'", true)
    case .null: ("NULL", true)
    }
  }

  package func canAdd(_ column: StoredColumn) -> Bool {
    let value: Double
    switch column.defaultValue {
    case .double(let number): value = number
    case .date(let date): value = date.timeIntervalSinceReferenceDate
    default: return true
    }
    // Rows that were there before read a whole number as an integer.
    return value != value.rounded() || value.magnitude >= 0x1p63
  }

  /// The library rewrites the table for `DROP COLUMN`.
  package var columnRemoval: SQLColumnRemoval { .hiding }

  /// A default of a column that is added becomes an integer where it is whole, however it is
  /// written, and not every version reads other numbers exactly: a half stands in for all of them.
  private func literal(_ value: Double) -> (text: String, isExact: Bool) {
    if value.isInfinite { return (value < 0 ? "-9e999" : "9e999", true) }
    return ("0.5", value == 0.5)
  }

  /// A text; one with a NUL, which would end the statement, cannot be written down whole.
  private func literal(_ text: String) -> (text: String, isExact: Bool) {
    var literal = "'"
    for scalar in text.unicodeScalars where scalar != "\0" {
      if scalar == "'" { literal += "'" }
      literal.unicodeScalars.append(scalar)
    }
    return (literal + "'", !text.utf8.contains(0))
  }

  private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }

  // MARK: Exactness

  package func comparesEqual(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    switch (kind, other) {
    // A decimal has one text.
    case (.decimal, .decimal): true
    default: orders(kind, other)
    }
  }

  package func orders(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    switch (kind, other) {
    case (.bool, .bool), (.string, .string), (.data, .data), (.date, .date), (.uuid, .uuid): true
    // Integers and doubles compare without rounding.
    case (.int, .int), (.int, .double), (.double, .int), (.double, .double): true
    // As texts of twenty digits.
    case (.unsigned, .int), (.unsigned, .unsigned): true
    default: false
    }
  }

  package var integersOverflowToDoubles: Bool { true }

  package func test(
    _ column: SQLText, _ textOperator: TextOperator, isFolded: Bool,
    _ value: (SQLForm) -> SQLText
  ) -> SQLText? {
    let text = value(isFolded ? .folded : .stored(.string))
    switch textOperator {
    case .contains: return "instr(\(column), \(text)) > 0"
    case .beginsWith:
      let end = value(.prefixEnd(isFolded: isFolded))
      return "\(column) >= \(text) AND \(column) < \(end)"
    case .endsWith:
      // As bytes: functions on texts stop at a NUL. Of no bytes there is no part but null.
      let count = value(.byteCount(isFolded: isFolded))
      let bytes = value(.bytes(isFolded: isFolded))
      return """
        substr(CAST(\(column) AS BLOB), -\(count), \(count)) = \(bytes) \
        OR (\(count) = 0 AND \(column) IS NOT NULL)
        """
    case .like, .matches: return nil
    }
  }

  package var countsCalls: Bool { evaluatesInEngine }

  package var reportsInsertedRows: Bool { true }

  package var integrityCheck: String? { "PRAGMA integrity_check" }

  /// SQLite keeps to the order of tables that are joined by CROSS JOIN, with or without ON.
  package var ranksRows: Bool { true }
  package var orderedJoin: String { "CROSS JOIN" }

  /// One more than the number, and 0 for one below zero; far from where an integer overflows.
  package func mostCounted(for number: SQLText) -> SQLText? {
    "min(max(\(number), -1), 9007199254740992) + 1"
  }

  package var checksumMark: SQLChecksumMark? {
    let version = SQLiteHeader.checksumFormatVersion
    return SQLChecksumMark(
      set: "PRAGMA user_version = \(version)", query: "PRAGMA user_version", value: Int64(version))
  }

  package var limits: SQLLimits {
    // Parameters: the library's default limit. Nesting and height: well below the 100 entries of its parser's
    // stack and its 1000 levels of an expression. Arguments: the default limit, less the evaluator and a
    // number.
    SQLLimits(
      parameters: 32_000, nesting: 25, height: 700, listItems: 16_384, arguments: 98)
  }

  package func isRefusedStatement(_ error: StoreError) -> Bool { error.isSQLiteRefusal }
}
