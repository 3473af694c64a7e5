package import ORMCore

/// What is bound at one place of a text.
package enum SQLBinding: Hashable, Sendable {
  /// The value in this slot of the request's bindings.
  case parameter(Int, SQLForm)
  /// A value that is part of the compiled text's meaning, such as a default.
  case constant(StoredValue, SQLForm)
  /// What the source of a put sets for this column, by its position in the entity.
  case column(Int, SQLForm)
  /// What a row outside of the statement holds, by its number among all that is handed to it.
  case outer(Int, SQLForm)
  /// One of the compiled request's evaluators.
  case evaluator(Int)
  /// The request's limit; -1 for none.
  case limit
  /// The request's offset.
  case offset
}

/// The form in which a value is bound.
package enum SQLForm: Hashable, Sendable {
  /// As a column of this kind keeps it.
  case stored(AttributeType.Kind)
  /// With its kind, as values of any kind pass through the engine.
  case tagged
  /// A text after case folding.
  case folded
  /// The bytes of a text, folded or not.
  case bytes(isFolded: Bool)
  /// How many bytes a text has, folded or not.
  case byteCount(isFolded: Bool)
  /// What comes right after every text that begins with this one, folded or not.
  case prefixEnd(isFolded: Bool)
  /// What every text begins with that matches this pattern, folded or not.
  case likeBeginning(isFolded: Bool)
  /// What comes right after every text that begins so.
  case likeEnd(isFolded: Bool)
  /// What every text begins with that this regular expression matches.
  case matchBeginning
  /// What comes right after every text that begins so.
  case matchEnd
}
