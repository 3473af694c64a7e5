import ORM
import ORMConformance
import Synchronization
import TableStore
import Testing

/// Makes table stores, and opens them again on the images that they leave.
final class TableProvider: StoreProvider {
  let name = "TableStore"

  /// The images by the runtimes of the stores that were opened on them; runtimes are retained, so that
  /// no identifier is used twice.
  private let opened = Mutex<[ObjectIdentifier: (StoreRuntime, TableImage)]>([:])

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try open(TableImage(), schema, options)
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    guard let (_, image) = opened.withLock({ $0[ObjectIdentifier(store.runtime)] }) else {
      throw StoreError(.cannotOpen, "this provider made no such store")
    }
    // A store that could not be opened again is closed already.
    if image.isOpen { try store.close() }
    return try open(image, schema, options)
  }

  func cleanUp() throws { opened.withLock { $0 = [:] } }

  private func open(
    _ image: TableImage, _ schema: Schema, _ options: StoreOptions
  ) throws -> any Store {
    let store = try TableStore(image, schema: schema, options: options)
    opened.withLock { $0[ObjectIdentifier(store.runtime)] = (store.runtime, image) }
    return store
  }
}

@Suite("TableStore conforms", .serialized)
struct TableStoreTests {
  @Test("every case of its share holds", arguments: ConformanceSuite.cases(ofStore: 2))
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: TableProvider())
  }

  @Test("random runs agree", arguments: RandomRun.all)
  func agrees(_ run: RandomRun) async throws { try await run.agree(on: TableProvider()) }
}
