internal import ORMStorage

/// A delete of rows by the delete rules, in steps over whole sets of rows.
///
/// 1. The rows asked for are the first deletions: hidden if their entity has a soft delete, else
///    deleted. `cascade` adds others, level by level, each row once, so that cycles end.
///    Rows at a cascade's end are not read: they go by the keys that they hold.
/// 2. When all deletions are known, `deny` is checked against the rows that would remain visible.
/// 3. The rows are deleted or hidden, the keys of deleted rows become nil in other rows, and links
///    that are rows are deleted.
/// 4. The targets of owners that lost some, `counted`, are counted by the caller at its operation's end.
///
/// The links from and to a hidden row stay as they are, so that a restore finds them: its cascade
/// hides rows alone, and leaves those of entities without a soft delete to the purge. If a
/// deleted row takes along a row of an entity with a soft delete, that row is hidden and loses its
/// key; it is deleted if it requires the key. The same holds for rows that were hidden before.
///
/// Rows of a hierarchy are known as those of its root. They are written as those of the subentity that
/// the delete or the link named, if that subentity has rules, hooks or managed attributes.
///
/// `noAction` leaves links to deleted rows as they are. An error leaves everything as it was: the caller
/// undoes the writes.
struct Deletion {
  /// The purpose of a deletion.
  enum Purpose {
    /// An ordinary delete; rows of an entity with a soft delete are hidden.
    case delete
    /// The deletion of hidden rows for good.
    case purge
  }

  let transaction: WriteTransaction
  let rules: RelationshipRules
  let interceptors: StoreInterceptors
  let purpose: Purpose
  /// The owners that lost targets.
  private(set) var counted = CountedOwners()
  /// The deletions by the entity's name in the program.
  private(set) var deletions: [String: DeletionSet] = [:]
  /// The links by which a cascade reaches rows at its end, with the keys of the rows that they start
  /// from.
  private var ends: [(link: DeleteLink, keys: [[StoredValue]])] = []
  /// The entities with deletions, in the order in which they were met.
  private(set) var order: [String] = []
  /// The timestamp at which rows are hidden, once some are.
  private var timestamp: StoredValue?

  init(_ transaction: WriteTransaction, _ purpose: Purpose = .delete) throws {
    self.transaction = transaction
    self.purpose = purpose
    rules = try transaction.store.relationshipRules()
    interceptors = try transaction.store.interceptors()
  }

  /// The subentity, if it has rules, hooks or managed attributes; nil otherwise.
  func intercepted(_ kind: StoredEntity?) -> StoredEntity? {
    guard let kind, kind.parent != nil, interceptors[kind.name]?.isIdle == false else { return nil }
    return kind
  }

  /// The rows of an entity that a delete was asked for.
  private struct Asked {
    var entity: StoredEntity
    var rows: [[StoredValue]]
    /// The subentity that was named.
    var kind: StoredEntity?
  }

  /// Deletes the rows with these keys, those that such a delete sees; gives how many there were.
  mutating func delete(_ entity: StoredEntity, keys: [[StoredValue]]) throws -> Int {
    try delete([(entity, keys)])
  }

  /// Deletes the rows of several entities with these keys together; gives how many there were.
  mutating func delete(_ keys: [(entity: StoredEntity, keys: [[StoredValue]])]) throws -> Int {
    try delete(keys.map { try asked($0.entity, keys: $0.keys) })
  }

  private func asked(_ entity: StoredEntity, keys: [[StoredValue]]) throws -> Asked {
    if entity.parent != nil {
      let own = try transaction.rows(of: entity, where: entity.key, in: keys, output: entity.key)
      return try asked(transaction.store.schema.root(of: entity), keys: own, as: entity)
    }
    return try asked(entity, keys: keys, as: nil)
  }

  private func asked(
    _ entity: StoredEntity, keys: [[StoredValue]], as kind: StoredEntity?
  ) throws -> Asked {
    let deletions = DeletionSet(rules.of(entity))
    let rows = try transaction.rows(
      of: entity, where: entity.key, in: keys, output: deletions.columns,
      seeing: purpose == .purge ? .only : .hidden)
    return Asked(entity: entity, rows: rows, kind: kind)
  }

