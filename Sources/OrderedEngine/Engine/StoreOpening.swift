internal import ORMStorage

/// Opens the store that a map holds: makes it, or brings it to the declared schema.
struct StoreOpening {
  private let map: any OrderedStore
  private let options: StoreOptions
  private let hasChecksums: Bool

  init(_ map: any OrderedStore, _ options: StoreOptions, hasChecksums: Bool) {
    self.map = map
    self.options = options
    self.hasChecksums = hasChecksums
  }

  /// The layout for a declared schema; without one, for the schema that the map holds.
  func run(declared: StoredSchema?) throws -> StoreLayout {
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    if let catalog = try Catalog.read(from: snapshot) {
      let overflowKeys = try catalog.overflowKeys(limit: map.maximumKeyLength)
      let declared = (declared ?? catalog.schema).keepingHistory(options, of: catalog.schema)
      let evolution = try CatalogEvolution(catalog, declared, policy: options.schemaPolicy)
      if evolution.isNeeded && !options.isReadOnly {
        snapshot.end()
        return try change(declared)
      }
      if !evolution.changes.derivedColumns.isEmpty {
        throw StoreError(
          .schemaMismatch,
          "the store lacks values of derived attributes that the program declares, and it is "
            + "read-only")
      }
      return try StoreLayout(
        catalog, declared: declared, overflowKeys: overflowKeys, isPartial: options.isReadOnly)
    }
    snapshot.end()
    guard let declared, !options.isReadOnly else {
      throw StoreError(.notADatabase, "the file holds no store")
    }
    return try change(declared)
  }

  /// Makes the store, or changes it, in one transaction; another process may have been faster.
  private func change(_ declared: StoredSchema) throws -> StoreLayout {
    let batch = try map.batch(wait: options.writerWait.seconds)
    defer { batch.end() }
    let catalog: Catalog
    var fillings: [StoreChange] = []
    let old = try Catalog.read(from: batch)
    let declared = declared.keepingHistory(options, of: old?.schema)
    if let old {
      let evolution = try CatalogEvolution(old, declared, policy: options.schemaPolicy)
      try evolution.perform(in: batch, old.overflowKeys(limit: map.maximumKeyLength))
      catalog = evolution.catalog
      fillings = try evolution.changes.derivedFillings(declared)
    } else {
      catalog = Catalog(
        of: declared, hasChecksums: hasChecksums, longestKey: map.maximumKeyLength)
    }
    let overflowKeys = try catalog.overflowKeys(limit: map.maximumKeyLength)
    let layout = try StoreLayout(catalog, declared: declared, overflowKeys: overflowKeys)
    try catalog.write(to: batch)
    try apply(fillings, in: batch, layout, overflowKeys)
    var commit = try StoreCounters.commit(in: batch)
    commit.stamp &+= 1
    commit.catalog = catalog.generation
    try StoreCounters.set(commit, in: batch)
    try batch.commit()
    return layout
  }

  /// Changes rows in the transaction that changes the catalog.
  private func apply(
    _ changes: [StoreChange], in batch: any OrderedBatch, _ layout: StoreLayout,
    _ overflowKeys: OverflowKeys
  ) throws {
    if changes.isEmpty { return }
    let view = StoreView(batch, LayoutCache(layout, overflowKeys: overflowKeys, isShared: false))
    var keys = KeyGenerator(batch)
    var operation = ApplyOperation(batch, view, maximumValueSize: options.maximumValueSize)
    for change in changes { _ = try operation.run(change, &keys) }
  }
}
