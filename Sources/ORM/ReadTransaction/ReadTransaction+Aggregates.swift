public import ORMCore

extension ReadTransaction {
  /// Returns the number of rows the query has.
  ///
  /// ```swift
  /// let count = try tx.count(Snack.where { $0.price < 3 })
  /// ```
  public func count<Model: Persistable>(_ query: Query<Model>) throws -> Int {
    switch query.paging {
    case .all:
      guard case .int(let count) = try aggregate(query, .count, of: nil) else { return 0 }
      return Int(count)
    default:
      // A page is counted by its keys: an aggregate sees the rows before the page is cut.
      let plan = try plan(of: Model.self)
      var visitor = RowCounter()
      try live().visit(
        try query.request(output: plan.keyOutput, by: plan.lowering), &visitor)
      return visitor.count
    }
  }

  /// Returns the number of rows the model has.
  ///
  /// ```swift
  /// let count = try tx.count(Snack.self)
  /// ```
  public func count<Model: Persistable>(_ model: Model.Type) throws -> Int {
    try count(Model.all)
  }

  /// Returns the number of different values that an attribute, or an expression over each row, has; nil is
  /// not one.
  ///
  /// ```swift
  /// let tastes = try tx.countDistinct(Snack.all, \.taste)
  /// let sizes = try tx.countDistinct(Team.all) { $0.players.count }
  /// ```
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Int {
    try Int(storedValue: try aggregate(query, .countDistinct, of: body(Fields()).operand))
  }

  /// The exact sum of an attribute, or of an expression over each row, 0 over nothing; nil is passed over.
  ///
  /// ```swift
  /// let stock = try tx.sum(Snack.all, \.stock)
  /// let players = try tx.sum(Team.all) { $0.players.count }
  /// ```
  ///
  /// - Throws: `overflow` when the total does not fit.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Total {
    try Value.Total(storedValue: try aggregate(query, .sum, of: body(Fields()).operand))
  }

  /// The mean of an attribute, or of an expression over each row: the exact sum over the count, rounded
  /// once; nil over nothing.
  ///
  /// ```swift
  /// let price = try tx.average(Snack.all, \.price)
  /// let mean = try tx.average(Team.all) { $0.players.count }
  /// ```
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Double? {
    try Double?(storedValue: try aggregate(query, .average, of: body(Fields()).operand))
  }

  /// The least value of an attribute, or of an expression over each row; nil over nothing.
  ///
  /// ```swift
  /// let least = try tx.min(Snack.all, \.price)
  /// let oldest = try tx.min(Player.all) { $0.team.founded }
  /// ```
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try extreme(query, .minimum, body(Fields()).operand)
  }

  /// The greatest value of an attribute, or of an expression over each row; nil over nothing.
  ///
  /// ```swift
  /// let greatest = try tx.max(Snack.all, \.price)
  /// let youngest = try tx.max(Player.all) { $0.team.founded }
  /// ```
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, _ body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try extreme(query, .maximum, body(Fields()).operand)
  }

  private func extreme<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, _ kind: Aggregate.Kind, _ operand: Operand
  ) throws -> Value? {
    try Value?(aggregate(query, kind, of: operand), orFallback: Model.fallback(of: operand))
  }

  func aggregate<Model: Persistable>(
    _ query: Query<Model>, _ kind: Aggregate.Kind, of operand: Operand?
  ) throws -> StoredValue {
    if query.paging != .all {
      throw StoreError(
        .invalidPage, "an aggregate takes a whole query: remove its limit, offset or page",
        entity: Model.entity.description.name)
    }
    let plan = try plan(of: Model.self)
    var unordered = query
    if query.start == nil { unordered.order = [] }
    let request = try unordered.request(
      output: .aggregates([Aggregate(kind, operand)]), by: plan.lowering)
    var visitor = ValueCollector()
    do {
      try live().visit(request, &visitor)
    } catch let error as StoreError {
      throw error.filling(entity: plan.entity.modelName)
    }
    return visitor.rows.first?.first ?? .null
  }
}
