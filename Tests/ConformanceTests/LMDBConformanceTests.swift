import LMDBBackend
import ORM
import ORMConformance
import Testing

/// Makes LMDB stores on files.
struct LMDBProvider: StoreProvider {
  let name = "LMDBStore"
  private let folder = TemporaryFolder()

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try folder.open { try LMDBStore(path: $0, schema: schema, options: options) }
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    try folder.reopen(store) { try LMDBStore(path: $0, schema: schema, options: options) }
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
