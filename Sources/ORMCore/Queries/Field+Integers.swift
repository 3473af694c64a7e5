// Operators of integers (clause 2.6): the remainder, bits and shifts. Each is exact; a result that does not
// fit, and a remainder by zero, are nil.

internal import ORMStorage

/// An attribute of integers, or of optional ones: `Int`, its siblings of other widths.
public protocol WholeAttribute: AttributeValue {}
extension Int: WholeAttribute {}
extension Int8: WholeAttribute {}
extension Int16: WholeAttribute {}
extension Int32: WholeAttribute {}
extension Int64: WholeAttribute {}
extension UInt: WholeAttribute {}
extension UInt8: WholeAttribute {}
extension UInt16: WholeAttribute {}
extension UInt32: WholeAttribute {}
extension UInt64: WholeAttribute {}
extension Optional: WholeAttribute where Wrapped: WholeAttribute {}

/// The rest of the field divided by an integer: `$0.id % 2 == 1`.
public func % <Model, Value: WholeAttribute>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.remainder, field.operand, .value(value.storedValue)))
}

/// The rest of an integer divided by the field.
public func % <Model, Value: WholeAttribute>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.remainder, .value(value.storedValue), field.operand))
}

/// The rest of the field divided by another.
public func % <Model, Value: WholeAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.remainder, left.operand, right.operand))
}

/// The bits that the field and an integer share: `$0.flags & 4 != 0`.
public func & <Model, Value: WholeAttribute>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseAnd, field.operand, .value(value.storedValue)))
}

/// The bits that an integer and the field share.
public func & <Model, Value: WholeAttribute>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseAnd, .value(value.storedValue), field.operand))
}

/// The bits that the field shares with another.
public func & <Model, Value: WholeAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseAnd, left.operand, right.operand))
}

/// The bits of the field and of an integer.
public func | <Model, Value: WholeAttribute>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseOr, field.operand, .value(value.storedValue)))
}

/// The bits of an integer and of the field.
public func | <Model, Value: WholeAttribute>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseOr, .value(value.storedValue), field.operand))
}

/// The bits of the field and of another.
public func | <Model, Value: WholeAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseOr, left.operand, right.operand))
}

/// The bits in which the field and an integer differ.
public func ^ <Model, Value: WholeAttribute>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseXor, field.operand, .value(value.storedValue)))
}

/// The bits in which an integer and the field differ.
public func ^ <Model, Value: WholeAttribute>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseXor, .value(value.storedValue), field.operand))
}

/// The bits in which the field differs from another.
public func ^ <Model, Value: WholeAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.bitwiseXor, left.operand, right.operand))
}

/// The field with its bits shifted to the left.
public func << <Model, Value: WholeAttribute>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.shiftLeft, field.operand, .value(value.storedValue)))
}

/// An integer with its bits shifted to the left.
public func << <Model, Value: WholeAttribute>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.shiftLeft, .value(value.storedValue), field.operand))
}

/// The field with its bits shifted to the left by another.
public func << <Model, Value: WholeAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.shiftLeft, left.operand, right.operand))
}

/// The field with its bits shifted to the right.
public func >> <Model, Value: WholeAttribute>(
  field: Field<Model, Value>, value: Value
) -> Field<Model, Value> {
  Field(.arithmetic(.shiftRight, field.operand, .value(value.storedValue)))
}

/// An integer with its bits shifted to the right.
public func >> <Model, Value: WholeAttribute>(
  value: Value, field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.shiftRight, .value(value.storedValue), field.operand))
}

/// The field with its bits shifted to the right by another.
public func >> <Model, Value: WholeAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.arithmetic(.shiftRight, left.operand, right.operand))
}

/// The integer with every bit changed: `-1 - x`.
public prefix func ~ <Model, Value: WholeAttribute>(
  field: Field<Model, Value>
) -> Field<Model, Value> {
  Field(.function(.onesComplement, field.operand))
}
