internal import ORMValues

/// The rows that a query sees of an entity with a soft delete.
///
/// Of an entity without one no row is ever hidden: there are no rows under `only`, and all of
/// them under every other.
public enum DeletedRows: String, Hashable, Codable, Sendable {
  /// The visible rows.
  case hidden
  /// All; of related rows those that are visible.
  case included
  /// All, and all related rows.
  case includedWithRelated
  /// The hidden rows alone; of related rows the visible ones.
  case only
  /// The hidden rows alone, and all related rows.
  case onlyWithRelated

  /// True if related rows that are hidden are seen.
  package var includesRelated: Bool { self == .includedWithRelated || self == .onlyWithRelated }

  /// The same for the hidden rows alone.
  package var hiddenAlone: DeletedRows { includesRelated ? .onlyWithRelated : .only }

  /// True if of the rows themselves those alone are seen that are hidden.
  package var isOnly: Bool { self == .only || self == .onlyWithRelated }
}

extension StoredEntity {
  /// The column with the timestamp of a soft delete; nil where a delete is for good.
  package var deletedAt: Int? { columns.firstIndex { $0.role == .deletedAt } }

  /// The name of that attribute.
  package var deletedAtAttribute: String? { deletedAt.map { columns[$0].attribute } }

  /// Returns the condition that the rows to be seen satisfy; nil if these are all rows.
  package func condition(seeing rows: DeletedRows) -> Condition? {
    guard let attribute = deletedAtAttribute else {
      return rows.isOnly ? .constant(false) : nil
    }
    switch rows {
    case .hidden: return .compare(.attribute(attribute), .equal, .value(.null), [])
    case .only, .onlyWithRelated:
      return .compare(.attribute(attribute), .notEqual, .value(.null), [])
    case .included, .includedWithRelated: return nil
    }
  }

  /// A condition on the rows that are seen.
  package func seeing(_ rows: DeletedRows, where condition: Condition) -> Condition {
    guard let seen = self.condition(seeing: rows) else { return condition }
    return condition == .constant(true) ? seen : .all([condition, seen])
  }
}
