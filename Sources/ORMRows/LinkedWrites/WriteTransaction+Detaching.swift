internal import ORMStorage

extension WriteTransaction {
  /// Removes objects from a to-many, by their keys; gives how many were targets.
  ///
  /// - Throws: `missingValue` if their to-one is required; `validationFailed`.
  package func detach(_ keys: [[StoredValue]], _ delta: LinkDelta) throws -> Int {
    let rows = try delta.rows()
    let linked = try rows.linked(to: keys, in: self)
    if linked.isEmpty { return 0 }
    try operation { transaction in
      var counted = CountedOwners()
      switch delta.end {
      case .owner(let number):
        let slot = delta.layout.slots[number]
        if slot.isRequired {
          throw StoreError.withoutTarget(slot.name, of: delta.targetEntity, key: linked[0])
        }
        try transaction.clear(slot, of: linked, in: delta.targetEntity)
      case .join, .referrer:
        try transaction.deleteLinks(
          of: rows.entity, where: rows.entity.key, in: linked, counting: &counted)
      }
      try transaction.checkCounts(after: delta, targets: keys, counted)
    }
    return linked.count
  }

  /// Takes the owner's key out of rows with these keys.
  func clear(_ slot: KeySlot, of keys: [[StoredValue]], in entity: StoredEntity) throws {
    let nothing = Array(repeating: StoredValue.null, count: slot.linkColumns.count)
    try update(keys.map { $0 + nothing }, setting: slot.linkColumns, of: entity)
  }

  /// Counts the remaining targets of a to-many, and those of the targets' to-manys that lost this owner.
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
