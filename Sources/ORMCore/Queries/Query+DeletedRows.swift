internal import ORMStorage

extension Query {
  /// The rows that were soft-deleted too.
  ///
  /// ```swift
  /// let all = try store.fetch(Project.all.includingDeleted())
  /// ```
  ///
  /// Conditions on related rows, and prefetches, still see the visible ones alone, unless
  /// `related` says otherwise.
  public func includingDeleted(related: Bool = false) -> Query {
    var copy = self
    copy.deleted = related ? .includedWithRelated : .included
    return copy
  }

  /// Restricts the query to rows that were soft-deleted: those that can be restored, and purged.
  ///
  /// ```swift
  /// let hidden = try store.fetch(Project.all.onlyDeleted())
  /// ```
  ///
  /// Of related rows those that are visible, unless `related` says otherwise.
  public func onlyDeleted(related: Bool = false) -> Query {
    var copy = self
    copy.deleted = related ? .onlyWithRelated : .only
    return copy
  }
}
