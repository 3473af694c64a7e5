@_spi(Records) internal import ORMStorage

/// The output for each row that was found, bound for one run of a request.
struct RowOutput {
  private let form: Form
  /// The memory to which the list of columns points.
  private let columns: RowColumns

  private enum Form {
    /// Columns, held without a reference, which would be counted for each row.
    case columns(RowColumns.List)
    case values([BoundOperand])
    case joined(BoundJoin)
  }

  init(_ prepared: PreparedRequest, _ bindings: [StoredValue], _ view: StoreView) throws {
    columns = prepared.columns
    form =
      switch prepared.output {
      case .columns, .totals, .groups: .columns(columns.list)
      case .values(let operands):
        .values(try operands.map { try $0.bound(to: bindings, related: view) })
      case .joined(let join): .joined(try join.bound(to: view))
      }
  }

  /// The output's columns, where the output is attributes as they are.
  var plainColumns: RowColumns.List? {
    if case .columns(let columns) = form { columns } else { nil }
  }

  /// Passes a whole row to a visitor in the form of the output.
  @inline(__always)
  func pass<V: RowVisitor>(
    _ row: RecordReader, to visitor: inout V
  ) throws -> VisitStep {
    switch form {
    case .columns(let columns): return try visitor.visit(record: RecordReader(row.view, columns))
    case .values(let operands):
      return try visitor.visit(BufferedRow(try operands.map { try $0.evaluate(row) }))
    case .joined(let join): return try join.pass(row, to: &visitor)
    }
  }
}

extension PreparedRequest {
  /// Returns the condition tested of each row, bound to the values of one request; nil if no test
  /// is left.
  func condition(_ bindings: [StoredValue], _ view: StoreView) throws -> RecordCondition? {
    try residual.map {
      RecordCondition(
        try $0.bound(to: bindings, related: view), entity.columns, asSteps: view.compilesConditions)
    }
  }

  /// The output's columns, where the output is attributes as they are.
  var columns: RowColumns {
    if case .columns(let columns) = output { columns } else { entity.columns }
  }
}
