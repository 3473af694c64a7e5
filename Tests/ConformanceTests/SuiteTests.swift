import ORMConformance
import TestSupport
import Testing

@Suite("The conformance suite")
struct SuiteTests {
  @Test("the names of cases are unique")
  func namesAreUnique() {
    #expect(Set(ConformanceSuite.all.map(\.name)).count == ConformanceSuite.all.count)
  }

  @Test("STRATA_CASE names cases that there are")
  func casesAreChosen() {
    #expect(ConformanceSuite.all.contains { isChosen($0.name) })
  }
}

extension ConformanceCase {
  /// Runs the case on a provider of its own and removes what it left behind.
  func hold(on provider: some StoreProvider) async throws {
    guard isChosen(name) else { return }
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) { try await run(on: provider) }
  }
}
