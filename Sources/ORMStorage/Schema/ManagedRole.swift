internal import ORMValues

/// The role of an attribute whose value is maintained by the operations of a store.
public enum ManagedRole: String, Hashable, Codable, Sendable {
  /// The timestamp at which the row was inserted.
  case createdAt
  /// The timestamp at which the row was last changed.
  case updatedAt
  /// A number that every change of the row raises.
  case version
  /// The timestamp at which the row was hidden; nil for a row that is visible.
  case deletedAt

  /// Returns the fault of a declaration with this role; nil if the declaration is valid.
  package func fault(of type: AttributeType, isOptional: Bool) -> String? {
    switch self {
    case .createdAt where type != .date: "the timestamp of the insert must be a date"
    case .updatedAt where type != .date: "the timestamp of the last change must be a date"
    case .version where type != .int64 || isOptional:
      "a version must be an Int or Int64, and not optional"
    case .deletedAt where type != .date || !isOptional:
      "the timestamp of a soft delete must be an optional date"
    default: nil
    }
  }
}
