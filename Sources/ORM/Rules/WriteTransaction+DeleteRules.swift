internal import ORMCore

/// Where every delete goes through: directly to the store where no relationship is concerned, by
/// the delete rules elsewhere.
extension WriteTransaction {
  /// Deletes the rows that a request selects, and gives how many there were; those that rules take
  /// along are not counted.
  ///
  /// - Throws: `denied`, `countOutOfRange`; then nothing was deleted.
  func delete(_ request: FetchRequest, entity: StoredEntity) throws -> Int {
    if try store.relationshipRules().of(entity).isDeletedAlone {
      return try apply(.delete(request), entity: entity)
    }
    return try savepoint { transaction in
      var deletion = try Deletion(transaction)
      return try deletion.delete(entity, request)
    }
  }

  /// Deletes the rows with these keys, as one verb, and gives how many there were.
  func delete(keys: [[StoredValue]], entity: StoredEntity) throws -> Int {
    if try store.relationshipRules().of(entity).isDeletedAlone {
      return try savepoint { try $0.deleteRows(of: entity, where: entity.key, in: keys) }
    }
    return try savepoint { transaction in
      var deletion = try Deletion(transaction)
      return try deletion.delete(entity, keys: keys)
    }
  }

  /// Deletes every row of an entity, and gives how many there were.
  func clear(_ entity: StoredEntity) throws -> Int {
    if try store.relationshipRules().of(entity).isDeletedAlone {
      return try apply(.clear(entity.name), entity: entity)
    }
    let request = FetchRequest(
      entity: entity.name, sort: RequestLowering.total([], entity: entity))
    return try delete(request, entity: entity)
  }
}
