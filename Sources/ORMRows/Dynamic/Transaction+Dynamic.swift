public import ORMStorage

extension ReadTransaction {
  /// Every row the query asks for, by names, a hidden key among them.
  ///
  /// ```swift
  /// let rows = try tx.fetch(DynamicQuery("Snack", limit: 10))
  /// ```
  ///
  /// - Throws: `unknownEntity`, and as the typed operations.
  public func fetch(_ query: DynamicQuery) throws -> [DynamicRow] {
    let plan = try EntityPlan(query.entity, in: store)
    var visitor = DynamicCollector(entity: plan.entity)
    try live().visit(try plan.request(query), &visitor)
    return visitor.rows
  }

  /// Fetches the first row in the query's order, by names; the result is nil if there is none.
  ///
  /// ```swift
  /// let row = try tx.first(DynamicQuery("Snack", in: store.schema, where: "price < 3"))
  /// ```
  public func first(_ query: DynamicQuery) throws -> DynamicRow? {
    var query = query
    query.limit = Swift.min(query.limit ?? 1, 1)
    return try fetch(query).first
  }

  /// Checks if a row matches the query.
  ///
  /// ```swift
  /// let isThere = try tx.exists(DynamicQuery("Snack", in: store.schema, where: "price < 3"))
  /// ```
  public func exists(_ query: DynamicQuery) throws -> Bool { try first(query) != nil }

  /// Passes the rows to `body` in chunks of at most `size`, all of one snapshot, in constant memory; in a
  /// write transaction they are collected first, so that `body` may write.
  ///
  /// ```swift
  /// try tx.chunks(DynamicQuery("Snack"), size: 500) { rows in print(rows.count) }
  /// ```
  public func chunks(
    _ query: DynamicQuery, size: Int, _ body: ([DynamicRow]) throws -> Void
  ) throws {
    let plan = try EntityPlan(query.entity, in: store)
    try chunks(
      plan.request(query), DynamicCollector(entity: plan.entity), size: size, entity: plan.entity,
      body)
  }

  /// Passes the rows to `body` in chunks of at most `size`, in constant memory.
  ///
  /// In a write transaction, `body` must not write: whether later chunks show that is undefined.
  package func scan(
    _ query: DynamicQuery, size: Int, _ body: ([DynamicRow]) throws -> Void
  ) throws {
    let plan = try EntityPlan(query.entity, in: store)
    try scan(plan.request(query), DynamicCollector(entity: plan.entity), size: size, body)
  }

  /// Counts the rows that match the query's condition.
  ///
  /// ```swift
  /// let count = try tx.count(DynamicQuery("Snack", in: store.schema, where: "price < 3"))
  /// ```
  public func count(_ query: DynamicQuery) throws -> Int {
    guard case .int(let count) = try aggregate(query, Aggregate(.count)) else { return 0 }
    return Int(count)
  }

  /// An aggregate over the rows that match the query's condition.
  ///
  /// ```swift
  /// let price = try tx.aggregate(DynamicQuery("Snack"), Aggregate(.average, .attribute("price")))
  /// ```
  public func aggregate(_ query: DynamicQuery, _ aggregate: Aggregate) throws -> StoredValue {
    let plan = try EntityPlan(query.entity, in: store)
    var whole = query
    whole.order = []
    guard query.limit == nil, query.offset == 0 else {
      throw StoreError(
        .invalidPage,
        "an aggregate takes a whole query: remove its limit, offset or "
          + "page", entity: query.entity)
    }
    let rows = try live().rows(of: plan.request(whole, output: .aggregates([aggregate])))
    return rows.first?.first ?? .null
  }

  /// Explains how the store would answer the query.
  ///
  /// ```swift
  /// print(try tx.explain(DynamicQuery("Snack"), analyze: true))
  /// ```
  ///
  /// With `analyze`, it runs the query and counts the rows read.
  public func explain(_ query: DynamicQuery, analyze: Bool = false) throws -> Explanation {
    let request = try EntityPlan(query.entity, in: store).request(query)
    return try live().explain(request, analyze: analyze)
  }
}

