internal import ORMStorage

/// A compiled put of many rows on one connection.
final class PreparedBatch {
  let put: BatchPut
  /// The parameters that the source's columns are bound to.
  let parameters: SQLRowParameters
  /// The parameter of a generated key; 0 for none.
  let keyParameter: Int
  /// The put of a single row by a statement that makes its key; nil where keys are made before.
  let generating: PreparedBatch?
  private let key: [Int]
  private var statement: (any BatchStatement)?

  init(_ put: BatchPut, _ table: SQLTable, _ options: StoreOptions) {
    self.put = put
    parameters = SQLRowParameters(table, put.query, maximumValueSize: options.maximumValueSize)
    key = table.entity.key.map { [parameters] in parameters.slots[$0].parameter }
    keyParameter = table.entity.generatesKeys ? key[0] : 0
    generating = put.generating.map {
      PreparedBatch(BatchPut(generating: $0), table, options)
    }
  }

  /// The statement; a put runs it to its end before another can ask for it.
  func take(_ session: SQLSession) throws -> any BatchStatement {
    if let statement {
      // A source that puts again inside its own `next` gets a statement of its own.
      self.statement = nil
      return statement
    }
    guard let connection = session.batching else {
      throw StoreError(.unsupported, "the connection puts rows one by one")
    }
    return try connection.statement(
      put.query.sql, forOneRow: put.single?.sql, ofRowsWithKey: key)
  }

  /// Gives the statement back; one that failed is released.
  func giveBack(_ statement: any BatchStatement) { self.statement = statement }
}
