internal import FoundationEssentials
internal import ORMStorage

/// The steps that bring a store's catalog to another declared schema (clause 7.5).
struct CatalogEvolution {
  /// The catalog afterwards.
  private(set) var catalog: Catalog
  /// True if it is another than before.
  let isNeeded: Bool
  /// The changes that the comparison of the schemas requires.
  let changes: SchemaChanges
  private var keyspacesToClear: [Keyspace] = []
  private var indexesToBuild: [SchemaChanges.Part] = []

  /// Works out what has to be done; `schemaMismatch` when that is more than additions.
  init(
    _ old: Catalog, _ declared: StoredSchema, policy: StoreOptions.SchemaPolicy
  ) throws {
    let changes = try SchemaComparison.compare(
      stored: old.schema, declared: declared, policy: policy)
    self.changes = changes
    catalog = old
    let now = Date()
    catalog.schema = StoredSchema(entities: [], version: changes.union.version)
    catalog.schema.migrations = changes.union.migrations
    catalog.places = []
    for entity in changes.union.entities {
      guard let position = old.schema.index(of: entity.name) else {
        catalog.add(entity)
        continue
      }
      let before = old.schema.entities[position]
      var place = old.places[position]
      var fillings = try old.fillings(ofEntityAt: position)
      for column in entity.columns.dropFirst(before.columns.count) {
        fillings.append(column.filling(at: now))
      }
      place.fillings = Catalog.encode(fillings)
      let isStale = old.unicodeVersion != TextFolding.unicodeVersion
      place.indexes = []
      for index in entity.indexes {
        let keyspace = zip(before.indexes, old.places[position].indexes).first { $0.0 == index }?.1
        let isFolded = index.terms.contains { $0.form == .caseFolded }
        if let keyspace, !(isFolded && isStale) {
          place.indexes.append(keyspace)
        } else {
          place.indexes.append(catalog.takeKeyspace())
          indexesToBuild.append(.init(entity.name, index.name))
        }
      }
      keyspacesToClear += old.places[position].indexes.filter { !place.indexes.contains($0) }
      catalog.schema.entities.append(entity)
      catalog.places.append(place)
    }
    catalog.unicodeVersion = TextFolding.unicodeVersion
    isNeeded = catalog != old
    if isNeeded { catalog.generation &+= 1 }
  }

  /// Builds and drops indexes; the catalog itself is written by the caller.
  func perform(in batch: any OrderedBatch, _ overflowKeys: OverflowKeys) throws {
    for keyspace in keyspacesToClear { try batch.removeAll(in: keyspace) }
    guard !indexesToBuild.isEmpty else { return }
    let layout = try StoreLayout(catalog, declared: catalog.schema, overflowKeys: overflowKeys)
    var failures: [StoreError] = []
    for part in indexesToBuild {
      let entity = try layout.entity(part.entity)
      guard let index = entity.indexes.first(where: { $0.index.name == part.name }) else {
        continue
      }
      do {
        try build(index, of: entity, in: batch)
      } catch let error as StoreError where error.code == .duplicate {
        failures.append(.rowsBreaking(index.index, of: entity.declared))
      }
    }
    if let error = StoreError.rowsBreaking(failures) { throw error }
  }

  private func build(
    _ index: IndexStorage, of entity: EntityStorage, in batch: any OrderedBatch
  ) throws {
    guard let keyspace = entity.keyspace else { return }
    var queue = EntryQueue(index, of: entity, in: batch)
    var entries = EntryList()
    var row = RecordView(entity.layout)
    let cursor = KeyCursor(try batch.cursor(in: keyspace), entity.overflowKeys)
    var stands = try cursor.seek(UnsafeRawBufferPointer(start: nil, count: 0))
    while stands {
      guard entity.layout.isWhole(cursor.value, under: cursor.key, in: keyspace),
        row.move(to: cursor.value)
      else { throw entity.damaged(cursor.key) }
      entries.clear()
      try entries.append(index, of: row, key: cursor.key)
      let isRuled = index.index.isUnique && !entries.isExempt
      try entries.forEach { entry, ruled in try queue.add(entry, ruled: isRuled ? ruled : 0) }
      stands = try cursor.next()
    }
    try queue.finish()
  }
}
