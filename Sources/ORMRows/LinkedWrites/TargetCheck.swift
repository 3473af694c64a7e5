internal import ORMStorage

/// Rows whose keys of others are about to be written: which of them lead nowhere.
extension WriteTransaction {
  /// Checks that the targets of some rows' to-ones exist, with one request for each relationship.
  ///
  /// A row that already holds the key keeps it (clause 2.9); a target may be among the rows.
  ///
  /// - Parameters:
  ///   - rows: rows with a value for every column of the entity.
  ///   - columns: the columns that are written.
  /// - Throws: `missingTarget`, naming the entity, the row's key, the relationship, and as values the
  ///   key that leads nowhere; `invalidValue` for a part of a key.
  func checkTargets(
    of rows: [[StoredValue]], columns: [Int], rules: EntityRules
  ) throws {
    let entity = rules.entity
    for link in rules.targets {
      guard try link.isWritten(in: columns, of: entity) else { continue }
      var keys = try rows.map { row in
        try link.checked(link.columns.map { row[$0] }, of: entity, key: entity.key.map { row[$0] })
      }
      if link.target.modelName == entity.modelName {
        let own = Set(rows.map { row in GroupKey(entity.key.map { row[$0] }) })
        keys = keys.map { key in key.flatMap { own.contains(GroupKey($0)) ? nil : $0 } }
      }
      let existing = try existingKeys(
        of: link.target, among: keys.compactMap(\.self), seeing: .hidden)
      for (row, key) in zip(rows, keys) {
        guard let key, !existing.contains(GroupKey(key)) else { continue }
        let own = entity.key.map { row[$0] }
        let stored = try self.rows(
          of: entity, where: entity.key, in: [own], output: link.columns)
        if stored.first.map({ GroupKey($0) == GroupKey(key) }) == true { continue }
        throw link.missing(key, of: entity, key: own)
      }
    }
  }
}

extension TargetLink {
  /// Returns whether columns that are written hold the key.
  ///
  /// - Throws: `invalidValue` when a part of it is left out.
  package func isWritten(in written: [Int], of entity: StoredEntity) throws -> Bool {
    let count = columns.filter { written.contains($0) }.count
    if count == 0 { return false }
    if count == columns.count { return true }
    throw partial(of: entity, key: [])
  }

  /// The key of a target; nil where there is none.
  ///
  /// - Throws: `invalidValue` when a part of it is nil.
  package func checked(
    _ values: [StoredValue], of entity: StoredEntity, key: [StoredValue]
  ) throws -> [StoredValue]? {
    let count = values.filter(\.isNull).count
    if count == values.count { return nil }
    if count == 0 { return values }
    throw partial(of: entity, key: key)
  }

  private func partial(of entity: StoredEntity, key: [StoredValue]) -> StoreError {
    StoreError(
      .invalidValue, "only some attributes of the key of a \(target.modelName) are given",
      entity: entity.modelName, key: key, attributes: [relationship])
  }

  /// The error of a key that leads nowhere.
  package func missing(
    _ target: [StoredValue], of entity: StoredEntity, key: [StoredValue]
  ) -> StoreError {
    .missingTarget(
      target, of: self.target, relationship: relationship, of: entity,
      key: entity.awaitsKey(key) ? [] : key)
  }
}

extension StoreError {
  /// The error of a link that leads nowhere, the same on every path: it names the entity and the key
  /// of the object that has the link, the relationship, and as values the key that does not exist.
  ///
  /// The object's key is empty where the store would have given it.
  package static func missingTarget(
    _ target: [StoredValue], of targets: StoredEntity, relationship: String,
    of entity: StoredEntity, key: [StoredValue]
  ) -> StoreError {
    StoreError(
      .missingTarget, "its target, a \(targets.modelName), does not exist; save that first",
      entity: entity.modelName, key: key, attributes: [relationship], values: target)
  }
}
