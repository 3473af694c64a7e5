internal import ORMStorage

/// A query of its own inside a run of another: its statement, prepared at its first call.
///
/// A call runs the statement to its end, and no query is inside itself, so one statement is enough.
final class SQLInnerRun {
  private let query: SQLInnerQuery
  private let evaluators: [SQLEvaluator]
  private let request: FetchRequest
  private let connection: any SQLConnection
  private let layout: SQLRowLayout
  private var statement: (any SQLStatement)?

  init(
    _ query: SQLInnerQuery, _ evaluators: [SQLEvaluator], _ request: FetchRequest,
    _ connection: any SQLConnection
  ) {
    self.query = query
    self.evaluators = evaluators
    self.request = request
    self.connection = connection
    layout = SQLRowLayout(entity: query.frame.entity, columns: [query.result], key: [])
  }

  /// Runs the query for an outer row and returns its value.
  func value<R: RowReader & ~Copyable>(_ outer: borrowing R) throws -> SQLValue {
    let statement = try self.statement ?? connection.statement(query.query.sql)
    self.statement = statement
    var values: [StoredValue] = []
    for column in query.frame.columns.indices { values.append(try outer.value(at: column)) }
    defer { statement.rewind() }
    try statement.bind(query.query, request, evaluators, outer: values)
    var collector = ValueCollector(atMost: 1)
    _ = try statement.visitRows(layout, &collector)
    return SQLValue(collector.rows.first?.first ?? .null, in: query.result)
  }
}
