internal import ORMStorage

/// The rows of one entity that a delete or a restore concerns.
struct DeletionSet {
  /// The action applied to a row; `deleted` is greater than `hidden`.
  enum Action: Comparable {
    /// The row is hidden.
    case hidden
    /// The row is deleted for good.
    case deleted
  }

  let rules: EntityRules
  /// The columns read of each row, those of the key first.
  let columns: [Int]
  private var rows: [[StoredValue]] = []
  private var actions: [GroupKey: Action] = [:]
  /// The subentities as whose rows some are deleted; their hooks and checks run then.
  private var kinds: [GroupKey: StoredEntity] = [:]

  init(_ rules: EntityRules, columns: [Int]? = nil) {
    self.rules = rules
    self.columns = columns ?? rules.readColumns
  }

  var entity: StoredEntity { rules.entity }

  /// Adds a row, or makes its action worse; says whether it did.
  mutating func insert(_ row: [StoredValue], _ action: Action) -> Bool {
    let key = GroupKey(key(of: row))
    if let known = actions[key] {
      if known >= action { return false }
    } else {
      rows.append(row)
    }
    actions[key] = action
    return true
  }

  /// Notes the subentity as whose row a row is deleted; the one furthest from the root counts.
  mutating func note(_ row: [StoredValue], as kind: StoredEntity) {
    let key = GroupKey(key(of: row))
    if let known = kinds[key], !entity.kinds(of: known).contains(kind.name) { return }
    kinds[key] = kind
  }

  /// The keys of the rows with a action, by the entity as whose rows they are deleted.
  func keys(_ action: Action) -> [(entity: StoredEntity, keys: [[StoredValue]])] {
    let keys = rows(action).map { key(of: $0) }
    if kinds.isEmpty { return [(entity, keys)] }
    var groups: [(entity: StoredEntity, keys: [[StoredValue]])] = []
    for key in keys {
      let kind = kinds[GroupKey(key)] ?? entity
      if let group = groups.firstIndex(where: { $0.entity.name == kind.name }) {
        groups[group].keys.append(key)
      } else {
        groups.append((kind, [key]))
      }
    }
    return groups
  }

  /// The values of `columns`, row by row, of those with a action.
  func rows(_ action: Action) -> [[StoredValue]] {
    rows.filter { actions[GroupKey(key(of: $0))] == action }
  }

  /// The same for all.
  var all: [[StoredValue]] { rows }

  func key(of row: [StoredValue]) -> [StoredValue] {
    Array(row.prefix(rules.entity.key.count))
  }

  /// Returns whether a row with this key meets this action, or a worse one.
  func contains(_ key: [StoredValue], _ action: Action = .hidden) -> Bool {
    actions[GroupKey(key)].map { $0 >= action } ?? false
  }

  /// The values of columns that were read.
  func values(_ wanted: [Int], of row: [StoredValue]) -> [StoredValue] {
    wanted.compactMap { column in columns.firstIndex(of: column).map { row[$0] } }
  }

  /// The timestamp at which a row was hidden; nil for one that is visible.
  func timestamp(of row: [StoredValue]) -> StoredValue? {
    guard let column = entity.deletedAt, let position = columns.firstIndex(of: column),
      !row[position].isNull
    else { return nil }
    return row[position]
  }
}

/// A row that a deleted is linked to, and the deleted's key.
struct LinkedPair {
  var deleted: [StoredValue]
  var row: [StoredValue]
}

extension WriteTransaction {
  /// The rows linked to some deletions, with the values of columns that begin with the key.
  ///
  /// - Parameters:
  ///   - rows: rows of the deletions.
  ///   - deleted: which of the linked rows are seen.
  ///   - isWanted: which of them, by their keys.
  func linked(
    by link: DeleteLink, to rows: [[StoredValue]], of known: DeletionSet, reading columns: [Int],
    seeing deleted: DeletedRows, where isWanted: ([StoredValue]) -> Bool
  ) throws -> [LinkedPair] {
    let other = link.other
    let keyCount = other.key.count
    func isLeft(_ key: [StoredValue]) -> Bool { !key.contains(where: \.isNull) && isWanted(key) }
    /// The rows that the relationship may lead to: the key of a row of another kind leads to nothing.
    func ofKind(_ rows: [[StoredValue]]) throws -> [[StoredValue]] {
      guard let kind = link.kind, !rows.isEmpty else { return rows }
      let keys = rows.map { Array($0.prefix(keyCount)) }
      let own = Set(
        try self.rows(
          of: kind, where: kind.key, in: keys, output: kind.key, seeing: deleted
        ).map { GroupKey($0) })
      return rows.filter { own.contains(GroupKey(Array($0.prefix(keyCount)))) }
    }
    func targets(_ referrers: [(key: [StoredValue], deleted: [StoredValue])]) throws -> [LinkedPair]
    {
      var deletions: [GroupKey: [StoredValue]] = [:]
      var keys: [[StoredValue]] = []
      for (key, deleted) in referrers where isLeft(key) && deletions[GroupKey(key)] == nil {
        deletions[GroupKey(key)] = deleted
        keys.append(key)
      }
      let found = try self.rows(
        of: other, where: other.key, in: keys, output: columns, seeing: deleted)
      return try ofKind(found).compactMap { row in
        deletions[GroupKey(Array(row.prefix(keyCount)))].map { LinkedPair(deleted: $0, row: row) }
      }
    }
    switch link.location {
    case .here(let own, position: _):
      return try targets(rows.map { (known.values(own, of: $0), known.key(of: $0)) })
    case .there(let held, position: _):
      let found = try self.rows(
        of: other, where: held, in: rows.map { known.key(of: $0) }, output: columns + held,
        seeing: deleted)
      return found.filter { isLeft(Array($0.prefix(keyCount))) }.map { row in
        LinkedPair(deleted: Array(row[columns.count...]), row: Array(row[..<columns.count]))
      }
    case .between(let join, let here, let there):
      let links = try self.rows(
        of: join, where: here, in: rows.map { known.key(of: $0) }, output: here + there,
        seeing: deleted == .hidden ? .hidden : .included)
      return try targets(
        links.map { (Array($0[here.count...]), Array($0[..<here.count])) })
    }
  }

  /// Sets the timestamp of the soft delete in the rows with these keys, or takes it away.
  func setDeleted(
    _ timestamp: StoredValue, of entity: StoredEntity, keys: [[StoredValue]]
  ) throws {
    for condition in KeyLists(entity, entity.key).conditions(keys) {
      let seen: DeletedRows = timestamp.isNull ? .only : .hidden
      let request = FetchRequest(of: entity, condition: entity.seeing(seen, where: condition))
      _ = try setDeleted(timestamp, in: request, of: entity)
    }
  }

  /// Sets the timestamp of the soft delete in the rows that a request selects; gives how many there
  /// were.
  func setDeleted(
    _ timestamp: StoredValue, in request: FetchRequest, of entity: StoredEntity
  ) throws -> Int {
    guard let column = entity.deletedAt else { return 0 }
    var request = request
    let value = Operand.value(timestamp).parameterized(into: &request.bindings)
    return try apply(
      .update(request, [StoreChange.Assignment(column: column, value: value)]), entity: entity)
  }
}
