package import ORMStorage

extension WriteTransaction {
  /// Deletes links that are rows: by the delete rules where they are objects of a model.
  ///
  /// The owners that lost targets are to be counted at the operation's end, when others may have come.
  package func deleteLinks(
    of entity: StoredEntity, where columns: [Int], in keys: [[StoredValue]],
    counting owners: inout CountedOwners
  ) throws {
    if entity.isInternal {
      try deleteRows(of: entity, where: columns, in: keys)
    } else {
      let own = try rows(of: entity, where: columns, in: keys, output: entity.key)
      _ = try delete(keys: own, entity: entity, counting: &owners)
    }
  }
}
