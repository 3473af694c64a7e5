internal import ORMValues

/// Sums, differences and products of integer columns and constants, computed from left to right.
///
/// An update of many rows computes them without boxed values, and leaves null and overflow to
/// ``BoundOperand``.
package struct IntegerArithmetic {
  private enum Leaf {
    case value(Int64)
    case column(Int)
  }

  private struct Step {
    var symbol: ArithmeticOperator
    var leaf: Leaf
  }

  private let first: Leaf
  private let steps: [Step]

  /// Takes an operand of rows of an entity; nil for an operand of another form.
  package init?(_ operand: BoundOperand, of entity: StoredEntity) {
    var steps: [Step] = []
    var node = operand.node
    while case .arithmetic(let symbol, let left, let right, isUnsigned: false) = node {
      guard symbol == .add || symbol == .subtract || symbol == .multiply,
        let leaf = Self.leaf(right, of: entity)
      else { return nil }
      steps.append(Step(symbol: symbol, leaf: leaf))
      node = left
    }
    guard !steps.isEmpty, let first = Self.leaf(node, of: entity) else { return nil }
    self.first = first
    self.steps = steps.reversed()
  }

  private static func leaf(_ node: BoundOperand.Node, of entity: StoredEntity) -> Leaf? {
    switch node {
    case .value(.int(let value)): .value(value)
    case .column(let column) where entity.columns[column].type.integerRange != nil:
      .column(column)
    default: nil
    }
  }

  /// Returns the result for a row; nil if a column is null or a step overflows.
  package func value(for row: RecordReader) throws -> Int64? {
    guard var result = try Self.value(of: first, row) else { return nil }
    for step in steps {
      guard let operand = try Self.value(of: step.leaf, row) else { return nil }
      let outcome =
        switch step.symbol {
        case .add: result.addingReportingOverflow(operand)
        case .subtract: result.subtractingReportingOverflow(operand)
        default: result.multipliedReportingOverflow(by: operand)
        }
      if outcome.overflow { return nil }
      result = outcome.partialValue
    }
    return result
  }

  @inline(__always)
  private static func value(of leaf: Leaf, _ row: RecordReader) throws -> Int64? {
    switch leaf {
    case .value(let value): value
    case .column(let column): try row.isNull(at: column) ? nil : try row.int64(at: column)
    }
  }
}
