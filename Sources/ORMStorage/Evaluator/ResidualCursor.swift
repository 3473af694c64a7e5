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
/// Without a sort, rows are handed on as they come; with one, those that match are held in memory,
/// of a page as many as come before its end.
public final class ResidualCursor: StoreCursor {
  private let rows: any StoreCursor
  private let condition: BoundCondition
  private let sort: [BoundSortTerm]
  private let output: Output
  private var remainingOffset: Int
  private var remaining: Int
  private var sorted: [BufferedRow]?
  private var groups: GroupRows?
  private let request: FetchRequest
  private var position = 0
  private var isAtEnd = false

  private enum Output {
    case rows
    case values([BoundOperand])
    case joined(BoundJoin)
    case aggregates([Total])
    case groups(GroupPlan, keys: [BoundOperand], operands: [BoundOperand?])
  }

  /// One aggregate: what is added up, and what of each row.
  private struct Total {
    let aggregator: Aggregator
    let operand: BoundOperand?
  }

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
  public init(
    over rows: any StoreCursor, request: FetchRequest, entity: StoredEntity, schema: StoredSchema,
    related reader: (any StoreReader)? = nil
  ) throws {
    func bound(_ operand: Operand) throws -> BoundOperand {
      try CompiledOperand(operand, entity: entity, schema: schema)
        .bound(to: request.bindings, related: reader)
    }
    self.rows = rows
    self.request = request
    let shape = request.shape
    condition = try CompiledCondition(shape.condition, entity: entity, schema: schema)
      .bound(to: request.bindings, related: reader)
    let isInKeyOrder =
      shape.sort.map(\.operand) == entity.key.map { .attribute(entity.columns[$0].attribute) }
      && shape.sort.allSatisfy { !$0.isDescending }
    let isOfGroups = if case .groups = shape.output { true } else { false }
    sort =
      isInKeyOrder || isOfGroups
      ? [] : try shape.sort.map { BoundSortTerm($0, try bound($0.operand)) }
    output =
      switch shape.output {
      case .rows: .rows
      case .values(let operands): .values(try operands.map(bound))
      case .joined(let step, let attributes):
        .joined(
          try Self.join(step, attributes, entity: entity, schema: schema, related: reader))
      case .aggregates(let aggregates):
        .aggregates(
          try aggregates.map { aggregate in
            let kind =
              try aggregate.operand.map { try schema.kind(of: $0, in: entity) ?? .json }
              ?? .bool
            return Total(
              aggregator: Aggregator(aggregate.kind, of: kind),
              operand: try aggregate.operand.map(bound))
          })
      case .groups(let keys, let aggregates, _):
        .groups(
          try GroupPlan(shape, entity: entity, schema: schema), keys: try keys.map(bound),
          operands: try aggregates.map { try $0.operand.map(bound) })
      }
    remainingOffset = shape.isLimited ? request.offset : 0
    remaining = shape.isLimited ? request.limit ?? .max : .max
  }

  private static func join(
    _ step: RelatedRows.Step, _ attributes: [String], entity: StoredEntity, schema: StoredSchema,
    related reader: (any StoreReader)?
  ) throws -> BoundJoin {
    guard let reader else {
      throw StoreError(.invalidCondition, "nobody answers for related rows")
    }
    return try CompiledJoin(step, attributes, entity: entity, schema: schema).bound(to: reader)
  }

  /// Hands the rows of the result to a visitor until it pauses or stops, or there are no more.
  public func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    if isAtEnd { return false }
    if case .aggregates(let aggregates) = output {
      isAtEnd = true
      let row = BufferedRow(try aggregated(aggregates))
      if remainingOffset == 0, remaining > 0 { _ = try visitor.visit(row) }
      return false
    }
    if case .groups(let plan, let keys, let operands) = output {
      let groups = try self.groups ?? collect(plan, keys, operands)
      self.groups = groups
      return try groups.visit(&visitor)
    }
    if !sort.isEmpty { return try visitSorted(&visitor) }
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

  /// Tests each row and hands on what matches and lies in the page.
  private struct Filter<V: RowVisitor>: RowVisitor {
    let cursor: ResidualCursor
    var visitor: V

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      guard try cursor.condition.matches(row) else { return .next }
      if cursor.remainingOffset > 0 {
        cursor.remainingOffset -= 1
        return .next
      }
      cursor.remaining -= 1
      let step = try cursor.hand(row, to: &visitor)
      if case .pause = step { return cursor.remaining > 0 ? .pause : .stop }
      return cursor.remaining > 0 ? step : .stop
    }
  }

  private func hand<V: RowVisitor, R: RowReader & ~Copyable>(
    _ row: borrowing R, to visitor: inout V
  ) throws -> VisitStep {
    switch output {
    case .rows, .aggregates, .groups: return try visitor.visit(row)
    case .values(let operands):
      var values: [StoredValue] = []
      for operand in operands { values.append(try operand.evaluate(row)) }
      return try visitor.visit(BufferedRow(values))
    case .joined(let join): return try join.hand(row, to: &visitor)
    }
  }

  private func visitSorted<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    let sorted = try self.sorted ?? collect()
    self.sorted = sorted
    while position < sorted.count {
      let row = sorted[position]
      position += 1
      switch try hand(row, to: &visitor) {
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
      condition: condition, sort: sort, top: TopRows(isTooLarge ? .max : sum, by: sort))
    while try rows.visit(&collector) {}
    return Array(collector.top.sorted().dropFirst(remainingOffset))
  }

  private struct Collector: RowVisitor {
    let condition: BoundCondition
    let sort: [BoundSortTerm]
    var top: TopRows<BufferedRow>

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
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
    var collector = GroupCollector(plan, where: condition, keys: keys, operands: operands)
    while try rows.visit(&collector) {}
    return try GroupRows(collector.table, plan, request)
  }

  private func aggregated(_ totals: [Total]) throws -> [StoredValue] {
    var collector = Totals(condition: condition, totals: totals)
    while try rows.visit(&collector) {}
    return try collector.aggregators.map { try $0.result() }
  }

  private struct Totals: RowVisitor {
    let condition: BoundCondition
    let operands: [BoundOperand?]
    var aggregators: [Aggregator]

    init(condition: BoundCondition, totals: [Total]) {
      self.condition = condition
      operands = totals.map(\.operand)
      aggregators = totals.map(\.aggregator)
    }

    mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
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

  /// The sign of the order of two keys, direction and place of nil worked in.
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
