internal import ORMRows
internal import ORMStorage

// Rows that other programs change while a migration runs (clause 10.19).
extension MigrationRun {
  /// Copies the rows again that others have changed since they were copied.
  ///
  /// It takes as many transactions as it needs. Afterwards the copies are the entities as of the last.
  func copyChangedRows(_ parts: MigrationParts) throws {
    var limit: Int?
    repeat {
      limit = parts.beginRound(of: try changedRows(parts))
      try takeRows(parts, limit) { $0.modelName }
      if limit != nil { try parts.pauseIfDue() }
    } while limit != nil
  }

  /// Takes the rows into the finished copies that others have changed since they were copied: runs the
  /// plan over copies of them alone.
  ///
  /// Throws the pause after a part of them, and returns in the last transaction, which takes the rest.
  func catchUp(_ parts: MigrationParts, _ outline: MigrationOutline) throws {
    // A transaction that catches up begins with the names that there are between transactions.
    if parts.isInside { throw MigrationParts.Pause() }
    let (copied, current) = (parts.schema, parts.current)
    let limit = parts.beginRound(of: try changedRows(parts))
    var copies: [String: StoredEntity] = [:]
    for copy in copied.copies(current) {
      if let before = try outline.draft.nameBefore(of: copy.modelName) { copies[before] = copy }
    }
    try transaction.change(copied.catchingUp(current))
    try takeRows(parts, limit) { original in
      copies[original.name].map { $0.modelName + MigrationEntity.copySuffix }
    }
    try MigrationRun(transaction, declared, options)
      .runStepsAlone(of: outline.versions.map(\.version))
    do {
      try flatStore().operation { tx in
        try tx.savepoint { tx in
          for copy in copies.values { try tx.putRows(of: copy) }
        }
      }
    } catch let error as StoreError where error.code == .duplicate && limit != nil {
      // The row that has the value may have changed too, so the next round takes all.
      try flatStore().operation { tx in
        for (name, copy) in copies { try tx.listKeys(of: copy, in: name) }
      }
      parts.endRounds()
    }
    try transaction.change(copied.caughtUp(current))
    if limit != nil { throw MigrationParts.Pause() }
    parts.isLast = true
  }

  /// The number of rows that others have changed and that were not taken.
  private func changedRows(_ parts: MigrationParts) throws -> Int {
    var count = 0
    try flatStore().operation { tx in
      for entity in parts.schema.originals {
        count += try tx.count(
          DynamicQuery(entity.modelName + MigrationEntity.keyListSuffix, deleted: .included))
      }
    }
    return count
  }

  /// Takes listed rows into the copies of their entities.
  ///
  /// - Parameter former: the entity from which such rows are removed, by its name in the program.
  private func takeRows(
    _ parts: MigrationParts, _ limit: Int?, removingFrom former: (StoredEntity) -> String?
  ) throws {
    var left = limit ?? .max
    try flatStore().operation { tx in
      for entity in parts.schema.originals {
        let count = try tx.takeChangedRows(of: entity, removingFrom: former(entity), limit: left)
        parts.didTake(count)
        left -= count
      }
    }
  }

  private func flatStore() throws -> MigrationStore {
    MigrationStore(try transaction.writer(), transaction.schema, isFlat: true)
  }
}

extension WriteTransaction {
  /// Copies rows whose keys are listed from the original of an entity into its copy, and takes the keys
  /// from the list.
  ///
  /// - Parameters:
  ///   - entity: the entity.
  ///   - former: the entity that has the rows as they were copied before.
  ///   - limit: the most keys that are taken.
  /// - Returns: the number of keys.
  fileprivate func takeChangedRows(
    of entity: StoredEntity, removingFrom former: String?, limit: Int
  ) throws -> Int {
    func stored(_ name: String) throws -> StoredEntity { try EntityPlan(name, in: store).entity }
    let list = try stored(entity.modelName + MigrationEntity.keyListSuffix)
    let original = try stored(entity.modelName + MigrationEntity.originalSuffix)
    let copy = try stored(entity.modelName)
    let before = try former.map(stored)
    let columns = Array(original.columns.indices)
    var count = 0
    while count < limit {
      var query = DynamicQuery(list.modelName, deleted: .included)
      query.limit = Swift.min(limit - count, KeyLists.size)
      let keys = try fetch(query).map { row in list.keyAttributes.map { row[$0] } }
      if keys.isEmpty { break }
      count += keys.count
      try deleteRows(of: list, where: list.key, in: keys)
      if let before { try deleteRows(of: before, where: before.key, in: keys) }
      let rows = try rows(of: original, where: original.key, in: keys, output: columns)
      try put(
        FullRows(rows, set: columns), PutRequest(entity: copy.name, mode: .insert), entity: copy,
        isCopy: true)
    }
    if count > 0, original.generatesKeys, let greatest = try live().greatestKey(of: original.name) {
      for target in [copy, before].compactMap({ $0 }) {
        try writing().raiseGreatestKey(of: target.name, to: greatest)
      }
    }
    return count
  }

  /// Inserts the rows of a copy into the finished copy.
  fileprivate func putRows(of copy: StoredEntity) throws {
    let source = try EntityPlan(copy.modelName, in: store).entity
    let target = try EntityPlan(copy.modelName + MigrationEntity.copySuffix, in: store).entity
    let columns = Array(target.columns.indices)
    let sources = try target.columns.map { try source.column(named: $0.attribute) as Int }
    try valueBatches(
      of: source, reading: Array(source.columns.indices), where: .constant(true)
    ) { rows in
      try put(
        FullRows(rows.map { row in sources.map { row[$0] } }, set: columns),
        PutRequest(entity: target.name, mode: .insert), entity: target, isCopy: true)
    }
  }

  /// Lists the keys of the rows of a copy again.
  fileprivate func listKeys(of copy: StoredEntity, in name: String) throws {
    guard
      let list = store.schema.entities.first(where: {
        $0.name == name + MigrationEntity.keyListSuffix
      })
    else { return }
    let source = try EntityPlan(copy.modelName, in: store).entity
    try valueBatches(of: source, reading: source.key, where: .constant(true)) { rows in
      try put(
        FullRows(rows.map { row in source.key.map { row[$0] } }, set: list.key),
        PutRequest(entity: list.name, mode: .insertMissing), entity: list, isCopy: true)
    }
  }
}
