internal import ORMStorage

// Rows that a save or an update hides or shows by assigning the attribute of the soft delete: no
// delete rule is asked, but counts hold.

extension WriteTransaction {
  /// The keys among some whose rows are hidden.
  package func hiddenKeys(of entity: StoredEntity, among keys: [[StoredValue]]) throws -> Set<
    GroupKey
  > {
    try existingKeys(of: entity, among: keys, seeing: .only)
  }

  /// Rows that were hidden or shown, with the owners that they are counted for.
  package func countedOwners(of keys: [[StoredValue]], rules: EntityRules) throws -> CountedOwners {
    var owners = CountedOwners()
    if keys.isEmpty { return owners }
    let entity = rules.entity
    for rule in rules.ownCounts {
      for key in keys { owners.insert(key, of: rule) }
    }
    for link in rules.counts {
      var source = (entity: entity, columns: entity.key, owner: link.columns)
      if case .between(let join, let own, let other) = link.rule.location, link.columns.isEmpty {
        source = (join, other, own)
      }
      for row in try rows(
        of: source.entity, where: source.columns, in: keys, output: source.owner)
      {
        owners.insert(row, of: link.rule)
      }
    }
    return owners
  }
}
