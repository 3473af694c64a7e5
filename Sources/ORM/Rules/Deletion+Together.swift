internal import ORMCore

extension Deletion {
  /// What is written to a row that remains.
  private struct Change {
    var key: [StoredValue]
    /// The columns that become nil.
    var cleared: Set<Int> = []
    var isHidden = false
  }

  /// Hides rows and takes keys out of them, each row by one write, where the verbs keep something of
  /// its entity: hooks run once for a row, and its version is raised once.
  ///
  /// Elsewhere hiding and clearing are updates of their own that need no look at the rows.
  mutating func writeTogether() throws {
    let guards = try transaction.store.guards()
    if guards.isEmpty { return }
    var changes: [String: (entity: StoredEntity, rows: [GroupKey: Change])] = [:]
    func change(_ entity: StoredEntity, _ key: [StoredValue], _ body: (inout Change) -> Void) {
      body(
        &changes[entity.name, default: (entity, [:])].rows[GroupKey(key), default: Change(key: key)]
      )
    }
    for name in order {
      guard let known = victims[name] else { continue }
      if known.entity.deletedAt != nil, guards[known.entity.name]?.isIdle == false {
        for row in known.rows(.hidden) {
          change(known.entity, known.key(of: row)) { $0.isHidden = true }
        }
      }
      let gone = known.rows(.gone).map { known.key(of: $0) }
      for link in known.rules.links
      where link.isCleared && guards[link.other.name]?.isIdle == false {
        guard case .there(let columns, let position) = link.place else { continue }
        let keys = try transaction.rows(
          of: link.other, where: columns, in: gone, output: link.other.key)
        for key in keys {
          change(link.other, key) { $0.cleared.formUnion(columns + (position.map { [$0] } ?? [])) }
        }
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
    let moment = hidden == nil ? nil : hidingMoment()
    for condition in KeyLists(entity, entity.key).conditions(keys) {
      var request = FetchRequest(
        entity: entity.name, condition: condition,
        sort: RequestLowering.total([], entity: entity))
      if let hidden, let moment {
        assignments = assignments.filter { $0.column != hidden }
        assignments.append(
          .init(
            column: hidden, value: Operand.value(moment).parameterized(into: &request.bindings)))
      }
      _ = try transaction.apply(.update(request, assignments), entity: entity)
    }
  }
}
