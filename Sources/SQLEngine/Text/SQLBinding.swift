public import ORMStorage

/// The source of a value that is bound to a placeholder of a text.
package enum SQLBinding: Hashable, Sendable {
  /// The value in this slot of the request's bindings.
  case parameter(Int, SQLForm)
  /// A value that is part of the compiled text's meaning, such as a default.
  case constant(StoredValue, SQLForm)
  /// The value that the source of a put sets for this column, by its position in the entity.
  case column(Int, SQLForm)
  /// The values that the source of a put sets for this column in all rows of a batch.
  case columnOfRows(Int, SQLForm)
  /// A value of a row outside of the statement, by its number among all values passed to it.
  case outer(Int, SQLForm)
  /// One of the compiled request's evaluators.
  case evaluator(Int)
  /// The request's limit; -1 for none.
  case limit
  /// The request's offset.
  case offset

  /// Returns the placeholder of a parameter in a dialect.
  func placeholder(_ number: Int, _ dialect: any SQLDialect) -> String {
    switch self {
    case .parameter(_, let form), .constant(_, let form), .column(_, let form),
      .outer(_, let form):
      dialect.placeholder(number, as: form)
    case .columnOfRows(_, let form):
      (dialect as? any BatchingDialect)?.placeholder(number, ofEach: form)
        ?? dialect.placeholder(number, as: form)
    case .limit: dialect.limit(dialect.placeholder(number))
    case .evaluator, .offset: dialect.placeholder(number)
    }
  }
}

/// The form in which a value is bound.
///
/// ``SQLDialect/test(_:_:isFolded:_:)`` asks for the value of a text operator in the forms that its
/// expression needs: `stored(.string)`, `folded`, `bytes`, `byteCount` and `prefixEnd`. The engine
/// binds the others.
public enum SQLForm: Hashable, Sendable {
  /// The form in which a column of this kind keeps a value.
  case stored(AttributeType.Kind)
  /// The value with its kind, as values of any kind pass through the engine.
  case tagged
  /// A text after case folding.
  case folded
  /// The bytes of a text, folded or not.
  case bytes(isFolded: Bool)
  /// The number of bytes of a text, folded or not.
  case byteCount(isFolded: Bool)
  /// The least text after every text that begins with this one, folded or not.
  case prefixEnd(isFolded: Bool)
  /// The beginning of every text that matches this LIKE pattern, folded or not.
  case likeBeginning(isFolded: Bool)
  /// The least text after every text with that beginning.
  case likeEnd(isFolded: Bool)
  /// The beginning of every text that this regular expression matches.
  case matchBeginning
  /// The least text after every text with that beginning.
  case matchEnd
}
