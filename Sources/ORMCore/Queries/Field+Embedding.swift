// Embedded structs and JSON that may be nil: `$0.address == nil`.

internal import ORMStorage

/// There is no struct, or no JSON.
@_disfavoredOverload
public func == <Model, Value>(
  field: Field<Model, Value?>, none: _OptionalNilComparisonType
) -> Filter<Model> { field.isNil() }

/// There is a struct, or JSON.
@_disfavoredOverload
public func != <Model, Value>(
  field: Field<Model, Value?>, none: _OptionalNilComparisonType
) -> Filter<Model> { !field.isNil() }

extension Field {
  /// Returns whether there is no struct, or no JSON.
  @_disfavoredOverload
  public func isNil<Whole>() -> Filter<Model> where Value == Whole? {
    Filter(.compare(operand, .equal, .value(.null), []))
  }

  /// A part of an embedded struct by its key path, where its name is also a word of this type.
  public subscript<Part>(part: AttributePath<Value, Part>) -> Field<Model, Part>
  where Value: Persistable { self.part(part) }

  /// A part of a struct that may be nil, by its key path.
  public subscript<Embedded: Persistable, Part>(
    part: AttributePath<Embedded, Part>
  ) -> Field<Model, Part?> where Value == Embedded? { self.part(part) }

  /// An optional part of a struct that may be nil, by its key path.
  public subscript<Embedded: Persistable, Part>(
    part: AttributePath<Embedded, Part?>
  ) -> Field<Model, Part?> where Value == Embedded? { self.part(part) }
}
