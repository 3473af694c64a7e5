// The comparison operators of typed conditions: a field beside a value, a value beside a field, and
// two fields; an optional on either side. Texts under options have methods of their own.

internal import ORMStorage

/// The field equals the value.
public func == <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(field.operand, .equal, .value(value.storedValue), []))
}

/// The value equals the field.
public func == <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .equal, field.operand, []))
}

/// The field equals another.
public func == <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .equal, right.operand, []))
}

/// The field equals an optional one.
@_disfavoredOverload
public func == <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .equal, right.operand, []))
}

/// The optional field equals another.
@_disfavoredOverload
public func == <Model, Value: AttributeValue>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .equal, right.operand, []))
}

/// The field equals a number of another type.
@_disfavoredOverload
public func == <Model, Value: SummableAttribute, Other: SummableAttribute>(
  field: Field<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(field.operand, .equal, .value(value.storedValue), []))
}

/// The field differs from the value.
public func != <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(field.operand, .notEqual, .value(value.storedValue), []))
}

/// The value differs from the field.
public func != <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .notEqual, field.operand, []))
}

/// The field differs from another.
public func != <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .notEqual, right.operand, []))
}

/// The field differs from an optional one.
@_disfavoredOverload
public func != <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .notEqual, right.operand, []))
}

/// The optional field differs from another.
@_disfavoredOverload
public func != <Model, Value: AttributeValue>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .notEqual, right.operand, []))
}

/// The field differs from a number of another type.
@_disfavoredOverload
public func != <Model, Value: SummableAttribute, Other: SummableAttribute>(
  field: Field<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(field.operand, .notEqual, .value(value.storedValue), []))
}

/// The field is less than the value.
public func < <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(field.operand, .less, .value(value.storedValue), []))
}

/// The value is less than the field.
public func < <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .less, field.operand, []))
}

/// The field is less than another.
public func < <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .less, right.operand, []))
}

/// The field is less than an optional one.
@_disfavoredOverload
public func < <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .less, right.operand, []))
}

/// The optional field is less than another.
@_disfavoredOverload
public func < <Model, Value: AttributeValue>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .less, right.operand, []))
}

/// The field is less than a number of another type.
@_disfavoredOverload
public func < <Model, Value: SummableAttribute, Other: SummableAttribute>(
  field: Field<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(field.operand, .less, .value(value.storedValue), []))
}

/// The field is at most the value.
public func <= <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(field.operand, .lessOrEqual, .value(value.storedValue), []))
}

/// The value is at most the field.
public func <= <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .lessOrEqual, field.operand, []))
}

/// The field is at most another.
public func <= <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .lessOrEqual, right.operand, []))
}

/// The field is at most an optional one.
@_disfavoredOverload
public func <= <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .lessOrEqual, right.operand, []))
}

/// The optional field is at most another.
@_disfavoredOverload
public func <= <Model, Value: AttributeValue>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .lessOrEqual, right.operand, []))
}

/// The field is at most a number of another type.
@_disfavoredOverload
public func <= <Model, Value: SummableAttribute, Other: SummableAttribute>(
  field: Field<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(field.operand, .lessOrEqual, .value(value.storedValue), []))
}

/// The field is greater than the value.
public func > <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(field.operand, .greater, .value(value.storedValue), []))
}

/// The value is greater than the field.
public func > <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .greater, field.operand, []))
}

/// The field is greater than another.
public func > <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greater, right.operand, []))
}

/// The field is greater than an optional one.
@_disfavoredOverload
public func > <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greater, right.operand, []))
}

/// The optional field is greater than another.
@_disfavoredOverload
public func > <Model, Value: AttributeValue>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greater, right.operand, []))
}

/// The field is greater than a number of another type.
@_disfavoredOverload
public func > <Model, Value: SummableAttribute, Other: SummableAttribute>(
  field: Field<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(field.operand, .greater, .value(value.storedValue), []))
}

/// The field is at least the value.
public func >= <Model, Value: AttributeValue>(
  field: Field<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(field.operand, .greaterOrEqual, .value(value.storedValue), []))
}

/// The value is at least the field.
public func >= <Model, Value: AttributeValue>(
  value: Value, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .greaterOrEqual, field.operand, []))
}

/// The field is at least another.
public func >= <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greaterOrEqual, right.operand, []))
}

/// The field is at least an optional one.
@_disfavoredOverload
public func >= <Model, Value: AttributeValue>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greaterOrEqual, right.operand, []))
}

/// The optional field is at least another.
@_disfavoredOverload
public func >= <Model, Value: AttributeValue>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greaterOrEqual, right.operand, []))
}

/// The field is at least a number of another type.
@_disfavoredOverload
public func >= <Model, Value: SummableAttribute, Other: SummableAttribute>(
  field: Field<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(field.operand, .greaterOrEqual, .value(value.storedValue), []))
}
