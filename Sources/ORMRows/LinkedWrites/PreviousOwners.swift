internal import ORMStorage

extension WriteTransaction {
  /// Clears the links of rows whose targets are about to be given to others: in a one-to-one a target has
  /// one referrer, and a new one replaces it (clause 5.8).
  ///
  /// - Parameters:
  ///   - keys: the keys of the targets that are about to be given; null for none.
  ///   - referrers: the rows that are written, which are reported by the same write.
  /// - Throws: `missingValue` when a row that must have a target would have none.
  package func releaseReferrers(
    of keys: [[StoredValue]], by link: TargetLink, of entity: StoredEntity,
    besides referrers: [[StoredValue]]
  ) throws {
    guard link.isOne else { return }
    let given = keys.filter { !$0.contains(where: \.isNull) }
    let written = Set(referrers.map { GroupKey($0) })
    let output = entity.key + (entity.deletedAt.map { [$0] } ?? [])
    let found = try rows(of: entity, where: link.columns, in: given, output: output)
      .filter { !written.contains(GroupKey(Array($0.prefix(entity.key.count)))) }
    let former = found.map { Array($0.prefix(entity.key.count)) }
    guard let first = former.first else { return }
    if link.columns.contains(where: { !entity.columns[$0].isOptional }) {
      if output.count > entity.key.count, found[0].last?.isNull == false {
        throw StoreError.neededByHidden(link.relationship, of: entity, key: first)
      }
      throw StoreError.withoutTarget(link.relationship, of: entity, key: first)
    }
    try clearRows(of: entity, where: entity.key, in: former, clearing: link.columns)
  }
}

extension StoreError {
  /// The error of a required to-one that would lead nowhere.
  package static func withoutTarget(
    _ relationship: String, of entity: StoredEntity, key: [StoredValue]
  ) -> StoreError {
    StoreError(
      .missingValue,
      "a required to-one would be left without a target; give it one, or delete this row first",
      entity: entity.modelName, key: key, attributes: [relationship])
  }

  /// The error of a move that would leave a hidden row without the one that it must lead to.
  package static func neededByHidden(
    _ relationship: String, of entity: StoredEntity, key: [StoredValue]
  ) -> StoreError {
    StoreError(
      .missingValue,
      "a soft-deleted row still requires this target: purge that row, or restore it and move it",
      entity: entity.modelName, key: key, attributes: [relationship])
  }
}
