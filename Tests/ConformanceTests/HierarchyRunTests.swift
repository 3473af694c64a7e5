import ORMConformance
import Testing

/// Stores keep a hierarchy of entities as a dictionary of objects does.
@Suite("Stores keep hierarchies as the contract says", .serialized)
struct HierarchyRunTests {
  @Test(
    "5.1, 4.1: random writes by every entity of a hierarchy show in all of them",
    arguments: RandomRunTests.runners)
  func hierarchies(_ runner: RandomRunTests.Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.hierarchies(
        runner.share(of: "STRATA_RANDOM_HIERARCHIES", 60), seed: runner.seed, on: runner.provider)
    }
  }
}
