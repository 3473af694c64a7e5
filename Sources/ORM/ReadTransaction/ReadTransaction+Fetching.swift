@_spi(Records) public import ORMCore
@_spi(Records) public import ORMStorage

extension ReadTransaction {
  // Compiled where the model is known: looking the generic types up was a seventh of a find.
  /// The model with this key; nil when there is none.
  ///
  /// ```swift
  /// let chips = try tx.find(Snack.self, 1)
  /// ```
  @inlinable
  public func find<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) throws -> Model? {
    try find(model, id, seesDeleted: false)
  }

  /// The model with this key, soft-deleted or not.
  func stored<Model: PrimaryKeyed>(_ model: Model.Type, _ id: Model.ID) throws -> Model? {
    try find(model, id, seesDeleted: true)
  }

  @inlinable
  func find<Model: PrimaryKeyed>(
    _ model: Model.Type, _ id: Model.ID, seesDeleted: Bool
  ) throws -> Model? {
    let plan = try cachedPlan(of: model)
    try checkRunning()
    if let integer = id.integerKey,
      let find = plan._withUnsafeGuaranteedRef({ $0.integerFind(seesDeleted: seesDeleted) })
    {
      return try find.shape._withUnsafeGuaranteedRef { shape in
        // Decoded here, where the model is known: a visitor is a third of the cost of a find.
        if find.isPlain {
          if let found = try record(shape, integer, isInEngine: find.isInEngine) {
            guard let record = found else { return nil }
            do {
              return try Model(row: record)
            } catch {
              throw plan._withUnsafeGuaranteedRef { $0.unmapped(error, record) }
            }
          }
        }
        return try FirstModel.taking(plan) {
          if find.isInEngine {
            try engine.visit(shape, binding: integer, &$0)
          } else {
            try reader.visit(shape, binding: integer, &$0)
          }
        }
      }
    }
    let request = try plan._withUnsafeGuaranteedRef {
      try $0.find(try id.keyValues(), seesDeleted: seesDeleted)
    }
    let isInEngine = plan._withUnsafeGuaranteedRef { $0.findsInEngine }
    return try FirstModel.taking(plan) {
      if isInEngine { try engine.visit(request, &$0) } else { try reader.visit(request, &$0) }
    }
  }

  /// Finds the row of an integer key where the store has it in core's own form.
  ///
  /// Nil where the row is to be visited, and the nil inside where there is none.
  @usableFromInline
  func record(
    _ shape: FetchShape, _ key: Int64, isInEngine: Bool
  ) throws -> RecordReader?? {
    var found: RecordReader??
    if isInEngine {
      try engine.find(shape, binding: key, into: &found)
    } else {
      try reader.find(shape, binding: key, into: &found)
    }
    return found
  }

  /// Every model the query asks for, in its order.
  ///
  /// ```swift
  /// let cheap = try tx.fetch(Snack.where { $0.price < 3 })
  /// ```
  public func fetch<Model: Persistable>(_ query: Query<Model>) throws -> [Model] {
    let plan = try plan(of: Model.self)
    try query.prefetches.check(for: Model.self)
    let reader = try live()
    var visitor = ModelCollector<Model>(plan)
    let request = try query.request(by: plan.lowering)
    let page = try linkedPage(
      request, of: Model.self, query.prefetches, deleted: query.deleted)
    defer { page?.fetch.end() }
    if let page {
      try page.fetch.visit(0, &visitor)
    } else {
      try reader.visit(request, &visitor)
    }
    return try prefetching(
      query.prefetches, of: visitor.rows, reader: reader, deleted: query.deleted,
      areDistinct: true, page: page)
  }

  /// The first model in the query's order; nil when there is none.
  ///
  /// ```swift
  /// let cheapest = try tx.first(Snack.all.sorted(by: .ascending(\.price)))
  /// ```
  public func first<Model: Persistable>(_ query: Query<Model>) throws -> Model? {
    let first = try limited(query, to: 1)
    defer { first.page?.fetch.end() }
    return try prefetching(
      query.prefetches, of: first.model, deleted: query.deleted, page: first.page)
  }

  /// The only model the query asks for; nil when there is none.
  ///
  /// ```swift
  /// let chips = try tx.one(Snack.where { $0.name == "Chips" })
  /// ```
  ///
  /// - Throws: `ambiguous` when there are several.
  public func one<Model: Persistable>(_ query: Query<Model>) throws -> Model? {
    let first = try limited(query, to: 2)
    defer { first.page?.fetch.end() }
    if first.count > 1 {
      throw StoreError(
        .ambiguous,
        "several rows match, and one was expected; use `first`, or narrow the condition",
        entity: Model.entity.description.name)
    }
    return try prefetching(
      query.prefetches, of: first.model, deleted: query.deleted, page: first.page)
  }

  private func limited<Model: Persistable>(
    _ query: Query<Model>, to limit: Int
  ) throws -> (model: Model?, count: Int, page: LinkedPage?) {
    let plan = try plan(of: Model.self)
    try query.prefetches.check(for: Model.self)
    let request = try query.request(most: limit, by: plan.lowering)
    let reader = try live()
    let page = try linkedPage(
      request, of: Model.self, query.prefetches, deleted: query.deleted)
    var count = 0
    let model = try FirstModel.taking(.passUnretained(plan), stopsAfter: limit) { visitor in
      if let page {
        try page.fetch.visit(0, &visitor)
      } else {
        try reader.visit(request, &visitor)
      }
      count = visitor.count
    }
    return (model, count, page)
  }

  /// Returns whether a row matches the query.
  ///
  /// ```swift
  /// let isSold = try tx.exists(Snack.where { $0.name == "Chips" })
  /// ```
  public func exists<Model: Persistable>(_ query: Query<Model>) throws -> Bool {
    let plan = try plan(of: Model.self)
    let request = try query.request(output: plan.keyOutput, most: 1, by: plan.lowering)
    return try !live().rows(of: request).isEmpty
  }

  /// Passes the models to `body` in chunks of at most `size`, all of one snapshot, in constant memory; in
  /// a write transaction they are collected first, so that `body` may write.
  ///
  /// ```swift
  /// try tx.chunks(Snack.all, size: 500) { snacks in print(snacks.count) }
  /// ```
  public func chunks<Model: Persistable>(
    _ query: Query<Model>, size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    let plan = try plan(of: Model.self)
    try query.prefetches.check(for: Model.self)
    try chunks(
      query.request(by: plan.lowering), ModelCollector<Model>(plan), size: size,
      entity: plan.entity
    ) { rows in
      try body(
        self.prefetching(
          query.prefetches, of: rows, reader: self.live(), deleted: query.deleted,
          areDistinct: true))
    }
  }

  /// Passes the models to `body` in chunks of at most `size`, in constant memory.
  ///
  /// In a write transaction, `body` must not write: whether later chunks show that is undefined.
  package func scan<Model: Persistable>(
    _ query: Query<Model>, size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    let plan = try plan(of: Model.self)
    try scan(query.request(by: plan.lowering), ModelCollector<Model>(plan), size: size, body)
  }

  /// Explains how the store would answer the query.
  ///
  /// ```swift
  /// try print(tx.explain(Snack.where { $0.price < 3 }))
  /// ```
  ///
  /// With `analyze`, it runs the query and counts the rows read (`Explanation.rowsRead`).
  public func explain<Model: Persistable>(
    _ query: Query<Model>, analyze: Bool = false
  ) throws -> Explanation {
    let plan = try plan(of: Model.self)
    let request = try query.request(by: plan.lowering)
    return try live().explain(request, analyze: analyze)
  }
}
