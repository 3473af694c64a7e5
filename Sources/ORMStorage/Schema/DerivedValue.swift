internal import FoundationEssentials
package import ORMValues

/// The derivation of an attribute: an aggregate over the targets of a to-many of its entity.
///
/// It is stored with the schema. Stores have no part in it: the attribute is a column like any
/// other, and core maintains its value on every path that writes.
public struct DerivedValue: Hashable, Codable, Sendable {
  /// The aggregate; clause 4.1 defines each.
  public var aggregate: Kind
  /// The to-many whose targets are aggregated, by its name.
  public var relationship: String
  /// The attribute of the targets; nil for a count.
  public var attribute: String?

  /// Makes a description.
  public init(_ aggregate: Kind, of relationship: String, _ attribute: String? = nil) {
    self.aggregate = aggregate
    self.relationship = relationship
    self.attribute = attribute
  }

  /// The aggregates that can be derived.
  public enum Kind: String, Hashable, Codable, Sendable {
    /// The number of targets.
    case count
    /// The exact sum, 0 over nothing.
    case sum
    /// The exact mean as a double, nil over nothing.
    case average
    /// The least, nil over nothing.
    case minimum
    /// The greatest, nil over nothing.
    case maximum

    /// The aggregate of a request.
    package var aggregate: Aggregate.Kind {
      switch self {
      case .count: .count
      case .sum: .sum
      case .average: .average
      case .minimum: .minimum
      case .maximum: .maximum
      }
    }
  }

  /// The value of the attribute where there is no target.
  package func empty(_ type: AttributeType) -> StoredValue {
    switch (aggregate, type.kind) {
    case (.count, _), (.sum, .int), (.sum, .unsigned): .int(0)
    case (.sum, .double): .double(0)
    case (.sum, .decimal): .decimal(Decimal(0))
    default: .null
    }
  }
}

extension DerivedValue: CustomStringConvertible {
  /// The value as a key path: `players.@count`, `players.@sum.score`.
  public var description: String {
    let word =
      switch aggregate {
      case .count: "count"
      case .sum: "sum"
      case .average: "avg"
      case .minimum: "min"
      case .maximum: "max"
      }
    return "\(relationship).@\(word)" + (attribute.map { ".\($0)" } ?? "")
  }
}
