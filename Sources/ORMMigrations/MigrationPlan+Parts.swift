internal import ORMRows
internal import ORMStorage

// The choice between one transaction and many.
extension MigrationPlan {
  /// Returns the part of a migration of many transactions that runs in a transaction; nil if the whole
  /// migration does.
  ///
  /// A migration that the store has begun goes on. The progress of another plan is removed.
  func parts(
    in transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationParts? {
    let isBegun = transaction.schema.isBeingMigrated
    if options.mode == .atomic, !isBegun { return nil }
    let digest = try digest(from: transaction.schema.withoutMigration, to: declared)
    if isBegun {
      let state = try MigrationParts.state(in: transaction)
      if let state, state.digest == digest {
        return MigrationParts(
          transaction, state, options, isOnline: !transaction.schema.refusesWriters)
      }
      try abandon(transaction)
    }
    if options.mode == .atomic { return nil }
    let extent = try RewrittenEntities(self, from: transaction.schema, to: declared)
    if extent.written.isEmpty { return nil }
    let rows = try extent.rows(in: transaction)
    guard options.mode == .resumable || rows >= options.atomicRows else { return nil }
    return MigrationParts(
      transaction,
      .init(digest: digest, copied: extent.changed.sorted(), rowsAbout: rows), options,
      isOnline: options.access == .online)
  }

  /// The digest of the versions to be run and of the schemas at both ends.
  private func digest(from stored: StoredSchema, to declared: StoredSchema) throws -> String {
    var ends = [stored, declared]
    for end in ends.indices { ends[end].entities.removeAll(where: \.holdsHistory) }
    let steps = try versions(from: stored, to: declared).map { try $0.digest() }
    return try SHA256.digits(ofJSON: steps + ends.map { try SHA256.digits(ofJSON: $0) })
  }
}

/// The entities that a plan rewrites, by their stored names before it.
struct RewrittenEntities {
  /// The entities that have other rows, columns, indexes or names afterwards.
  let changed: Set<String>
  /// The entities whose rows steps write, each as often as a step does.
  let written: [String]
  private let stored: StoredSchema

  /// Follows the steps without data.
  ///
  /// - Throws: `invalidPlan`.
  init(
    _ plan: MigrationPlan, from stored: StoredSchema, to declared: StoredSchema
  ) throws {
    self.stored = stored
    var outline = try MigrationOutline(plan.versions(from: stored, to: declared), from: stored)
    try outline.finish(as: declared, from: stored)
    written = outline.written
    changed = outline.changed.union(written)
  }

  /// The number of rows that are copied and written.
  func rows(in transaction: any SchemaTransaction) throws -> Int {
    let store = MigrationStore(try transaction.writer(), transaction.schema, isFlat: true)
    var counts: [String: Int] = [:]
    try store.operation { tx in
      for name in changed {
        guard let entity = stored[name] else { continue }
        counts[name] = try tx.count(DynamicQuery(entity.modelName, deleted: .included))
      }
    }
    return counts.values.reduce(0, +) + written.reduce(0) { $0 + (counts[$1] ?? 0) }
  }
}
