package import ORMValues

/// A cursor that answers a whole request over nothing but an engine's rows: filter, order, page,
/// values, groups and aggregates are core's.
///
/// For stores whose engine can do none of it, or not exactly:
///
/// <!-- not compiled: MyRows stands for the rows of a store -->
/// ```swift
/// func cursor(_ request: FetchRequest) throws -> any StoreCursor {
///   try ResidualCursor(
///     over: MyRows(table), request: request, entity: table.entity, schema: schema, related: self)
/// }
/// ```
///
/// Without a sort, rows are passed on as they come. With one, matching rows are held in memory, for a page as
/// many as come before its end.
public final class ResidualCursor: StoreCursor {
  private let rows: any StoreCursor
  private let bound: BoundResidual
  /// Reads the related rows of many rows together; nil where each is asked for.
  private let batches: BatchReader?
  private var remainingOffset: Int
  private var remaining: Int
  private var sorted: [BufferedRow]?
  private var groups: GroupRows?
  private let request: FetchRequest
  private var position = 0
  /// The number of sorted rows whose related rows were read.
  private var prepared = 0
  private var isAtEnd = false
  private var check = StopCheck()

  /// Makes a cursor over an engine's rows.
  ///
  /// - Parameters:
  ///   - rows: whole rows of the entity in the order of its key.
  ///   - request: the request that is answered.
  ///   - entity: the entity of the rows.
  ///   - schema: the schema of the store.
  ///   - reader: answers for related rows; without one, a request that names them is
  ///     `invalidCondition`.
  /// - Throws: `unknownAttribute`, `unknownEntity`, `invalidCondition`.
  public convenience init(
    over rows: any StoreCursor, request: FetchRequest, entity: StoredEntity, schema: StoredSchema,
    related reader: (any StoreReader)? = nil
  ) throws {
    try self.init(
      over: rows, ResidualPlan(request.shape, entity: entity, schema: schema, isInKeyOrder: true),
      request, related: reader)
  }

  /// Makes a cursor over an engine's rows by a plan for the request's shape.
  package init(
    over rows: any StoreCursor, _ plan: ResidualPlan, _ request: FetchRequest,
    related reader: (any StoreReader)?
  ) throws {
    // A condition may ask for related rows as often as there are rows, and each time by a cursor.
    try RunningOperation.check()
    self.request = request
    bound = try BoundResidual(plan, request, related: reader)
    batches = reader as? BatchReader
    if let batches, plan.readsRelatedRows(isSorted: !bound.sort.isEmpty) {
      self.rows = BatchedRows(rows, batches, bound)
    } else {
      self.rows = rows
    }
    remainingOffset = request.shape.isLimited ? request.offset : 0
    remaining = request.shape.isLimited ? request.limit ?? .max : .max
  }

