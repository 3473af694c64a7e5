import Foundation
import ORMCore
import TestSupport

@testable import SQLiteBackend

/// A migration of a store whose version is not the program's, by the steps of a test.
struct TestMigration: SchemaMigration {
  let steps: @Sendable (any SchemaTransaction) throws -> Void

  init(_ steps: @escaping @Sendable (any SchemaTransaction) throws -> Void) { self.steps = steps }

  func isNeeded(from stored: StoredSchema, to declared: StoredSchema) -> Bool {
    stored.version != declared.version
  }

  func migrate(
    _ transaction: any SchemaTransaction, to declared: StoredSchema, _ options: MigrationOptions
  ) throws -> MigrationOutcome {
    try steps(transaction)
    return .done
  }
}

extension SQLiteFixture {
  /// Opens the store with a migration; with checksums if asked to.
  func migrated(
    _ schema: StoredSchema, checksums: Bool = false, isReadOnly: Bool = false,
    _ steps: @escaping @Sendable (any SchemaTransaction) throws -> Void
  ) throws -> SQLiteStore {
    var options = StoreOptions()
    options.durability = .off
    options.isReadOnly = isReadOnly
    options.schemaPolicy = .migrate(TestMigration(steps))
    var sqlite = SQLiteOptions()
    sqlite.checksums = checksums
    return try SQLiteStore(path: path, stored: schema, options: options, sqlite: sqlite)
  }

  /// The number of the page at which a table or an index begins.
  func root(_ name: String) throws -> String {
    try command("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'")
  }

  /// The names of tables, indexes and triggers, sorted: those of dropped entities, or the others.
  func names(dropped: Bool = false) throws -> [String] {
    try command(
      "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND name <> 'strata_meta' "
        + "AND name \(dropped ? "" : "NOT ")LIKE '%$dropped$%' ORDER BY 1"
    ).split(separator: "\n").map(String.init)
  }

  /// The columns of a table, in their order in the file, generated ones among them.
  func columns(_ table: String) throws -> String {
    try command("SELECT group_concat(name, ' ') FROM pragma_table_xinfo('\(table)')")
  }
}

extension SQLiteStore {
  /// The faults that a verification finds.
  func faults() throws -> [String] {
    let reader = try reader(ReadTurn())
    defer { reader.end() }
    var faults: [String] = []
    try reader.verify { faults.append("\($0)") }
    return faults
  }

  /// The explanation of a condition on an entity.
  func explanation(_ entity: String, _ condition: Condition) throws -> Explanation {
    let reader = try reader(ReadTurn())
    defer { reader.end() }
    return try reader.explain(
      FetchRequest(entity: entity, condition: condition, sort: schema.keyOrder(entity)))
  }
}

extension StoredSchema {
  /// The schema with another version.
  func versioned(_ version: Int) -> StoredSchema {
    var schema = self
    schema.version = version
    return schema
  }
}
