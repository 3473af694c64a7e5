internal import ORMStorage

/// A restore of hidden rows, with those that `cascade` hid together with them.
///
/// 1. The rows asked for are found; then, level by level, the rows that `cascade` reached from them,
///    hidden at the same timestamp.
/// 2. Each of them that must have a target has a visible one, or one that comes back too.
/// 3. They become visible; counts hold, their own and those of their owners.
///
/// Nothing else was changed when they were hidden, so there is nothing else to restore. Rows of a
/// hierarchy are known as those of its root.
struct Restoration {
  private let transaction: WriteTransaction
  private let rules: RelationshipRules
  private var restored: [String: DeletionSet] = [:]
  private var order: [String] = []

  init(_ transaction: WriteTransaction) throws {
    self.transaction = transaction
    rules = try transaction.store.relationshipRules()
  }

  /// Restores the rows that requests select, which are hidden ones; gives how many there were.
  ///
  /// - Throws: `missingTarget`, `validationFailed`; the caller undoes the writes.
  mutating func restore(_ requests: [(entity: StoredEntity, request: FetchRequest)]) throws -> Int {
    var first: [(name: String, rows: [[StoredValue]])] = []
    for (entity, request) in requests {
      var visitor = ValueCollector()
      let root = transaction.store.schema.root(of: entity)
      if entity.parent == nil {
        try transaction.live().visit(
          request.selecting(columns(of: entity), of: entity), &visitor)
      } else {
        try transaction.live().visit(request.selecting(entity.key, of: entity), &visitor)
        visitor.rows = try transaction.rows(
          of: root, where: root.key, in: visitor.rows, output: columns(of: root), seeing: .only)
      }
      let rows = add(visitor.rows, of: root)
      if !rows.isEmpty { first.append((root.modelName, rows)) }
    }
    if first.isEmpty { return 0 }
    try followLinks(from: first)
    for name in order { try checkTargets(name) }
    for name in order {
      guard let known = restored[name] else { continue }
      try transaction.setDeleted(
        .null, of: known.entity, keys: known.all.map { known.key(of: $0) })
    }
    try transaction.checkCounts(try countedOwners())
    return first.reduce(0) { $0 + $1.rows.count }
  }

  /// Returns the columns to read of a row: those that a delete reads, and the foreign keys to
  /// check.
  private func columns(of entity: StoredEntity) -> [Int] {
    let rules = rules.of(entity)
    var columns = rules.readColumns
    for column in rules.targets.flatMap(\.columns) + rules.counts.flatMap(\.columns)
    where !columns.contains(column) {
      columns.append(column)
    }
    return columns
  }

  /// Adds rows; gives those that are new.
  private mutating func add(
    _ rows: [[StoredValue]], of entity: StoredEntity
  ) -> [[StoredValue]] {
    let name = entity.modelName
    if restored[name] == nil {
      restored[name] = DeletionSet(rules.of(entity), columns: columns(of: entity))
      order.append(name)
    }
    return rows.filter { restored[name]?.insert($0, .hidden) == true }
  }

  private mutating func followLinks(
    from first: [(name: String, rows: [[StoredValue]])]
  ) throws {
    var levels = first
    while !levels.isEmpty {
      var next: [(name: String, rows: [[StoredValue]])] = []
      for (name, rows) in levels {
        guard let known = restored[name] else { continue }
        let together = Dictionary(grouping: rows) { GroupKey([known.timestamp(of: $0) ?? .null]) }
        for link in known.rules.links
        where link.rule == .cascade && link.other.deletedAt != nil {
          for (timestamp, rows) in together {
            let added = add(
              try hidden(at: timestamp, by: link, with: rows, of: known), of: link.other)
            if !added.isEmpty { next.append((link.other.modelName, added)) }
          }
        }
      }
      levels = next
    }
  }

