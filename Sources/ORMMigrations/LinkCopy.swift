internal import ORMRows
internal import ORMStorage

/// The links of a relationship, copied from one location to another of the same store, or held
/// against a declaration that stores them in the same location and takes fewer.
struct LinkCopy {
  let move: LinkMove
  let old: LinkEnds
  let new: LinkEnds
  /// The roots of the owner and of the target.
  let owner: StoredEntity
  let target: StoredEntity
  /// True if the links stay in their location.
  let isSameLocation: Bool

  /// One link: the keys of both ends, and the position in the to-many of either.
  private struct Link {
    var owner: [StoredValue]
    var target: [StoredValue]
    var positions: [StoredValue]
  }

  /// The attributes that hold links: the keys of both ends, and the positions in the to-many of the
  /// owner and in that of the target.
  private struct Location {
    var entity: StoredEntity
    var owners: [String]
    var targets: [String]
    var positions: [String?]

    /// The attributes in the order in which links are met: those of one object together, in the
    /// order of its to-many.
    func order(byOwner: Bool) -> [String] {
      byOwner
        ? owners + [positions[0]].compactMap { $0 } + targets
        : targets + [positions[1]].compactMap { $0 } + owners
    }
  }

  /// Moves every link.
  ///
  /// - Throws: `countOutOfRange` for objects with several targets where one is taken, and
  ///   `missingValue` for objects without the target that the declaration requires.
  func run(in tx: WriteTransaction) throws {
    let location = try location(of: old, in: tx)
    let isThere = Condition.all(
      (location.owners + location.targets).map {
        .compare(.attribute($0), .notEqual, .value(.null), [])
      })
    // The objects that take one target meet their links one after another.
    let byOwner = new.takesOneTarget || !new.takesOneOwner
    // The link before is remembered, so that such a pass is one transaction.
    if isSameLocation || old.relationship.through != nil {
      (tx.store as? MigrationStore)?.parts?.mayPause = false
    }
    var last: Link?
    var failures: [StoreError] = []
    try tx.migrationBatches(
      of: location.entity, where: isThere, orderedBy: location.order(byOwner: byOwner)
    ) { rows in
      var links: [Link] = []
      var surplus: [DynamicRow] = []
      for row in rows {
        let link = Link(
          owner: location.owners.map { row[$0] }, target: location.targets.map { row[$0] },
          positions: location.positions.map { name in name.map { row[$0] } ?? .null })
        defer { last = link }
        let isSameOwner = last?.owner == link.owner
        let isSameTarget = last?.target == link.target
        // A linking model may have several rows for one link.
        if isSameOwner && isSameTarget { continue }
        if new.takesOneTarget && isSameOwner {
          try refuse(link, ofOwner: true, &failures, in: tx)
          surplus.append(row)
        } else if !byOwner && isSameTarget {
          try refuse(link, ofOwner: false, &failures, in: tx)
          surplus.append(row)
        } else {
          links.append(link)
        }
      }
      if !isSameLocation {
        try write(links, &failures, in: tx)
      } else if failures.isEmpty {
        try clear(surplus, location, in: tx)
      }
    }
    if let first = failures.first {
      throw StoreError(
        .countOutOfRange, first.message, entity: first.entity, attributes: first.attributes,
        failures: failures)
    }
    try checkRequired(in: tx)
  }

  /// The location of links by the relationship of the owner and its inverse.
  private func location(of ends: LinkEnds, in tx: WriteTransaction) throws -> Location {
    switch ends.relationship.storage {
    case .own(let names, let position):
      return Location(
        entity: owner, owners: owner.keyAttributes, targets: names, positions: [nil, position])
    case .target(let names, let position):
      return Location(
        entity: target, owners: names, targets: target.keyAttributes, positions: [position, nil])
    case .join(let join, let own, let other, let position):
      var inverse: String?
      if case .join(_, _, _, let position)? = ends.inverse?.storage { inverse = position }
      return Location(
        entity: try EntityPlan(join, in: tx.store).entity, owners: own, targets: other,
        positions: [position, inverse])
    case nil: throw StoreError(.engine, "the relationship has no location", entity: move.entity)
    }
  }

  /// Notes an object that has more links than the declared relationship takes, if that is a failure.
  private func refuse(
    _ link: Link, ofOwner: Bool, _ failures: inout [StoreError], in tx: WriteTransaction
  ) throws {
    if move.surplus == .keepFirst && !(isSameLocation && isRequired) { return }
    // The rest is looked through for other objects, and the transaction fails.
    (tx.store as? MigrationStore)?.parts?.mayPause = false
    let entity = ofOwner ? move.entity : new.relationship.target
    let key = ofOwner ? link.owner : link.target
    if failures.count == WriteTransaction.namedRows { return }
    if let last = failures.last, last.entity == entity, last.key == key { return }
    let name = "\(move.entity).\(move.name)"
    let fault =
      ofOwner
      ? "\(name) leads to several objects, and as it is declared now it takes one"
      : "several objects lead here by \(name), and as it is declared now one may"
    let remedy =
      move.surplus == .keepFirst
      ? "it is required, so no link can be given up: change the links first"
      : "change the links first, or move them with surplus: .keepFirst"
    failures.append(
      StoreError(
        .countOutOfRange, "\(fault); \(remedy)",
        entity: entity, key: key,
        attributes: ofOwner ? [move.name] : [new.inverse?.name].compactMap { $0 }))
  }

  /// True if the end whose row holds the links has to have one.
  private var isRequired: Bool {
    switch new.relationship.storage {
    case .own: new.relationship.isRequired
    case .target: new.inverse?.isRequired ?? false
    case .join, nil: false
    }
  }

