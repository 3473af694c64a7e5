package import ORMStorage

/// An evaluation whose names were looked up, as a compiled request holds it.
package struct PreparedEvaluation: Sendable {
  private let kind: Kind
  private let layout: SQLRowLayout
  private let maximumValueSize: Int

  private enum Kind: Sendable {
    case test(CompiledCondition)
    case assigned(CompiledOperand, StoredColumn)
    case value(CompiledOperand, SQLRowLayout.Column, throwsOverflow: Bool)
    case order(CompiledOperand, AttributeType.Kind?, TextOptions)
    case aggregate(CompiledOperand?, Aggregator)
    case total(CompiledOperand?, Aggregator, SQLRowLayout.Column, throwsOverflow: Bool)
    case query(SQLInnerQuery, [PreparedEvaluation])
  }

  package init(
    _ evaluation: SQLEvaluation, _ schema: StoredSchema, maximumValueSize: Int = .max
  ) throws {
    self.maximumValueSize = maximumValueSize
    func compiled(_ operand: Operand, _ frame: SQLFrame) throws -> CompiledOperand {
      try CompiledOperand(operand, entity: frame.described, schema: schema)
    }
    switch evaluation {
    case .test(let condition, let frame):
      kind = .test(try CompiledCondition(condition, entity: frame.described, schema: schema))
      layout = frame.layout
    case .assigned(let operand, let column, let frame):
      kind = .assigned(try compiled(operand, frame), column)
      layout = frame.layout
    case .value(let operand, let column, let throwsOverflow, let frame):
      kind = .value(try compiled(operand, frame), column, throwsOverflow: throwsOverflow)
      layout = frame.layout
    case .order(let operand, let of, let options, let frame):
      kind = .order(try compiled(operand, frame), of, options)
      layout = frame.layout
    case .aggregate(let aggregate, let of, let frame):
      kind = .aggregate(
        try aggregate.operand.map { try compiled($0, frame) }, Aggregator(aggregate.kind, of: of))
      layout = frame.layout
    case .total(let aggregate, let of, let column, let throwsOverflow, let frame):
      kind = .total(
        try aggregate.operand.map { try compiled($0, frame) }, Aggregator(aggregate.kind, of: of),
        column, throwsOverflow: throwsOverflow)
      layout = frame.layout
    case .query(let query):
      kind = .query(query, try query.evaluations.map { try PreparedEvaluation($0, schema) })
      layout = query.frame.layout
    }
  }

  /// The evaluation with the values of a request, and the connection for queries of its own.
  package func bound(
    to request: FetchRequest, _ connection: any SQLConnection
  ) throws -> SQLEvaluator {
    let work: SQLEvaluator.Work
    let bindings = request.bindings
    switch kind {
    case .test(let condition): work = .test(try condition.bound(to: bindings))
    case .assigned(let operand, let column):
      work = .assigned(try operand.bound(to: bindings), column)
    case .value(let operand, let column, let throwsOverflow):
      work = .value(try operand.bound(to: bindings), column, throwsOverflow: throwsOverflow)
    case .order(let operand, let kind, let options):
      work = .order(try operand.bound(to: bindings), kind, options)
    case .aggregate(let operand, let aggregator):
      work = .aggregate(try operand?.bound(to: bindings), aggregator)
    case .total(let operand, let aggregator, let column, let throwsOverflow):
      work = .total(
        try operand?.bound(to: bindings), aggregator, column, throwsOverflow: throwsOverflow)
    case .query(let query, let evaluations):
      work = .query(
        SQLInnerRun(
          query, try evaluations.map { try $0.bound(to: request, connection) }, request,
          connection))
    }
    return SQLEvaluator(work, layout, maximumValueSize: maximumValueSize)
  }
}
