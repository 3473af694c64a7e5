internal import ORMStorage

/// One run of a compiled request: a statement, its bindings, and core's work on its rows.
struct FetchRun {
  private let session: SQLSession
  private let fetch: PreparedFetch
  private let statement: any SQLStatement
  private let evaluators: [SQLEvaluator]
  private let operands: [BoundOperand]
  private let request: FetchRequest
  private let assigned: [String]?
  /// Groups on their way.
  private let groups: GroupRun?
  /// The part of core over the statement's rows.
  private let residual: ResidualCursor?
  private let related: BatchReader?

  /// Takes a statement and binds the request to it; `close` gives it back.
  ///
  /// - Parameters:
  ///   - related: reads related rows for core; nil where the engine calls functions.
  ///   - assigned: for values that are going to be assigned, the attribute of each.
  ///   - mayPause: true if the rows may be asked for with pauses, and not to the end.
  init(
    _ session: SQLSession, _ fetch: PreparedFetch, _ request: FetchRequest, related: BatchReader?,
    assigned: [String]? = nil, mayPause: Bool = false
  ) throws {
    self.related = related
    self.assigned = assigned
    self.session = session
    self.fetch = fetch
    self.request = request
    evaluators = try fetch.evaluators(request, session.connection)
    operands = try fetch.operands.map { try $0.bound(to: request.bindings) }
    groups =
      switch fetch.plan.output {
      case .groups, .collected: GroupRun()
      case .columns, .operands, .aggregates, .joined: nil
      }
    statement = try fetch.take(session.connection.statement)
    do {
      try statement.bind(fetch.plan.query, request, evaluators)
      if mayPause { statement.expectPauses() }
      residual = try Self.residual(fetch, statement, request, related, session.tally)
    } catch {
      statement.rewind()
      fetch.giveBack(statement)
      throw error
    }
  }

  private static func residual(
    _ fetch: PreparedFetch, _ statement: any SQLStatement, _ request: FetchRequest,
    _ related: BatchReader?, _ tally: RowTally?
  ) throws -> ResidualCursor? {
    guard let plan = fetch.residual, let residue = fetch.plan.residue else { return nil }
    var rows: any StoreCursor = StatementRows(statement, fetch.layout)
    if let tally { rows = TalliedRows(rows, tally) }
    return try ResidualCursor(
      over: rows, plan,
      FetchRequest(
        residue.shape, bindings: request.bindings, limit: request.limit, offset: request.offset),
      related: related)
  }

