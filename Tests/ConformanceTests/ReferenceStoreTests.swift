import ORMConformance
import Testing

@Suite("The reference store conforms")
struct ReferenceStoreTests {
  @Test("every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(on: ReferenceProvider())
  }

  @Test("every clause that stores can be asked about has a case")
  func clausesAreCovered() {
    let clauses = [
      "1.1", "1.2", "1.3",
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
    try await run(on: provider)
  }
}
