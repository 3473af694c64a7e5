internal import FoundationEssentials
internal import ORMStorage

/// Opens the store that a map holds: makes it, or brings it to the declared schema.
struct StoreOpening {
  private let map: any OrderedStore
  private let options: StoreOptions
  private let opening: SchemaOpening
  private let hasChecksums: Bool
  /// True if others may write while indexes are built.
  private let isShared: Bool
  private let program: StoredSchema?

  /// An opening for a declared schema; without one, for the schema that the map holds.
  init(
    _ map: any OrderedStore, _ program: StoredSchema?, _ options: StoreOptions,
    hasChecksums: Bool, isShared: Bool = true, file: (any StoreFile)? = nil
  ) {
    self.map = map
    self.program = program
    self.isShared = isShared
    var options = options
    // Without a declared schema there is nothing to migrate to.
    if program == nil { options.schemaPolicy = .additive }
    self.options = options
    opening = SchemaOpening(options, file: file)
    self.hasChecksums = hasChecksums
  }

  /// Opens the store, and returns its layout.
  ///
  /// Indexes of large entities are built after the other changes, in transactions of their own. If
  /// another program takes them away meanwhile, the opening begins again.
  func run() throws -> StoreLayout {
    while true {
      let layout = try fitting()
      let parts = parts(of: layout.catalog, for: layout.declared)
      // Beside a migration that admits writers, an index in building waits for the next opening.
      if options.isReadOnly || parts.isEmpty || layout.catalog.schema.admitsWritersOfMigration {
        return layout
      }
      let builder = IndexBuilder(map, options, opening, Set(parts))
      if let error = StoreError.rowsBreaking(try builder.run()) { throw error }
    }
  }

  /// The indexes in building that a program declares as they are being built; none for an older program,
  /// which changes nothing.
  private func parts(of catalog: Catalog, for declared: StoredSchema) -> [SchemaChanges.Part] {
    if isOlder(than: catalog, declared) { return [] }
    return catalog.partsInBuilding.filter { part in
      guard let building = catalog.building(part), let wanted = declared[part.entity] else {
        return false
      }
      return building.index.isDeclared(by: wanted, catalog.schema.entities[building.entity])
    }
  }

  /// Returns the unfinished indexes that this program abandons.
  ///
  /// It declares their columns and not the indexes, so it would drop them if they were finished.
  private func givenUp(in catalog: Catalog, by declared: StoredSchema) -> [SchemaChanges.Part] {
    if program == nil || isOlder(than: catalog, declared) { return [] }
    let continued = parts(of: catalog, for: declared)
    return catalog.partsInBuilding.filter { part in
      guard !continued.contains(part), let building = catalog.building(part),
        let wanted = declared[part.entity]
      else { return false }
      let columns = catalog.schema.entities[building.entity].columns
      return wanted.indexes.contains { $0.name == part.name }
        || building.index.index.terms.allSatisfy {
          wanted.column(named: columns[$0.column].name) != nil
        }
    }
  }

  private func isOlder(than catalog: Catalog, _ declared: StoredSchema) -> Bool {
    catalog.schema.admitsAsOlder(declared.version, isReadOnly: options.isReadOnly)
  }

  /// The layout of the store once it fits the program, but for indexes that are to be built.
  func fitting() throws -> StoreLayout {
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    guard let catalog = try Catalog.read(from: snapshot) else {
      snapshot.end()
      return try change(opening.creating(program))
    }
    let overflowKeys = try catalog.overflowKeys(limit: map.maximumKeyLength)
    let declared = (program ?? catalog.schema).keepingHistory(options, of: catalog.schema)
    if try opening.needsMigration(from: catalog.schema, to: declared) {
      snapshot.end()
      return try change(declared)
    }
    let changes = try opening.additions(from: catalog.schema, to: declared)
    let rest = changes.leavingOut(parts(of: catalog, for: declared))
    if try !options.isReadOnly
      && (CatalogEvolution(catalog, rest, clock: Date.init).isNeeded
        || !givenUp(in: catalog, by: declared).isEmpty)
    {
      snapshot.end()
      return try change(declared)
    }
    return try StoreLayout(catalog, declared: declared, overflowKeys: overflowKeys)
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
    let wanted = try opening.changes(in: transaction, to: declared)
    if opening.goesOn { return transaction.catalog }
    let large = try largeIndexes(of: wanted, transaction, in: batch)
    let changes = wanted.leavingOut(large.map { .init($0.entity, $0.index.name) })
    let broken = try transaction.rulesBroken(by: changes)
      .map { StoreError.rowsBreaking($0.index, of: $0.entity) }
    if let error = StoreError.rowsBreaking(broken) { throw error }
    let writer = try transaction.writer()
    for change in try changes.derivedFillings(transaction.schema) { _ = try writer.apply(change) }
    try transaction.begin(large, givingUp: givenUp(in: transaction.catalog, by: declared))
    return transaction.catalog
  }

  /// The added indexes that are to be built after the transaction: of entities with many rows, and those
  /// that are being built already.
  ///
  /// After a migration, unique ones are built at once, so that all is undone if rows break them.
  private func largeIndexes(
    of changes: SchemaChanges, _ transaction: OrderedSchemaTransaction, in batch: any OrderedBatch
  ) throws -> [(index: StoredIndex, entity: String)] {
    guard isShared, !transaction.schema.isBeingMigrated else { return [] }
    let catalog = transaction.catalog
    return try changes.addedIndexes.compactMap { part in
      guard changes.nameBefore(ofEntity: part.entity) == part.entity,
        let position = catalog.schema.index(of: part.entity),
        let (index, _) = changes.addition(part), !(opening.hasMigrated && index.isUnique)
      else { return nil }
      let rows = try batch.count(of: catalog.keyspaces[position].rows)
      let isBegun = catalog.building(part)?.index.index == index
      guard isBegun || rows >= options.migration.onlineIndexRows else { return nil }
      return (index, part.entity)
    }
  }
}
