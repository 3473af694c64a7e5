// Aggregates over a to-many (clauses 2.7, 4.1), over all elements or those that satisfy a
// condition: `t.players.sum(\.age) { $0.team == nil }`.

internal import ORMStorage

extension ToManyField {
  /// The number of elements.
  ///
  /// ```swift
  /// Team.where { $0.players.count > 11 }
  /// ```
  public var count: Field<Model, Int> {
    Field<Model, Int>(aggregate(.count, { _ in nil }, where: { _ in .constant(true) }))
  }

  /// Returns the number of elements satisfy a condition: `t.players.count { $0.age > 30 } > 2`.
  ///
  /// ```swift
  /// Team.where { $0.players.count { $0.age > 30 } > 2 }
  /// ```
  public func count(where body: Body<Filter<Model>>) -> Field<Model, Int> {
    Field<Model, Int>(aggregate(.count, { _ in nil }, where: { body($0).condition }))
  }

  /// The exact sum of an attribute, 0 over nothing; nil is skipped.
  ///
  /// ```swift
  /// Team.where { $0.players.sum(\.age) > 30 }
  /// ```
  public func sum<Value: SummableAttribute>(
    _ path: AttributePath<Target, Value>, where body: Body<Filter<Model>>? = nil
  ) -> Field<Model, Value.Total> {
    Field<Model, Value.Total>(
      aggregate(.sum, { $0[path].operand }, where: { body?($0).condition ?? .constant(true) }))
  }

  /// The exact sum of a value that a closure computes from each element.
  ///
  /// ```swift
  /// Team.where { $0.players.sum { $0.age * 2 } > 60 }
  /// ```
  public func sum<Value: SummableAttribute>(
    of value: Body<Field<Model, Value>>, where body: Body<Filter<Model>>? = nil
  ) -> Field<Model, Value.Total> {
    Field<Model, Value.Total>(
      aggregate(.sum, { value($0).operand }, where: { body?($0).condition ?? .constant(true) }))
  }

  /// The mean of an attribute, rounded once; nil over nothing.
  ///
  /// ```swift
  /// Team.where { $0.players.average(\.age) > 30 }
  /// ```
  public func average<Value: SummableAttribute>(
    _ path: AttributePath<Target, Value>, where body: Body<Filter<Model>>? = nil
  ) -> Field<Model, Double?> {
    Field<Model, Double?>(
      aggregate(.average, { $0[path].operand }, where: { body?($0).condition ?? .constant(true) }))
  }

  /// The mean of a value that a closure computes from each element.
  ///
  /// ```swift
  /// Team.where { $0.players.average { $0.age * 2 } > 60 }
  /// ```
  public func average<Value: SummableAttribute>(
    of value: Body<Field<Model, Value>>, where body: Body<Filter<Model>>? = nil
  ) -> Field<Model, Double?> {
    Field<Model, Double?>(
      aggregate(.average, { value($0).operand }, where: { body?($0).condition ?? .constant(true) }))
  }

  /// The least value of an attribute; nil over nothing.
  ///
  /// ```swift
  /// Team.where { $0.players.min(\.age) > 30 }
  /// ```
  public func min<Value: ComparableAttribute>(
    _ path: AttributePath<Target, Value>, where body: Body<Filter<Model>>? = nil
  ) -> Field<Model, Value.Present?> {
    Field<Model, Value.Present?>(
      aggregate(.minimum, { $0[path].operand }, where: { body?($0).condition ?? .constant(true) }))
  }

  /// The least of the values that a closure computes from the elements.
  ///
  /// ```swift
  /// Team.where { $0.players.min { $0.age * 2 } > 60 }
  /// ```
  public func min<Value: ComparableAttribute>(
    of value: Body<Field<Model, Value>>, where body: Body<Filter<Model>>? = nil
  ) -> Field<Model, Value.Present?> {
    Field<Model, Value.Present?>(
      aggregate(.minimum, { value($0).operand }, where: { body?($0).condition ?? .constant(true) }))
  }

  /// The greatest value of an attribute; nil over nothing.
  ///
  /// ```swift
  /// Team.where { $0.players.max(\.age) > 30 }
  /// ```
  public func max<Value: ComparableAttribute>(
    _ path: AttributePath<Target, Value>, where body: Body<Filter<Model>>? = nil
  ) -> Field<Model, Value.Present?> {
    Field<Model, Value.Present?>(
      aggregate(.maximum, { $0[path].operand }, where: { body?($0).condition ?? .constant(true) }))
  }

  /// The greatest of the values that a closure computes from the elements.
  ///
  /// ```swift
  /// Team.where { $0.players.max { $0.age * 2 } > 60 }
  /// ```
  public func max<Value: ComparableAttribute>(
    of value: Body<Field<Model, Value>>, where body: Body<Filter<Model>>? = nil
  ) -> Field<Model, Value.Present?> {
    Field<Model, Value.Present?>(
      aggregate(.maximum, { value($0).operand }, where: { body?($0).condition ?? .constant(true) }))
  }
}
