package import ORMCore
internal import ORMRows
internal import ORMStorage

// Entities that come with their rows, and go without: for tools that have no program's schema.
extension StoreLocation {
  /// Opens the store with entities that it lacks, and fills them in the transaction that adds them: it
  /// has both or, after a failure or the end of the process at any time, neither.
  ///
  /// - Parameters:
  ///   - schema: the entities.
  ///   - isNew: true for a store that is not there yet. It is made first, without entities.
  ///   - options: the options of the store; its schema policy is that of the addition.
  ///   - body: writes the rows to a store that has the entities, on the calling thread. It may run again
  ///     after a conflict with other writers.
  /// - Returns: the store, and the result of the closure.
  /// - Throws: the errors of opening and of the closure; `busy` while a migration is under way.
  package func open<Result>(
    adding schema: Schema, isNew: Bool, options: StoreOptions = StoreOptions(),
    filling body: @escaping (any Store) throws -> Result
  ) throws -> (store: any Store, result: Result) {
    if isNew, kind.isDurable { try open(schema: Schema(entities: [])).close() }
    let entities = schema.stored.entities.map(\.name)
    var result: Result?
    let migration = NestedMigration(if: { stored in
      entities.contains { stored.index(of: $0) == nil }
    }) { transaction, _ in
      try transaction.schema.checkIsNotBeingMigrated()
      try transaction.change(
        SchemaComparison.compare(stored: transaction.schema, declared: schema.stored))
      result = try body(MigrationStore(transaction.writer(), transaction.schema))
    }
    var options = options
    options.schemaPolicy = .migrate(migration)
    let store = try open(schema: schema, options: options)
    if let result, migration.hasRun { return (store, result) }
    do {
      // A new store in memory, or another process has added the entities.
      return (store, try body(store))
    } catch {
      try? store.close()
      throw error
    }
  }

  /// Removes an entity if it has no rows.
  ///
  /// - Throws: the errors of opening and of a count.
  package func removeEmpty(_ entity: String) throws {
    let migration = NestedMigration { transaction, _ in
      guard let root = transaction.schema.entity(named: entity)?.name,
        try MigrationStore(transaction.writer(), transaction.schema).write({
          try $0.count(DynamicQuery(entity, deleted: .included))
        }) == 0
      else { return }
      var union = transaction.schema
      union.entities.removeAll { $0.name == root }
      var changes = SchemaChanges(union: union)
      changes.droppedEntities = [root]
      try transaction.change(changes)
    }
    var options = StoreOptions()
    options.schemaPolicy = .migrate(migration)
    try open(schema: Schema(entities: []), options: options).close()
  }
}