  /// Passes on rows until the visitor pauses (true) or stops, or there are no more.
  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if let residual { return try residual.visit(&visitor) }
    switch fetch.plan.output {
    case .columns, .joined: return try statement.visitRows(fetch.layout, &visitor)
    case .operands:
      var evaluating = OperandVisitor(
        visitor: visitor, operands: operands, assigned: assigned)
      defer { visitor = evaluating.visitor }
      return try statement.visitRows(fetch.layout, &evaluating)
    case .aggregates(let sources):
      if let values = try totals(sources) { _ = try visitor.visit(BufferedRow(values)) }
      return false
    case .groups: return try visitGroups(&visitor)
    case .collected: return try visitCollected(&visitor)
    }
  }

  /// Gives the statement back.
  func close() {
    groups?.exact?.close()
    statement.rewind()
    fetch.giveBack(statement)
  }

  /// Passes on the engine's groups; when it gives a sum up, core forms all groups, and those handed
  /// on before are passed over.
  private func visitGroups<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    guard let groups else { return false }
    if let exact = groups.exact { return try exact.visit(&visitor) }
    var counting = CountingVisitor(visitor: visitor, groups: groups)
    do {
      defer { visitor = counting.visitor }
      return try statement.visitRows(fetch.layout, &counting)
    } catch  where !groups.hasVisitorFailed && Self.isInexact(error) {
      let exact = try FetchRun(
        session, try session.exactFetch(request.shape), request, related: related)
      groups.exact = exact
      if groups.count > 0 {
        var passing = PassingVisitor(count: groups.count)
        guard try exact.visit(&passing) else { return false }
      }
      return try exact.visit(&visitor)
    }
  }

  /// Passes on groups that core forms of the statement's rows.
  private func visitCollected<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    guard let groups, let compiled = fetch.groups else { return false }
    if let rows = groups.rows { return try rows.visit(&visitor) }
    let bindings = request.bindings
    var collector = GroupCollector(
      compiled.plan, keys: try compiled.keys.map { try $0.bound(to: bindings) },
      operands: try compiled.operands.map { try $0?.bound(to: bindings) })
    _ = try statement.visitRows(fetch.layout, &collector)
    let rows = try GroupRows(collector.table, compiled.plan, request)
    groups.rows = rows
    return try rows.visit(&visitor)
  }

  /// The values of the aggregates; nil when the request's limit leaves none of the one row.
  private func totals(_ sources: [FetchPlan.AggregateSource]) throws -> [StoredValue]? {
    var collector = ValueCollector()
    do {
      _ = try statement.visitRows(fetch.layout, &collector)
      guard let row = collector.rows.first else { return nil }
      return try sources.map { source in
        switch source {
        case .column(let column, _): return row[column]
        case .sum(let column): return row[column].isNull ? .int(0) : row[column]
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
    let run = try FetchRun(session, exact, request, related: related)
    defer { run.close() }
    if exact.residual != nil {
      var collector = ValueCollector(atMost: 1)
      _ = try run.visit(&collector)
      return collector.rows.first
    }
    guard case .aggregates(let sources) = exact.plan.output else { return nil }
    return try run.totals(sources)
  }

  private struct InexactSum: Error {}

  /// Returns whether the engine, or the average, gave up a sum that did not fit.
  private static func isInexact(_ error: any Error) -> Bool {
    error is InexactSum || (error as? StoreError)?.code == .overflow
  }
}

extension FetchPlan {
  /// True if a sum is made by the engine.
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

/// Passes on rows of operands, worked out of rows of columns.
private struct OperandVisitor<V: RowVisitor>: RowVisitor {
  var visitor: V
  let operands: [BoundOperand]
  /// The attribute that gets each value; nil for values that are read.
  let assigned: [String]?

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var results: [StoredValue] = []
    results.reserveCapacity(operands.count)
    for (position, operand) in operands.enumerated() {
      guard let assigned else {
        results.append(try operand.evaluate(row))
        continue
      }
      do {
        results.append(try operand.evaluateForUpdate(row))
      } catch let error as StoreError where error.code == .overflow {
        throw error.filling(attributes: [assigned[position]])
      }
    }
    return try visitor.visit(BufferedRow(results))
  }
}

/// The progress of a run over groups.
private final class GroupRun {
  /// The number of groups that the engine has passed on.
  var count = 0
  /// True if the last error was the visitor's own.
  var hasVisitorFailed = false
  /// The groups that core formed.
  var rows: GroupRows?
  /// The run that takes over when the engine gives a sum up.
  var exact: FetchRun?
}

/// Passes rows on and counts them.
private struct CountingVisitor<V: RowVisitor>: RowVisitor {
  var visitor: V
  let groups: GroupRun

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    groups.count += 1
    do {
      return try visitor.visit(row)
    } catch {
      groups.hasVisitorFailed = true
      throw error
    }
  }
}

/// A visitor that skips rows, and pauses after a number of them.
private struct PassingVisitor: RowVisitor {
  var count: Int

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    count -= 1
    return count > 0 ? .next : .pause
  }
}

/// The rows of a statement as a cursor.
private final class StatementRows: StoreCursor {
  private let statement: any SQLStatement
  private let layout: SQLRowLayout
  private var isAtEnd = false

  init(_ statement: any SQLStatement, _ layout: SQLRowLayout) {
    self.statement = statement
    self.layout = layout
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    isAtEnd = true
    isAtEnd = try !statement.visitRows(layout, &visitor)
    return !isAtEnd
  }
}
