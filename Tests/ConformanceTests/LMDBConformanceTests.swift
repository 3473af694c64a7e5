import LMDBBackend
import ORM
import ORMConformance
import TestSupport
import Testing

/// Makes LMDB stores on files.
struct LMDBProvider: StoreProvider {
  let name: String
  private let lmdb: LMDBOptions
  private let folder = TemporaryFolder()

  init(readsPagesDirectly: Bool = true) {
    var lmdb = LMDBOptions()
    lmdb.readsPagesDirectly = readsPagesDirectly
    // The variant leaves conditions to core's evaluator too.
    lmdb.compilesConditions = readsPagesDirectly
    self.lmdb = lmdb
    name = readsPagesDirectly ? "LMDBStore" : "LMDBStore by the library's cursors"
  }

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try folder.open { try LMDBStore(path: $0, schema: schema, options: options, lmdb: lmdb) }
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    try folder.reopen(store) {
      try LMDBStore(path: $0, schema: schema, options: options, lmdb: lmdb)
    }
  }

  func cleanUp() throws { try folder.remove() }
}

@Suite("LMDBStore conforms", .serialized)
struct LMDBConformanceTests {
  @Test("every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: LMDBProvider())
  }
}

@Suite("LMDBStore conforms by the library's cursors", .serialized)
struct LMDBLibraryConformanceTests {
  @Test(
    "every case of a share holds",
    arguments: VariantShare.cases(of: ConformanceSuite.all, number: 0))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: LMDBProvider(readsPagesDirectly: false))
  }
}
