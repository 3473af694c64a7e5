// Key-path operators: `\.price > 1 && !(\.id == 3)`. They are constrained to attribute values, so that they
// compete with no other operators.

internal import ORMStorage

/// The attribute equals the value.
public func == <Model: Persistable, Value: AttributeValue>(
  path: AttributePath<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .equal, .value(value.storedValue), []))
}

/// The attribute differs from the value.
public func != <Model: Persistable, Value: AttributeValue>(
  path: AttributePath<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .notEqual, .value(value.storedValue), []))
}

/// The attribute is less than the value.
public func < <Model: Persistable, Value: AttributeValue>(
  path: AttributePath<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .less, .value(value.storedValue), []))
}

/// The attribute is at most the value.
public func <= <Model: Persistable, Value: AttributeValue>(
  path: AttributePath<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .lessOrEqual, .value(value.storedValue), []))
}

/// The attribute is greater than the value.
public func > <Model: Persistable, Value: AttributeValue>(
  path: AttributePath<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(.compare(Model.operand(of: path, scope: 0), .greater, .value(value.storedValue), []))
}

/// The attribute is at least the value.
public func >= <Model: Persistable, Value: AttributeValue>(
  path: AttributePath<Model, Value>, value: Value
) -> Filter<Model> {
  Filter(
    .compare(Model.operand(of: path, scope: 0), .greaterOrEqual, .value(value.storedValue), []))
}

/// The target of the to-one has this key, or there is none for nil: `\.team == nil`.
public func == <Model: Persistable, Target: PrimaryKeyed>(
  path: AttributePath<Model, ToOne<Target>>, id: Target.ID?
) -> Filter<Model> {
  Fields<Model>()[path] == id
}

/// The target of the to-one has another key, or there is one for nil.
public func != <Model: Persistable, Target: PrimaryKeyed>(
  path: AttributePath<Model, ToOne<Target>>, id: Target.ID?
) -> Filter<Model> {
  Fields<Model>()[path] != id
}
