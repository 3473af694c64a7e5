internal import ORMValues

/// The entity that every member of a coordinator has: the member's state, and the journal of commits
/// that several members share.
package enum CoordinatorEntity {
  /// The entity's name; no program's entity may be called so.
  package static let name = "strata_coordinator"

  /// The positions of its columns.
  package enum Column {
    /// The number of the journal's entry; 0 for the state of the member itself.
    package static let number = 0
    /// The position of the frame in its entry.
    package static let frame = 1
    /// The position of this part in the content of the frame.
    package static let part = 2
    /// The state or a part of a frame in core's byte form.
    package static let content = 3
  }

  /// The name of a column.
  package static func attribute(_ column: Int) -> String {
    ["number", "frame", "part", "content"][column]
  }

  /// The entity as stores see it.
  package static let entity = StoredEntity(
    name: name,
    columns: [
      StoredColumn(attribute(Column.number), .int64), StoredColumn(attribute(Column.frame), .int64),
      StoredColumn(attribute(Column.part), .int64), StoredColumn(attribute(Column.content), .data),
    ], key: [Column.number, Column.frame, Column.part], isInternal: true)

  /// Returns whether an entity is the one of a coordinator.
  package static func isEntity(_ entity: StoredEntity) -> Bool {
    entity.name == name && entity.isInternal
  }
}
