internal import ORMStorage

/// Opens the store that a map holds: makes it, or brings it to the declared schema.
struct StoreOpening {
  private let map: any OrderedStore
  private let options: StoreOptions
  private let opening: SchemaOpening
  private let hasChecksums: Bool

  private let program: StoredSchema?

  /// An opening for a declared schema; without one, for the schema that the map holds.
  init(
    _ map: any OrderedStore, _ program: StoredSchema?, _ options: StoreOptions,
    hasChecksums: Bool, file: (any StoreFile)? = nil
  ) {
    self.map = map
    self.program = program
    var options = options
    // Without a declared schema there is nothing to migrate to.
    if program == nil { options.schemaPolicy = .additive }
    self.options = options
    opening = SchemaOpening(options, file: file)
    self.hasChecksums = hasChecksums
  }

  /// Opens the store, and returns its layout.
  func run() throws -> StoreLayout {
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    guard let catalog = try Catalog.read(from: snapshot) else {
      snapshot.end()
      guard let program, !options.isReadOnly else {
        throw StoreError(.notADatabase, "the file holds no store")
      }
      return try change(program)
    }
    let overflowKeys = try catalog.overflowKeys(limit: map.maximumKeyLength)
    let declared = (program ?? catalog.schema).keepingHistory(options, of: catalog.schema)
    if try opening.needsMigration(from: catalog.schema, to: declared) {
      snapshot.end()
      return try change(declared)
    }
    let changes = try opening.additions(from: catalog.schema, to: declared)
    if try !options.isReadOnly && CatalogEvolution(catalog, changes).isNeeded {
      snapshot.end()
      return try change(declared)
    }
    if !changes.derivedColumns.isEmpty {
      throw StoreError(
        .schemaMismatch,
        "the store lacks values of derived attributes that the program declares, and it is "
          + "read-only")
    }
    return try StoreLayout(
      catalog, declared: declared, overflowKeys: overflowKeys, isPartial: options.isReadOnly)
  }

  /// Makes the store, or changes it, in one transaction; another process may have been faster.
  private func change(_ declared: StoredSchema) throws -> StoreLayout {
    try opening.write { try changeInTransaction(declared) }
  }

  /// Runs one transaction of the opening; returns nil if another is to follow.
  private func changeInTransaction(_ declared: StoredSchema) throws -> StoreLayout? {
    let batch = try map.batch(wait: options.writerWait.seconds)
    defer { batch.end() }
    let old = try Catalog.read(from: batch)
    let declared = declared.keepingHistory(options, of: old?.schema)
    let catalog: Catalog
    if let old {
      catalog = try changed(old, declared, in: batch)
    } else {
      catalog = Catalog(
        of: declared, hasChecksums: hasChecksums, longestKey: map.maximumKeyLength)
      try catalog.write(to: batch)
    }
    let layout =
      opening.goesOn
      ? nil
      : try StoreLayout(
        catalog, declared: declared,
        overflowKeys: catalog.overflowKeys(limit: map.maximumKeyLength))
    var commit = try StoreCounters.commit(in: batch)
    commit.stamp &+= 1
    commit.catalog = catalog.generation
    try StoreCounters.set(commit, in: batch)
    try batch.commit()
    return layout
  }

  /// Migrates a store where that is needed, then makes the additions that are left.
  private func changed(
    _ old: Catalog, _ declared: StoredSchema, in batch: any OrderedBatch
  ) throws -> Catalog {
    let overflowKeys = try old.overflowKeys(limit: map.maximumKeyLength)
    let transaction = try OrderedSchemaTransaction(old, in: batch, overflowKeys, options)
    let changes = try opening.changes(in: transaction, to: declared)
    if opening.goesOn { return transaction.catalog }
    let broken = try transaction.rulesBroken(by: changes)
      .map { StoreError.rowsBreaking($0.index, of: $0.entity) }
    if let error = StoreError.rowsBreaking(broken) { throw error }
    let writer = try transaction.writer()
    for change in try changes.derivedFillings(transaction.schema) { _ = try writer.apply(change) }
    return transaction.catalog
  }
}
