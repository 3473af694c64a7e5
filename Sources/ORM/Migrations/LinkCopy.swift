internal import ORMCore

/// The links of a relationship, copied from one location to another of the same store.
struct LinkCopy {
  let move: LinkMove
  let old: RelationshipDescription
  let new: RelationshipDescription
  /// The roots of the owner and of the target.
  let owner: StoredEntity
  let target: StoredEntity

  /// One link: the keys of both ends, and the position among the owner's targets.
  private struct Link {
    var owner: [StoredValue]
    var target: [StoredValue]
    var position: StoredValue
  }

  /// Copies every link.
  ///
  /// - Throws: `countOutOfRange` for an object with several targets where one is taken.
  func run(in tx: WriteTransaction) throws {
    let (entity, owners, targets, position) = try location(of: old, in: tx)
    let isThere = Condition.all(
      (owners + targets).map { .compare(.attribute($0), .notEqual, .value(.null), []) })
    try tx.migrationBatches(
      of: entity, where: isThere, orderedBy: [position].compactMap { $0 }
    ) { rows in
      try write(
        rows.map { row in
          Link(
            owner: owners.map { row[$0] }, target: targets.map { row[$0] },
            position: position.map { row[$0] } ?? .null)
        }, in: tx)
    }
  }

  /// The entity whose rows hold the links, and its attributes with both keys and the position.
  private func location(
    of relationship: RelationshipDescription, in tx: WriteTransaction
  ) throws -> (StoredEntity, owner: [String], target: [String], position: String?) {
    switch relationship.storage {
    case .own(let names, let position): return (owner, owner.keyAttributes, names, position)
    case .target(let names, let position): return (target, names, target.keyAttributes, position)
    case .join(let join, let own, let other, let position):
      return (try EntityPlan(join, in: tx.store).entity, own, other, position)
    case nil: throw StoreError(.engine, "the relationship has no location", entity: move.entity)
    }
  }

  private func write(_ links: [Link], in tx: WriteTransaction) throws {
    let (entity, owners, targets, position) = try location(of: new, in: tx)
    func row(_ link: Link) -> DynamicRow {
      var row = DynamicRow(entity.modelName)
      for (name, value) in zip(owners, link.owner) { row[name] = value }
      for (name, value) in zip(targets, link.target) { row[name] = value }
      if let position { row[position] = link.position }
      return row
    }
    switch new.storage {
    case .own: try set(links, \.owner, targets, entity, in: tx, row)
    case .target: try set(links, \.target, owners, entity, in: tx, row)
    case .join, nil:
      if new.through == nil { return try tx.copy(links.map(row)) }
      var rows = links.map(row)
      try addKeys(to: &rows, entity, in: tx)
      try tx.insert(rows)
    }
  }

  /// Gives new rows of a linking model the keys that its program would give them: the next integers.
  private func addKeys(
    to rows: inout [DynamicRow], _ entity: StoredEntity, in tx: WriteTransaction
  ) throws {
    guard entity.keySource == .program, entity.key.count == 1,
      entity.columns[entity.key[0]].type.kind == .int, let name = entity.keyAttributes.first,
      rows.first?.values[name] == nil
    else { return }
    let greatest = try tx.aggregate(
      DynamicQuery(entity.modelName, deleted: .included), Aggregate(.maximum, .attribute(name)))
    var last: Int64 = 0
    if case .int(let key) = greatest { last = max(key, 0) }
    for position in rows.indices {
      let (next, isOver) = last.addingReportingOverflow(1)
      if isOver {
        throw StoreError(.keysExhausted, "there is no greater key", entity: entity.modelName)
      }
      last = next
      rows[position][name] = .int(last)
    }
  }

  /// Writes links into columns of rows that are there, of which each takes one.
  private func set(
    _ links: [Link], _ end: (Link) -> [StoredValue], _ columns: [String], _ entity: StoredEntity,
    in tx: WriteTransaction, _ row: (Link) -> DynamicRow
  ) throws {
    var rows: [[StoredValue]: DynamicRow] = [:]
    var order: [[StoredValue]] = []
    let taken = try Set(held(links.map(end), columns, entity, in: tx))
    for link in links {
      let key = end(link)
      if taken.contains(key) || rows[key] != nil {
        guard move.surplus == .keepFirst else {
          throw StoreError(
            .countOutOfRange,
            "it has several links, and the declared relationship takes one; choose: surplus: "
              + ".keepFirst", entity: entity.modelName, key: key, attributes: [move.name])
        }
        continue
      }
      rows[key] = row(link)
      order.append(key)
    }
    try tx.rewrite(order.compactMap { rows[$0] }, of: entity)
  }

  /// The keys of rows that have a link already.
  private func held(
    _ keys: [[StoredValue]], _ columns: [String], _ entity: StoredEntity, in tx: WriteTransaction
  ) throws -> [[StoredValue]] {
    let names = entity.keyAttributes
    guard let column = columns.first else { return [] }
    let isOne = Condition.isOne(of: keys, names)
    let isSet = Condition.compare(.attribute(column), .notEqual, .value(.null), [])
    return try tx.fetch(
      DynamicQuery(entity.modelName, where: .all([isOne, isSet]), deleted: .included)
    ).map { row in names.map { row[$0] } }
  }
}
