import MemoryBackend
import ORM
import ORMConformance
import Testing

extension PathProvider {
  /// Makes stores in memory; to open one again, its image is written to a file and read back.
  static func memory() -> PathProvider {
    PathProvider("MemoryStore") { store, path in
      try (store as? MemoryStore)?.write(to: path)
    } opening: { path, schema, options in
      try StoreKind.memory.open(path, schema, options)
    }
  }
}

@Suite("MemoryStore conforms", .serialized)
struct MemoryConformanceTests {
  @Test("every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: PathProvider.memory())
  }
}
