import Foundation
import MemoryBackend
import ORM
import ORMConformance
import Testing

/// Makes stores in memory; to open one again, its image is written to a file and read back.
struct MemoryProvider: StoreProvider {
  let name = "MemoryStore"
  private let folder = TemporaryFolder()

  func make(schema: Schema, options: StoreOptions) throws -> any Store {
    try folder.open { _ in MemoryStore(schema: schema, options: options) }
  }

  func reopen(_ store: any Store, schema: Schema, options: StoreOptions) throws -> any Store {
    guard let memory = store as? MemoryStore else {
      throw StoreError(.cannotOpen, "this provider made no such store")
    }
    return try folder.reopen(
      store,
      beforeClosing: { path in
        try? FileManager.default.removeItem(atPath: path)
        try memory.write(to: path)
      }
    ) { path in
      try MemoryStore(schema: schema, contentsOf: path, options: options)
    }
  }

  func cleanUp() throws { try folder.remove() }
}

@Suite("MemoryStore conforms", .serialized)
struct MemoryConformanceTests {
  @Test("every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: MemoryProvider())
  }
}