  private func write(
    _ links: [Link], _ failures: inout [StoreError], in tx: WriteTransaction
  ) throws {
    let location = try location(of: new, in: tx)
    func row(_ link: Link) -> DynamicRow {
      var row = DynamicRow(location.entity.modelName)
      for (name, value) in zip(location.owners, link.owner) { row[name] = value }
      for (name, value) in zip(location.targets, link.target) { row[name] = value }
      for (name, value) in zip(location.positions, link.positions) {
        if let name { row[name] = value }
      }
      return row
    }
    if case .join = new.relationship.storage {
      if new.relationship.through == nil { return try tx.copy(links.map(row)) }
      var rows = links.map(row)
      try addKeys(to: &rows, location.entity, in: tx)
      try tx.insert(rows)
      return
    }
    // A row holds one link, and links from before this step count as well.
    var owners = Set<[StoredValue]>()
    var targets = Set<[StoredValue]>()
    if new.takesOneTarget {
      owners = try taken(links.map(\.owner), location.owners, location, in: tx)
    }
    if new.takesOneOwner {
      targets = try taken(links.map(\.target), location.targets, location, in: tx)
    }
    var rows: [DynamicRow] = []
    for link in links {
      if owners.contains(link.owner) {
        try refuse(link, ofOwner: true, &failures, in: tx)
      } else if targets.contains(link.target) {
        try refuse(link, ofOwner: false, &failures, in: tx)
      } else {
        if new.takesOneTarget { owners.insert(link.owner) }
        if new.takesOneOwner { targets.insert(link.target) }
        rows.append(row(link))
      }
    }
    // Also after a failure, which undoes all: links that follow are held against these.
    try tx.rewrite(rows, of: location.entity)
  }

  /// The keys among some, in attributes of a location, that have a link there.
  private func taken(
    _ keys: [[StoredValue]], _ names: [String], _ location: Location, in tx: WriteTransaction
  ) throws -> Set<[StoredValue]> {
    let isSet = (location.owners + location.targets).map {
      Condition.compare(.attribute($0), .notEqual, .value(.null), [])
    }
    return try Set(
      tx.fetch(
        DynamicQuery(
          location.entity.modelName, where: .all([Condition.isOne(of: keys, names)] + isSet),
          deleted: .included)
      ).map { row in names.map { row[$0] } })
  }

  /// Removes links from the rows that hold them.
  private func clear(
    _ rows: [DynamicRow], _ location: Location, in tx: WriteTransaction
  ) throws {
    let key = location.entity.keyAttributes
    let names = (location.owners + location.targets).filter { !key.contains($0) }
    try tx.rewrite(
      rows.map { row in
        var cleared = DynamicRow(location.entity.modelName, row.key(of: location.entity))
        for name in names + location.positions.compactMap({ $0 }) { cleared[name] = .null }
        return cleared
      }, of: location.entity)
  }

  /// Looks for rows without a link that has to be there.
  private func checkRequired(in tx: WriteTransaction) throws {
    guard !isSameLocation, isRequired else { return }
    let location = try location(of: new, in: tx)
    let key = location.entity.keyAttributes
    guard
      let column = (location.owners + location.targets).first(where: { !key.contains($0) })
    else { return }
    let isOwner = location.entity.modelName == owner.modelName
    let name = isOwner ? move.name : new.inverse?.name
    try tx.expectNone(
      DynamicQuery(
        location.entity.modelName,
        where: .compare(.attribute(column), .equal, .value(.null), [])),
      .missingValue, "the declared relationship is required, and the object has no target",
      [name].compactMap { $0 })
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
}

/// A relationship and its inverse, as a schema has them.
struct LinkEnds {
  let relationship: RelationshipDescription
  let inverse: RelationshipDescription?

  /// - Parameter schema: the schema that has both ends.
  init(_ relationship: RelationshipDescription, in schema: StoredSchema) {
    self.relationship = relationship
    inverse = relationship.inverse.flatMap {
      schema.entity(named: relationship.target)?.relationship(named: $0)
    }
  }

  /// True if an owner has at most one target.
  var takesOneTarget: Bool { !relationship.isToMany }

  /// True if a target has at most one owner.
  var takesOneOwner: Bool {
    if let inverse { return !inverse.isToMany }
    if case .target = relationship.storage { return true }
    return false
  }

  /// Returns whether there may be links in these ends that the others, in the same location, do not
  /// take.
  func takesMore(than other: LinkEnds) -> Bool {
    other.takesOneTarget && !takesOneTarget || other.takesOneOwner && !takesOneOwner
  }
}

extension RelationshipDescription {
  /// Returns whether links are stored in the same location as those of another, where the names of
  /// attributes and the order of the targets are all that may differ.
  ///
  /// - Parameters:
  ///   - schema: the schema that has the relationship.
  ///   - declared: the schema that has the other.
  func isStored(
    as other: RelationshipDescription, in schema: StoredSchema, _ declared: StoredSchema
  ) -> Bool {
    switch (storage, other.storage) {
    case (.own, .own), (.target, .target), (nil, _), (_, nil): return true
    case (.join(let entity, let own, _, _), .join(let next, let nextOwn, _, _)):
      if through != nil || other.through != nil {
        return through == other.through && entity == next
      }
      // The primary key begins with the key of the end whose name comes first.
      func isFirst(_ own: [String], _ entity: StoredEntity?) -> Bool? {
        entity.map { $0.keyAttributes.first == own.first }
      }
      return isFirst(own, schema.entity(named: entity))
        == isFirst(nextOwn, declared.entity(named: next))
    default: return false
    }
  }
}
