/// The part of a store that a migration changes.
///
/// ```swift
/// let extent = MigrationExtent(losesData: true, entities: ["Snack"])
/// ```
public struct MigrationExtent: Hashable, Sendable {
  /// True if values, rows or links of the store may be lost, so that it is copied before.
  public var losesData: Bool
  /// The stored names of the entities whose rows are written anew; nil for any.
  public var entities: Set<String>?

  /// Makes an extent.
  public init(losesData: Bool, entities: Set<String>?) {
    self.losesData = losesData
    self.entities = entities
  }
}