extension WriteTransaction {
  /// Inserts or updates rows of one entity by primary key, as one operation.
  ///
  /// ```swift
  /// let counts = try tx.save([DynamicRow("Snack", ["id": .int(1), "name": .string("Chips")])])
  /// ```
  ///
  /// Attributes that a row does not name keep their stored values; in a new row they take their default.
  ///
  /// - Throws: `unknownEntity`, `unknownAttribute`, and as the typed operations; `validationFailed` for a
  ///   new row with a to-many that must have targets, since rows of one entity bring none.
  @discardableResult
  public func save(_ rows: [DynamicRow]) throws -> SaveCounts {
    try put(rows, mode: .upsert)
  }

  /// Inserts rows of one entity as one operation.
  ///
  /// ```swift
  /// try tx.insert([DynamicRow("Snack", ["name": .string("Chips")])])
  /// ```
  @discardableResult
  public func insert(_ rows: [DynamicRow]) throws -> SaveCounts {
    try put(rows, mode: .insert)
  }

  /// Updates rows of one entity by primary key as one operation; `notFound` when one is missing.
  ///
  /// ```swift
  /// try tx.update([DynamicRow("Snack", ["id": .int(1), "price": .double(2.5)])])
  /// ```
  @discardableResult
  public func update(_ rows: [DynamicRow]) throws -> SaveCounts {
    try put(rows, mode: .update)
  }

  /// Inserts rows as another store held them: the targets of their to-ones may come later, or never.
  package func copy(_ rows: [DynamicRow]) throws {
    guard let interceptor else {
      try put(rows, mode: .insert, isCopy: true)
      return
    }
    try interceptor.bypassingRules { _ = try put(rows, mode: .insert, isCopy: true) }
  }

  /// Updates rows by primary key; the targets of their to-ones need not exist.
  package func updateKeepingKeys(_ rows: [DynamicRow]) throws -> SaveCounts {
    try put(rows, mode: .update, isCopy: true)
  }

  @discardableResult
  private func put(
    _ rows: [DynamicRow], mode: PutRequest.Mode, isCopy: Bool = false
  ) throws -> SaveCounts {
    guard let name = rows.first?.entity else { return SaveCounts() }
    if let other = rows.first(where: { $0.entity != name }) {
      throw StoreError(
        .invalidBatch, "all rows of a batch must have one entity; another has \(other.entity)",
        entity: name)
    }
    let plan = try EntityPlan(name, in: store)
    return SaveCounts(
      try put(
        plan.rows(
          of: isCopy
            ? rows
            : rows.completingStructs(
              of: plan.entity, in: store)),
        PutRequest(entity: plan.entity.name, mode: mode, reports: .outcomes), entity: plan.entity,
        isCopy: isCopy))
  }

  /// Sets attributes of every row the query asks for, and counts them.
  ///
  /// ```swift
  /// let count = try tx.update(DynamicQuery("Snack"), ["price": .value(.double(2.5))])
  /// ```
  ///
  /// The values may be worked out of the row.
  @discardableResult
  public func update(_ query: DynamicQuery, _ values: [String: Operand]) throws -> Int {
    let plan = try EntityPlan(query.entity, in: store)
    var request = try plan.request(query)
    var check = AssignmentCheck(plan.lowering)
    let selection = request
    let embedded = try EmbeddedAssignments(
      values.sorted { $0.key < $1.key }.map { (.attribute($0.key), $0.value) }, of: plan.entity
    ) { store.runtime.neededParts(of: plan.entity) }
    let assignments = try embedded.assignments.map {
      try check.assignment(of: $0.attribute, $0.value, into: &request.bindings)
    }
    if assignments.isEmpty { return try fetch(query).count }
    try require(embedded.needed, in: selection, of: plan.entity)
    return try update(request, assignments, entity: plan.entity)
  }

  /// Deletes every row the query asks for, and counts them.
  ///
  /// ```swift
  /// let count = try tx.delete(DynamicQuery("Snack", in: store.schema, where: "price < 3"))
  /// ```
  @discardableResult
  public func delete(_ query: DynamicQuery) throws -> Int {
    let plan = try EntityPlan(query.entity, in: store)
    return try delete(
      plan.request(query.deletable(in: plan.entity)), entity: plan.entity)
  }

  /// Deletes every row of an entity, and counts them.
  ///
  /// ```swift
  /// let count = try tx.deleteAll(entity: "Snack")
  /// ```
  @discardableResult
  public func deleteAll(entity name: String) throws -> Int {
    let plan = try EntityPlan(name, in: store)
    return try clear(plan.entity)
  }
}
