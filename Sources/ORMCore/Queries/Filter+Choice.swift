internal import ORMStorage

extension Filter {
  /// The first value where the filter holds, the second elsewhere: `TERNARY` of predicate formats.
  ///
  /// ```swift
  /// Snack.all.sorted(by: .ascending { ($0.stock > 0).choosing($0.price, else: $0.price * 2) })
  /// ```
  public func choosing<Value: AttributeValue>(
    _ value: Field<Model, Value>, else other: Field<Model, Value>
  ) -> Field<Model, Value> {
    Field(.choice(condition, value.operand, other.operand))
  }

  /// The field where the filter holds, a constant elsewhere.
  public func choosing<Value: AttributeValue>(
    _ value: Field<Model, Value>, else other: Value
  ) -> Field<Model, Value> {
    Field(.choice(condition, value.operand, .value(other.storedValue)))
  }

  /// A constant where the filter holds, the field elsewhere.
  public func choosing<Value: AttributeValue>(
    _ value: Value, else other: Field<Model, Value>
  ) -> Field<Model, Value> {
    Field(.choice(condition, .value(value.storedValue), other.operand))
  }

  /// One of two constants: `($0.price > 3).choosing("dear", else: "cheap")`.
  @_disfavoredOverload
  public func choosing<Value: AttributeValue>(
    _ value: Value, else other: Value
  ) -> Field<Model, Value> {
    Field(.choice(condition, .value(value.storedValue), .value(other.storedValue)))
  }
}
