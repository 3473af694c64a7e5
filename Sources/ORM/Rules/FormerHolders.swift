internal import ORMCore

extension WriteTransaction {
  /// Lets rows go that hold what others are about to be given: in a one-to-one, a target has one
  /// holder, and setting it moves it (semantics 5.8).
  ///
  /// - Parameters:
  ///   - keys: what is about to be given; null for nothing.
  ///   - holders: the rows that are written, which are told by the same write.
  /// - Throws: `missingValue` when a row that must have a target would have none.
  func releaseHolders(
    of keys: [[StoredValue]], by link: TargetLink, of entity: StoredEntity,
    besides holders: [[StoredValue]]
  ) throws {
    guard link.isOne else { return }
    let given = keys.filter { !$0.contains(where: \.isNull) }
    let written = Set(holders.map { GroupKey($0) })
    let former = try rows(of: entity, where: link.columns, in: given, output: entity.key)
      .filter { !written.contains(GroupKey($0)) }
    guard let first = former.first else { return }
    if link.columns.contains(where: { !entity.columns[$0].isOptional }) {
      throw StoreError(
        .missingValue, "a required to-one would lead nowhere", entity: entity.modelName,
        key: first, attributes: [link.relationship])
    }
    try clearRows(of: entity, where: entity.key, in: former, clearing: link.columns)
  }
}
