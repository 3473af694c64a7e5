internal import ORMStorage

extension Filter {
  /// A filter of a predicate format, the language of Core Data's predicates.
  ///
  /// ```swift
  /// let filter = try Filter<Snack>(format: "id IN %@ AND name LIKE[cd] %@", [1, 2], "a*")
  /// ```
  ///
  /// <doc:PredicateFormats> is the whole language. Names and types are checked here, against the
  /// model.
  ///
  /// - Throws: `invalidCondition` and `unknownAttribute`, which name the position in the format and the
  ///   expected text; `tooComplex` past the limits of clause 7.1.
  public init(format: String, _ arguments: (any FormatArgument)?...) throws {
    try self.init(format: format, arguments: arguments)
  }

  /// A filter of a predicate format whose arguments are counted when the program runs.
  ///
  /// ```swift
  /// let filter = try Filter<Snack>(format: "price < %@ AND name LIKE %@", arguments: [3, "a*"])
  /// ```
  ///
  /// - Throws: as ``init(format:_:)``.
  public init(format: String, arguments: [(any FormatArgument)?]) throws {
    var parser = try FormatParser(format, for: .model(Model.self), arguments: arguments)
    self.init(try parser.condition())
  }

  /// The filter as a predicate format, which reads back to an equal filter.
  ///
  /// ```swift
  /// let filter: Filter<Snack> = \.price < 3
  /// print(filter.formatString)
  /// ```
  public var formatString: String { condition.description }

  /// The names of the variables, `$NAME`, that wait for a value; in order.
  ///
  /// ```swift
  /// let filter = try Filter<Snack>(format: "price < $LIMIT")
  /// print(filter.variables)                        // ["LIMIT"]
  /// ```
  public var variables: [String] { condition.variables }

  /// The filter with values for its variables; those that are not given go on waiting.
  ///
  /// ```swift
  /// let cheap = try Filter<Snack>(format: "price < $LIMIT").binding(["LIMIT": 3])
  /// ```
  ///
  /// - Throws: `invalidCondition` for a name that is no variable of the filter, and for an argument
  ///   that is no value.
  public func binding(_ values: [String: (any FormatArgument)?]) throws -> Filter {
    Filter(
      try condition.binding(values.mapValues { try $0?.formatSubstitute().singleValue ?? .null }))
  }
}

extension Query {
  /// Restricts the query to rows that also match a predicate format.
  ///
  /// ```swift
  /// Snack.all.where("price > 1 AND name BEGINSWITH[c] %@ AND ANY tags == 'hot'", start)
  /// ```
  ///
  /// The format is a literal; a text made when the program runs goes to ``Filter/init(format:_:)``.
  /// The first use of the query throws its errors (clause 7.4).
  public func `where`(
    _ format: FilterFormat, _ arguments: (any FormatArgument)?...
  ) -> Query {
    self.where(
      Filter.carryingEqual(try Filter(format: format.text, arguments: arguments)))
  }
}
