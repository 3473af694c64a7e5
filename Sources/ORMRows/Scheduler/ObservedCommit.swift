internal import ORMStorage

/// The net change of one row in a commit, with the whole row before and after it.
package struct ObservedRow: Sendable {
  /// The row before the commit, its columns in the order of the stored entity; nil if it is new.
  package let old: BufferedRow?
  /// The row after the commit; nil if it was deleted.
  package let new: BufferedRow?
  /// The columns that an update changed; empty for other changes.
  package let changed: ColumnSet

  /// True if the row was there before and after the commit.
  package var isUpdate: Bool { old != nil && new != nil }
}

/// The changes of one stored entity in a commit, as observations see them.
package enum ObservedChanges: Sendable {
  /// No row of the entity changed.
  case none
  /// Any row may have changed.
  case everything
  /// The rows that changed.
  case rows([ObservedRow])
}

/// A commit on its way to the observations of a store.
package final class ObservedCommit: Sendable {
  private let notice: CommitNotice
  private let commit: RecordedCommit?
  /// The changes of the entities that were asked for, computed once for all observations.
  private let known = Lock<[(entity: RecordedEntity, changes: ObservedChanges)]>([])

  init(_ notice: CommitNotice, _ commit: RecordedCommit?) {
    self.notice = notice
    self.commit = notice.isFromOtherProcess ? nil : commit
  }

  /// The number of the commit.
  package var number: UInt64 { notice.sequence }

  /// The entities of the program that the commit may have changed; nil if they are not known.
  var names: Set<String>? {
    notice.entities.isEmpty ? nil : notice.entities.union(commit?.entities ?? [])
  }

  /// The changes of a stored entity.
  package func changes(of entity: RecordedEntity) -> ObservedChanges {
    known.withLock { known in
      for (other, changes) in known where other === entity { return changes }
      let changes = computeChanges(of: entity)
      known.append((entity, changes))
      return changes
    }
  }

  private func computeChanges(of entity: RecordedEntity) -> ObservedChanges {
    if let commit, let level = commit.level(of: entity), level == .values {
      guard let log = commit.log(of: entity.entity.name) else { return .none }
      if log.isEverything { return .everything }
      let rows = log.observedRows
      return rows.isEmpty ? .none : .rows(rows)
    }
    // The commit was not recorded: it began before the observation, or is another process's.
    let names = entity.entities
    guard let written = self.names, !names.isEmpty else { return .everything }
    return names.contains(where: written.contains) ? .everything : .none
  }
}

extension RowLog {
  /// The net changes of the rows; requires level `values`.
  var observedRows: [ObservedRow] {
    var rows: [ObservedRow] = []
    let columns = entity.columns(at: level)
    func row(_ image: ArraySlice<StoredValue>) -> BufferedRow {
      var values = Array(repeating: StoredValue.null, count: entity.entity.columns.count)
      for (index, column) in columns.enumerated() {
        values[column] = image[image.startIndex + index]
      }
      return BufferedRow(values)
    }
    forEachRow { first, last, _ in
      let old = first.kind == .inserted ? nil : (self.old(first) ?? self.old(last)).map(row)
      let new = last.kind == .deleted ? nil : self.new(last).map(row)
      guard let old, let new else {
        if old != nil || new != nil {
          rows.append(ObservedRow(old: old, new: new, changed: ColumnSet()))
        }
        return
      }
      let changed = ColumnSet(
        old.values.indices.filter { !old.values[$0].isIdentical(to: new.values[$0]) })
      if !changed.isEmpty { rows.append(ObservedRow(old: old, new: new, changed: changed)) }
    }
    return rows
  }
}

extension RecordedCommit {
  /// The level at which an entity's rows were recorded; nil if they were not.
  func level(of entity: RecordedEntity) -> ChangeLevel? { levels?.level(of: entity) }

  /// The log of a stored entity; nil if none of its rows was written.
  func log(of entity: String) -> RowLog? { logs.first { $0.entity.entity.name == entity } }

  /// The entities of the program whose rows were written.
  var entities: Set<String> { Set(logs.flatMap { $0.entity.entities }) }
}
