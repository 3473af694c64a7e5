// A bare Bool attribute stands for "it is true": `{ $0.isActive && $0.price > 1 }`.

internal import ORMStorage

extension Field where Value == Bool {
  /// The field is true.
  package var isTrue: Filter<Model> {
    Filter(.compare(operand, .equal, .value(.bool(true)), []))
  }
}

/// The field is false.
public prefix func ! <Model>(field: Field<Model, Bool>) -> Filter<Model> { !field.isTrue }

/// The field is true and the filter holds.
public func && <Model>(field: Field<Model, Bool>, filter: Filter<Model>) -> Filter<Model> {
  field.isTrue && filter
}

/// The filter holds and the field is true.
public func && <Model>(filter: Filter<Model>, field: Field<Model, Bool>) -> Filter<Model> {
  filter && field.isTrue
}

/// Both fields are true.
public func && <Model>(left: Field<Model, Bool>, right: Field<Model, Bool>) -> Filter<Model> {
  left.isTrue && right.isTrue
}

/// The field is true or the filter holds.
public func || <Model>(field: Field<Model, Bool>, filter: Filter<Model>) -> Filter<Model> {
  field.isTrue || filter
}

/// The filter holds or the field is true.
public func || <Model>(filter: Filter<Model>, field: Field<Model, Bool>) -> Filter<Model> {
  filter || field.isTrue
}

/// One of the fields is true.
public func || <Model>(left: Field<Model, Bool>, right: Field<Model, Bool>) -> Filter<Model> {
  left.isTrue || right.isTrue
}
