internal import ORMValues

/// The compiled form of a request that core answers over an engine's rows, for caching with a
/// shape.
package struct ResidualPlan: Sendable {
  let condition: CompiledCondition
  /// The order in which rows are brought; empty where they come in order.
  let sort: [Term]
  let output: Output

  /// One key of the order.
  struct Term: Sendable {
    let term: SortTerm
    let operand: CompiledOperand
  }

  enum Output: Sendable {
    case rows
    case values([CompiledOperand])
    case joined(CompiledJoin)
    case aggregates([Total])
    case groups(GroupPlan, keys: [CompiledOperand], operands: [CompiledOperand?])
  }

  /// One aggregate: its total over nothing, and the operand that is added up.
  struct Total: Sendable {
    let aggregator: Aggregator
    let operand: CompiledOperand?
  }

  /// Looks up the names of a shape.
  ///
  /// - Parameters:
  ///   - shape: the request for the engine's rows.
  ///   - entity: the columns of these rows.
  ///   - schema: the schema of the store.
  ///   - isInKeyOrder: true if rows come in the order of the entity's key.
  /// - Throws: `unknownAttribute`, `unknownEntity`, `invalidCondition`.
  package init(
    _ shape: FetchShape, entity: StoredEntity, schema: StoredSchema, isInKeyOrder: Bool
  ) throws {
    func compiled(_ operand: Operand) throws -> CompiledOperand {
      try CompiledOperand(operand, entity: entity, schema: schema)
    }
    condition = try CompiledCondition(shape.condition, entity: entity, schema: schema)
    let isOrdered =
      isInKeyOrder
      && shape.sort.map(\.operand) == entity.key.map { .attribute(entity.columns[$0].attribute) }
      && shape.sort.allSatisfy { !$0.isDescending }
    let isOfGroups = if case .groups = shape.output { true } else { false }
    sort =
      isOrdered || isOfGroups
      ? [] : try shape.sort.map { Term(term: $0, operand: try compiled($0.operand)) }
    output =
      switch shape.output {
      case .rows: .rows
      case .values(let operands): .values(try operands.map(compiled))
      case .joined(let step, let attributes):
        .joined(try CompiledJoin(step, attributes, entity: entity, schema: schema))
      case .aggregates(let aggregates):
        .aggregates(
          try aggregates.map { aggregate in
            let kind =
              try aggregate.operand.map { try schema.kind(of: $0, in: entity) ?? .json }
              ?? .bool
            return Total(
              aggregator: Aggregator(aggregate.kind, of: kind),
              operand: try aggregate.operand.map(compiled))
          })
      case .groups(let keys, let aggregates, _):
        .groups(
          try GroupPlan(shape, entity: entity, schema: schema), keys: try keys.map(compiled),
          operands: try aggregates.map { try $0.operand.map(compiled) })
      }
  }

  /// Returns whether something is read of related rows while the engine's rows come.
  ///
  /// - Parameter isSorted: true if rows are sorted before they are passed on.
  func readsRelatedRows(isSorted: Bool) -> Bool {
    !condition.relatedShapes.isEmpty || sort.contains { !$0.operand.relatedShapes.isEmpty }
      || (!isSorted && outputReadsRelatedRows)
  }

  /// True if the output reads related rows.
  var outputReadsRelatedRows: Bool {
    switch output {
    case .rows: false
    case .joined: true
    case .values(let operands): operands.contains { !$0.relatedShapes.isEmpty }
    case .aggregates(let totals): totals.contains { $0.operand?.relatedShapes.isEmpty == false }
    case .groups(_, let keys, let operands):
      keys.contains { !$0.relatedShapes.isEmpty }
        || operands.contains { $0?.relatedShapes.isEmpty == false }
    }
  }
}

/// A residual plan with the values of a request.
struct BoundResidual {
  let condition: BoundCondition
  let sort: [BoundSortTerm]
  let output: Output
  let outputReadsRelatedRows: Bool

  enum Output {
    case rows
    case values([BoundOperand])
    case joined(BoundJoin)
    case aggregates([Total])
    case groups(GroupPlan, keys: [BoundOperand], operands: [BoundOperand?])
  }

  /// One aggregate: its total over nothing, and the operand that is added up.
  struct Total {
    let aggregator: Aggregator
    let operand: BoundOperand?
  }

  init(
    _ plan: ResidualPlan, _ request: FetchRequest, related reader: (any StoreReader)?
  ) throws {
    func bound(_ operand: CompiledOperand) throws -> BoundOperand {
      try operand.bound(to: request.bindings, related: reader)
    }
    condition = try plan.condition.bound(to: request.bindings, related: reader)
    sort = try plan.sort.map { BoundSortTerm($0.term, try bound($0.operand)) }
    outputReadsRelatedRows = plan.outputReadsRelatedRows
    switch plan.output {
    case .rows: output = .rows
    case .values(let operands): output = .values(try operands.map(bound))
    case .joined(let join):
      guard let reader else {
        throw StoreError(.invalidCondition, "a condition on related rows needs a reader")
      }
      output = .joined(try join.bound(to: reader))
    case .aggregates(let totals):
      output = .aggregates(
        try totals.map {
          Total(aggregator: $0.aggregator, operand: try $0.operand.map(bound))
        })
    case .groups(let plan, let keys, let operands):
      output = .groups(
        plan, keys: try keys.map(bound), operands: try operands.map { try $0.map(bound) })
    }
  }

  /// Passes the output's values of a row to a visitor.
  func pass<V: RowVisitor, R: RowReader & ~Copyable>(
    _ row: borrowing R, to visitor: inout V
  ) throws -> VisitStep {
    switch output {
    case .rows, .aggregates, .groups: return try visitor.visit(row)
    case .values(let operands):
      var values: [StoredValue] = []
      for operand in operands { values.append(try operand.evaluate(row)) }
      return try visitor.visit(BufferedRow(values))
    case .joined(let join): return try join.pass(row, to: &visitor)
    }
  }

  /// Reads every related row that the evaluation of a row will read.
  func rehearse(_ row: BufferedRow) throws {
    guard try condition.matches(row) else { return }
    for term in sort { _ = try term.key(of: row) }
    if !sort.isEmpty { return }
    switch output {
    case .rows: break
    case .values, .joined:
      var counter = RowCounter()
      _ = try pass(row, to: &counter)
    case .aggregates(let totals): for total in totals { _ = try total.operand?.evaluate(row) }
    case .groups(_, let keys, let operands):
      for key in keys { _ = try key.evaluate(row) }
      for operand in operands { _ = try operand?.evaluate(row) }
    }
  }
}
