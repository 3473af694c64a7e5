import ORMConformance
import Testing

@Suite("The conformance suite")
struct SuiteTests {
  @Test("the names of cases are unique")
  func namesAreUnique() {
    #expect(Set(ConformanceSuite.all.map(\.name)).count == ConformanceSuite.all.count)
  }
}

extension ConformanceCase {
  /// Runs the case on a provider of its own and removes what it left behind.
  func hold(on provider: some StoreProvider) async throws {
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) { try await run(on: provider) }
  }
}
