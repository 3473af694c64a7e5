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
  public func power(_ exponent: Double) -> Field<Model, Double?> {
    Field<Model, Double?>(.arithmetic(.power, operand, .value(.double(exponent))))
  }
  /// A date so many seconds later: `$0.departure.adding(seconds: 60)`.
  public func adding(seconds: Double) -> Field<Model, Value> {
    Field(.arithmetic(.add, operand, .value(.double(seconds))))
  }
  /// The seconds from another date to this one.
  public func seconds(since other: Field<Model, Value>) -> Field<Model, Double?> {
    Field<Model, Double?>(.arithmetic(.subtract, operand, other.operand))
  }
  /// The number without its sign.
  public func magnitude() -> Field<Model, Value> { Field(.function(.abs, operand)) }
  /// The least whole number not below.
  public func ceiling() -> Field<Model, Value> { Field(.function(.ceiling, operand)) }
  /// The greatest whole number not above.
  public func floor() -> Field<Model, Value> { Field(.function(.floor, operand)) }
  /// The number without its fraction.
  public func truncated() -> Field<Model, Value> { Field(.function(.trunc, operand)) }
  /// The nearest whole number, ties away from zero: `$0.price.rounded() == 3`.
  public func rounded() -> Field<Model, Value> { Field(.function(.round, operand)) }
  /// The square root, as a double; nil for a number below zero.
  public func squareRoot() -> Field<Model, Double?> {
    Field<Model, Double?>(.function(.sqrt, operand))
  }
  /// The power of e, as a double.
  public func exponential() -> Field<Model, Double?> {
    Field<Model, Double?>(.function(.exp, operand))
  }
  /// The natural logarithm, as a double; nil for a number below zero.
  public func logarithm() -> Field<Model, Double?> {
    Field<Model, Double?>(.function(.ln, operand))
  }
  /// The logarithm to the base 10, as a double; nil for a number below zero.
  public func logarithm10() -> Field<Model, Double?> {
    Field<Model, Double?>(.function(.log, operand))
  }
  /// The value in another type; nil where that type cannot express it exactly (clause 2.12).
  ///
  /// For example, `$0.code.cast(to: Int.self) > 99` reads a text as an integer.
  public func cast<Other: AttributeValue>(to type: Other.Type) -> Field<Model, Other?> {
    Field<Model, Other?>(.function(.cast(Other.attributeType.kind), operand))
  }
}
