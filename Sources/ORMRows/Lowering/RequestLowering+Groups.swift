package import ORMStorage

extension RequestLowering {
  /// The request for groups: keys and aggregates of an entity's rows, then a condition on the rows of the
  /// result, whose columns are named by ``Operand/output(_:)``.
  ///
  /// In `having` and in the order, an operand equal to a key is the key's column; one that a key
  /// folds is the column of its least spelling, if there is one.
  ///
  /// - Throws: the errors of ``ConditionCheck``, `invalidPage`, `invalidCursor`.
  package func groups(
    keys: [Operand], aggregates: [Aggregate], having: Condition, condition: Condition,
    order: [SortTerm], paging: Paging, start: QueryCursor?, most: Int?, deleted: DeletedRows
  ) throws -> FetchRequest {
    guard !keys.isEmpty else {
      throw StoreError(.invalidCondition, "a group needs a key", entity: entity.modelName)
    }
    var check = check(seeing: deleted)
    let condition = seeing(deleted, where: try check.checked(condition))
    let typedKeys = try keys.map { try check.check($0, depth: 1) }
    let typedAggregates = try aggregates.map { try check.checked($0) }
    check.outputs =
      typedKeys.map(\.kind) + (try typedAggregates.map { try check.kind(of: $0) })
    func naming(_ operand: Operand) -> Operand? { Self.column(of: operand, keys, aggregates) }
    let named = Self.naming(keys, aggregates, in: order)
    var wanted = try check.checked(having.rewriting(naming))
    let sort = Self.total(try named.map { try check.checked($0) }, keyCount: keys.count)
    if let start {
      let isAfter = try self.condition(
        after: start, in: Self.total(named, keyCount: keys.count), &check)
      wanted = .all([wanted, isAfter])
    }
    let (limit, offset) = try self.limit(of: paging, most: most)
    return FetchRequest(
      entity: entity.name,
      output: .groups(
        keys: typedKeys.map(\.operand), aggregates: typedAggregates, having: wanted.normalized()),
      condition: condition, sort: sort, limit: limit, offset: offset)
  }

  /// The order of groups with the keys last, in the direction of the last term.
  package static func total(_ order: [SortTerm], keyCount: Int) -> [SortTerm] {
    var sort = order
    let isDescending = order.last?.isDescending ?? false
    for key in 0..<keyCount
    where !sort.contains(where: { $0.operand == .output(key) && $0.options.isEmpty }) {
      sort.append(SortTerm(.output(key), isDescending: isDescending))
    }
    return sort
  }
}

extension RequestLowering {
  /// Binds operands that are computed from the columns of the rows of a request for groups.
  ///
  /// - Throws: the errors of ``ConditionCheck``.
  package func computed(
    _ operands: [Operand], of request: FetchRequest
  ) throws -> [BoundOperand] {
    let schema = schema ?? StoredSchema(entities: [entity])
    let plan = try GroupPlan(request.shape, entity: entity, schema: schema)
    var check = ConditionCheck(entity: entity, schema: schema, limits: limits)
    check.clock = clock
    check.outputs = plan.columns.map { $0.type.kind == .json ? nil : $0.type.kind }
    return try operands.map { operand in
      try CompiledOperand(
        try check.checked(operand), entity: plan.result(of: entity), schema: schema
      ).bound(to: [])
    }
  }

  /// The order that a position in a result belongs to, as ``QueryCursor`` keeps it.
  package func positionOrder(of output: FetchShape.Output, _ order: [SortTerm]) -> [SortTerm] {
    guard case .groups(let keys, let aggregates, _) = output else {
      return SortTerm.total(order, entity: entity)
    }
    return Self.total(Self.naming(keys, aggregates, in: order), keyCount: keys.count)
  }

  /// The position of a row among those that a request for groups gives.
  package func position(
    of row: [StoredValue], in order: [SortTerm], of request: FetchRequest
  ) throws -> QueryCursor {
    let plan = try GroupPlan(
      request.shape, entity: entity, schema: schema ?? StoredSchema(entities: [entity]))
    let values = try plan.sort.map { part in
      try BoundSortTerm(part.term, part.operand.bound(to: request.bindings))
        .key(of: BufferedRow(row))
    }
    return QueryCursor(sort: order, values: values)
  }

  package static func naming(
    _ keys: [Operand], _ aggregates: [Aggregate], in order: [SortTerm]
  ) -> [SortTerm] {
    order.map { term in
      var term = term
      term.operand = term.operand.rewriting { column(of: $0, keys, aggregates) }
      return term
    }
  }

  /// Returns the column of a result for an operand: that of a key, or that of the least spelling if a key
  /// folds the operand; nil if the result has none.
  private static func column(
    of operand: Operand, _ keys: [Operand], _ aggregates: [Aggregate]
  ) -> Operand? {
    if let index = keys.firstIndex(of: operand) { return .output(index) }
    guard keys.contains(where: { $0.spelling == operand }),
      let index = aggregates.firstIndex(of: Aggregate(.minimum, operand))
    else { return nil }
    return .output(keys.count + index)
  }
}
