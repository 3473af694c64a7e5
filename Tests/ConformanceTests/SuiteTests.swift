import ORMConformance
import Testing

@Suite("The conformance suite")
struct SuiteTests {
  @Test("every clause that stores can be asked about has a case")
  func clausesAreCovered() {
    let clauses = [
      "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "1.7", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6",
      "2.7", "3.1", "3.2", "3.3", "4.1", "4.2", "5.1", "5.2", "5.3", "5.4", "5.5", "6.1", "6.2",
      "6.3", "6.4", "6.5", "6.6", "6.7", "7.1", "7.2", "7.4", "7.5", "8.1",
    ]
    #expect(Set(clauses).subtracting(ConformanceSuite.clauses).isEmpty)
  }

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
