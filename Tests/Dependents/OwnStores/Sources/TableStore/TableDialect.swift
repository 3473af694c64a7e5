import ORMCore
import SQLEngine

/// The SQL of SQLite, of which no more is relied on than integers and the equality of texts.
///
/// Columns have types that convert no stored value; checks keep other kinds out.
struct TableDialect: SQLDialect {
  func quoted(_ name: String) -> String { quoted(name, by: UInt8(ascii: "\"")) }

  func placeholder(_ number: Int) -> String { "?\(number)" }

  func declaration(of column: StoredColumn, named name: String, isRowNumber: Bool) -> String {
    if isRowNumber { return "\(name) INTEGER PRIMARY KEY NOT NULL" }
    let (type, kind) =
      switch column.type.kind {
      case .bool, .int: ("INTEGER", "integer")
      // A column of type REAL keeps whole numbers as integers, without the sign of -0.0.
      case .double, .date: ("BLOB", "real")
      case .string, .unsigned, .decimal, .array, .json: ("TEXT", "text")
      case .data, .uuid: ("BLOB", "blob")
      }
    let null = column.isOptional ? "" : " NOT NULL"
    return "\(name) \(type)\(null) CHECK (typeof(\(name)) IN ('\(kind)', 'null'))"
  }

  func literal(_ value: SQLValue) -> (text: String, isExact: Bool) {
    switch value {
    case .null: return ("NULL", true)
    case .integer(let value): return (String(value), true)
    case .real(let value):
      // Not every version of the library reads a number as the nearest double.
      let text = value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : String(value)
      return (text, value.isInfinite)
    case .text(let value):
      // A NUL would end the statement.
      let whole = value.utf8.filter { $0 != 0 }
      let text = quoted(String(decoding: whole, as: UTF8.self), by: UInt8(ascii: "'"))
      return (text, whole.count == value.utf8.count)
    case .blob(let bytes):
      let digits = Array("0123456789abcdef".utf8)
      let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
      return ("x'\(String(decoding: text, as: UTF8.self))'", true)
    }
  }

  func isRefusedStatement(_ error: StoreError) -> Bool {
    error.code == .engine && error.engineCode == TableFailure.refused
  }

  func comparesEqual(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    switch (kind, other) {
    case (.int, .int), (.string, .string): true
    default: false
    }
  }

  func orders(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    kind == .int && other == .int
  }

  private func quoted(_ text: String, by quote: UInt8) -> String {
    let inner = text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
    return String(decoding: [quote] + inner + [quote], as: UTF8.self)
  }
}
