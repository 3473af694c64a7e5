// A number beside an optional one of its type: `$0.total == $0.customer.invoices.max(\.total)`. More
// special than both the comparison with an optional field and that of two types of numbers, between
// which the compiler would not choose.

internal import ORMStorage

/// The number equals an optional one of its type.
@_disfavoredOverload
public func == <Model, Value: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .equal, right.operand, []))
}

/// The optional number equals another of its type.
@_disfavoredOverload
public func == <Model, Value: SummableAttribute>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .equal, right.operand, []))
}

/// The number differs from an optional one of its type.
@_disfavoredOverload
public func != <Model, Value: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .notEqual, right.operand, []))
}

/// The optional number differs from another of its type.
@_disfavoredOverload
public func != <Model, Value: SummableAttribute>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .notEqual, right.operand, []))
}

/// The number is less than an optional one of its type.
@_disfavoredOverload
public func < <Model, Value: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .less, right.operand, []))
}

/// The optional number is less than another of its type.
@_disfavoredOverload
public func < <Model, Value: SummableAttribute>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .less, right.operand, []))
}

/// The number is at most an optional one of its type.
@_disfavoredOverload
public func <= <Model, Value: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .lessOrEqual, right.operand, []))
}

/// The optional number is at most another of its type.
@_disfavoredOverload
public func <= <Model, Value: SummableAttribute>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .lessOrEqual, right.operand, []))
}

/// The number is greater than an optional one of its type.
@_disfavoredOverload
public func > <Model, Value: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greater, right.operand, []))
}

/// The optional number is greater than another of its type.
@_disfavoredOverload
public func > <Model, Value: SummableAttribute>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greater, right.operand, []))
}

/// The number is at least an optional one of its type.
@_disfavoredOverload
public func >= <Model, Value: SummableAttribute>(
  left: Field<Model, Value>, right: Field<Model, Value?>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greaterOrEqual, right.operand, []))
}

/// The optional number is at least another of its type.
@_disfavoredOverload
public func >= <Model, Value: SummableAttribute>(
  left: Field<Model, Value?>, right: Field<Model, Value>
) -> Filter<Model> {
  Filter(.compare(left.operand, .greaterOrEqual, right.operand, []))
}
