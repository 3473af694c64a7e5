internal import ORMStorage
internal import SQLEngine

/// SQL as PostgreSQL writes it, and the layout of a store's tables, which `Layout.md` describes.
///
/// Every name of a table comes with its namespace; functions and operators are those of the server, by
/// ``PostgresSettings``.
struct PostgresDialect: BatchingDialect, LinkedReadingDialect, QueryChangingDialect,
  OverflowKeyDialect
{
  /// The namespace that holds the store.
  let namespace: String

  var storeKind: String? { "postgres" }

  // MARK: Names

  func quoted(_ name: String) -> String { "\"" + Self.doubled(shortened(name), "\"") + "\"" }

  func quoted(table name: String) -> String { quoted(namespace) + "." + quoted(name) }

  /// The name by which the server knows a name of the engine's.
  ///
  /// The server cuts names at 63 bytes, and keeps some names of columns for itself.
  func shortened(_ name: String) -> String {
    if Self.reserved.contains(name) {
      return "%" + Self.hexadecimal(name.utf8.prefix(1)) + name.dropFirst()
    }
    guard name.utf8.count > 63 else { return name }
    var start = ""
    for scalar in name.unicodeScalars {
      guard start.utf8.count + String(scalar).utf8.count <= 40 else { break }
      start.unicodeScalars.append(scalar)
    }
    let digest = Array(name.utf8).withUnsafeBytes { SHA256(of: $0) }
    return start + "$" + digest.text.prefix(16)
  }

  /// The names of columns that every table has.
  private static let reserved: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

  static var metaName: String { "strata_meta" }

  /// The table of the engine's values about the store.
  var meta: String { quoted(table: Self.metaName) }

  /// The empty table that writers lock.
  var writerLock: String { quoted(table: "strata_gate") }

  /// The sequence that counts the commits of writers that run together.
  var commits: String { quoted(table: "strata_commits") }

  /// A text as a literal.
  func string(_ text: String) -> String {
    "E'" + Self.doubled(Self.doubled(PostgresText.escaped(text), "\\"), "'") + "'"
  }

  private static func doubled(_ text: String, _ mark: Unicode.Scalar) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == mark { result.append(scalar) }
      result.append(scalar)
    }
    return String(result)
  }

  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { text, byte in
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }

  // MARK: Parameters

  func placeholder(_ number: Int) -> String { "$\(number)" }

  func placeholder(_ number: Int, as form: SQLForm) -> String {
    let type: String
    switch form {
    // The text around says which elements.
    case .stored(.array): return "$\(number)"
    case .stored(let kind): type = Self.type(of: kind)
    case .tagged, .bytes: type = "bytea"
    case .byteCount: type = "bigint"
    case .folded, .prefixEnd, .likeBeginning, .likeEnd, .matchBeginning, .matchEnd: type = "text"
    }
    return "$\(number)::\(type)"
  }

  func placeholder(_ number: Int, ofEach form: SQLForm) -> String {
    // Arrays of arrays come apart into single elements: arrays travel as their texts.
    if case .stored(.array) = form { return "$\(number)::text[]" }
    return placeholder(number, as: form) + "[]"
  }

  func rows(of columns: [SQLText]) -> SQLText? {
    let list = columns.dropFirst().reduce(columns.first ?? "") { "\($0), \($1)" }
    return columns.isEmpty ? nil : "unnest(\(list)) WITH ORDINALITY"
  }

  /// The elements of arrays of one: for `unnest`, the server plans ten rows, or plans anew with each run.
  func row(of columns: [SQLText]) -> SQLText? {
    let values = columns.map { column -> SQLText in "(\(column))[1]" }
    return columns.isEmpty ? nil : "(VALUES (\(values.joined(separator: ", ")), 1))"
  }

  func nextKey(after greatest: SQLText, recorded: SQLText) -> SQLText? {
    "greatest(\(greatest), \(recorded)::bigint, 0) + 1"
  }

  func limit(_ placeholder: String) -> String { "nullif(\(placeholder)::bigint, -1)" }

  var typesValues: Bool { true }

  func typed(_ value: SQLText, as type: AttributeType) -> SQLText {
    guard case .array = type else { return value }
    return "\(value)::\(sql: Self.type(of: type))"
  }

  func literal(_ value: Bool) -> String { value ? "true" : "false" }

  func isSame(_ value: SQLText, _ other: SQLText) -> SQLText {
    "\(value) IS NOT DISTINCT FROM \(other)"
  }

  func isDifferent(_ value: SQLText, _ other: SQLText) -> SQLText {
    "\(value) IS DISTINCT FROM \(other)"
  }

  var evaluatesInEngine: Bool { false }

  var ranksRows: Bool { true }

  /// A text is stored with escapes, which make it no shorter.
  func byteCount(of value: SQLText) -> SQLText? { "octet_length(\(value))" }

  /// Tests by an array, for which the server looks into an index; it would join with the query by reading the
  /// whole table.
  func test(_ column: SQLText, isAmong query: SQLText) -> SQLText {
    "\(column) = ANY (ARRAY(\(query)))"
  }

  func bitsDiffer(_ double: SQLText, _ other: SQLText) -> SQLText? {
    "float8send(\(double)) <> float8send(\(other))"
  }

  func arraysDiffer(_ array: SQLText, _ other: SQLText) -> SQLText? {
    "array_send(\(array)) IS DISTINCT FROM array_send(\(other))"
  }

  var keepsArraysAsTexts: Bool { false }

  /// The server takes null for the greatest value.
  func putsNullsFirst(_ isDescending: Bool) -> Bool { isDescending }

  var ordersGroupsByOtherColumns: Bool { false }

  func isRefusedStatement(_ error: StoreError) -> Bool { PostgresFailure.isRefusal(error) }

  // MARK: Exactness

  func comparesEqual(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    orders(kind, other)
  }

  func orders(_ kind: AttributeType.Kind, _ other: AttributeType.Kind) -> Bool {
    switch (kind, other) {
    case (.bool, .bool), (.string, .string), (.data, .data), (.date, .date), (.uuid, .uuid): true
    // The server compares integers and doubles as doubles.
    case (.int, .int), (.double, .double): true
    case (.unsigned, .int), (.unsigned, .unsigned), (.decimal, .decimal): true
    default: false
    }
  }

  func hasExtremes(of kind: AttributeType.Kind) -> Bool {
    switch kind {
    case .int, .unsigned, .double, .date, .decimal, .string: true
    default: false
    }
  }

  func test(
    _ column: SQLText, _ textOperator: TextOperator, isFolded: Bool,
    _ value: (SQLForm) -> SQLText
  ) -> SQLText? {
    let text = value(isFolded ? .folded : .stored(.string))
    switch textOperator {
    case .contains: return "strpos(\(column), \(text)) > 0"
    case .beginsWith:
      // Nothing comes after every text that begins with nothing.
      let end = value(.prefixEnd(isFolded: isFolded))
      return "\(column) >= \(text) AND (\(column) < \(end) OR \(end) IS NULL)"
    case .endsWith: return "right(\(column), length(\(text))) = \(text)"
    case .like, .matches: return nil
    }
  }

  func mostCounted(for number: SQLText) -> SQLText? {
    "least(greatest(\(number), -1), 9007199254740992) + 1"
  }

  var limits: SQLLimits {
    // Parameters: two bytes count them. The server reads lists of conditions without a level for each.
    SQLLimits(
      parameters: 60_000, nesting: 25, height: 700, listItems: 16_384, resultColumns: 1_664,
      indexColumns: 32)
  }
}