  /// Passes the rows of the result to a visitor until it pauses or stops, or there are no more.
  public func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    if case .aggregates(let aggregates) = bound.output {
      isAtEnd = true
      let row = BufferedRow(try aggregated(aggregates))
      if remainingOffset == 0, remaining > 0 { _ = try visitor.visit(row) }
      return false
    }
    if case .groups(let plan, let keys, let operands) = bound.output {
      let groups = try self.groups ?? collect(plan, keys, operands)
      self.groups = groups
      return try groups.visit(&visitor)
    }
    if !bound.sort.isEmpty { return try visitSorted(&visitor) }
    var filter = Filter(cursor: self, visitor: visitor)
    defer { visitor = filter.visitor }
    do {
      if remaining > 0, try rows.visit(&filter) { return true }
    } catch {
      isAtEnd = true
      throw error
    }
    isAtEnd = true
    return false
  }

  /// Tests each row and passes on the rows that match and are in the page.
  private struct Filter<V: RowVisitor>: RowVisitor {
    let cursor: ResidualCursor
    var visitor: V

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      try cursor.check.step()
      guard try cursor.bound.condition.matches(row) else { return .next }
      if cursor.remainingOffset > 0 {
        cursor.remainingOffset -= 1
        return .next
      }
      cursor.remaining -= 1
      let step = try cursor.bound.pass(row, to: &visitor)
      if case .pause = step { return cursor.remaining > 0 ? .pause : .stop }
      return cursor.remaining > 0 ? step : .stop
    }
  }

  private func visitSorted<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    let sorted = try self.sorted ?? collect()
    self.sorted = sorted
    while position < sorted.count {
      if let batches, bound.outputReadsRelatedRows, position == prepared {
        prepared = min(position + BatchedRows.greatestSize, sorted.count)
        let bound = bound
        try batches.prepare(sorted[position..<prepared]) { row in
          var counter = RowCounter()
          _ = try bound.pass(row, to: &counter)
        }
      }
      try check.step()
      let row = sorted[position]
      position += 1
      switch try bound.pass(row, to: &visitor) {
      case .next: continue
      case .pause: return true
      case .stop: position = sorted.count
      }
    }
    isAtEnd = true
    return false
  }

  /// Every row that matches, in order, cut to the page.
  private func collect() throws -> [BufferedRow] {
    let (sum, isTooLarge) = remainingOffset.addingReportingOverflow(remaining)
    var collector = Collector(
      condition: bound.condition, sort: bound.sort,
      top: TopRows(isTooLarge ? .max : sum, by: bound.sort))
    while try rows.visit(&collector) {}
    return Array(try collector.top.sorted().dropFirst(remainingOffset))
  }

  private struct Collector: RowVisitor {
    let condition: BoundCondition
    let sort: [BoundSortTerm]
    var top: TopRows<BufferedRow>
    var check = StopCheck()

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      try check.step()
      if try condition.matches(row) {
        var keys: [StoredValue] = []
        for term in sort { keys.append(try term.key(of: row)) }
        try top.add(keys, BufferedRow(copying: row))
      }
      return .next
    }
  }

  private func collect(
    _ plan: GroupPlan, _ keys: [BoundOperand], _ operands: [BoundOperand?]
  ) throws -> GroupRows {
    var collector = GroupCollector(plan, where: bound.condition, keys: keys, operands: operands)
    while try rows.visit(&collector) {}
    return try GroupRows(collector.table, plan, request)
  }

  private func aggregated(_ totals: [BoundResidual.Total]) throws -> [StoredValue] {
    var collector = Totals(condition: bound.condition, totals: totals)
    while try rows.visit(&collector) {}
    return try collector.aggregators.map { try $0.result() }
  }

  private struct Totals: RowVisitor {
    let condition: BoundCondition
    let operands: [BoundOperand?]
    var aggregators: [Aggregator]
    private var check = StopCheck()

    init(condition: BoundCondition, totals: [BoundResidual.Total]) {
      self.condition = condition
      operands = totals.map(\.operand)
      aggregators = totals.map(\.aggregator)
    }

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      try check.step()
      guard try condition.matches(row) else { return .next }
      for index in aggregators.indices {
        // A count without an operand counts rows: any value that is not nil does.
        aggregators[index].add(try operands[index]?.evaluate(row) ?? .bool(true))
      }
      return .next
    }
  }
}

/// One key of an order, ready to be worked out and compared.
package struct BoundSortTerm {
  private let term: SortTerm
  private let operand: BoundOperand

  /// A term and its operand.
  package init(_ term: SortTerm, _ operand: BoundOperand) {
    self.term = term
    self.operand = operand
  }

  /// A term that orders sort values, and reads none of a row.
  package init(comparing term: SortTerm) {
    self.init(term, BoundOperand(node: .value(.null)))
  }

  /// Returns the value by which a row is sorted, folded under the term's options.
  package func key<R: RowReader & ~Copyable>(of row: borrowing R) throws -> StoredValue {
    try operand.evaluate(row).folded(term.options)
  }

  /// The sign of the order of two keys, with direction and position of nil.
  package func order(_ a: StoredValue, _ b: StoredValue) -> Int {
    switch (a.isNull, b.isNull) {
    case (true, true): return 0
    case (true, false): return term.nilsComeFirst ? -1 : 1
    case (false, true): return term.nilsComeFirst ? 1 : -1
    default:
      let order = StoredValue.order(a, b)
      return term.isDescending ? -order : order
    }
  }
}