  private func hidden(
    at timestamp: GroupKey, by link: DeleteLink, with rows: [[StoredValue]], of known: DeletionSet
  ) throws -> [[StoredValue]] {
    let other = DeletionSet(rules.of(link.other), columns: columns(of: link.other))
    return try transaction.linked(
      by: link, to: rows, of: known, reading: other.columns, seeing: .only
    ) { restored[link.other.modelName]?.contains($0) != true }
    .map(\.row).filter { GroupKey([other.timestamp(of: $0) ?? .null]) == timestamp }
  }

  private func checkTargets(_ name: String) throws {
    guard let known = restored[name] else { return }
    for kind in known.entity.everyKind {
      for link in rules.of(kind).targets
      where link.columns.contains(where: { !kind.columns[$0].isOptional }) {
        try checkTargets(by: link, of: kind, known)
      }
    }
  }

  private func checkTargets(
    by link: TargetLink, of kind: StoredEntity, _ known: DeletionSet
  ) throws {
    let target = transaction.store.schema.root(of: link.target).modelName
    let wanted = try rows(of: kind, known, link.columns).map { row in
      (key: Array(row.dropFirst(kind.key.count)), own: Array(row.prefix(kind.key.count)))
    }.filter { restored[target]?.contains($0.key) != true }
    let visible = try transaction.existingKeys(
      of: link.target, among: wanted.map(\.key), seeing: .hidden)
    for (key, own) in wanted where !visible.contains(GroupKey(key)) {
      throw StoreError(
        .missingTarget,
        "its required target, a \(link.target.modelName), is soft-deleted or does not exist",
        entity: kind.modelName, key: own, attributes: [link.relationship], values: key)
    }
  }

  /// The keys of those rows that are of a kind, and the values of its columns.
  private func rows(
    of kind: StoredEntity, _ known: DeletionSet, _ columns: [Int]
  ) throws -> [[StoredValue]] {
    if kind.parent == nil {
      return known.all.map { known.key(of: $0) + known.values(columns, of: $0) }
    }
    return try transaction.rows(
      of: kind, where: kind.key, in: known.all.map { known.key(of: $0) },
      output: kind.key + columns)
  }

  /// The owners that have more targets than before, and the rows themselves.
  private func countedOwners() throws -> CountedOwners {
    var owners = CountedOwners()
    for name in order {
      guard let known = restored[name] else { continue }
      let keys = known.all.map { known.key(of: $0) }
      for kind in known.entity.everyKind {
        let counts = kind.relationships.compactMap { rules.count(of: $0.name, in: kind) }
        if counts.isEmpty { continue }
        for key in try rows(of: kind, known, []) {
          for rule in counts { owners.insert(key, of: rule) }
        }
      }
      for link in known.rules.counts {
        if case .between(let join, let own, let other) = link.rule.location, link.columns.isEmpty {
          for row in try transaction.rows(of: join, where: other, in: keys, output: own) {
            owners.insert(row, of: link.rule)
          }
        } else {
          for row in known.all { owners.insert(known.values(link.columns, of: row), of: link.rule) }
        }
      }
    }
    return owners
  }
}

extension WriteTransaction {
  /// Restores the rows that a request selects, which are hidden ones, as one operation.
  package func restore(_ request: FetchRequest, entity: StoredEntity) throws -> Int {
    try restore([(entity, request)])
  }

  /// Restores the rows that requests select, which are hidden ones, as one operation.
  @discardableResult
  package func restore(_ requests: [(entity: StoredEntity, request: FetchRequest)]) throws -> Int {
    let requests = requests.filter { $0.entity.deletedAt != nil }
    if requests.isEmpty { return 0 }
    return try operation { transaction in
      var restoration = try Restoration(transaction)
      return try restoration.restore(requests)
    }
  }
}

extension StoredEntity {
  /// The entity, and the subentities of a root.
  fileprivate var everyKind: [StoredEntity] { [self] + subentities }
}
