internal import ORMStorage
internal import SQLEngine

/// Rows that come and rows that go.
extension PostgresStatement {
  func visitRows<V: RowVisitor>(_ layout: SQLRowLayout, _ visitor: inout V) throws -> Bool {
    try visit(rows: PostgresRow(self, layout), &visitor)
  }

  func bindRow<S: RowSource>(
    from source: inout S, _ parameters: SQLRowParameters, _ key: inout Int64
  ) throws -> Bool {
    try bind(from: &source, by: PostgresRowBinder(self, parameters), &key)
  }

  func endRow() throws -> Bool { columns?.endRow() ?? true }

  var batchSize: Int { columns?.size ?? 0 }
}

/// Binds the columns of a row.
private struct PostgresRowBinder: SQLRowBinder {
  let statement: PostgresStatement
  let parameters: SQLRowParameters
  var progress = SQLRowProgress()

  init(_ statement: PostgresStatement, _ parameters: SQLRowParameters) {
    self.statement = statement
    self.parameters = parameters
  }
}
