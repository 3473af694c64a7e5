internal import ORMCore

/// A cursor over the one row of aggregates over all rows that match.
final class TotalsCursor: StoreCursor {
  private let view: StoreView
  private let prepared: PreparedRequest
  private let request: FetchRequest
  private let plans: [TotalPlan]
  private var isAtEnd = false

  init(
    _ view: StoreView, _ prepared: PreparedRequest, _ plans: [TotalPlan],
    _ request: FetchRequest
  ) {
    self.view = view
    self.prepared = prepared
    self.plans = plans
    self.request = request
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    try view.check()
    isAtEnd = true
    var page = Page(request)
    guard page.remaining > 0, page.takesRow() else { return false }
    _ = try visitor.visit(BufferedRow(try totals()))
    return false
  }

  private func totals() throws -> [StoredValue] {
    if prepared.residual == nil, plans.allSatisfy(\.isRowCount) {
      return Array(repeating: .int(Int64(try count())), count: plans.count)
    }
    let stream = try makeStream()
    let condition = try prepared.residual?.bound(to: request.bindings, related: view)
    let operands = try plans.map { plan -> BoundOperand? in
      guard case .operand(let operand) = plan.source else { return nil }
      return try operand.bound(to: request.bindings, related: view)
    }
    var aggregators = plans.map(\.aggregator)
    var row = RecordReader(prepared.entity.columns)
    while try stream.next(&row.view) {
      if let condition, try !condition.matches(record: row) { continue }
      for index in aggregators.indices {
        switch plans[index].source {
        // Any value that is not nil counts.
        case .row: aggregators[index].add(.bool(true))
        case .field(let field): try Self.add(field, of: row.view, to: &aggregators[index])
        case .operand:
          if let operand = operands[index] { aggregators[index].add(try operand.evaluate(row)) }
        }
      }
    }
    return try aggregators.map { try $0.result() }
  }

  @inline(__always)
  private static func add(
    _ field: RecordField, of row: RecordView, to aggregator: inout Aggregator
  ) throws {
    guard row.holds(field) else { return aggregator.add(row.filling(field)) }
    if field.encoding.isInteger {
      aggregator.add(int64: row.heldInt64(field))
    } else if field.encoding == .double {
      aggregator.add(double: try row.double(field))
    } else {
      aggregator.add(try row.value(field))
    }
  }

  private func makeStream() throws -> RowStream {
    try prepared.stream(view, request.bindings)
  }

  /// How many rows there are, without looking at them.
  private func count() throws -> Int {
    if case .one(let one) = prepared.plan.access, one.index == nil, one.part.isEverything,
      let space = prepared.entity.space
    {
      return try view.snapshot.count(of: space)
    }
    return try makeStream().pass(.max)
  }
}

extension TotalPlan {
  /// Whether rows are counted, whatever they hold.
  var isRowCount: Bool {
    guard case .row = source else { return false }
    return aggregator.function == .count
  }
}
