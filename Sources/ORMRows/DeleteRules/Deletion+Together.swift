internal import ORMStorage

extension Deletion {
  /// The changes to write to one row that remains.
  private struct Change {
    var key: [StoredValue]
    /// The columns that become nil.
    var cleared: Set<Int> = []
    var isHidden = false
  }

  /// Hides rows and takes keys out of them, each row by one write, where the operations keep something of
  /// its entity: hooks run once for a row, and its version is raised once.
  ///
  /// Elsewhere hiding and clearing are updates of their own that need no look at the rows.
  mutating func writeTogether() throws {
    if interceptors.isEmpty { return }
    var changes: [String: (entity: StoredEntity, rows: [GroupKey: Change])] = [:]
    func change(_ entity: StoredEntity, _ key: [StoredValue], _ body: (inout Change) -> Void) {
      body(
        &changes[entity.name, default: (entity, [:])].rows[GroupKey(key), default: Change(key: key)]
      )
    }
    for name in order {
      guard let known = deletions[name] else { continue }
      for (entity, keys) in known.keys(.hidden)
      where entity.deletedAt != nil && interceptors[entity.name]?.isIdle == false {
        for key in keys { change(entity, key) { $0.isHidden = true } }
      }
      let deleted = known.rows(.deleted).map { known.key(of: $0) }
      for link in known.rules.links where link.isCleared {
        guard case .there(var columns, let position) = link.location else { continue }
        var entity = link.other
        var cleared = columns + (position.map { [$0] } ?? [])
        let schema = transaction.store.schema
        if let kind = intercepted(link.kind),
          let own = schema.columns(cleared, of: entity, in: kind)
        {
          (entity, cleared, columns) = (kind, own, Array(own.prefix(columns.count)))
        }
        if interceptors[entity.name]?.isIdle != false { continue }
        let keys = try transaction.rows(
          of: entity, where: columns, in: deleted, output: entity.key)
        for key in keys { change(entity, key) { $0.cleared.formUnion(cleared) } }
      }
    }
    for (entity, rows) in changes.values.sorted(by: { $0.entity.name < $1.entity.name }) {
      let alike = Dictionary(grouping: rows.values) { change in
        [change.isHidden ? -1 : -2] + change.cleared.sorted()
      }
      for (_, rows) in alike.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        guard let first = rows.first else { continue }
        try write(rows.map(\.key), of: entity, first)
      }
    }
  }

  private mutating func write(
    _ keys: [[StoredValue]], of entity: StoredEntity, _ change: Change
  ) throws {
    var assignments = change.cleared.sorted().map {
      StoreChange.Assignment(column: $0, value: .value(.null))
    }
    let hidden = change.isHidden ? entity.deletedAt : nil
    let timestamp = hidden == nil ? nil : hidingTimestamp()
    for condition in KeyLists(entity, entity.key).conditions(keys) {
      var request = FetchRequest(of: entity, condition: condition)
      if let hidden, let timestamp {
        assignments = assignments.filter { $0.column != hidden }
        assignments.append(
          .init(
            column: hidden, value: Operand.value(timestamp).parameterized(into: &request.bindings)))
      }
      _ = try transaction.apply(.update(request, assignments), entity: entity)
    }
  }
}
