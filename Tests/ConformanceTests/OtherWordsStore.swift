import ORM
import ORMConformance
import ORMCore
import SQLEngine

@testable import SQLiteBackend

/// A store on a file of SQLite whose engine writes by an ``OtherWordsDialect``.
final class OtherWordsStore: Store {
  let schema: StoredSchema
  let runtime: StoreRuntime
  private let engine: SQLStoreEngine

  init(
    path: String, schema: StoredSchema, models: [String: StoredModel] = [:], options: StoreOptions,
    _ dialect: OtherWordsDialect
  ) throws {
    let file = try SQLiteFile(
      path: path, options: options, settings: SQLiteSettings(options, SQLiteOptions()))
    let runtime = StoreRuntime(models: models, options: options, file: file.path)
    engine = try StoreError.naming(path) {
      try SQLStoreEngine(
        OtherWordsDatabase(file, dialect), schema: schema, runtime: runtime, file: file)
    }
    self.schema = engine.schema
    self.runtime = runtime
  }

  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader { try engine.reader(turn) }
  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter { try engine.writer(turn) }
  func close(_ turn: borrowing CloseTurn) throws { try engine.close(turn) }
}

extension OtherWordsDialect {
  /// Makes such stores.
  var provider: PathProvider {
    PathProvider("a store with other words\(evaluatesInEngine ? "" : ", without functions")") {
      try OtherWordsStore(path: $0, schema: $1.stored, models: $1.storedModels, options: $2, self)
    }
  }
}

private final class OtherWordsDatabase: SQLDatabase {
  private let base: SQLiteDatabase
  private let words: OtherWordsDialect

  init(_ file: SQLiteFile, _ words: OtherWordsDialect) {
    base = SQLiteDatabase(file, evaluatesInEngine: words.evaluatesInEngine)
    self.words = words
  }

  var dialect: any SQLDialect { words }
  func reader() throws -> any SQLConnection { OtherWordsConnection(try base.reader(), words) }
  func writer() throws -> any SQLConnection { OtherWordsConnection(try base.writer(), words) }
}

/// A connection of the library that notes its statements and has no refinements.
private final class OtherWordsConnection: SQLConnection {
  private let base: any SQLConnection
  private let words: OtherWordsDialect
  init(_ base: any SQLConnection, _ words: OtherWordsDialect) {
    self.base = base
    self.words = words
  }

  func statement(_ sql: String) throws -> any SQLStatement {
    words.statements.note(sql)
    if let removal = words.statements.removal(sql) { try check(removal) }
    if ["CREATE ", "ALTER ", "DROP "].contains(where: sql.hasPrefix) { try tableChanges() }
    return try base.statement(sql)
  }

  /// Commits what was written before a change of a table, where the database is said to do so.
  private func tableChanges() throws {
    if words.changesTablesInTransactions { return }
    try words.statements.countTableChange()
    if base.isInTransaction { try base.commit() }
  }

  /// Notes an index that is removed from a table that does not have it.
  private func check(_ removal: WrittenStatements.Removal) throws {
    let query = try base.statement(
      "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND name = ?1")
    defer { query.rewind() }
    try query.bind(removal.index, at: 1)
    guard try query.step(), let table = query.text(at: 0), table != removal.table else { return }
    words.statements.note(fault: "the index \(removal.index) is one of \(table)")
  }

  func hasTable(_ name: String) throws -> Bool { try base.hasTable(name) }
  func isEmpty() throws -> Bool { try base.isEmpty() }
  var changes: Int { base.changes }
  var totalChanges: Int { base.totalChanges }

  func beginSnapshot() throws { try base.beginSnapshot() }
  func endRead() { base.endRead() }
  func beginWrite() throws { try base.beginWrite() }
  func commit() throws { try base.commit() }
  func rollback() { base.rollback() }
  var isInTransaction: Bool { base.isInTransaction }
  var loss: StoreError? { base.loss }
  func close() { base.close() }

  func beginSavepoint() throws { try base.beginSavepoint() }
  func releaseSavepoint() throws { try base.releaseSavepoint() }
  func rollbackSavepoint() throws { try base.rollbackSavepoint() }
  func expectManyStatements() throws { try base.expectManyStatements() }
  func othersCommits() throws -> UInt64? { try base.othersCommits() }
  func schemaVersion() throws -> Int64? { try base.schemaVersion() }
  func access(of sql: String, to table: SQLAccess.Table) throws -> SQLAccess? {
    // The library's plan has the names of tables as the statement has them.
    try base.access(of: sql.replacing("`main`.", with: ""), to: table)
  }
  var rowCounter: Int {
    get { base.rowCounter }
    set { base.rowCounter = newValue }
  }
  var lastInsertedRow: Int64 {
    get { base.lastInsertedRow }
    set { base.lastInsertedRow = newValue }
  }
}
