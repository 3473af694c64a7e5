import Foundation
import ORM
import ORMMigrations
import SQLiteBackend
import StoreModels
import TestSupport
import Testing

/// Steps of SQL: clause 10.17.
@Suite struct SQLStepTests {
  private let folder = TestFolder()

  private func schema(_ version: Int) throws -> Schema {
    try Schema(
      entities: [
        EntityDescription(
          name: "Snack",
          attributes: [AttributeDescription("id", .int64), AttributeDescription("price", .double)],
          key: ["id"], indexes: [IndexDescription(["price"])])
      ], version: version)
  }

  private func prices(_ store: any Store) throws -> [StoredValue] {
    try store.read { try $0.fetch(DynamicQuery("Snack")) }.map { $0["price"] }
  }

  private func options(_ statements: [String], _ mode: MigrationOptions.Mode) throws -> StoreOptions
  {
    let plan = MigrationPlan([.version(2, statements.map { .sql($0, for: .sqlite) })])
    var options = StoreOptions()
    // As text it is the same.
    options.schemaPolicy = .migrate(
      try JSONCoding.decode(MigrationPlan.self, from: JSONCoding.encode(plan)))
    options.migration.mode = mode
    options.migration.batchRows = 3
    options.migration.partDuration = .zero
    return options
  }

  @Test(
    "10.17: statements run in stores of their kind alone",
    arguments: [FileStore.sqlite, .lmdb, .memory], [MigrationOptions.Mode.atomic, .resumable])
  func kinds(_ kind: FileStore, _ mode: MigrationOptions.Mode) throws {
    let location = StoreLocation(
      kind: kind.kind, path: folder.file("app.\(kind.kind.fileExtension)"))
    let first = try location.open(schema: schema(1))
    try first.write { tx in
      try tx.insert(
        (1...9).map { DynamicRow("Snack", ["id": .int($0), "price": .double(Double($0))]) })
    }
    try (first as? any ImageStore)?.write(to: location.path ?? "")
    try first.close()
    let statements = [
      "UPDATE \"Snack\" SET \"price\" = \"price\" * 2 WHERE \"id\" > 7",
      " create view cheap as select \"id\" from \"Snack\" where \"price\" < 3",
    ]
    let old: [StoredValue] = (1...9).map { .double(Double($0)) }
    func open(_ statements: [String]) throws -> any Store {
      try location.open(schema: schema(2), options: options(statements, mode))
    }
    if kind.kind.scheme != "sqlite" {
      let error = #expect(throws: StoreError.self) { try open(statements) }
      #expect(error?.code == .invalidPlan)
      let store = try location.open(schema: schema(1))
      #expect(try prices(store) == old)
      return try store.close()
    }
    let wrong = [
      "UPDATE \"Snack\" SET \"price\" = 'much'", "UPDATE nothing SET a = 1",
      "UPDATE \"Snack\" SET \"price\" = 1; COMMIT", "DROP TABLE \"Snack\"", "COMMIT",
      "/* */ COMMIT", "PRAGMA user_version = 9",
    ]
    for text in wrong {
      #expect(throws: StoreError.self, "\(text)") { try open([text]) }
      let store = try location.open(schema: schema(1))
      #expect(try prices(store) == old, "\(text)")
      try store.close()
    }
    let store = try open(statements)
    #expect(try prices(store) == (1...9).map { .double(Double($0 > 7 ? 2 * $0 : $0)) })
    #expect(try store.check().isSound)
    try store.close()
    if SQLiteCommand.isPossible, let path = location.path {
      #expect(try SQLiteCommand.run("SELECT id FROM cheap ORDER BY id", path) == "1\n2")
    }
  }

  @Test("10.13: an opening on a thread of its own reports how far a migration is")
  func progress() async throws {
    let location = StoreLocation(kind: .sqlite, path: folder.file("app.sqlite"))
    let first = try location.open(schema: schema(1))
    try await first.write { tx in
      try tx.insert(
        (1...9).map { DynamicRow("Snack", ["id": .int($0), "price": .double(Double($0))]) })
    }
    try await first.close()
    var options = try options(["UPDATE \"Snack\" SET \"price\" = 0.0"], .resumable)
    let events = SharedList<String>()
    options.onSchemaEvent = { event in if case .didMigrate = event { events.add("did") } }
    let store = try await location.open(schema: schema(2), options: options) { progress in
      events.add(progress.rowsDone > 0 ? "some" : "none")
    }
    #expect(events.all.last == "did")
    #expect(events.all.count { $0 == "some" } >= 3)
    #expect(try prices(store) == Array(repeating: .double(0), count: 9))
    try await store.close()
  }
}
