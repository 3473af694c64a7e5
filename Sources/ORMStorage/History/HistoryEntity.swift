internal import FoundationEssentials
internal import ORMValues

/// The entity in which core keeps the history of a store: the changes of each commit, in the same
/// transaction as the changed rows.
package enum HistoryEntity {
  /// The entity's name; no program's entity may be called so.
  package static let name = "strata_history"

  /// The positions of its columns.
  package enum Column {
    /// The number of the commit; 0 for the state of the history itself.
    package static let number = 0
    /// The position of this part in the content of the commit.
    package static let part = 1
    /// The number of changes of the commit, in its first part.
    ///
    /// The default of the column is the number by which tokens know the store.
    package static let changes = 2
    /// The time of the commit.
    package static let timestamp = 3
    /// The changes in core's byte form.
    ///
    /// The default of the column has the bounds with which the history began.
    package static let content = 4
  }

  /// The columns of a row.
  package static let columns = [
    Column.number, Column.part, Column.changes, Column.timestamp, Column.content,
  ]

  /// The name of a column.
  package static func attribute(_ column: Int) -> String {
    ["number", "part", "changes", "timestamp", "content"][column]
  }

  /// Makes the entity as stores see it.
  ///
  /// - Parameters:
  ///   - store: the number by which tokens know the store.
  ///   - bounds: the bounds of the history until a commit keeps others.
  package static func entity(ofStore store: Int64, _ bounds: HistoryBounds) -> StoredEntity {
    StoredEntity(
      name: name,
      columns: [
        StoredColumn(attribute(Column.number), .int64),
        StoredColumn(attribute(Column.part), .int64),
        StoredColumn(attribute(Column.changes), .int64, defaultValue: .int(store)),
        StoredColumn(attribute(Column.timestamp), .date, isOptional: true),
        StoredColumn(
          attribute(Column.content), .data,
          defaultValue: (try? JSONEncoder().encode(bounds)).map { .data($0) }),
      ], key: [Column.number, Column.part], isInternal: true)
  }

  /// The number by which tokens know the store of an entity; nil for an entity of another form.
  package static func store(of entity: StoredEntity) -> Int64? {
    guard entity.columns.count > Column.content,
      case .int(let number)? = entity.columns[Column.changes].defaultValue
    else { return nil }
    return number
  }

  /// The bounds with which the history of an entity began; the usual ones if it does not say.
  package static func bounds(of entity: StoredEntity) -> HistoryBounds {
    guard entity.columns.count > Column.content,
      case .data(let bytes)? = entity.columns[Column.content].defaultValue,
      let bounds = try? JSONDecoder().decode(HistoryBounds.self, from: bytes)
    else { return .usual }
    return bounds
  }
}

extension StoredSchema {
  /// Returns the schema with the entity of the history, where the options ask for one or the store
  /// has it.
  ///
  /// An engine declares the result instead of the program's schema.
  ///
  /// ```swift
  /// let declared = schema.stored.keepingHistory(options, of: stored)
  /// ```
  ///
  /// - Parameters:
  ///   - options: the options that the store is opened with.
  ///   - stored: the schema that the store holds; nil for a new store.
  public func keepingHistory(
    _ options: StoreOptions, of stored: StoredSchema? = nil
  ) -> StoredSchema {
    var schema = self
    if let stored, let position = stored.index(of: HistoryEntity.name) {
      schema.entities.removeAll { $0.name == HistoryEntity.name }
      schema.entities.append(stored.entities[position])
    } else if index(of: HistoryEntity.name) == nil, !options.isReadOnly,
      case .retained(let bounds) = options.history.form
    {
      schema.entities.append(HistoryEntity.entity(ofStore: .random(in: 1...Int64.max), bounds))
    }
    return schema
  }
}

extension StoredEntity {
  /// True if it is core's entity of the history.
  package var holdsHistory: Bool { name == HistoryEntity.name && isInternal }

  /// True if it is an entity of core's own, which no program declares: contents outside of rows, the history,
  /// or the state of a coordinator's member.
  package var isBookkeeping: Bool {
    holdsExternalContents || holdsHistory || MigrationEntity.isPart(self)
      || CoordinatorEntity.isEntity(self)
  }
}
