internal import ORMStorage

extension Filter: Codable {
  /// Reads a filter of version 1: a predicate format, or a condition as a tree.
  ///
  /// - Throws: `invalidCondition` for one of a newer version; the errors of ``init(format:_:)`` for a
  ///   format that does not fit the model.
  public init(from decoder: any Decoder) throws {
    self.init(try ConditionCoding.condition(from: decoder, for: .model(Model.self)))
  }

  /// Writes the filter as a predicate format, which any depth of JSON can hold; as a tree only
  /// where it does not read back to an equal one.
  public func encode(to encoder: any Encoder) throws {
    try ConditionCoding.encode(condition, to: encoder, for: .model(Model.self))
  }
}

extension Filter {
  /// The filter in its one form: negations pushed inwards, constants worked out, duplicates dropped,
  /// lists sorted.
  ///
  /// The meaning stays. Filters that ask the same in different words are often equal then.
  public var normalized: Filter { Filter(condition.canonical()) }
}
