public import ORMCore

extension ReadTransaction {
  /// Every row the query asks for, by names, a hidden key among them.
  ///
  /// - Throws: `unknownEntity`, and as the typed verbs.
  public func fetch(_ query: DynamicQuery) throws -> [DynamicRow] {
    let plan = try EntityPlan(query.entity, in: store)
    var visitor = DynamicCollector(entity: plan.entity)
    try live().visit(try plan.request(query), &visitor)
    return visitor.rows
  }

  /// Hands the rows to `body` in chunks of at most `size`, in constant memory.
  public func chunks(
    _ query: DynamicQuery, size: Int, _ body: ([DynamicRow]) throws -> Void
  ) throws {
    guard size > 0 else {
      throw StoreError(.invalidPage, "a chunk needs a size above 0", entity: query.entity)
    }
    let plan = try EntityPlan(query.entity, in: store)
    let cursor = try live().cursor(try plan.request(query))
    var visitor = DynamicCollector(entity: plan.entity)
    visitor.batch = size
    var hasMore = true
    while hasMore {
      hasMore = try cursor.visit(&visitor)
      if !visitor.rows.isEmpty { try body(visitor.rows) }
      visitor.rows.removeAll(keepingCapacity: true)
    }
  }

  /// How many rows match the query's condition.
  public func count(_ query: DynamicQuery) throws -> Int {
    guard case .int(let count) = try aggregate(query, Aggregate(.count)) else { return 0 }
    return Int(count)
  }

  /// An aggregate over the rows that match the query's condition.
  public func aggregate(_ query: DynamicQuery, _ aggregate: Aggregate) throws -> StoredValue {
    let plan = try EntityPlan(query.entity, in: store)
    var whole = query
    whole.order = []
    guard query.limit == nil, query.offset == 0 else {
      throw StoreError(
        .invalidPage, "an aggregate takes a whole query, not a part of it", entity: query.entity)
    }
    var visitor = ValueCollector()
    try live().visit(try plan.request(whole, output: .aggregates([aggregate])), &visitor)
    return visitor.rows.first?.first ?? .null
  }

  /// How the store would answer the query.
  public func explain(_ query: DynamicQuery) throws -> Explanation {
    try live().explain(try EntityPlan(query.entity, in: store).request(query))
  }
}

extension WriteTransaction {
  /// Inserts or updates rows of one entity by primary key, as one verb.
  ///
  /// Attributes that no row names keep what is stored.
  ///
  /// - Throws: `unknownEntity`, `unknownAttribute`, and as the typed verbs.
  @discardableResult
  public func save(_ rows: [DynamicRow]) throws -> SaveCounts {
    try put(rows, mode: .upsert)
  }

  /// Inserts rows of one entity as one verb.
  @discardableResult
  public func insert(_ rows: [DynamicRow]) throws -> SaveCounts {
    try put(rows, mode: .insert)
  }

  /// Updates rows of one entity by primary key as one verb; `notFound` when one is missing.
  @discardableResult
  public func update(_ rows: [DynamicRow]) throws -> SaveCounts {
    try put(rows, mode: .update)
  }

  private func put(_ rows: [DynamicRow], mode: PutRequest.Mode) throws -> SaveCounts {
    guard let name = rows.first?.entity else { return SaveCounts() }
    if let other = rows.first(where: { $0.entity != name }) {
      throw StoreError(
        .invalidBatch, "a batch of rows is of one entity; another is \(other.entity)",
        entity: name)
    }
    let plan = try EntityPlan(name, in: store)
    let (columns, values) = try plan.values(of: rows)
    let isWhole = columns == Array(plan.entity.columns.indices) && plan.entity.keySource != .hidden
    return SaveCounts(
      try put(
        values,
        PutRequest(
          entity: plan.entity.name, mode: mode, columns: isWhole ? nil : columns,
          reports: .outcomes),
        columns: columns, entity: plan.entity))
  }

  /// Sets attributes of every row the query asks for, and counts them.
  ///
  /// The values may be worked out of the row.
  @discardableResult
  public func update(_ query: DynamicQuery, _ values: [String: Operand]) throws -> Int {
    let plan = try EntityPlan(query.entity, in: store)
    var request = try plan.request(query)
    var check = AssignmentCheck(entity: plan.entity, limits: plan.lowering.limits)
    let assignments = try values.sorted { $0.key < $1.key }.map { name, value in
      try check.assignment(of: .attribute(name), value, into: &request.bindings)
    }
    let writer = try live(changing: plan.entity)
    if assignments.isEmpty { return try count(query) }
    return try savepoint { _ in try writer.apply(.update(request, assignments)) }
  }

  /// Deletes every row the query asks for, and counts them.
  @discardableResult
  public func delete(_ query: DynamicQuery) throws -> Int {
    let plan = try EntityPlan(query.entity, in: store)
    let request = try plan.request(query)
    let writer = try live(changing: plan.entity)
    return try savepoint { _ in try writer.apply(.delete(request)) }
  }

  /// Deletes every row of an entity, and counts them.
  @discardableResult
  public func deleteAll(entity name: String) throws -> Int {
    let plan = try EntityPlan(name, in: store)
    return try live(changing: plan.entity).apply(.clear(plan.entity.name))
  }
}
