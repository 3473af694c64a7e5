internal import ORMValues

/// Copies before a migration, and the space on the disk that both need (clause 10.14).
extension SchemaOpening {
  /// Returns the copy to be made before a migration, or that was made before its first part; nil if none
  /// is.
  ///
  /// - Throws: `full` if the volume has too little space for the copy and the migration.
  func backup(
    for migration: any SchemaMigration, in transaction: any SchemaTransaction,
    to declared: StoredSchema
  ) throws -> StoreBackup? {
    guard let file else { return nil }
    let extent = try migration.extent(from: transaction.schema, to: declared)
    let isAsked =
      switch options.migration.backup {
      case .none: false
      case .beforeLoss: extent.losesData
      case .always: true
      }
    guard isAsked || extent.entities?.isEmpty != true else { return nil }
    let rows = StoredRows(try transaction.writer(), transaction.schema)
    guard try rows.exist() else { return nil }
    let backup = StoreBackup(of: file, before: declared.version ?? 0)
    if try transaction.schema.isBeingMigrated && backup.exists() { return backup }
    try checkSpace(file, isCopied: isAsked, extent, rows)
    return isAsked ? backup : nil
  }

  /// Throws `full` if the volume has too little space.
  ///
  /// Rows that are written anew are supposed to take twice the space that they have: once in a log or
  /// in new pages, and once in the file.
  private func checkSpace(
    _ file: any StoreFile, isCopied: Bool, _ extent: MigrationExtent, _ rows: StoredRows
  ) throws {
    guard let free = options.freeSpace(FileSystem.folder(of: file.path)) else { return }
    let size = try file.size()
    let copy = isCopied ? size : 0
    if free / 3 >= size { return }
    let share = try rows.share(of: extent.entities)
    let needed = Double(copy) + 2 * Double(size) * share
    if Double(free) >= needed { return }
    throw StoreError(
      .full,
      "the migration needs about \(Self.megabytes(needed)) MB of free disk space"
        + (isCopied ? ", a copy of the store among it," : "")
        + " and the volume has \(Self.megabytes(Double(free))) MB; nothing was changed")
  }

  /// A number of bytes in megabytes with one decimal, rounded up.
  private static func megabytes(_ bytes: Double) -> Double {
    (bytes / 100_000).rounded(.up) / 10
  }

  /// Removes former copies beyond the configured number; a failure is reported and not thrown,
  /// since the migration is done.
  func removeOlder(than backup: StoreBackup) {
    switch options.migration.backup {
    case .none: break
    case .beforeLoss(let count), .always(let count):
      do { try backup.removeOlder(keeping: count) } catch { options.onError?(error) }
    }
  }
}

/// The rows of a store that is about to be migrated.
private struct StoredRows {
  let reader: any StoreReader
  let schema: StoredSchema

  init(_ reader: any StoreReader, _ schema: StoredSchema) {
    self.reader = reader
    self.schema = schema
  }

  /// Returns whether there is any row.
  func exist() throws -> Bool {
    for entity in schema.entities {
      var visitor = FirstValue()
      let key = entity.columns[entity.key.first ?? 0].attribute
      try reader.visit(
        FetchRequest(of: entity, output: .values([.attribute(key)]), limit: 1), &visitor)
      if visitor.hasRow { return true }
    }
    return false
  }

  /// Returns the part of all rows that are those of some entities, from 0 to 1.
  func share(of entities: Set<String>?) throws -> Double {
    guard let entities else { return 1 }
    var (part, all) = (0.0, 0.0)
    for entity in schema.entities {
      let count = try count(entity)
      all += count
      if entities.contains(entity.name) { part += count }
    }
    return all == 0 ? 0 : part / all
  }

  private func count(_ entity: StoredEntity) throws -> Double {
    var visitor = FirstValue()
    try reader.visit(
      FetchRequest(entity: entity.name, output: .aggregates([Aggregate(.count)])), &visitor)
    return Double(visitor.number)
  }
}

/// Takes the first column of the first row.
private struct FirstValue: RowVisitor {
  var hasRow = false
  var number: Int64 = 0

  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
    hasRow = true
    if case .int(let value) = try row.value(at: 0) { number = value }
    return .stop
  }
}
