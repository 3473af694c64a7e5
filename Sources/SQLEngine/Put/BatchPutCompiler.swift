internal import ORMStorage

/// A statement that puts many rows: a value, made by a pure function of request, table and dialect.
struct BatchPut: Sendable {
  /// The statement; each parameter takes a column of all rows.
  var query: SQLQuery
  /// The statement for a single row, with the same parameters; nil for the one of many.
  var single: SQLQuery?
  /// The statement that inserts a single row with the next generated key, with the same parameters, and gives
  /// the outcome and the key; nil where keys are made before.
  var generating: SQLQuery?
  /// True if the statement gives the outcome of each row; otherwise all rows were inserted.
  var givesOutcomes: Bool

  /// The most rows of one statement.
  static let mostRows = RowThreshold.batchedPuts.rows
  /// The number of bytes after which a batch is run.
  static let mostBytes = 4 << 20

  /// A put by a statement that inserts a single row and makes its key.
  init(generating query: SQLQuery) {
    self.query = query
    givesOutcomes = true
  }

  /// Compiles a put; nil where rows are put one by one.
  init?(_ request: PutRequest, _ table: SQLTable, _ dialect: any SQLDialect) {
    guard let compiler = BatchPutCompiler(request, table, dialect) else { return nil }
    query = SQLQuery(compiler.text(of: compiler.rows), dialect)
    single = compiler.row.map { SQLQuery(compiler.text(of: $0), dialect) }
    if single?.parameters != query.parameters { single = nil }
    generating = compiler.generating.map { SQLQuery($0, dialect) }
    if generating?.parameters != query.parameters { generating = nil }
    givesOutcomes = compiler.asks
    guard query.parameters.count <= dialect.limits.parameters else { return nil }
  }
}

/// Compiles the statement of a batch: rows that exist are found by one join, and then changed or left
/// alone; the others are inserted.
private struct BatchPutCompiler {
  private let request: PutRequest
  private let table: SQLTable
  private let dialect: any SQLDialect
  private let batching: any BatchingDialect
  /// The columns that the source sets.
  private let set: [Int]
  /// The parts of the columns that are set, in the order of the columns of a batch.
  private let given: [Part]
  /// The table of the rows.
  let rows: SQLText
  /// The table of a single row; nil if it is that of many.
  let row: SQLText?
  /// True if rows that exist are looked for first.
  let asks: Bool

  /// A column of the table that the source sets, or the folded text beside it.
  private struct Part: Hashable {
    var position: Int
    var name: String
    var form: SQLForm
  }

  init?(_ request: PutRequest, _ table: SQLTable, _ dialect: any SQLDialect) {
    let set = table.sourceColumns(request)
    // A generated key is bound by the store where the source gives none.
    let bound = table.entity.generatesKeys ? Set(set).union(table.entity.key).sorted() : set
    let given = bound.flatMap { Self.parts($0, table, dialect) }
    let columns = given.map { part -> SQLText in "\(.columnOfRows(part.position, part.form))" }
    // Rows that are read first, or stored in other tables too, are put one by one.
    guard !request.reports.contains(.oldRows), table.elementColumns.isEmpty, table.checksum == nil,
      table.entity.key.allSatisfy(bound.contains),
      let batching = dialect as? any BatchingDialect, let rows = batching.rows(of: columns)
    else { return nil }
    self.request = request
    self.table = table
    self.dialect = dialect
    self.batching = batching
    self.set = set
    self.given = given
    self.rows = rows
    row = batching.row(of: columns)
    asks = request.mode != .insert
    let updates = set.filter(table.isReplaced)
    guard !asks || updates.allSatisfy({ difference($0) != nil }),
      table.columnIndexes.indices.allSatisfy({
        set.contains($0) && !request.nilKeeps || isExact($0)
      })
    else { return nil }
  }

  private static func parts(
    _ position: Int, _ table: SQLTable, _ dialect: any SQLDialect
  ) -> [Part] {
    let column = table.column(position)
    let own = Part(
      position: position, name: dialect.quoted(column.name),
      form: .stored(column.stored.type.kind))
    guard let folded = column.folded else { return [own] }
    return [own, Part(position: position, name: dialect.quoted(folded), form: .folded)]
  }

  /// The whole statement for a single row that gets the next generated key; nil if keys are made before.
  var generating: SQLText? {
    guard table.entity.generatesKeys, request.mode != .update, let row else { return nil }
    let key = dialect.quoted(keyName(0))
    let recorded: SQLText = """
      SELECT \(sql: dialect.quoted("value")) FROM \(sql: dialect.quoted(table: SQLNames.meta)) WHERE \
      \(sql: dialect.quoted("name")) = \
      \(sql: dialect.literal(.text(SQLMeta.greatestKey(table.stored.name))).text)
      """
    guard
      let next = batching.nextKey(
        after: "(SELECT max(\(sql: key)) FROM \(sql: target))", recorded: "(\(recorded))")
    else { return nil }
    let names = (given.map(Self.name) + ["n"]).joined(separator: ", ")
    return """
      WITH added AS (\(insertion(key: next)) FROM \(row) AS g (\(sql: names)) RETURNING \(sql: key)) \
      SELECT 1, \(sql: key) FROM added
      """
  }

