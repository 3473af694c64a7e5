import ArrayStore
import ORM
import ORMConformance
import Testing

/// Makes array stores, whose disks outlive them.
struct ArrayProvider: StoreProvider {
  let name = "ArrayStore"

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try ArrayStore(schema: schema, options: options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    guard let store = store as? ArrayStore else {
      throw StoreError(.cannotOpen, "this provider made no such store")
    }
    try store.close()
    return try ArrayStore(schema: schema, options: options, disk: store.disk)
  }

  func cleanUp() throws {}
}

@Suite("A store on the seam itself conforms", .serialized)
struct ArrayStoreTests {
  @Test("every case of its share holds", arguments: ConformanceSuite.cases(ofStore: 0))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: ArrayProvider())
  }

  @Test("random runs agree", arguments: RandomRun.all)
  func agrees(_ run: RandomRun) async throws { try await run.agree(on: ArrayProvider()) }
}
