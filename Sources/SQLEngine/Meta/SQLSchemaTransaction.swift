internal import FoundationEssentials
internal import ORMStorage

/// The write transaction in which the schema that a database keeps changes, and its tables with it.
///
/// Every change is made by it: the additions of an opening as well as the steps of a migration. The caller
/// has begun the transaction and ends it.
final class SQLSchemaTransaction: SchemaTransaction {
  private let connection: any SQLConnection
  private let dialect: any SQLDialect
  private let options: StoreOptions
  private let verifiesRows: Bool
  /// The timestamp that rows get in added columns whose default is the current time.
  private lazy var timestamp = options.timestamp
  private var current: SQLWriter?
  /// The layout as of the last change, with every stored entity declared.
  private(set) var layout: SQLSchema

  init(
    _ connection: any SQLConnection, _ dialect: any SQLDialect, _ options: StoreOptions,
    _ layout: SQLSchema, verifiesRows: Bool
  ) {
    self.connection = connection
    self.dialect = dialect
    self.options = options
    self.layout = layout
    self.verifiesRows = verifiesRows
  }

  var schema: StoredSchema { layout.stored }

  func change(_ changes: SchemaChanges) throws {
    let broken = try rulesBroken(by: changes, addingChecksums: false, built: nil)
    if let error = StoreError.duplicate(breaking: broken) { throw error }
  }

  /// Makes the additions of an opening, and gives rows checksums if they are to be added.
  ///
  /// - Parameter built: an added index that was built before, outside of transactions.
  func add(
    _ changes: SchemaChanges, addingChecksums: Bool, built: SchemaChanges.Part? = nil
  ) throws {
    let broken = try rulesBroken(by: changes, addingChecksums: addingChecksums, built: built)
    if let error = StoreError.rowsBreaking(broken) { throw error }
  }

  private func rulesBroken(
    by changes: SchemaChanges, addingChecksums: Bool, built: SchemaChanges.Part?
  ) throws -> [StoreError] {
    end()
    // A new index may have values that are too long for its entries.
    let dialect = dialect
    let candidates = layout.storedTables.filter { table in
      !table.hasOverflowKeys
        && changes.addsIndex(to: table.stored) {
          dialect.mayOverflow(SQLTable.elementType($0).kind)
        }
    }
    if candidates.isEmpty { return try run(changes, addingChecksums, built) }
    try connection.beginSavepoint()
    do {
      let broken = try run(changes, addingChecksums, built)
      try connection.releaseSavepoint()
      return broken
    } catch let error as StoreError where error.code == .tooLarge {
      try connection.rollbackSavepoint()
      layout = try layout.overflow(Set(texts: candidates.map(\.stored.name)), connection, dialect)
      return try run(changes, addingChecksums, built)
    }
  }

  private func run(
    _ changes: SchemaChanges, _ addingChecksums: Bool, _ built: SchemaChanges.Part?
  ) throws -> [StoreError] {
    try changes.check(against: layout.stored)
    let change = SQLSchemaChange(
      connection, dialect, layout, changes, addingChecksums: addingChecksums,
      now: { self.timestamp },
      built: built)
    let broken = try change.run()
    if broken.isEmpty { layout = change.after }
    return broken
  }

  func writer() throws -> any StoreWriter {
    end()
    let session = SQLSession(
      connection, layout.declaring(layout.stored, verifiesRows: verifiesRows, version: nil),
      dialect,
      options)
    let writer = SQLWriter(session, ownsTransaction: false)
    current = writer
    return writer
  }

  private func withProgramNames(_ body: () throws -> Void) throws {
    guard let connection = connection as? any ProgramStatementConnection else { return try body() }
    try connection.withProgramNames(body)
  }

  func execute(_ sql: String, for kind: String) throws {
    guard kind == dialect.storeKind else {
      throw StoreError(.invalidPlan, "the statement is for stores of the kind \(kind)")
    }
    end()
    do {
      try withProgramNames {
        let statement = try connection.statement(sql)
        defer { statement.rewind() }
        while try statement.step() {}
      }
    } catch let error as StoreError where dialect.isRefusedStatement(error) {
      throw StoreError(.invalidPlan, "the database refuses the statement: \(error.message)")
    }
    let writer = try writer()
    defer { end() }
    do {
      try writer.verify { throw $0 }
      for entity in schema.entities {
        var reader = ValueReader(count: entity.columns.count)
        try writer.visit(FetchRequest(of: entity), &reader)
      }
    } catch let error as StoreError {
      throw StoreError(
        .invalidPlan,
        "after the statement the schema no longer describes the store: \(error.message)",
        entity: error.entity)
    }
  }

  /// A visitor that reads every value of a row.
  private struct ValueReader: RowVisitor {
    let count: Int

    func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep {
      for column in 0..<count { _ = try row.value(at: column) }
      return .next
    }
  }

  /// Ends the writer, and with it the statements that still read.
  func end() {
    if let overflowing = current?.session.schema.overflowing, overflowing != layout.overflowing {
      layout = layout.overflowing(in: overflowing)
    }
    current?.end()
    current = nil
  }
}

extension SchemaChanges {
  /// Returns whether a stored entity gets an index, and has a column that satisfies a test.
  fileprivate func addsIndex(
    to entity: StoredEntity, having test: (StoredColumn) -> Bool
  ) -> Bool {
    union.entities.contains { after in
      nameBefore(ofEntity: after.name) == entity.name && after.columns.contains(where: test)
        && after.indexes.contains { nameBefore(ofIndex: $0.name, in: after.name) == nil }
    }
  }
}
