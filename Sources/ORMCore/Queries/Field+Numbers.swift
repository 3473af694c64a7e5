// Comparisons of numbers of two types, which are exact (clause 2.2): an integer attribute beside a
// floating number is not rounded. Disfavored, so that literals take the attribute's own type where they
// can: `$0.milliseconds > 2` compares integers, `$0.milliseconds > 2.5` an integer with a Double.

internal import ORMStorage

/// The number equals a field of another type.
@_disfavoredOverload
public func == <Model, Value: SummableAttribute, Other: SummableAttribute>(
  value: Other, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .equal, field.operand, []))
}

/// The field equals a field of another type of numbers.
@_disfavoredOverload
public func == <Model, Value: SummableAttribute, Other: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Other>
) -> Filter<Model> {
  Filter(.compare(left.operand, .equal, right.operand, []))
}

/// The attribute equals a number of another type: `\.milliseconds == 2.5`.
@_disfavoredOverload
public func == <Model: Persistable, Value: SummableAttribute, Other: SummableAttribute>(
  path: AttributePath<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .equal, .value(value.storedValue), []))
}

/// The number differs from a field of another type.
@_disfavoredOverload
public func != <Model, Value: SummableAttribute, Other: SummableAttribute>(
  value: Other, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .notEqual, field.operand, []))
}

/// The field differs from a field of another type of numbers.
@_disfavoredOverload
public func != <Model, Value: SummableAttribute, Other: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Other>
) -> Filter<Model> {
  Filter(.compare(left.operand, .notEqual, right.operand, []))
}

/// The attribute differs from a number of another type: `\.milliseconds != 2.5`.
@_disfavoredOverload
public func != <Model: Persistable, Value: SummableAttribute, Other: SummableAttribute>(
  path: AttributePath<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .notEqual, .value(value.storedValue), []))
}

/// The number is less than a field of another type.
@_disfavoredOverload
public func < <Model, Value: SummableAttribute, Other: SummableAttribute>(
  value: Other, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .less, field.operand, []))
}

/// The field is less than a field of another type of numbers.
@_disfavoredOverload
public func < <Model, Value: SummableAttribute, Other: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Other>
) -> Filter<Model> {
  Filter(.compare(left.operand, .less, right.operand, []))
}

/// The attribute is less than a number of another type: `\.milliseconds < 2.5`.
@_disfavoredOverload
public func < <Model: Persistable, Value: SummableAttribute, Other: SummableAttribute>(
  path: AttributePath<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .less, .value(value.storedValue), []))
}

/// The number is at most a field of another type.
@_disfavoredOverload
public func <= <Model, Value: SummableAttribute, Other: SummableAttribute>(
  value: Other, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .lessOrEqual, field.operand, []))
}

/// The field is at most a field of another type of numbers.
@_disfavoredOverload
public func <= <Model, Value: SummableAttribute, Other: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Other>
) -> Filter<Model> {
  Filter(.compare(left.operand, .lessOrEqual, right.operand, []))
}

/// The attribute is at most a number of another type: `\.milliseconds <= 2.5`.
@_disfavoredOverload
public func <= <Model: Persistable, Value: SummableAttribute, Other: SummableAttribute>(
  path: AttributePath<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .lessOrEqual, .value(value.storedValue), []))
}

/// The number is greater than a field of another type.
@_disfavoredOverload
public func > <Model, Value: SummableAttribute, Other: SummableAttribute>(
  value: Other, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .greater, field.operand, []))
}

/// The field is greater than a field of another type of numbers.
@_disfavoredOverload
public func > <Model, Value: SummableAttribute, Other: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Other>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greater, right.operand, []))
}

/// The attribute is greater than a number of another type: `\.milliseconds > 2.5`.
@_disfavoredOverload
public func > <Model: Persistable, Value: SummableAttribute, Other: SummableAttribute>(
  path: AttributePath<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .greater, .value(value.storedValue), []))
}

/// The number is at least a field of another type.
@_disfavoredOverload
public func >= <Model, Value: SummableAttribute, Other: SummableAttribute>(
  value: Other, field: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(.value(value.storedValue), .greaterOrEqual, field.operand, []))
}

/// The field is at least a field of another type of numbers.
@_disfavoredOverload
public func >= <Model, Value: SummableAttribute, Other: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Other>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greaterOrEqual, right.operand, []))
}

/// The attribute is at least a number of another type: `\.milliseconds >= 2.5`.
@_disfavoredOverload
public func >= <Model: Persistable, Value: SummableAttribute, Other: SummableAttribute>(
  path: AttributePath<Model, Value>, value: Other
) -> Filter<Model> {
  Filter(
    .compare(Model.operand(of: path, scope: 0), .greaterOrEqual, .value(value.storedValue), []))
}
