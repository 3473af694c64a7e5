internal import ORMStorage

/// The indexes of an opening that the database builds outside of transactions, beside writers.
///
/// Each is built under another name, and gets its own in the transaction that adds it to the schema. So a
/// kill leaves an index that no program knows, and that an opening removes.
///
/// An opening uses one on its own thread.
final class SQLOnlineIndexes {
  private let connection: any SQLConnection
  /// The connection as one that builds indexes so; nil for others.
  private let building: (any IndexBuildingConnection)?
  private let dialect: any SQLDialect
  private let options: StoreOptions
  /// The indexes that the last transaction has left out, to be built.
  private var left: [Index] = []
  /// The index that was built last.
  private var built: Index?
  /// The indexes whose unique rules rows break, with the errors.
  private var broken: [SchemaChanges.Part: StoreError] = [:]
  /// The indexes with values that are too long for an entry, which a transaction makes with overflow keys.
  private var overflowing: Set<SchemaChanges.Part> = []
  /// True while other programs are prevented from building indexes.
  private var isBuilding = false
  /// The number of times that the server has ended a build.
  private var attempts = 0

  /// The most times that the opening begins a build again.
  private static var mostAttempts: Int { 100 }

  private struct Index: Equatable {
    var part: SchemaChanges.Part
    var name: String
    /// The statement that builds it.
    var sql: String
    var error: StoreError
  }

  init(_ connection: any SQLConnection, _ dialect: any SQLDialect, _ options: StoreOptions) {
    self.connection = connection
    building = connection as? any IndexBuildingConnection
    self.dialect = dialect
    self.options = options
  }

  /// Returns the added indexes that are not made in a transaction, and the one of the others that was
  /// built before.
  ///
  /// An index is built outside if its entity has many rows and the table has the columns of its terms;
  /// after a migration, a unique one is not, so that all is undone if rows break it.
  func choose(
    of changes: SchemaChanges, _ transaction: SQLSchemaTransaction, hasMigrated: Bool
  ) throws -> (left: [SchemaChanges.Part], built: SchemaChanges.Part?) {
    begin()
    guard let word = building?.onlineIndexWord, !transaction.schema.isBeingMigrated else {
      return ([], nil)
    }
    var done: SchemaChanges.Part?
    let after = SQLSchema(
      declared: changes.union, stored: changes.union, overflowing: transaction.layout.overflowing)
    for part in changes.addedIndexes {
      guard
        let old = transaction.layout.storedTables.first(where: { $0.stored.name == part.entity }),
        let new = after.storedTables.first(where: { $0.stored.name == part.entity }),
        let index = new.indexes.first(where: { $0.stored.name == part.name }),
        !overflowing.contains(part), !(hasMigrated && index.stored.isUnique),
        Self.canBeBuilt(index, of: new, old),
        let sql = new.creation(of: index, dialect, online: word),
        try hasManyRows(old, transaction)
      else { continue }
      let found = Index(
        part: part, name: SQLNames.building(index: index.name), sql: sql,
        error: .rowsBreaking(index.stored, of: new.stored))
      if found == built, changes.addsIndexesAlone, done == nil,
        try connection.isIndexBuilt(found.name)
      {
        done = part
      } else {
        left.append(found)
      }
    }
    return (left.map(\.part), done)
  }

  /// Returns whether the columns of an index are in the table, or are added to it without a row being
  /// written.
  private static func canBeBuilt(_ index: SQLTable.Index, of new: SQLTable, _ old: SQLTable) -> Bool
  {
    index.stored.terms.allSatisfy { term in
      let column = new.columns[term.column]
      switch term.form {
      case .value: return true
      case .elements: return false
      case .caseFolded:
        return old.columns.contains { $0.name == column.name && $0.folded == column.folded }
      }
    }
  }

  /// Returns whether a table has as many rows as the options ask for.
  private func hasManyRows(_ table: SQLTable, _ transaction: SQLSchemaTransaction) throws -> Bool {
    let entity = table.stored
    var visitor = RowCounter(atMost: 1)
    try transaction.writer().visit(
      FetchRequest(
        of: entity, output: .values([.attribute(entity.columns[entity.key[0]].attribute)]),
        limit: 1, offset: max(options.migration.onlineIndexRows - 1, 0)), &visitor)
    return visitor.count > 0
  }

  /// Builds one of the indexes that were left; false if there is none.
  ///
  /// - Throws: `schemaMismatch` when no index is left but those whose unique rules rows break.
  func buildNext() throws -> Bool {
    let rest = left.filter { broken[$0.part] == nil }
    guard let index = rest.first else {
      if let error = StoreError.rowsBreaking(left.compactMap { broken[$0.part] }) { throw error }
      return false
    }
    if !isBuilding {
      try building?.beginIndexBuilding()
      isBuilding = true
      // Another program may have built it meanwhile.
      return true
    }
    do {
      try building?.buildIndex(index.sql, named: index.name)
      built = index
    } catch let error as StoreError where error.code == .duplicate {
      broken[index.part] = index.error
    } catch let error as StoreError where error.code == .tooLarge {
      overflowing.insert(index.part)
    } catch let error as StoreError where error.code == .contended && attempts < Self.mostAttempts {
      // The server has ended it for the sake of a writer; the next round builds it again.
      attempts += 1
    }
    return true
  }

  /// Begins a look at the store, in which no index was left yet.
  func begin() { left = [] }

  /// Lets other programs build indexes.
  func end() {
    if isBuilding { building?.endIndexBuilding() }
    isBuilding = false
  }

  /// Removes unfinished indexes, if no other program builds one; a failure is reported, and the next
  /// opening does it.
  func removeUnfinished() {
    end()
    if options.isReadOnly { return }
    do { try building?.removeUnfinishedIndexes() } catch { options.onError?(error) }
  }
}

extension SchemaChanges {
  /// True if the only changes are indexes that are added.
  fileprivate var addsIndexesAlone: Bool {
    var rest = self
    rest.addedIndexes = []
    return rest.isEmpty
  }
}
