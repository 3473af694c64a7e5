// Arithmetic of typed conditions and updates (clause 2.6). Division by zero, and any arithmetic
// with nil, give nil.

internal import ORMStorage

/// The field plus a number.
public func + <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.add, field.operand, .value(value.storedValue)))
}

/// A number plus the field.
public func + <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.add, .value(value.storedValue), field.operand))
}

/// The field plus another.
public func + <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.add, left.operand, right.operand))
}

/// Sets the field to itself plus a number: `$0[\.price] += 1`.
public func += <Model, Value: AttributeValue>(
  field: inout Field<Model, Value>, value: Value
) {
  field = field + value
}

/// The field minus a number.
public func - <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.subtract, field.operand, .value(value.storedValue)))
}

/// A number minus the field.
public func - <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.subtract, .value(value.storedValue), field.operand))
}

/// The field minus another.
public func - <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.subtract, left.operand, right.operand))
}

/// Sets the field to itself minus a number: `$0[\.price] -= 1`.
public func -= <Model, Value: AttributeValue>(
  field: inout Field<Model, Value>, value: Value
) {
  field = field - value
}

/// The field times a number.
public func * <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.multiply, field.operand, .value(value.storedValue)))
}

/// A number times the field.
public func * <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.multiply, .value(value.storedValue), field.operand))
}

/// The field times another.
public func * <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.multiply, left.operand, right.operand))
}

/// Sets the field to itself times a number: `$0[\.price] *= 1`.
public func *= <Model, Value: AttributeValue>(
  field: inout Field<Model, Value>, value: Value
) {
  field = field * value
}

/// The field divided by a number.
public func / <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.divide, field.operand, .value(value.storedValue)))
}

/// A number divided by the field.
public func / <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.divide, .value(value.storedValue), field.operand))
}

/// The field divided by another.
public func / <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.divide, left.operand, right.operand))
}

/// Sets the field to itself divided by a number: `$0[\.price] /= 1`.
public func /= <Model, Value: AttributeValue>(
  field: inout Field<Model, Value>, value: Value
) {
  field = field / value
}

/// The number with its sign changed.
public prefix func - <Model, Value: AttributeValue>(
  field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.negated(field.operand))
}

extension Field where Value: AttributeValue {
  /// The number raised to a power, in doubles.
  ///
  /// ```swift
  /// Snack.where { $0.price.power(2) > 4 }
  /// ```
  public func power(_ exponent: Double) -> Field<Model, Double?> {
    Field<Model, Double?>(.arithmetic(.power, operand, .value(.double(exponent))))
  }
  /// The date a number of seconds later: `$0.departure.adding(seconds: 60)`.
  ///
  /// ```swift
  /// Flight.where { $0.departure.adding(seconds: 3600) > monday }
  /// ```
  public func adding(seconds: Double) -> Field<Model, Value> {
    Field(.arithmetic(.add, operand, .value(.double(seconds))))
  }
  /// The seconds from another date to this one.
  ///
  /// ```swift
  /// Booking.where { $0.end.seconds(since: $0.begin) > 3600 }
  /// ```
  public func seconds(since other: Field<Model, Value>) -> Field<Model, Double?> {
    Field<Model, Double?>(.arithmetic(.subtract, operand, other.operand))
  }
  /// The number without its sign.
  ///
  /// ```swift
  /// Snack.where { $0.price.magnitude() == 3 }
  /// ```
  public func magnitude() -> Field<Model, Value> { Field(.function(.abs, operand)) }
  /// The least whole number not below.
  ///
  /// ```swift
  /// Snack.where { $0.price.ceiling() == 3 }
  /// ```
  public func ceiling() -> Field<Model, Value> { Field(.function(.ceiling, operand)) }
  /// The greatest whole number not above.
  ///
  /// ```swift
  /// Snack.where { $0.price.floor() == 3 }
  /// ```
  public func floor() -> Field<Model, Value> { Field(.function(.floor, operand)) }
  /// The number without its fraction.
  ///
  /// ```swift
  /// Snack.where { $0.price.truncated() == 3 }
  /// ```
  public func truncated() -> Field<Model, Value> { Field(.function(.trunc, operand)) }
  /// The nearest whole number, ties away from zero: `$0.price.rounded() == 3`.
  ///
  /// ```swift
  /// Snack.where { $0.price.rounded() == 3 }
  /// ```
  public func rounded() -> Field<Model, Value> { Field(.function(.round, operand)) }
  /// The square root, as a double; nil for a number below zero.
  ///
  /// ```swift
  /// Snack.where { $0.price.squareRoot() > 1 }
  /// ```
  public func squareRoot() -> Field<Model, Double?> {
    Field<Model, Double?>(.function(.sqrt, operand))
  }
  /// The power of e, as a double.
  ///
  /// ```swift
  /// Snack.where { $0.price.exponential() > 1 }
  /// ```
  public func exponential() -> Field<Model, Double?> {
    Field<Model, Double?>(.function(.exp, operand))
  }
  /// The natural logarithm, as a double; nil for a number below zero.
  ///
  /// ```swift
  /// Snack.where { $0.price.logarithm() > 1 }
  /// ```
  public func logarithm() -> Field<Model, Double?> {
    Field<Model, Double?>(.function(.ln, operand))
  }
  /// The logarithm to the base 10, as a double; nil for a number below zero.
  ///
  /// ```swift
  /// Snack.where { $0.price.logarithm10() > 1 }
  /// ```
  public func logarithm10() -> Field<Model, Double?> {
    Field<Model, Double?>(.function(.log, operand))
  }
  /// The value in another type; nil where that type cannot express it exactly (clause 2.12).
  ///
  /// ```swift
  /// Snack.where { $0.stock.cast(to: String.self) == "3" }
  /// ```
  ///
  /// For example, `$0.code.cast(to: Int.self) > 99` reads a text as an integer.
  public func cast<Other: AttributeValue>(to type: Other.Type) -> Field<Model, Other?> {
    Field<Model, Other?>(.function(.cast(Other.attributeType.kind), operand))
  }
}
