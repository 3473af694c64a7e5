import Foundation
import ORMConformance
import Testing

/// The suite on coordinators whose entities are dealt by the seed.
///
/// The seed also chooses the pair of kinds of a run, unless `STRATA_COORDINATORS` is `all`.
@Suite("StoreCoordinator conforms", .serialized)
struct CoordinatorConformanceTests {
  private static let seed = RandomRunTests.number("STRATA_SEED") ?? RandomRunTests.chosenSeed

  private static let kinds: [CoordinatorProvider.Kinds] = {
    let possible = CoordinatorProvider.Kinds.possible
    if ProcessInfo.processInfo.environment["STRATA_COORDINATORS"] == "all" { return possible }
    let kinds = possible[Int(seed % UInt64(possible.count))]
    print("a coordinator of \(kinds): STRATA_SEED=\(seed)")
    return [kinds]
  }()

  /// The cases but those of what a coordinator does not promise.
  private static let cases = ConformanceSuite.all.filter { testCase in
    // Its migrations are atomic, and its journal follows no aliases (clause 10.10).
    !["an interrupted migration goes on", "the number of rows chooses the way"]
      .contains(testCase.name) && !testCase.name.contains("alias")
  }

  @Test("12.10: every case holds", arguments: cases, kinds)
  func caseHolds(_ testCase: ConformanceCase, _ kinds: CoordinatorProvider.Kinds) async throws {
    try await testCase.hold(on: CoordinatorProvider(kinds, seed: Self.seed))
  }

  @Test("12.10: a run gives what the naive model gives", arguments: RandomRun.all, kinds)
  func agrees(_ run: RandomRun, _ kinds: CoordinatorProvider.Kinds) async throws {
    let provider = CoordinatorProvider(kinds, seed: Self.seed)
    defer { try? provider.cleanUp() }
    print("\(provider.name), random \(run)")
    let runner = RandomRunTests.Runner(provider: provider, distance: 0, divisor: 10)
    await #expect(throws: Never.self) {
      try await run.run(RandomRunTests.share(of: run, for: runner), seed: Self.seed, on: provider)
    }
  }
}
