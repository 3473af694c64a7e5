import ORMConformance
import Testing

/// Stores answer lowered conditions on related rows as loops over all rows do.
@Suite("Stores answer over related rows as the contract says", .serialized)
struct RelatedRunTests {
  @Test(
    "2.7, 2.8, 2.9: random conditions, orders, values and changes over related rows",
    arguments: RandomRunTests.runners)
  func requests(_ runner: RandomRunTests.Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.related(
        runner.share(of: "STRATA_RANDOM_RELATED", 6_000), seed: runner.seed, on: runner.provider)
    }
  }
}
