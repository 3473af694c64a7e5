import Foundation
import ORM
import ORMConformance
import ORMMigrations
import PostgresBackend
import TestSupport
import Testing

/// A database in whose namespace `public` another role has put functions, operators and tables.
private final class HostileDatabase: StoreProvider {
  let name = "PostgresStore in a hostile database"
  let database: String = "hostile_" + UUID().uuidString.lowercased().prefix(8)
  let location: String
  private let namespaces = SharedList<(any Store, String)>()

  init() throws {
    location = try PostgresServer.location(ofDatabase: database)
    try PostgresServer.psql("CREATE DATABASE \(database)")
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Scripts/hostile.sql").path
    try PostgresServer.psql("SELECT 1", after: script, at: location)
  }

  /// The number of calls of what the other role has made.
  var calls: Int {
    get throws {
      let lines = try PostgresServer.psql(
        "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.hostile_calls",
        at: location)
      return lines.first.flatMap { Int($0) } ?? -1
    }
  }

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try open(PostgresServer.newNamespace(), schema, options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    try store.close()
    let known = namespaces.all.last { $0.0.runtime === store.runtime }
    return try open(known?.1 ?? PostgresServer.newNamespace(), schema, options)
  }

  private func open(
    _ namespace: String, _ schema: Schema, _ options: StoreOptions
  ) throws -> any Store {
    let store = try PostgresStore(
      location + "&namespace=\(namespace)", schema: schema, options: options)
    namespaces.add((store, namespace))
    return store
  }

  func cleanUp() throws {
    try PostgresServer.psql("DROP DATABASE \(database) WITH (FORCE)")
  }
}

@Suite(.serialized, .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresSearchPathTests {
  /// A part of the cases: every reading of rows of some types, SQL of the program's own, and others.
  ///
  /// `Scripts/check-all hostile` runs all.
  private static let cases = ConformanceSuite.all.enumerated().filter { number, testCase in
    let names = ["String", "Decimal", "UInt64", "Array<Double>"].map { "values of \($0) as" }
    return number % 30 == 0 || (names + ["SQL"]).contains { testCase.name.contains($0) }
  }.map(\.element)

  @Test("9.4: no statement of the store calls a function or an operator of another role")
  func hostile() async throws {
    let database = try HostileDatabase()
    defer { try? database.cleanUp() }
    // What the role has made is called where the path leads to it, by the types of this comparison.
    try PostgresServer.psql("SELECT 1::numeric <= 1::bigint", at: database.location)
    #expect(try database.calls == 1)
    try PostgresServer.psql(
      "SELECT setval('public.hostile_calls', 1, false)", at: database.location)
    for testCase in Self.cases {
      await #expect(throws: Never.self, "\(testCase)") { try await testCase.run(on: database) }
      let calls = try database.calls
      #expect(calls == 0, "\(testCase)")
      if calls != 0 { break }
    }
  }

  @Test(
    "9.4: behind a pooler each transaction has the path, and no other client gets it",
    .enabled(if: Pooler.program != nil, "pgbouncer is not installed"))
  func pooled() throws {
    let database = try HostileDatabase()
    defer { try? database.cleanUp() }
    let pooler = try Pooler()
    defer { pooler.stop() }
    let location = try PostgresServer.location(
      of: "words", at: pooler.folder, on: database.location)
    let store = try PostgresStore(location, schema: Schema(Specimen.self))
    for id in 1...20 {
      try store.save(Specimen(id: Int64(id), name: "n\(id)", count: .max, price: Decimal(id)))
      #expect(try store.find(Specimen.self, Int64(id))?.name == "n\(id)")
    }
    #expect(try store.fetch(Specimen.all.where { $0.price >= 10 && $0.count > 1 }).count == 11)
    #expect(try store.sum(Specimen.all, \.price) == 210)
    #expect(try store.check().isSound)
    #expect(try database.calls == 0)
    let paths = try (0..<4).flatMap { _ in
      try PostgresServer.psql("SHOW search_path", at: String(location.split(separator: "&")[0]))
    }
    #expect(Set(paths) == ["\"$user\", public"])
    try store.close()
  }

  @Test("2.13: a query sets nothing that outlives it, and another statement sets nothing")
  func settings() throws {
    let namespace = PostgresNamespace()
    let store = try PostgresStore(namespace.location(), schema: Schema(Word.self))
    let settings: [(name: String, value: String)] = [
      ("search_path", "public"), ("row_security", "on"), ("DateStyle", "German"),
      ("statement_timeout", "77"), ("app.user", "me"), ("standard_conforming_strings", "off"),
    ]
    func values() throws -> [StoredValue] {
      try store.query(
        sql: """
          SELECT concat_ws('|', current_setting('search_path'), current_setting('row_security'),
          current_setting('DateStyle'), current_setting('statement_timeout'),
          coalesce(current_setting('app.user', true), ''), current_setting('standard_conforming_strings')) AS v
          """
      ).map { $0["v"] }
    }
    let before = try values()
    for (name, value) in settings {
      for isLocal in [false, true] {
        _ = try store.query(sql: "SELECT set_config(\(name), \(value), \(isLocal))")
        #expect(try values() == before, "\(name)")
        try store.write { tx in
          _ = try tx.query(sql: "SELECT set_config(\(name), \(value), \(isLocal))")
          try tx.save(Word(id: 1, text: "a", weight: 1))
        }
        #expect(try values() == before, "\(name) in a write")
        // The server does not list settings of a program's own, which no statement of the store reads.
        if name.contains(".") { continue }
        let error = #expect(throws: StoreError.self) {
          try store.execute(sql: "SELECT set_config(\(name), \(value), \(isLocal))")
        }
        #expect(error?.code == .invalidStatement, "\(name)")
        #expect(try values() == before, "\(name) by execute")
      }
    }
    #expect(try store.count(Word.self) == 1)
    try store.close()
  }

  @Test("10.17: a statement of a migration names tables as the program does")
  func migrationStep() throws {
    let namespace = PostgresNamespace()
    let old = try PostgresStore(namespace.location(), schema: Schema(Word.self, version: 1))
    try old.save(Word(id: 1, text: "a", weight: 1))
    try old.close()
    var options = StoreOptions()
    let statements = [
      "CREATE VIEW words AS SELECT id FROM \"Word\"", "UPDATE \"Word\" SET weight = weight * 2",
    ]
    options.schemaPolicy = .migrate(
      MigrationPlan([.version(2, statements.map { .sql($0, for: .postgres) })]))
    let store = try PostgresStore(
      namespace.location(), schema: Schema(Word.self, version: 2), options: options)
    #expect(try store.find(Word.self, 1)?.weight == 2)
    #expect(try store.query(sql: "SELECT id FROM words").count == 1)
    try store.close()
  }
}
