internal import ORMStorage

/// The shape of a page and of its linked requests, which are compiled together once.
struct LinkedShape: Hashable {
  /// The shape of the page.
  let page: FetchShape
  /// The linked requests.
  let links: [Link]

  /// A linked request without values.
  struct Link: Hashable {
    let shape: FetchShape
    let parent: Int
    let parentAttributes: [String]
    let attributes: [String]
    /// The slot of its first value among the values of all requests.
    let firstBinding: Int
  }
}

/// Compiles a page and the rows to which it leads to one statement.
///
/// Each request is a common table expression, which the database works out once: the page, and the rows whose
/// keys are among those of the expression before. The statement gives the rows of all of them, those of each
/// in columns of their own; the others are null. The first column is the number of the expression and the
/// second the position of the row in it, since a union promises no order.
struct LinkedFetchCompiler {
  let schema: SQLSchema
  let dialect: any SQLDialect
  /// The expressions, by the positions of their requests; nil for a request that is sent by itself.
  private var parts: [Part?] = []

  init(_ schema: SQLSchema, _ dialect: any SQLDialect) {
    self.schema = schema
    self.dialect = dialect
  }

  /// A request as an expression.
  private struct Part {
    /// The rows, with the columns `r` for the position and `c0`, `c1` and so on.
    let query: SQLText
    let columnCount: Int
    let plan: FetchPlan
    let table: SQLTable
    /// The entity of which the row's first columns are the columns.
    let entity: StoredEntity
  }

  /// The form of one request's rows.
  struct Rows {
    let part: SQLPart
    let layout: SQLRowLayout
  }

  /// Compiles a shape to a statement, and the form of each request's rows; nil if the database does not
  /// answer the page exactly, and a nil form for a linked request that it does not.
  mutating func compile(_ shape: LinkedShape) throws -> (query: SQLQuery, rows: [Rows?])? {
    guard let page = try part(shape.page) else { return nil }
    parts = [page]
    var width = page.columnCount
    for link in shape.links {
      var part = try part(link)
      if let columnCount = part?.columnCount {
        // The number and the position are two columns more.
        if width + columnCount + 2 > dialect.limits.resultColumns {
          part = nil
        } else {
          width += columnCount
        }
      }
      parts.append(part)
    }
    guard parts.dropFirst().contains(where: { $0 != nil }) else { return nil }
    let query = SQLQuery(text, dialect)
    var firstColumn = 2
    let rows = try zip(parts, [shape.page] + shape.links.map(\.shape)).enumerated().map {
      number, part -> Rows? in
      guard let compiled = part.0 else { return nil }
      let fetch = try PreparedFetch(compiled.table, compiled.plan, part.1, schema.declared)
      defer { firstColumn += compiled.columnCount }
      return Rows(
        part: SQLPart(number: number, firstColumn: firstColumn), layout: fetch.layout)
    }
    return (query, rows)
  }

  private func name(_ number: Int) -> String { dialect.quoted("strata_\(number)") }

  // MARK: Expressions

  /// The page; its order is that of the expression.
  private func part(_ shape: FetchShape) throws -> Part? {
    var compiler = FetchCompiler(try schema.table(shape.entity), schema, dialect)
    return try part(shape, &compiler) { compiler, columns in
      let rows: SQLText = "SELECT \(columns) \(try compiler.conditions.source(shape))"
      return "SELECT row_number() OVER () AS r, q.* FROM (\(rows)) AS q"
    }
  }

  /// A linked request, whose rows are ordered by it.
  private func part(_ link: LinkedShape.Link) throws -> Part? {
    guard parts.indices.contains(link.parent), let parent = parts[link.parent] else { return nil }
    let table = try schema.table(link.shape.entity)
    var columns: [Int] = []
    var keys: [SQLText] = []
    for (attribute, parentAttribute) in zip(link.attributes, link.parentAttributes) {
      guard let column = table.entity.column(ofAttribute: attribute),
        let key = parent.entity.column(ofAttribute: parentAttribute),
        dialect.comparesEqual(
          table.entity.columns[column].type.kind, parent.entity.columns[key].type.kind)
      else { return nil }
      columns.append(column)
      keys.append(SQLText("c" + String(key)))
    }
    guard !keys.isEmpty, !link.shape.isLimited else { return nil }
    let among: SQLText =
      "SELECT \(keys.joined(separator: ", ")) FROM \(sql: name(link.parent))"
    var compiler = FetchCompiler(table, schema, dialect)
    return try part(link.shape, &compiler) { compiler, results in
      let sort = try link.shape.sort.map { try compiler.conditions.sortTerm($0) }
      let order: SQLText =
        sort.isEmpty ? "" : "ORDER BY \(sort.joined(separator: ", "))"
      let source = try compiler.conditions.source(link.shape, with: columns, among: among)
      return ("SELECT row_number() OVER (\(order)) AS r, \(results) \(source)" as SQLText)
        .shiftingParameters(by: link.firstBinding)
    }
  }

  /// A request of whole rows; nil if the database does not do all of it exactly.
  private func part(
    _ shape: FetchShape, _ compiler: inout FetchCompiler,
    _ query: (inout FetchCompiler, _ columns: SQLText) throws -> SQLText
  ) throws -> Part? {
    let shown: StoredEntity
    switch shape.output {
    case .rows: shown = compiler.table.entity
    case .joined(let step, _): shown = try schema.table(step.entity).entity
    case .values, .aggregates, .groups: return nil
    }
    if shape.aggregatesRound { return nil }
    // An order would take a plain name for that of a result.
    compiler.conditions = ConditionCompiler(compiler.table, schema, dialect, isQualified: true)
    compiler.conditions.joins = OuterJoins()
    let (results, output) = try compiler.output(shape)
    let test = try compiler.intactTest(shape)
    let columns = results + (test.map { [$0] } ?? [])
    let named = columns.enumerated().map { number, column -> SQLText in
      "\(column) AS c\(sql: String(number))"
    }
    let text = try query(&compiler, named.joined(separator: ", "))
    guard compiler.conditions.evaluations.isEmpty else { return nil }
    let plan = FetchPlan(
      query: SQLQuery(text, dialect), evaluations: [], output: output,
      intact: test == nil ? nil : results.count)
    return Part(
      query: text, columnCount: columns.count, plan: plan, table: compiler.table, entity: shown)
  }

  // MARK: Text

  /// All expressions, and the union of their rows.
  private var text: SQLText {
    let numbers = parts.indices.filter { parts[$0] != nil }
    let expressions = numbers.map { number -> SQLText in
      "\(sql: name(number)) AS MATERIALIZED (\(parts[number]?.query ?? ""))"
    }
    let selections = numbers.map { selection(of: $0, among: numbers) }
    let union = selections.joined(separator: " UNION ALL ")
    return "WITH \(expressions.joined(separator: ", ")) \(union)"
  }

  /// The rows of one expression.
  ///
  /// The first names all columns, so that the nulls of the others have types.
  private func selection(of number: Int, among numbers: [Int]) -> SQLText {
    var columns: [SQLText] = [SQLText(String(number)), "\(sql: name(number)).r"]
    var source: SQLText = "\(sql: name(number))"
    for other in numbers {
      let isNamed = number == 0 || other == number
      for column in 0..<(parts[other]?.columnCount ?? 0) {
        columns.append(isNamed ? "\(sql: name(other)).c\(sql: String(column))" : "NULL")
      }
      if number == 0, other != 0 { source.append(" LEFT JOIN \(sql: name(other)) ON false") }
    }
    return "SELECT \(columns.joined(separator: ", ")) FROM \(source)"
  }
}
