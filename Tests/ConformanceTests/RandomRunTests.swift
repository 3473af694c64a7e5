import Foundation
import ORMConformance
import Testing

@Suite("Stores do in random runs as the contract says", .serialized)
struct RandomRunTests {
  /// A store, and how far its seeds are from the run's, so that each is asked something else.
  struct Runner: Sendable, CustomTestStringConvertible {
    let provider: any StoreProvider
    let distance: UInt64
    /// The divisor of the store's share: with 8 it runs an eighth of what the others run.
    var divisor = 1

    var testDescription: String { provider.name }

    /// The seed of the run; a seed that is given is taken as it is, so that a failure can be
    /// repeated.
    var seed: UInt64 {
      RandomRunTests.number("STRATA_SEED") ?? RandomRunTests.chosenSeed &+ distance
    }
  }

  static let chosenSeed = UInt64.random(in: 0..<1_000_000_000)

  /// A runner for each kind of store, with a folder of its own for each test: one test removes its
  /// folder while others still have stores open.
  static var runners: [Runner] {
    [
      Runner(provider: PathProvider.memory(), distance: 0),
      Runner(provider: PathProvider.lmdb(), distance: 1_000_000),
      Runner(provider: PathProvider.sqlite(), distance: 2_000_000),
      // It adds another way to read to LMDB.
      Runner(
        provider: PathProvider.lmdb(readsPagesDirectly: false), distance: 3_000_000, divisor: 8),
      // It adds another way to split requests to SQLite.
      Runner(
        provider: PathProvider.sqlite(evaluatesInEngine: false), distance: 4_000_000, divisor: 4),
    ]
  }

  static let scale =
    ProcessInfo.processInfo.environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) } ?? 1

  static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  /// Returns a runner's share of a run.
  ///
  /// The shares of the runners without a divisor make up the size of the run. `STRATA_RANDOM_` and the
  /// run's name set it, such as `STRATA_RANDOM_SOFT_DELETES`; it is the usual size times
  /// `STRATA_RANDOM_SCALE` else.
  static func share(of run: RandomRun, for runner: Runner) -> Int {
    let name = "STRATA_RANDOM_" + run.name.uppercased().replacingOccurrences(of: " ", with: "_")
    let size = number(name).map { Int($0) } ?? Int(Double(run.usualCount) * scale)
    return size / runners.count { $0.divisor == 1 } / runner.divisor + 1
  }

  @Test("a run gives what the naive model gives", arguments: RandomRun.all, runners)
  func agrees(_ run: RandomRun, _ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name), random \(run): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await run.run(Self.share(of: run, for: runner), seed: runner.seed, on: runner.provider)
    }
  }
}
