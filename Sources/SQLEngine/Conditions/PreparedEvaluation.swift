package import ORMCore

/// An evaluation whose names were looked up: what a compiled request keeps.
package struct PreparedEvaluation: Sendable {
  private let kind: Kind
  /// For each column of the entity, the number of the argument it comes in; -1 for none.
  private let arguments: [Int]
  private let layout: SQLRowLayout
  private let maximumValueSize: Int

  private enum Kind: Sendable {
    case test(CompiledCondition)
    case value(CompiledOperand, StoredColumn)
    case order(CompiledOperand, AttributeType.Kind?, TextOptions)
    case folded(CompiledOperand)
    case aggregate(CompiledOperand?, Aggregator)
    case tally
  }

  package init(
    _ evaluation: SQLEvaluation, _ table: SQLTable, _ schema: StoredSchema,
    maximumValueSize: Int = .max
  ) throws {
    self.maximumValueSize = maximumValueSize
    let entity = table.entity
    var names = AttributeNames()
    func compiled(_ operand: Operand) throws -> CompiledOperand {
      names.add(operand)
      return try CompiledOperand(operand, entity: entity, schema: schema)
    }
    switch evaluation {
    case .test(let condition):
      names.add(condition)
      kind = .test(try CompiledCondition(condition, entity: entity, schema: schema))
    case .value(let operand, let column): kind = .value(try compiled(operand), column)
    case .order(let operand, let options):
      kind = .order(try compiled(operand), try entity.kind(of: operand), options)
    case .folded(let operand): kind = .folded(try compiled(operand))
    case .aggregate(let aggregate):
      let of = try aggregate.operand.flatMap { try entity.kind(of: $0) }
      kind = .aggregate(
        try aggregate.operand.map(compiled), Aggregator(aggregate.kind, of: of))
    case .tally: kind = .tally
    }
    var arguments = Array(repeating: -1, count: entity.columns.count)
    let columns = names.names.compactMap { entity.column(ofAttribute: $0) }.sorted()
    for (number, column) in columns.enumerated() { arguments[column] = number }
    self.arguments = arguments
    layout = SQLRowLayout(
      entity: entity.modelName, columns: entity.columns.map(SQLRowLayout.Column.init), key: [])
  }

  /// The evaluation with the values of a request.
  package func bound(to bindings: [StoredValue]) throws -> SQLEvaluator {
    let work: SQLEvaluator.Work
    switch kind {
    case .test(let condition): work = .test(try condition.bound(to: bindings))
    case .value(let operand, let column): work = .value(try operand.bound(to: bindings), column)
    case .order(let operand, let kind, let options):
      work = .order(try operand.bound(to: bindings), kind, options)
    case .folded(let operand): work = .folded(try operand.bound(to: bindings))
    case .aggregate(let operand, let aggregator):
      work = .aggregate(try operand?.bound(to: bindings), aggregator)
    case .tally: work = .tally
    }
    return SQLEvaluator(work, layout, arguments, maximumValueSize: maximumValueSize)
  }
}
