internal import ORMStorage

/// The common path of every delete.
///
/// A delete goes directly to the store if it concerns no relationship, and otherwise follows the
/// delete rules. Rows of an entity with a soft delete are hidden.
extension WriteTransaction {
  /// Deletes the rows that a request selects, which are visible ones, and gives how many there were;
  /// those that rules take along are not counted.
  ///
  /// - Throws: `denied`, `validationFailed`; then nothing was deleted.
  package func delete(_ request: FetchRequest, entity: StoredEntity) throws -> Int {
    let rules = try deleteRules(of: entity)
    if entity.deletedAt != nil {
      if rules.isHiddenAlone {
        let timestamp = DeletionTimestamp.next(of: store.runtime)
        return try setDeleted(.date(timestamp), in: request, of: entity)
      }
    } else if rules.isDeletedAlone {
      return try apply(.delete(request), entity: entity)
    }
    return try deleteByRules(request, entity: entity, .delete)
  }

  /// Returns whether a delete of rows of an entity is one change of the store.
  package func isDeletedAlone(_ entity: StoredEntity) throws -> Bool {
    try entity.deletedAt == nil && deleteRules(of: entity).isDeletedAlone
  }

  /// Deletes hidden rows for good.
  ///
  /// - Throws: as a delete.
  package func purge(_ request: FetchRequest, entity: StoredEntity) throws -> Int {
    if try deleteRules(of: entity).isDeletedAlone {
      return try apply(.delete(request), entity: entity)
    }
    return try deleteByRules(request, entity: entity, .purge)
  }

  private func deleteByRules(
    _ request: FetchRequest, entity: StoredEntity, _ purpose: Deletion.Purpose
  ) throws -> Int {
    try operation { transaction in
      var deletion = try Deletion(transaction, purpose)
      let count = try deletion.delete(entity, request)
      try transaction.checkCounts(deletion.counted)
      return count
    }
  }

  /// Deletes the rows with these keys, as one operation, and gives how many there were.
  package func delete(keys: [[StoredValue]], entity: StoredEntity) throws -> Int {
    try operation { transaction in
      var counted = CountedOwners()
      let count = try transaction.delete(keys: keys, entity: entity, counting: &counted)
      try transaction.checkCounts(counted)
      return count
    }
  }

  /// The same as a part of an operation, at whose end the targets of owners are counted.
  ///
  /// A call that throws may have deleted some rows.
  package func delete(
    keys: [[StoredValue]], entity: StoredEntity, counting owners: inout CountedOwners
  ) throws -> Int {
    if try entity.deletedAt == nil && deleteRules(of: entity).isDeletedAlone {
      return try deleteRows(of: entity, where: entity.key, in: keys)
    }
    var deletion = try Deletion(self)
    let count = try deletion.delete(entity, keys: keys)
    owners.formUnion(deletion.counted)
    return count
  }

  /// Deletes the rows of several entities with these keys together, as one operation.
  ///
  /// Rows that go together deny one another nothing.
  package func delete(_ keys: [(entity: StoredEntity, keys: [[StoredValue]])]) throws {
    try operation { transaction in
      var ruled: [(entity: StoredEntity, keys: [[StoredValue]])] = []
      for (entity, keys) in keys {
        if try entity.deletedAt == nil && transaction.deleteRules(of: entity).isDeletedAlone {
          _ = try transaction.deleteRows(of: entity, where: entity.key, in: keys)
        } else {
          ruled.append((entity, keys))
        }
      }
      if ruled.isEmpty { return }
      var deletion = try Deletion(transaction)
      _ = try deletion.delete(ruled)
      try transaction.checkCounts(deletion.counted)
    }
  }

  /// Deletes every visible row of an entity, and gives how many there were.
  package func clear(_ entity: StoredEntity) throws -> Int {
    if try entity.deletedAt == nil && deleteRules(of: entity).isDeletedAlone {
      return try apply(.clear(entity.name), entity: entity)
    }
    let request = FetchRequest(
      of: entity, condition: entity.condition(seeing: .hidden) ?? .constant(true))
    return try delete(request, entity: entity)
  }

  /// Returns the rules for deleting rows of an entity; in a hierarchy, those of its root.
  private func deleteRules(of entity: StoredEntity) throws -> EntityRules {
    try store.relationshipRules().of(
      entity.parent == nil ? entity : store.schema.root(of: entity))
  }
}
