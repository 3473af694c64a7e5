internal import FoundationEssentials
package import ORMValues

/// The entity in which core counts the rows that refer to each content stored outside of them, and,
/// where a store has no file, keeps the contents.
package enum ExternalContents {
  /// The entity's name; no program's entity may be called so.
  package static let name = "strata_external"

  /// The positions of its columns.
  package enum Column {
    /// The SHA-256 of the content, which is the key.
    package static let digest = 0
    /// The number of bytes the content has.
    package static let length = 1
    /// The number of values of rows that are this content; 0 for one that waits to be removed.
    package static let references = 2
    /// The number of the last readers that may still see a waiting one.
    package static let epoch = 3
    /// The content itself, in a store that has no file; else nil.
    package static let content = 4
  }

  /// The entity as stores see it.
  package static let entity = StoredEntity(
    name: name,
    columns: [
      StoredColumn("digest", .data), StoredColumn("length", .int64),
      StoredColumn("references", .int64), StoredColumn("epoch", .int64),
      StoredColumn("content", .data, isOptional: true),
    ], key: [Column.digest],
    indexes: [StoredIndex("\(name).references", [.init(Column.references)])],
    isInternal: true)
}

extension StoredSchema {
  /// Adds the entity of contents outside of rows, if an attribute has any.
  package mutating func addExternalContents() {
    guard entities.contains(where: { $0.columns.contains(where: \.isExternal) }) else { return }
    entities.append(ExternalContents.entity)
  }
}

extension StoredEntity {
  /// True if it is core's entity of the contents stored outside of rows, which no program declares.
  package var holdsExternalContents: Bool { name == ExternalContents.name && isInternal }

  /// The positions of the columns whose larger values are stored outside of rows.
  package var externalColumns: [Int] { columns.indices.filter { columns[$0].isExternal } }
}

extension StoredColumn {
  /// True if larger values are stored outside of rows.
  package var isExternal: Bool { externalThreshold != nil }

  /// The default as programs see it.
  package var programDefault: StoredValue? {
    guard isExternal, case .data(let bytes) = defaultValue else { return defaultValue }
    return .data(Data(bytes.dropFirst()))
  }
}