  /// Deletes the rows that a request selects; gives how many there were.
  mutating func delete(_ entity: StoredEntity, _ request: FetchRequest) throws -> Int {
    if entity.parent != nil {
      let keys = try transaction.live().rows(of: request.selecting(entity.key, of: entity))
      return try delete([asked(transaction.store.schema.root(of: entity), keys: keys, as: entity)])
    }
    let deletions = DeletionSet(rules.of(entity))
    let rows = try transaction.live().rows(of: request.selecting(deletions.columns, of: entity))
    return try delete([Asked(entity: entity, rows: rows)])
  }

  private mutating func delete(_ asked: [Asked]) throws -> Int {
    var first: [Level] = []
    for asked in asked {
      let action: DeletionSet.Action =
        purpose == .delete && asked.entity.deletedAt != nil ? .hidden : .deleted
      let rows = add(asked.rows, of: asked.entity, action, as: asked.kind)
      if rows.isEmpty { continue }
      first.append(Level(entity: asked.entity.modelName, rows: rows, action: action))
    }
    if first.isEmpty { return 0 }
    try cascade(from: first)
    try deny()
    counted = try countedOwners()
    for name in order { try remove(name) }
    // A row held by links of two kinds is deleted as one of the kind furthest from the root.
    for (link, keys) in ends.sorted(by: { depth(of: $0.link.kind) > depth(of: $1.link.kind) }) {
      guard case .there(let columns, position: _) = link.location else { continue }
      let kind = intercepted(link.kind)
      let own = kind.flatMap { transaction.store.schema.columns(columns, of: link.other, in: $0) }
      try transaction.deleteRows(
        of: own == nil ? link.other : kind ?? link.other, where: own ?? columns, in: keys)
    }
    try writeTogether()
    try hide()
    for name in order { try unlink(name) }
    return first.reduce(0) { $0 + $1.rows.count }
  }

  /// Returns the number of entities a subentity has above it; 0 for none.
  private func depth(of kind: StoredEntity?) -> Int {
    var depth = 0
    var entity = kind
    while let parent = entity?.parent {
      depth += 1
      entity = transaction.store.schema.entity(named: parent)
    }
    return depth
  }

  /// Adds deletions; gives those that are new, or that meet a worse action than before.
  private mutating func add(
    _ rows: [[StoredValue]], of entity: StoredEntity, _ action: DeletionSet.Action,
    as kind: StoredEntity?
  ) -> [[StoredValue]] {
    let name = entity.modelName
    if deletions[name] == nil {
      deletions[name] = DeletionSet(rules.of(entity))
      order.append(name)
    }
    if let kind = intercepted(kind) {
      for row in rows { deletions[name]?.note(row, as: kind) }
    }
    return rows.filter { deletions[name]?.insert($0, action) == true }
  }

  private struct Level {
    var entity: String
    var rows: [[StoredValue]]
    var action: DeletionSet.Action
  }

  private mutating func cascade(from first: [Level]) throws {
    var levels = first
    while !levels.isEmpty {
      var next: [Level] = []
      for level in levels {
        guard let known = deletions[level.entity] else { continue }
        for link in known.rules.links {
          if level.action == .deleted, rules.endsCascade(link) {
            ends.append((link, level.rows.map { known.key(of: $0) }))
            continue
          }
          for (action, rows) in try taken(by: link, from: level, known) {
            let added = add(rows, of: link.other, action, as: link.kind)
            if !added.isEmpty {
              next.append(Level(entity: link.other.modelName, rows: added, action: action))
            }
          }
        }
      }
      levels = next
    }
  }

  /// The rows that a deletion reaches by one link, by the action on them.
  private func taken(
    by link: DeleteLink, from level: Level, _ known: DeletionSet
  ) throws -> [(DeletionSet.Action, [[StoredValue]])] {
    let other = DeletionSet(rules.of(link.other))
    func related(_ seen: DeletedRows, _ action: DeletionSet.Action) throws -> [[StoredValue]] {
      try transaction.linked(
        by: link, to: level.rows, of: known, reading: other.columns, seeing: seen
      ) { deletions[link.other.modelName]?.contains($0, action) != true }.map(\.row)
    }
    guard link.other.deletedAt != nil else {
      return level.action == .deleted && link.rule == .cascade
        ? [(.deleted, try related(.included, .deleted))] : []
    }
    switch (level.action, link.rule) {
    case (.hidden, .cascade): return [(.hidden, try related(.hidden, .hidden))]
    // Hidden rows deny nothing.
    case (.deleted, .deny): return link.isNeeded ? [(.deleted, try related(.only, .deleted))] : []
    case (.deleted, .cascade):
      if link.isNeeded { return [(.deleted, try related(.included, .deleted))] }
      let visible = try related(.hidden, .hidden)
      return purpose == .purge
        ? [(.hidden, visible), (.deleted, try related(.only, .deleted))] : [(.hidden, visible)]
    default: return []
    }
  }

