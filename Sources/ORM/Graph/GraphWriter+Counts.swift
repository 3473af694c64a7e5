internal import ORMCore

extension GraphWriter {
  /// Counts the targets of every owner whose links the save concerns, and of every new one.
  ///
  /// - Throws: `countOutOfRange`.
  func checkCounts() throws {
    let rules = try transaction.store.relationshipRules()
    for (number, slot) in layout.slots.enumerated() {
      guard let name = slot.ownerName,
        let rule = rules.count(of: name, in: layout.entities[slot.owner])
      else { continue }
      insertNew(of: slot.owner, into: &counted, rule)
      guard let links = graph.slots[number] else { continue }
      let owners = graph.table(slot.owner)
      let holders = graph.table(slot.holder)
      for owner in links.sets.keys { counted.insert(owners.nodes[owner].key, of: rule) }
      for (holder, owner) in links.owners {
        if let owner { counted.insert(owners.nodes[owner].key, of: rule) }
        // The owner that it had before.
        if holders.nodes[holder].stored != nil {
          counted.insert(slot.columns.map { holders.stored($0, of: holder) }, of: rule)
        }
      }
    }
    for (number, join) in layout.joins.enumerated() {
      for isFirst in [true, false] {
        let side = join.side(isFirst: isFirst)
        guard let name = side.name,
          let rule = rules.count(of: name, in: layout.entities[side.entity])
        else { continue }
        insertNew(of: side.entity, into: &counted, rule)
        for pair in graph.joins[number]?.pairs ?? [] {
          let owner = isFirst ? pair.first : pair.second
          counted.insert(graph.table(side.entity).nodes[owner].key, of: rule)
        }
        let size = join.first.columns.count
        for key in removedJoins[number] ?? [] {
          counted.insert(Array(isFirst ? key[..<size] : key[size...]), of: rule)
        }
      }
    }
    if !counted.isEmpty { try transaction.checkCounts(counted) }
  }

  private func insertNew(of entity: Int, into counted: inout CountedOwners, _ rule: CountRule) {
    for node in graph.tables[entity]?.nodes ?? [] where node.isNew {
      counted.insert(node.key, of: rule)
    }
  }
}

extension WriteTransaction {
  /// Counts what is left of a to-many, and of those of the targets that lost this owner.
  func checkCounts(
    after delta: LinkDelta, targets: [[StoredValue]], _ others: CountedOwners
  ) throws {
    let rules = try store.relationshipRules()
    var counted = others
    if let rule = rules.count(of: delta.relationship, in: delta.ownerEntity) {
      counted.insert(delta.key, of: rule)
    }
    if case .join(let number, let isFirst) = delta.end {
      let side = delta.layout.joins[number].side(isFirst: !isFirst)
      if let name = side.name, let rule = rules.count(of: name, in: delta.targetEntity) {
        for key in targets { counted.insert(key, of: rule) }
      }
    }
    if !counted.isEmpty { try checkCounts(counted) }
  }
}
