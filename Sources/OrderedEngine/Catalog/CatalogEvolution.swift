internal import FoundationEssentials
internal import ORMStorage

/// The steps that bring a store to a changed schema: the additions of an opening (clause 7.5), and the
/// changes of a migration.
///
/// Entities, columns and indexes keep their keyspaces under other names, so that a rename touches no
/// row. Columns that are dropped stay in the records, until they are too many or others are to stand in
/// their positions: then rows are rewritten. Entries are written anew where an index has other ones
/// afterwards.
struct CatalogEvolution {
  /// The most columns that were dropped and are still in the records of an entity.
  private static let mostDroppedColumns = 16

  /// A unique rule that is built and that rows break.
  typealias BrokenRule = (index: StoredIndex, entity: StoredEntity)

  /// The catalog afterwards.
  private(set) var catalog: Catalog
  /// True if it is another than before.
  var isNeeded: Bool { catalog != old }
  private let old: Catalog
  /// The keyspaces that are given before new ones, the least last: maps may have a limit.
  private var unusedKeyspaces: [Keyspace]
  private var keyspacesToClear: [Keyspace] = []
  /// The keyspaces of rows whose greatest generated keys are forgotten.
  private var droppedRows: [Keyspace] = []
  private var indexesToBuild: [SchemaChanges.Part] = []
  private var rewritings: [RecordRewriting.Step] = []

  /// Computes the steps of the change, and reads no rows.
  ///
  /// - Parameter clock: returns the timestamp that rows get in added columns whose default is the current
  ///   time; asked once where there are any.
  init(_ old: Catalog, _ changes: SchemaChanges, clock: () -> Date) throws {
    self.old = old
    catalog = old
    unusedKeyspaces = old.unusedKeyspaces.reversed()
    var known: Date?
    func now() -> Date {
      let timestamp = known ?? clock()
      known = timestamp
      return timestamp
    }
    catalog.schema = changes.union
    catalog.schema.entities = []
    catalog.keyspaces = []
    var paired: Set<Int> = []
    for entity in changes.union.entities {
      guard let name = changes.nameBefore(ofEntity: entity.name) else {
        catalog.add(entity, in: (0...entity.indexes.count).map { _ in takeKeyspace() })
        continue
      }
      guard let position = old.schema.index(of: name), paired.insert(position).inserted else {
        throw SchemaChanges.unknown("entity \(name)", entity)
      }
      try keep(EntityPairing(entity, old.schema.entities[position], changes), at: position, now)
    }
    for (position, keyspaces) in old.keyspaces.enumerated() where !paired.contains(position) {
      keyspacesToClear += keyspaces.keyspaces
      droppedRows.append(keyspaces.rows)
    }
    catalog.unicodeVersion = TextFolding.unicodeVersion
    catalog.noteFormat()
    if isNeeded { catalog.generation &+= 1 }
  }

  /// Adds an entity that the store has.
  private mutating func keep(
    _ pairing: EntityPairing, at position: Int, _ now: () -> Date
  ) throws {
    let former = old.keyspaces[position]
    var fillings = try old.fillings(ofEntityAt: position)
    let positions = old.recordPositions(ofEntityAt: position)
    var keyspaces = former
    var dropped = former.dropped ?? []
    for column in pairing.dropped {
      dropped.append(.init(position: positions[column], type: pairing.before.columns[column].type))
      fillings[positions[column]] = .null
    }
    dropped.sort { $0.position < $1.position }
    if pairing.movesColumns || dropped.count > Self.mostDroppedColumns {
      keyspaces.dropped = nil
      keyspaces.rows = takeKeyspace()
      keyspacesToClear.append(former.rows)
      let columns = pairing.columns.map { source in source.map { positions[$0] } }
      rewritings.append(
        .init(old: position, new: catalog.schema.entities.count, columns: columns))
      keyspaces.fillings = Catalog.encode(
        columns.enumerated().map { column, source in
          source.map { fillings[$0] } ?? pairing.entity.columns[column].filling(at: now())
        })
    } else {
      keyspaces.dropped = dropped.isEmpty ? nil : dropped
      let added = pairing.columns.indices.filter { pairing.columns[$0] == nil }
      keyspaces.fillings = Catalog.encode(
        fillings + added.map { pairing.entity.columns[$0].filling(at: now()) })
    }
    let isStale = old.unicodeVersion != TextFolding.unicodeVersion
    keyspaces.indexes = pairing.entity.indexes.map { index in
      let isFolded = index.terms.contains { $0.form == .caseFolded }
      if let held = pairing.indexWithSameEntries(index), !(isFolded && isStale) {
        return former.indexes[held]
      }
      indexesToBuild.append(.init(pairing.entity.name, index.name))
      return takeKeyspace()
    }
    keyspacesToClear += former.indexes.filter { !keyspaces.indexes.contains($0) }
    // A build that does not fit any more is begun again by an opening that declares the index.
    let continued = (former.building ?? []).filter { building in
      keyspaces.rows == former.rows && !isStale && pairing.keepsEntries(of: building.index)
    }
    keyspaces.building = continued.isEmpty ? nil : continued
    for building in former.building ?? [] where !continued.contains(building) {
      keyspacesToClear += [building.entries, building.work]
    }
    catalog.schema.entities.append(pairing.entity)
    catalog.keyspaces.append(keyspaces)
  }

  private mutating func takeKeyspace() -> Keyspace {
    unusedKeyspaces.popLast() ?? catalog.takeKeyspace()
  }

  /// Rewrites rows, and drops and builds indexes; the catalog itself is written by the caller.
  ///
  /// - Returns: the unique rules that rows break; where there are any, the batch is to be rolled back.
  func perform(
    in batch: any OrderedBatch, _ overflowKeys: OverflowKeys
  ) throws -> [BrokenRule] {
    if !rewritings.isEmpty {
      let former = try StoreLayout(old, declared: old.schema, overflowKeys: overflowKeys)
      let layout = try StoreLayout(catalog, declared: catalog.schema, overflowKeys: overflowKeys)
      for step in rewritings {
        try RecordRewriting(step, from: former, to: layout).run(in: batch)
      }
    }
    for rows in droppedRows { try StoreCounters.moveGreatestKey(of: rows, in: batch) }
    for keyspace in keyspacesToClear { try batch.removeAll(in: keyspace) }
    guard !indexesToBuild.isEmpty else { return [] }
    let layout = try StoreLayout(catalog, declared: catalog.schema, overflowKeys: overflowKeys)
    var broken: [BrokenRule] = []
    for part in indexesToBuild {
      let entity = try layout.entity(part.entity)
      guard let index = entity.indexes.first(where: { $0.index.name == part.name }) else {
        continue
      }
      do {
        try index.build(over: entity, in: batch)
      } catch let error as StoreError where error.code == .duplicate {
        broken.append((index.index, entity.declared))
      }
    }
    return broken
  }
}