  /// The whole statement for a table of rows.
  func text(of rows: SQLText) -> SQLText {
    let names = (given.map(Self.name) + ["n"]).joined(separator: ", ")
    if !asks {
      return "\(insertion()) FROM \(rows) AS g (\(sql: names))"
    }
    let updates = request.mode == .insertMissing ? [] : set.filter(table.isReplaced)
    let changed = updates.compactMap(difference).chained(by: " OR ")
    let differs = updates.isEmpty ? SQLText(dialect.literal(false)) : changed
    let matches = keyMatch(with: "g")
    let first = dialect.quoted(keyName(0))
    var steps: [SQLText] = [
      """
      given AS (SELECT * FROM \(rows) AS g (\(sql: names))), found AS MATERIALIZED (SELECT g.*, \
      t.\(sql: first) IS NOT NULL AS was, \(differs) AS differs FROM given g LEFT JOIN \
      \(sql: target) t ON \(sql: matches))
      """
    ]
    if !updates.isEmpty {
      let whole: SQLText =
        request.mode == .update ? " AND NOT EXISTS (SELECT 1 FROM found WHERE NOT was)" : ""
      steps.append(
        """
        changed AS (UPDATE \(sql: target) t SET \(assignments(updates)) FROM found g WHERE g.was AND \
        g.differs AND \(sql: matches)\(whole))
        """)
    }
    if request.mode != .update {
      steps.append("added AS (\(insertion()) FROM found g WHERE NOT g.was)")
    }
    let missing = request.mode == .update ? 0 : 1
    return """
      WITH \(steps.joined(separator: ", ")) SELECT CASE WHEN NOT was THEN \(sql: "\(missing)") \
      WHEN differs THEN 2 ELSE 3 END FROM found ORDER BY n
      """
  }

  // MARK: Parts

  private var target: String { dialect.quoted(table: table.name) }

  private static func name(_ part: Part) -> String {
    if case .folded = part.form { return "f\(part.position)" }
    return "c\(part.position)"
  }

  private func keyName(_ index: Int) -> String { table.column(table.entity.key[index]).name }

  private func keyMatch(with alias: String) -> String {
    table.entity.key.indices.map { index in
      "t.\(dialect.quoted(keyName(index))) = \(alias).c\(table.entity.key[index])"
    }.joined(separator: " AND ")
  }

  /// A value of a row of the batch, with its type.
  private func value(_ part: Part) -> SQLText {
    dialect.typed(
      "g.\(sql: Self.name(part))", as: table.column(part.position).stored.type)
  }

  private func insertedDefault(_ part: Part) -> SQLText? {
    let column = table.column(part.position).stored
    guard let value = column.defaultValue, !value.isNull else { return nil }
    if case .folded = part.form {
      guard case .string(let text) = value else { return nil }
      return SQLText(dialect.literal(.text(TextFolding.fold(text, .caseInsensitive))).text)
    }
    return dialect.typed(SQLText(dialect.literal(value, of: column).text), as: column.type)
  }

  /// True if the default of a column is written down to the last bit.
  private func isExact(_ position: Int) -> Bool {
    let column = table.column(position).stored
    guard let value = column.defaultValue, !value.isNull else { return true }
    return dialect.literal(value, of: column).isExact
  }

  /// The insertion of rows, with a key of its own instead of the rows' if one is given.
  private func insertion(key generated: SQLText? = nil) -> SQLText {
    var names: [String] = []
    var values: [SQLText] = []
    for part in table.columnIndexes.indices.flatMap({ Self.parts($0, table, dialect) }) {
      let isGiven = given.contains(part)
      let isKey = table.entity.key.contains(part.position)
      let other = isGiven && (!request.nilKeeps || isKey) ? nil : insertedDefault(part)
      guard isGiven || other != nil else { continue }
      names.append(part.name)
      if isKey, let generated {
        values.append(generated)
      } else if !isGiven {
        values.append(other ?? "NULL")
      } else if let other {
        values.append("coalesce(\(value(part)), \(other))")
      } else {
        values.append(value(part))
      }
    }
    return """
      INSERT INTO \(sql: target) (\(sql: names.joined(separator: ", "))) \
      SELECT \(values.joined(separator: ", "))
      """
  }

  /// The value that a row that exists is given.
  private func updated(_ part: Part) -> SQLText {
    request.nilKeeps ? "coalesce(\(value(part)), t.\(sql: part.name))" : value(part)
  }

  private func assignments(_ updates: [Int]) -> SQLText {
    given.filter { updates.contains($0.position) }.map { part -> SQLText in
      "\(sql: part.name) = \(updated(part))"
    }.joined(separator: ", ")
  }

  /// The test of whether a column becomes another, to the last bit; nil where the database has none.
  private func difference(_ position: Int) -> SQLText? {
    let part = Self.parts(position, table, dialect)[0]
    let kind = table.column(position).stored.type.kind
    let old = "t." + part.name
    if kind == .array, !dialect.keepsArraysAsTexts {
      return batching.arraysDiffer(SQLText(old), updated(part))
    }
    guard table.isCompared(dialect)(position) else { return nil }
    return "(\(table.difference(old, updated(part), kind, dialect)))"
  }
}