  /// Checks the delete rule `deny` against the rows that would remain visible.
  ///
  /// - Throws: `denied`, naming the relationship with its entity, the key of the row that has it, and
  ///   as its values the key of the row that it leads to.
  private func deny() throws {
    for name in order {
      guard let known = deletions[name] else { continue }
      for link in known.rules.links where link.rule == .deny {
        let pairs = try transaction.linked(
          by: link, to: known.all, of: known, reading: link.other.key, seeing: .hidden
        ) { deletions[link.other.modelName]?.contains($0) != true }
        guard let pair = pairs.first else { continue }
        let (key, other) = link.isOthers ? (pair.row, pair.deleted) : (pair.deleted, pair.row)
        throw StoreError(
          .denied,
          "the delete rule deny forbids this delete while a \(link.other.modelName) refers to "
            + "the object; delete or relink that first",
          entity: link.entity, key: key, attributes: [link.relationship], values: other)
      }
    }
  }

  /// The owners that lose a target and may then have too few.
  private func countedOwners() throws -> CountedOwners {
    var owners = CountedOwners()
    for name in order {
      guard let known = deletions[name] else { continue }
      // Rows hidden before were not counted.
      let rows = known.all.filter { known.timestamp(of: $0) == nil }
      for link in known.rules.counts where link.rule.range.minimum > 0 {
        let going = deletions[transaction.store.schema.root(of: link.rule.owner).modelName]
        func insert(_ key: [StoredValue]) {
          if going?.contains(key) != true { owners.insert(key, of: link.rule) }
        }
        if case .between(let join, let own, let other) = link.rule.location, link.columns.isEmpty {
          let keys = rows.map { known.key(of: $0) }
          for row in try transaction.rows(of: join, where: other, in: keys, output: own) {
            insert(row)
          }
        } else {
          for row in rows { insert(known.values(link.columns, of: row)) }
        }
      }
    }
    return owners
  }

  private func remove(_ name: String) throws {
    guard let known = deletions[name] else { return }
    for (entity, keys) in known.keys(.deleted) {
      try transaction.deleteRows(of: entity, where: entity.key, in: keys)
    }
  }

  /// Hides the rows to be hidden, all with one timestamp.
  private mutating func hide() throws {
    for name in order {
      guard let known = deletions[name], known.entity.deletedAt != nil else { continue }
      for (entity, keys) in known.keys(.hidden) where !keys.isEmpty {
        try transaction.setDeleted(hidingTimestamp(), of: entity, keys: keys)
      }
    }
  }

  /// The one timestamp of everything that the operation hides.
  mutating func hidingTimestamp() -> StoredValue {
    let now = timestamp ?? .date(DeletionTimestamp.next(of: transaction.store.runtime))
    timestamp = now
    return now
  }

  /// Clears the keys of deleted rows in the rows that remain.
  private func unlink(_ name: String) throws {
    guard let known = deletions[name] else { return }
    let keys = known.rows(.deleted).map { known.key(of: $0) }
    if keys.isEmpty { return }
    for link in known.rules.links {
      switch (link.rule, link.location) {
      case (_, .there(let columns, let position)) where link.isCleared:
        try transaction.clearRows(
          of: link.other, where: columns, in: keys,
          clearing: columns + (position.map { [$0] } ?? []))
      case (_, .between(let join, let here, there: _)) where join.isInternal:
        try transaction.deleteRows(of: join, where: here, in: keys)
      default: break
      }
    }
  }
}

extension WriteTransaction {
  /// Makes columns nil in the rows whose `columns` hold one of the keys.
  func clearRows(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]], clearing: [Int]
  ) throws {
    let assignments = clearing.map { StoreChange.Assignment(column: $0, value: .value(.null)) }
    for condition in KeyLists(entity, columns).conditions(keys) {
      let request = FetchRequest(of: entity, condition: condition)
      _ = try apply(.update(request, assignments), entity: entity)
    }
  }
}
