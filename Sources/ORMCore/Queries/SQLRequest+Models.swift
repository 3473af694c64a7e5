public import ORMStorage

extension SQLRequest.StringInterpolation {
  /// Adds the table of a model.
  public mutating func appendInterpolation<Model: Persistable>(_ model: Model.Type) {
    appendInterpolation(entity: Model.entity.description.name)
  }

  /// Adds the column of an attribute.
  public mutating func appendInterpolation<Model: Persistable, Value: AttributeValue>(
    _ attribute: AttributePath<Model, Value>
  ) {
    appendInterpolation(
      attribute: Model.entity.name(of: attribute) ?? String(describing: attribute),
      of: Model.entity.description.name)
  }

  /// Adds a value that is bound; nil is NULL.
  public mutating func appendInterpolation<Value: AttributeValue>(_ value: Value) {
    appendInterpolation(value.storedValue)
  }

  /// Adds values that are bound, with commas between them, for `IN (…)`.
  public mutating func appendInterpolation<Value: AttributeValue>(list values: [Value]) {
    appendInterpolation(list: values.map(\.storedValue))
  }
}
