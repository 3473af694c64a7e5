// Comparisons that are no conditions. The compiler passes over overloads that are unavailable, and
// looks at them only to say why nothing else fits; without them it says that it cannot tell.

internal import ORMStorage

/// Refuses to compare a field with a value of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func == <Model, Value, Other>(
  field: Field<Model, Value>, other: Other
) -> Filter<Model> { .refused }

/// Refuses to compare a value with a field of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func == <Model, Value, Other>(
  other: Other, field: Field<Model, Value>
) -> Filter<Model> { .refused }

/// Refuses to compare a field with a value of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func != <Model, Value, Other>(
  field: Field<Model, Value>, other: Other
) -> Filter<Model> { .refused }

/// Refuses to compare a value with a field of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func != <Model, Value, Other>(
  other: Other, field: Field<Model, Value>
) -> Filter<Model> { .refused }

/// Refuses to compare a field with a value of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func < <Model, Value, Other>(
  field: Field<Model, Value>, other: Other
) -> Filter<Model> { .refused }

/// Refuses to compare a value with a field of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func < <Model, Value, Other>(
  other: Other, field: Field<Model, Value>
) -> Filter<Model> { .refused }

/// Refuses to compare a field with a value of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func <= <Model, Value, Other>(
  field: Field<Model, Value>, other: Other
) -> Filter<Model> { .refused }

/// Refuses to compare a value with a field of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func <= <Model, Value, Other>(
  other: Other, field: Field<Model, Value>
) -> Filter<Model> { .refused }

/// Refuses to compare a field with a value of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func > <Model, Value, Other>(
  field: Field<Model, Value>, other: Other
) -> Filter<Model> { .refused }

/// Refuses to compare a value with a field of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func > <Model, Value, Other>(
  other: Other, field: Field<Model, Value>
) -> Filter<Model> { .refused }

/// Refuses to compare a field with a value of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func >= <Model, Value, Other>(
  field: Field<Model, Value>, other: Other
) -> Filter<Model> { .refused }

/// Refuses to compare a value with a field of another type.
@available(*, unavailable, message: "an attribute can be compared only with values of its own type")
public func >= <Model, Value, Other>(
  other: Other, field: Field<Model, Value>
) -> Filter<Model> { .refused }

// With these two, `!` has more candidates than `where`, which is therefore resolved first (see
// `Query.where`): ten terms of key paths with `!` and `||` take 0.1 s instead of being given up.

/// Refuses to negate an attribute that may be nil.
@available(*, unavailable, message: "an optional Bool may be nil: compare it with true or false")
public prefix func ! <Model>(field: Field<Model, Bool?>) -> Filter<Model> { .refused }

/// Refuses to negate an attribute that is not a Bool.
@available(*, unavailable, message: "only a Bool attribute can be negated")
public prefix func ! <Model, Value>(field: Field<Model, Value>) -> Filter<Model> { .refused }

extension Filter {
  /// The filter of a comparison that does not compile.
  fileprivate static var refused: Filter { Filter(.constant(false)) }
}
