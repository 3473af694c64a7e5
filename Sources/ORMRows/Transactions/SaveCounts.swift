/// The numbers of objects of a batch that were inserted, updated, unchanged or ignored.
///
/// ```swift
/// let counts = try store.insert(lines)
/// print(counts.inserted, counts.updated)
/// ```
///
/// An object is unchanged if it was already stored, equal to the last bit.
public struct SaveCounts: Hashable, Sendable {
  /// New rows.
  public var inserted = 0
  /// Rows that were replaced.
  public var updated = 0
  /// Rows that needed no write.
  public var unchanged = 0
  /// Objects that matched nothing and were left out, with `onMissing: .ignore`.
  public var ignored = 0

  /// Makes counts; those that are not given are 0.
  public init(inserted: Int = 0, updated: Int = 0, unchanged: Int = 0, ignored: Int = 0) {
    self.inserted = inserted
    self.updated = updated
    self.unchanged = unchanged
    self.ignored = ignored
  }

  /// All of them.
  public var total: Int { inserted + updated + unchanged + ignored }
}

extension SaveCounts {
  package init(_ counter: OutcomeCounter) {
    inserted = counter.inserted
    updated = counter.updated
    unchanged = counter.unchanged
  }

  package mutating func add(_ counter: OutcomeCounter) {
    inserted += counter.inserted
    updated += counter.updated
    unchanged += counter.unchanged
  }
}
