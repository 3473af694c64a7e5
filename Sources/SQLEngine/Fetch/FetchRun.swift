internal import ORMCore

/// One run of a compiled request: a statement, what is bound to it, and what becomes of its rows.
struct FetchRun {
  private let session: SQLSession
  private let fetch: PreparedFetch
  private let statement: any SQLStatement
  private let evaluators: [SQLEvaluator]
  private let operands: [BoundOperand]
  private let request: FetchRequest
  private let throwsOverflow: Bool

  /// Takes a statement and binds the request to it; `close` gives it back.
  ///
  /// - Parameter throwsOverflow: whether the values are to be assigned.
  init(
    _ session: SQLSession, _ fetch: PreparedFetch,
    _ request: FetchRequest, throwsOverflow: Bool = false
  ) throws {
    self.throwsOverflow = throwsOverflow
    self.session = session
    self.fetch = fetch
    self.request = request
    evaluators = try fetch.evaluators(request, session.connection)
    operands = try fetch.operands.map { try $0.bound(to: request.bindings) }
    statement = try fetch.take(session.connection.statement)
    do {
      try statement.bind(fetch.plan.query, request, evaluators)
    } catch {
      close()
      throw error
    }
  }

  /// Hands on rows until the visitor pauses (true) or stops, or there are no more.
  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    switch fetch.plan.output {
    case .columns, .joined: return try statement.visitRows(fetch.layout, &visitor)
    case .operands:
      var evaluating = OperandVisitor(
        visitor: visitor, operands: operands, throwsOverflow: throwsOverflow)
      defer { visitor = evaluating.visitor }
      return try statement.visitRows(fetch.layout, &evaluating)
    case .aggregates(let sources):
      if let values = try totals(sources) { _ = try visitor.visit(BufferedRow(values)) }
      return false
    }
  }

  /// Gives the statement back.
  func close() {
    statement.rewind()
    fetch.giveBack(statement)
  }

  /// The values of the aggregates; nil when the request's limit leaves none of the one row.
  private func totals(_ sources: [FetchPlan.AggregateSource]) throws -> [StoredValue]? {
    var collector = RowCollector()
    do {
      _ = try statement.visitRows(fetch.layout, &collector)
      guard let row = collector.rows.first else { return nil }
      return try sources.map { source in
        switch source {
        case .column(let place, _): return row[place]
        case .sum(let place): return row[place].isNull ? .int(0) : row[place]
        case .evaluator(let number): return try evaluators[number].total()
        case .average(let sum, let count):
          guard case .int(let sum) = row[sum], case .int(let count) = row[count], count > 0 else {
            return .null
          }
          // Both are exact as doubles, so that the quotient is rounded once.
          guard max(sum.magnitude, count.magnitude) <= 1 << 53 else { throw InexactSum() }
          return .double(Double(sum) / Double(count))
        }
      }
    } catch  where fetch.plan.hasEngineSums && Self.isInexact(error) {
      return try exactTotals()
    }
  }

  /// The values with every sum made by core.
  private func exactTotals() throws -> [StoredValue]? {
    let exact = try session.exactFetch(request.shape)
    let run = try FetchRun(session, exact, request)
    defer { run.close() }
    guard case .aggregates(let sources) = exact.plan.output else { return nil }
    return try run.totals(sources)
  }

  private struct InexactSum: Error {}

  /// Whether the engine, or we, gave a sum up that did not fit: engines have no code for that.
  private static func isInexact(_ error: any Error) -> Bool {
    error is InexactSum || (error as? StoreError)?.code == .engine
  }
}

extension FetchPlan {
  /// Whether a sum is made by the engine.
  fileprivate var hasEngineSums: Bool {
    guard case .aggregates(let sources) = output else { return false }
    return sources.contains { source in
      switch source {
      case .sum, .average: true
      case .column, .evaluator: false
      }
    }
  }
}

/// Hands on rows of operands, worked out of rows of columns.
private struct OperandVisitor<V: RowVisitor>: RowVisitor {
  var visitor: V
  let operands: [BoundOperand]
  let throwsOverflow: Bool

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var results: [StoredValue] = []
    results.reserveCapacity(operands.count)
    for operand in operands {
      results.append(
        try throwsOverflow ? operand.evaluateForUpdate(row) : operand.evaluate(row))
    }
    return try visitor.visit(BufferedRow(results))
  }
}
