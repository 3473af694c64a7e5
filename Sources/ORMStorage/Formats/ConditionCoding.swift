internal import ORMValues

/// The encoding of conditions, alone or in a query.
///
/// A condition is written as a version and a predicate format, which fits in JSON however deep the
/// condition is. A tree is written only if the format does not read back to an equal condition.
package enum ConditionCoding {
  private enum CodingKeys: String, CodingKey { case version, format, condition }

  /// The version written; every version up to it is read for ever.
  private static var version: Int { 1 }

  /// Writes a condition.
  package static func encode(
    _ condition: Condition, to encoder: any Encoder, for entity: FormatEntity
  ) throws {
    if let error = StackReserve.refusal(of: condition) {
      throw error.filling(entity: entity.name)
    }
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(version, forKey: .version)
    let format = condition.description
    let isReadBack =
      (try? self.condition(of: format, for: entity))?.withComparableNaN
      == condition.withComparableNaN
    if isReadBack { return try values.encode(format, forKey: .format) }
    do {
      try values.encode(condition, forKey: .condition)
    } catch EncodingError.invalidValue(let value, _) {
      throw StoreError(
        .invalidCondition, "the filter contains \(value), which this encoder cannot write",
        entity: entity.name)
    }
  }

  /// Reads a condition of version 1, or a tree without a version.
  ///
  /// - Throws: `invalidCondition` for one of a newer version; the errors of ``FormatParser`` for a format
  ///   that does not fit the entity.
  package static func condition(
    from decoder: any Decoder, for entity: FormatEntity
  ) throws -> Condition {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let version = try values.decodeIfPresent(Int.self, forKey: .version) ?? 1
    guard version <= Self.version else {
      throw StoreError(
        .invalidCondition,
        "the filter was written in version \(version), and this program reads up to "
          + "\(Self.version)", entity: entity.name)
    }
    if let format = try values.decodeIfPresent(String.self, forKey: .format) {
      return try condition(of: format, for: entity)
    }
    guard values.contains(.condition) else { return try Condition(from: decoder) }
    return try values.decode(Condition.self, forKey: .condition)
  }

  private static func condition(of format: String, for entity: FormatEntity) throws -> Condition {
    var limits = ConditionLimits()
    // Values of a filter inside the limits may print longer than any format that is typed.
    limits.formatBytes = .max
    var parser = try FormatParser(format, for: entity, limits: limits)
    return try parser.condition()
  }
}

extension Condition {
  /// The condition with each NaN, which equals nothing, exchanged for a text.
  fileprivate var withComparableNaN: Condition {
    rewriting { operand in
      guard case .value(let value) = operand, value.holdsNaN else { return nil }
      return .value(value.withComparableNaN)
    }
  }
}

extension StoredValue {
  /// True if the value is NaN, or a list with one.
  fileprivate var holdsNaN: Bool {
    if case .array(let elements) = self { elements.contains(where: \.holdsNaN) } else { isNaN }
  }

  fileprivate var withComparableNaN: StoredValue {
    switch self {
    case .array(let elements): .array(elements.map(\.withComparableNaN))
    default: isNaN ? .string("NaN of kind \(kind?.rawValue ?? "")") : self
    }
  }
}
