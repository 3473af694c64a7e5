import ORM
import ORMConformance
import SQLiteBackend
import TestSupport
import Testing

/// Makes SQLite stores on files.
struct SQLiteProvider: StoreProvider {
  let name: String
  var sqlite = SQLiteOptions()
  private let folder = TemporaryFolder()

  init(checksums: Bool = false, evaluatesInEngine: Bool = true) {
    sqlite.checksums = checksums
    sqlite.evaluatesInEngine = evaluatesInEngine
    name = evaluatesInEngine ? "SQLiteStore" : "SQLiteStore without functions"
  }

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try folder.open { try SQLiteStore(path: $0, schema: schema, options: options, sqlite: sqlite) }
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    try folder.reopen(store) {
      try SQLiteStore(path: $0, schema: schema, options: options, sqlite: sqlite)
    }
  }

  func cleanUp() throws { try folder.remove() }
}

@Suite("SQLiteStore conforms", .serialized)
struct SQLiteConformanceTests {
  @Test("every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: SQLiteProvider())
  }
}

@Suite("SQLiteStore conforms with checksums", .serialized)
struct SQLiteChecksumConformanceTests {
  @Test(
    "every case of a share holds",
    arguments: VariantShare.cases(of: ConformanceSuite.all, number: 1))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: SQLiteProvider(checksums: true))
  }
}

@Suite("SQLiteStore conforms without functions", .serialized)
struct SQLiteWithoutFunctionsConformanceTests {
  @Test(
    "every case of a share holds",
    arguments: VariantShare.cases(of: ConformanceSuite.all, number: 2))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: SQLiteProvider(evaluatesInEngine: false))
  }
}
