import Foundation
import ORM
import ORMConformance
import PostgresBackend
import TestSupport
import Testing

@Suite(
  "PostgresStore conforms", .serialized,
  .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresConformanceTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seed =
    environment["STRATA_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000_000)
  /// Many writers take one case in so many, and a random run of that part of the size; all if
  /// `STRATA_MANY_WRITERS` is `all`, as `Scripts/check-all` sets it.
  private static let part = environment["STRATA_MANY_WRITERS"] == "all" ? 1 : 4
  private static let casesOfMany = ConformanceSuite.all.enumerated().filter {
    $0.offset % part == Int(seed % UInt64(part))
  }.map(\.element)

  @Test("9.1: every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await run(testCase, .oneWriter)
  }

  @Test("9.1: every case holds with many writers", arguments: casesOfMany)
  func caseHoldsWithMany(_ testCase: ConformanceCase) async throws {
    try await run(testCase, .manyWriters())
  }

  private func run(
    _ testCase: ConformanceCase, _ writers: PostgresOptions.Writers
  ) async throws {
    let provider = PostgresProvider(writers)
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) { try await testCase.run(on: provider) }
  }

  @Test("9.1: random runs agree", arguments: RandomRun.all)
  func agrees(_ run: RandomRun) async throws { try await self.run(run, .oneWriter, part: 1) }

  /// Sequences are not run with many writers: their model predicts each generated key, and keys may have
  /// gaps there after a transaction that is undone (9.6).
  private static let runsOfMany = RandomRun.all.filter { $0.name != "sequences" }

  @Test("9.1: random runs agree with many writers", arguments: runsOfMany)
  func agreesWithMany(_ run: RandomRun) async throws {
    try await self.run(run, .manyWriters(), part: Self.part)
  }

  private func run(
    _ run: RandomRun, _ writers: PostgresOptions.Writers, part: Int
  ) async throws {
    let scale = Self.environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) } ?? 1
    let count =
      switch run.name {
      case "requests": 1_000
      case "sequences": 200
      default: run.usualCount / 40 + 1
      }
    let provider = PostgresProvider(writers)
    print("\(provider.name), random \(run): STRATA_SEED=\(Self.seed)")
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) {
      try await run.run(max(1, Int(Double(count) * scale) / part), seed: Self.seed, on: provider)
    }
  }
}
