internal import ORM
internal import ORMCore

// The numbers of rows that relationships ask for, and the columns that hold their links.

extension FakeMaker {
  /// Finds the columns of all links, each once.
  mutating func findSlots() throws {
    var known: Set<[Int]> = []
    for entity in schema.everyEntity where !entity.isBookkeeping {
      for relationship in entity.relationships {
        guard let target = schema.entity(named: relationship.target) else { continue }
        let inverse = relationship.inverse.flatMap { target.relationship(named: $0) }
        switch relationship.storage {
        case .own(let names, let position):
          let through = throughCount(of: names, in: entity)
          let isNeeded = names.contains { name in
            entity.column(ofAttribute: name).map { !entity.columns[$0].isOptional } ?? false
          }
          let slot = slot(
            relationship, entity, referrer: entity, owner: target, names, position,
            isRequired: relationship.isRequired || isNeeded,
            isOne: inverse.map { !$0.isToMany } ?? false,
            isOwnerBound: inverse.map { !$0.isToMany && $0.isRequired } ?? false,
            count: inverse?.count ?? through)
          if let slot, known.insert([slot.table] + slot.columns).inserted { slots.append(slot) }
        case .target(let names, let position) where inverse == nil:
          let slot = slot(
            relationship, entity, referrer: target, owner: entity, names, position,
            isRequired: false, isOne: !relationship.isToMany, isOwnerBound: relationship.isRequired,
            count: relationship.count)
          if let slot, known.insert([slot.table] + slot.columns).inserted { slots.append(slot) }
        case .join(let name, let own, let targets, let position) where relationship.through == nil:
          guard let table = tables.firstIndex(where: { $0.entity.modelName == name }),
            !joins.contains(where: { $0.table == table })
          else { continue }
          var back: String?
          if case .join(_, _, _, let other) = inverse?.storage { back = other }
          let join = tables[table].entity
          func columns(_ names: [String]) -> [Int] {
            names.compactMap { join.column(ofAttribute: $0) }
          }
          let any = RelationshipDescription.CountRange(minimum: 0, maximum: nil)
          joins.append(
            FakeJoin(
              name: relationship.name, first: entity.modelName, second: target.modelName,
              table: table, firstColumns: columns(own), secondColumns: columns(targets),
              firstPosition: position.flatMap { join.column(ofAttribute: $0) },
              secondPosition: back.flatMap { join.column(ofAttribute: $0) },
              firstCount: relationship.count ?? any, secondCount: inverse?.count ?? any))
        case .target, .join, nil: break
        }
      }
    }
  }

  /// The number of links that an owner may have by a many-to-many through a model.
  private func throughCount(
    of names: [String], in entity: StoredEntity
  ) -> RelationshipDescription.CountRange? {
    for other in schema.everyEntity {
      for relationship in other.relationships where relationship.through == entity.modelName {
        if case .join(_, let own, _, _) = relationship.storage, own == names {
          return relationship.count
        }
      }
    }
    return nil
  }

  private func slot(
    _ relationship: RelationshipDescription, _ entity: StoredEntity, referrer: StoredEntity,
    owner: StoredEntity, _ names: [String], _ position: String?, isRequired: Bool, isOne: Bool,
    isOwnerBound: Bool, count: RelationshipDescription.CountRange?
  ) -> FakeSlot? {
    let root = schema.root(of: referrer)
    let columns = names.compactMap { column($0, of: referrer) }
    guard columns.count == names.count, !columns.isEmpty,
      let table = tables.firstIndex(where: { $0.entity.name == root.name })
    else { return nil }
    let isKey = columns.allSatisfy { root.key.contains($0) }
    return FakeSlot(
      name: relationship.name, entity: entity.modelName,
      counted: relationship.inverse.map { "\(owner.modelName).\($0)" }
        ?? "\(entity.modelName).\(relationship.name)",
      referrer: referrer.modelName,
      owner: owner.modelName, table: table, columns: columns,
      position: position.flatMap { column($0, of: referrer) }, isRequired: isRequired || isKey,
      isOne: isOne, isOwnerBound: isOwnerBound,
      count: count ?? RelationshipDescription.CountRange(minimum: 0, maximum: nil), isKey: isKey)
  }

  /// Raises the numbers of entities that the caller did not name to those that relationships ask for.
  ///
  /// - Throws: `countOutOfRange`, which names the relationship.
  mutating func settleCounts() throws {
    var before: [Int] = []
    while before != counts.map(\.count) {
      before = counts.map(\.count)
      for slot in slots {
        let (owners, referrers) = (total(slot.owner), total(slot.referrer))
        let isLimited = slot.most < .max
        let name = isLimited ? slot.counted : "\(slot.entity).\(slot.name)"
        if slot.isRequired, referrers > 0 {
          try raise(slot.owner, to: (referrers - 1) / slot.most + 1, for: name)
        }
        if owners > 0, slot.least > 0 {
          try raise(slot.referrer, to: owners * slot.least, for: slot.counted)
        }
      }
      for join in joins {
        let name = "\(join.first).\(join.name)"
        if total(join.first) > 0 { try raise(join.second, to: join.firstCount.minimum, for: name) }
        if total(join.second) > 0 { try raise(join.first, to: join.secondCount.minimum, for: name) }
      }
    }
  }

  /// Raises the number of an entity's rows.
  private mutating func raise(_ name: String, to count: Int, for relationship: String) throws {
    let missing = count - total(name)
    if missing <= 0 { return }
    let open = kinds.indices.filter { kinds[$0].names.contains(name) && !counts[$0].isGiven }
    let exact = open.first { kinds[$0].entity.modelName == name } ?? open.first
    guard let exact, count < 10_000_000 else {
      throw StoreError(
        .countOutOfRange,
        "\(relationship) needs at least \(count) rows of this entity; ask for more of them, or for "
          + "fewer of the others", entity: name)
    }
    counts[exact].count += missing
  }
}
