internal import ORMStorage

/// Builds indexes of an opened map beside writers, in transactions that each commit.
///
/// Rows are read in snapshots. Their entries are sorted outside of transactions, written in runs, and
/// merged into the index in the order of their bytes. Each transaction writes the prepared entries, with
/// the state of the work, if that state has not changed since they were prepared. So several programs may
/// build at once, and a kill loses one transaction.
struct IndexBuilder {
  private let map: any OrderedStore
  private let options: StoreOptions
  private let opening: SchemaOpening
  private let parts: Set<SchemaChanges.Part>

  /// A builder of some indexes; those that are not being built are left out.
  init(
    _ map: any OrderedStore, _ options: StoreOptions, _ opening: SchemaOpening,
    _ parts: Set<SchemaChanges.Part>
  ) {
    self.map = map
    self.options = options
    self.opening = opening
    self.parts = parts
  }

  /// Builds the indexes, and returns the errors of unique rules that rows break; these are not added.
  func run() throws -> [StoreError] {
    var broken: [StoreError] = []
    while true {
      let start = ContinuousClock.now
      let (goesOn, error) = try step()
      if let error { broken.append(error) }
      if !goesOn { return broken }
      try opening.rest(after: ContinuousClock.now - start)
    }
  }

  /// Does a part of the work; false if nothing is left.
  func step() throws -> (goesOn: Bool, broken: StoreError?) {
    let snapshot = try map.snapshot()
    defer { snapshot.end() }
    guard let part = try IndexPart(parts, of: snapshot, map) else { return (false, nil) }
    switch part.state.phase {
    case .sorting:
      var entries = SortedEntries()
      let next = try read(part, in: snapshot, &entries)
      snapshot.end()
      try entries.sort()
      try write(part) { batch in
        try entries.forEachBlock {
          try part.work.write($1, run: part.state.runs, number: $0, in: batch)
        }
        try part.work.set(next, in: batch)
      }
    case .merging:
      var entries = SortedEntries()
      let next = try merge(part, in: snapshot, &entries)
      snapshot.end()
      try write(part) { batch in
        let isMarked = try part.work.hasRemovals(in: batch)
        var queue = EntryQueue(part.index, of: part.entity, in: batch)
        try entries.forEach { entry, ruled in
          if isMarked, try part.work.wasRemoved(entry, in: batch) { return }
          try queue.insertUnchecked(entry, ruled: ruled)
        }
        try part.work.set(next, in: batch)
      }
    case .complete:
      snapshot.end()
      var broken: StoreError?
      try write(part) { batch in broken = try end(part, in: batch) }
      return (true, broken)
    }
    return (true, nil)
  }

  /// Reads rows behind the last one that was read, and returns the state afterwards.
  private func read(
    _ part: IndexPart, in snapshot: any OrderedSnapshot, _ entries: inout SortedEntries
  ) throws -> IndexWorkState {
    var next = part.state
    let entity = part.entity
    var row = RecordView(entity.layout)
    var list = EntryList()
    var last = ByteBuffer()
    let cursor = KeyCursor(try snapshot.cursor(in: part.rows), entity.overflowKeys)
    var stands = try next.lastRow.withUnsafeBytes { lastRow in
      let stands = try cursor.seek(lastRow)
      guard stands, !lastRow.isEmpty, cursor.key.elementsEqual(lastRow) else { return stands }
      return try cursor.next()
    }
    var check = StopCheck()
    while stands, entries.size < options.migration.indexRunSize {
      try check.step()
      guard entity.layout.isWhole(cursor.value, under: cursor.key, in: part.rows),
        row.move(to: cursor.value)
      else { throw entity.damaged(cursor.key) }
      list.clear()
      try list.append(part.index, of: row, key: cursor.key)
      let isRuled = part.index.index.isUnique && !list.isExempt
      list.forEach { entry, ruled in entries.add(entry, ruled: isRuled ? ruled : 0) }
      last.truncate()
      last.append(cursor.key)
      stands = try cursor.next()
    }
    if last.count > 0 { next.lastRow = Array(last.bytes) }
    if !entries.isEmpty { next.runs += 1 }
    if !stands {
      next.phase = next.runs > 0 ? .merging : .complete
      next.positions = Array(repeating: .init(), count: next.runs)
      next.lastRow = []
    }
    return next
  }

