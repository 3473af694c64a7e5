internal import ORMValues

/// A visitor that adds rows to groups; core evaluates the keys and the aggregated operands.
package struct GroupCollector: RowVisitor {
  /// The groups so far.
  package private(set) var table: GroupTable
  private let condition: BoundCondition?
  private let keys: [BoundOperand]
  private let operands: [BoundOperand?]
  private var check = StopCheck()

  /// A collector of rows that satisfy a condition; an aggregate without an operand counts them.
  package init(
    _ plan: GroupPlan, where condition: BoundCondition? = nil, keys: [BoundOperand],
    operands: [BoundOperand?]
  ) {
    table = GroupTable(plan)
    self.condition = condition
    self.keys = keys
    self.operands = operands
  }

  package mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    try check.step()
    if let condition, try !condition.matches(row) { return .next }
    var key: [StoredValue] = []
    key.reserveCapacity(keys.count)
    for operand in keys { key.append(try operand.evaluate(row)) }
    let group = table.group(of: key)
    for (number, operand) in operands.enumerated() {
      // Any value that is not nil counts.
      table.add(try operand?.evaluate(row) ?? .bool(true), to: number, of: group)
    }
    return .next
  }
}
