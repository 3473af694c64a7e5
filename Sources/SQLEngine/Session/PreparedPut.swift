internal import ORMStorage

/// A compiled put on one connection.
package final class PreparedPut {
  let table: SQLTable
  let request: PutRequest
  let plan: SQLPutPlan
  /// The put of many rows by one statement; nil where the database takes none.
  let batch: PreparedBatch?
  /// The columns that the source sets.
  let set: [Int]
  /// The parameters that the source's columns are bound to; nil unless the plan is one statement.
  let parameters: SQLRowParameters?
  /// The parameter of a generated key; 0 for none.
  let keyParameter: Int
  /// True if something is bound that the source does not set.
  let hasConstants: Bool
  /// True if a value may be too long for an entry of an index that the table has now.
  let mayOverflow: Bool
  /// The codes for which a put by one statement a row is tried again row by row.
  let retries: Set<StoreError.Code>
  /// True if rows may pass a value of a unique index to each other.
  let hasUniqueIndex: Bool
  private var statement: (any SQLStatement)?

  init(
    _ table: SQLTable, _ plan: SQLPutPlan, _ request: PutRequest, _ options: StoreOptions,
    batch: BatchPut? = nil, mayOverflow: Bool
  ) {
    self.mayOverflow = mayOverflow
    hasUniqueIndex = table.indexes.contains(where: \.stored.isUnique)
    self.batch = batch.map { PreparedBatch($0, table, options) }
    self.table = table
    self.request = request
    self.plan = plan
    set = table.sourceColumns(request)
    guard case .direct(let direct) = plan else {
      parameters = nil
      keyParameter = 0
      hasConstants = false
      retries = []
      return
    }
    retries = direct.retries
    let parameters = SQLRowParameters(
      table, direct.query, maximumValueSize: options.maximumValueSize)
    self.parameters = parameters
    keyParameter = table.entity.generatesKeys ? parameters.slots[table.entity.key[0]].parameter : 0
    hasConstants = direct.query.parameters.contains {
      if case .column = $0.binding { false } else { true }
    }
  }

  /// The statement; a put runs it to its end before another can ask for it.
  func take(_ prepare: (String) throws -> any SQLStatement) throws -> any SQLStatement {
    if let statement {
      // A source that puts again inside its own `next` gets a statement of its own.
      self.statement = nil
      return statement
    }
    guard case .direct(let direct) = plan else {
      throw StoreError(.engine, "a put row by row has no single statement")
    }
    return try prepare(direct.query.sql)
  }

  /// Gives the statement back, rewound.
  func giveBack(_ statement: any SQLStatement) { self.statement = statement }
}