  /// Takes entries of all runs in their order, and returns the state afterwards.
  private func merge(
    _ part: IndexPart, in snapshot: any OrderedSnapshot, _ entries: inout SortedEntries
  ) throws -> IndexWorkState {
    var next = part.state
    var runs = try MergedRuns(from: next.positions, of: part.work, in: snapshot)
    var goesOn = true
    var check = StopCheck()
    while goesOn, entries.size < options.migration.indexMergeSize {
      try check.step()
      goesOn = try runs.next { entries.add($0.entry, ruled: $0.ruled) }
    }
    next.phase = goesOn ? .merging : .complete
    next.positions = goesOn ? runs.positions : []
    return next
  }

  /// Makes the index one of the entity's own; if rows break its unique rule, it is removed, and the
  /// error returned.
  ///
  /// It is also removed if another entity has got an index of its name meanwhile.
  private func end(_ part: IndexPart, in batch: any OrderedBatch) throws -> StoreError? {
    var isBroken = false
    if part.index.index.isUnique {
      let cursor = KeyCursor(
        try batch.cursor(in: part.index.keyspace), part.index.overflowKeys)
      try part.work.forEachSuspect(in: batch) { bytes in
        isBroken =
          try cursor.seek(bytes) && cursor.key.starts(with: bytes) && cursor.next()
          && cursor.key.starts(with: bytes)
        return !isBroken
      }
    }
    var catalog = part.catalog
    let isTaken = catalog.schema.entities.contains { entity in
      entity.indexes.contains { $0.name == part.part.name }
    }
    let isFinished = !isBroken && !isTaken
    catalog.end(part.part, isFinished: isFinished)
    catalog.generation &+= 1
    try batch.removeAll(in: part.work.keyspace)
    if !isFinished { try batch.removeAll(in: part.index.keyspace) }
    try catalog.write(to: batch)
    var commit = try StoreCounters.commit(in: batch)
    commit.stamp &+= 1
    commit.catalog = catalog.generation
    try StoreCounters.set(commit, in: batch)
    return isBroken ? .rowsBreaking(part.index.index, of: part.entity.declared) : nil
  }

  /// Runs a transaction, unless the catalog or the state of the work has changed meanwhile.
  private func write(_ part: IndexPart, _ body: (any OrderedBatch) throws -> Void) throws {
    let batch = try map.batch(wait: options.writerWait.seconds)
    defer { batch.end() }
    guard try StoreCounters.commit(in: batch).catalog == part.catalog.generation,
      try part.work.state(in: batch) == part.state
    else { return }
    try body(batch)
    try batch.commit()
  }
}

/// An index that is being built, as a snapshot shows it.
struct IndexPart {
  let part: SchemaChanges.Part
  let catalog: Catalog
  let entity: EntityStorage
  /// The keyspace of the rows.
  let rows: Keyspace
  let index: IndexStorage
  let work: IndexWork
  let state: IndexWorkState

  /// The first of some indexes that is being built; nil if none is.
  ///
  /// - Throws: `busy` while a migration is under way; `corrupt`.
  init?(
    _ parts: Set<SchemaChanges.Part>, of snapshot: any OrderedSnapshot, _ map: any OrderedStore
  ) throws {
    guard let catalog = try Catalog.read(from: snapshot) else { throw Catalog.damaged }
    guard let part = catalog.partsInBuilding.first(where: { parts.contains($0) }) else {
      return nil
    }
    if catalog.schema.isBeingMigrated { throw StoredSchema.isBeingMigrated }
    let overflowKeys = try catalog.overflowKeys(limit: map.maximumKeyLength)
    let layout = try StoreLayout(catalog, declared: catalog.schema, overflowKeys: overflowKeys)
    let entity = try layout.entity(part.entity)
    guard let index = entity.building.first(where: { $0.index.name == part.name }),
      let work = index.work, let rows = entity.keyspace
    else { throw Catalog.damaged }
    self.part = part
    self.catalog = catalog
    self.entity = entity
    self.rows = rows
    self.index = index
    self.work = work
    state = try work.state(in: snapshot)
  }
}
