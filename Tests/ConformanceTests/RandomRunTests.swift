import Foundation
import ORMConformance
import Testing

@Suite("Stores do in random runs as the contract says", .serialized)
struct RandomRunTests {
  /// A store, and how far its seeds are from the run's, so that each is asked something else.
  struct Runner: Sendable, CustomTestStringConvertible {
    let provider: any StoreProvider
    let distance: UInt64

    var testDescription: String { provider.name }

    /// The seed of the run; a seed that is given is taken as it is, so that a failure can be
    /// repeated.
    var seed: UInt64 {
      RandomRunTests.number("STRATA_SEED") ?? RandomRunTests.chosenSeed &+ distance
    }

    /// This store's share of a run whose size is set by a variable of the environment, or the usual
    /// size times `STRATA_RANDOM_SCALE`.
    func share(of name: String, _ usual: Int) -> Int {
      let size =
        RandomRunTests.number(name).map { Int($0) } ?? Int(Double(usual) * RandomRunTests.scale)
      return size / RandomRunTests.runnerCount + 1
    }
  }

  static let chosenSeed = UInt64.random(in: 0..<1_000_000_000)

  static let runnerCount = 4

  /// A runner for each kind of store, with a folder of its own for each test: one test removes its
  /// folder while others still have stores open.
  static var runners: [Runner] {
    [
      Runner(provider: MemoryProvider(), distance: 0),
      Runner(provider: LMDBProvider(), distance: 1_000_000),
      Runner(provider: SQLiteProvider(), distance: 2_000_000),
      Runner(provider: ReferenceProvider(), distance: 3_000_000),
    ]
  }

  static let scale =
    ProcessInfo.processInfo.environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) } ?? 1

  static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test(
    "2, 3, 4: random requests give the same values in the same order, bit for bit",
    arguments: runners)
  func requests(_ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.requests(
        runner.share(of: "STRATA_RANDOM_REQUESTS", 20_000), seed: runner.seed, on: runner.provider)
    }
  }

  @Test(
    "5: random sequences of writes leave the same content, and fail by the same codes",
    arguments: runners)
  func sequences(_ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.sequences(
        runner.share(of: "STRATA_RANDOM_SEQUENCES", 1_000), seed: runner.seed, on: runner.provider)
    }
  }

  @Test("5.7, 5.8, 2.9: random graphs keep their links and rules", arguments: runners)
  func graphs(_ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.graphs(
        runner.share(of: "STRATA_RANDOM_GRAPHS", 400), seed: runner.seed, on: runner.provider)
    }
  }

  @Test("5.7, 5.8, 2.9: random soft deletes hide, restore and purge", arguments: runners)
  func softDeletes(_ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.softDeletes(
        runner.share(of: "STRATA_RANDOM_SOFT_DELETES", 36), seed: runner.seed,
        on: runner.provider)
    }
  }

  @Test("4.1, 5.6: random writes are followed by derived attributes", arguments: runners)
  func derived(_ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.derived(
        runner.share(of: "STRATA_RANDOM_DERIVED", 60), seed: runner.seed, on: runner.provider)
    }
  }

  @Test(
    "5.6, 5.7, 5.8, 2.9: random relationships keep their links, rules and counts",
    arguments: runners)
  func shapes(_ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.shapes(
        runner.share(of: "STRATA_RANDOM_SHAPES", 400), seed: runner.seed, on: runner.provider)
    }
  }

  @Test("5.1, 5.6: random writes keep rules, hooks, moments and versions", arguments: runners)
  func guards(_ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.guards(
        runner.share(of: "STRATA_RANDOM_GUARDS", 200), seed: runner.seed, on: runner.provider)
    }
  }

  @Test(
    "5.1 to 5.8: random writes keep everything that models promise, all of it together",
    arguments: runners)
  func promises(_ runner: Runner) async throws {
    defer { try? runner.provider.cleanUp() }
    print("\(runner.provider.name): STRATA_SEED=\(runner.seed)")
    await #expect(throws: Never.self) {
      try await RandomRun.promises(
        runner.share(of: "STRATA_RANDOM_PROMISES", 24), seed: runner.seed, on: runner.provider)
    }
  }
}
