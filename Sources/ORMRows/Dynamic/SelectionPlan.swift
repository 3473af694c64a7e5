internal import ORMStorage

/// The request of a selection, and where in its rows the columns are found.
struct SelectionPlan {
  let plan: EntityPlan
  let request: FetchRequest
  /// The position of each column in the request's rows.
  let positions: [Int]

  /// - Throws: `unknownEntity`; `invalidCondition` for a column that is no key of the groups; the errors
  ///   of lowering.
  init(_ selection: DynamicSelection, in store: any Store) throws {
    let plan = try EntityPlan(selection.query.entity, in: store)
    let (output, positions) = try Self.output(selection, plan.entity)
    self.plan = plan
    self.positions = positions
    /// Columns of the selection as columns of the request.
    func positioned(_ operand: Operand) -> Operand? {
      guard case .output(let column) = operand else { return nil }
      guard positions.indices.contains(column) else { return operand }
      if case .values(let operands) = output { return operands[positions[column]] }
      return .output(positions[column])
    }
    var query = selection.query
    query.order = query.order.map { term in
      var term = term
      term.operand = term.operand.rewriting(positioned)
      return term
    }
    if case .groups(let keys, let aggregates, _) = output {
      request = try plan.request(
        query,
        output: .groups(
          keys: keys, aggregates: aggregates, having: selection.having.rewriting(positioned)))
    } else {
      guard selection.having == .constant(true) else {
        throw StoreError(
          .invalidCondition,
          "a condition on groups (HAVING) needs keys to group by", entity: query.entity)
      }
      request = try plan.request(query, output: output)
    }
  }

  private static func output(
    _ selection: DynamicSelection, _ entity: StoredEntity
  ) throws -> (FetchShape.Output, positions: [Int]) {
    var operands: [Operand] = []
    var aggregates: [Aggregate] = []
    for column in selection.columns {
      switch column.value {
      case .operand(let operand): if !operands.contains(operand) { operands.append(operand) }
      case .aggregate(let aggregate):
        if !aggregates.contains(aggregate) { aggregates.append(aggregate) }
      }
    }
    guard !selection.columns.isEmpty else {
      throw StoreError(.invalidCondition, "select at least one column", entity: entity.modelName)
    }
    var keys = selection.keys
    if keys.isEmpty {
      if aggregates.isEmpty, !selection.isDistinct {
        return (.values(operands), positions(operands))
      }
      if operands.isEmpty { return (.aggregates(aggregates), positions([])) }
      guard aggregates.isEmpty else {
        throw StoreError(
          .invalidCondition,
          "values beside aggregates need `distinct` or keys to group "
            + "by", entity: entity.modelName)
      }
      keys = operands
    }
    // Of a key that folds texts the least spelling represents the group (clause 2.3).
    let spellings = keys.compactMap(\.spelling).filter { !keys.contains($0) }
    for spelling in spellings where !aggregates.contains(Aggregate(.minimum, spelling)) {
      aggregates.append(Aggregate(.minimum, spelling))
    }
    if let other = operands.first(where: { !keys.contains($0) && !spellings.contains($0) }) {
      throw StoreError(
        .invalidCondition, "\(other) is neither a key of the groups nor an aggregate",
        entity: entity.modelName)
    }
    return (.groups(keys: keys, aggregates: aggregates, having: .constant(true)), positions(keys))

    func position(_ aggregate: Aggregate, after keys: [Operand]) -> Int {
      aggregates.firstIndex(of: aggregate).map { keys.count + $0 } ?? 0
    }

    func positions(_ keys: [Operand]) -> [Int] {
      selection.columns.map { column in
        switch column.value {
        case .operand(let operand):
          keys.firstIndex(of: operand) ?? position(Aggregate(.minimum, operand), after: keys)
        case .aggregate(let aggregate): position(aggregate, after: keys)
        }
      }
    }
  }
}

/// Collects rows of a selection by the names of its columns.
struct SelectionCollector: BatchCollector {
  let entity: String
  private let columns: [(name: String, position: Int)]
  private let list: AttributeList
  var rows: [DynamicRow] = []
  var batch = Int.max

  init(_ selection: DynamicSelection, _ plan: SelectionPlan) {
    entity = plan.plan.entity.modelName
    columns = zip(selection.names, plan.positions).map { ($0, $1) }
    list = AttributeList(columns.map(\.name))
  }

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    var values: [StoredValue] = []
    values.reserveCapacity(columns.count)
    for (name, position) in columns {
      do {
        values.append(try row.value(at: position))
      } catch let error as StoreError {
        throw error.filling(entity: entity, attributes: [name])
      }
    }
    rows.append(DynamicRow(entity, list, values))
    return rows.count < batch ? .next : .pause
  }
}
