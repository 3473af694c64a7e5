public import ORMCore

/// Aggregates over what a closure works out of each row: through a to-one, over a to-many, or by
/// arithmetic.
///
/// ```swift
/// try store.average(Team.all) { $0.players.count }
/// try store.max(Player.all) { $0.team.founded }
/// ```
extension ReadTransaction {
  /// Returns the number of different values a closure works out; nil is not one.
  ///
  /// ```swift
  /// let sizes = try tx.countDistinct(Team.all) { $0.players.count }
  /// ```
  public func countDistinct<Model: Persistable, Value: AttributeValue>(
    _ query: Query<Model>, of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Int {
    try Int(storedValue: try aggregate(query, .countDistinct, of: body(Fields()).operand))
  }

  /// The exact sum of what a closure works out of each row, 0 over nothing; nil is passed over.
  ///
  /// ```swift
  /// let players = try tx.sum(Team.all) { $0.players.count }
  /// ```
  ///
  /// - Throws: `overflow` when the total does not fit.
  public func sum<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Total {
    try Value.Total(storedValue: try aggregate(query, .sum, of: body(Fields()).operand))
  }

  /// The mean of what a closure works out of each row, rounded once; nil over nothing.
  ///
  /// ```swift
  /// let mean = try tx.average(Team.all) { $0.players.count }
  /// ```
  public func average<Model: Persistable, Value: SummableAttribute>(
    _ query: Query<Model>, of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Double? {
    try Double?(storedValue: try aggregate(query, .average, of: body(Fields()).operand))
  }

  /// The least of what a closure works out of each row; nil over nothing.
  ///
  /// ```swift
  /// let oldest = try tx.min(Player.all) { $0.team.founded }
  /// ```
  public func min<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try Value.Present?(storedValue: try aggregate(query, .minimum, of: body(Fields()).operand))
  }

  /// The greatest of what a closure works out of each row; nil over nothing.
  ///
  /// ```swift
  /// let youngest = try tx.max(Player.all) { $0.team.founded }
  /// ```
  public func max<Model: Persistable, Value: ComparableAttribute>(
    _ query: Query<Model>, of body: (Fields<Model>) -> Field<Model, Value>
  ) throws -> Value.Present? {
    try Value.Present?(storedValue: try aggregate(query, .maximum, of: body(Fields()).operand))
  }
}
