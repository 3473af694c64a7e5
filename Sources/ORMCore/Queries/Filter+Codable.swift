extension Filter: Codable {
  private enum CodingKeys: String, CodingKey { case version, format, condition }

  /// The version written; every version up to it is read for ever.
  private static var version: Int { 1 }

  /// Reads a filter of version 1: a predicate format, or a condition as a tree.
  ///
  /// - Throws: `invalidCondition` for one of a newer version; what ``init(format:_:)`` throws for a
  ///   format that does not fit the model.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let version = try values.decodeIfPresent(Int.self, forKey: .version) ?? 1
    guard version <= Self.version else {
      throw StoreError(
        .invalidCondition,
        "the filter was written in version \(version), and this program reads up to "
          + "\(Self.version)", entity: Model.entity.declared.name)
    }
    guard let format = try values.decodeIfPresent(String.self, forKey: .format) else {
      self.init(try values.decode(Condition.self, forKey: .condition))
      return
    }
    self.init(try Self.condition(of: format))
  }

  /// Writes the filter as a predicate format, which any depth of JSON can hold; as a tree only
  /// where it does not read back to an equal one.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(Self.version, forKey: .version)
    let format = formatString
    if (try? Self.condition(of: format)) == condition {
      try values.encode(format, forKey: .format)
    } else {
      try values.encode(condition, forKey: .condition)
    }
  }

  private static func condition(of format: String) throws -> Condition {
    var limits = ConditionLimits()
    // Values of a filter inside the limits may print longer than any format that is typed.
    limits.formatBytes = .max
    var parser = try FormatParser(format, for: .model(Model.self), limits: limits)
    return try parser.condition()
  }
}

extension Filter {
  /// The filter in its one form: negations pushed inwards, constants worked out, duplicates dropped,
  /// lists sorted.
  ///
  /// The meaning stays. Filters that ask the same in different words are often equal then.
  public var normalized: Filter { Filter(condition.canonical()) }
}
