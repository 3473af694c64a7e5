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
  @Test("9.1: every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await run(testCase, .oneWriter)
  }

  @Test("9.1: every case holds with many writers", arguments: ConformanceSuite.all)
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
  func agrees(_ run: RandomRun) async throws { try await self.run(run, .oneWriter) }

  @Test("9.1: random runs agree with many writers", arguments: RandomRun.all)
  func agreesWithMany(_ run: RandomRun) async throws { try await self.run(run, .manyWriters()) }

  private func run(_ run: RandomRun, _ writers: PostgresOptions.Writers) async throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000_000)
    let scale = environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) } ?? 1
    let count =
      switch run.name {
      case "requests": 1_000
      case "sequences": 200
      default: run.usualCount / 40 + 1
      }
    let provider = PostgresProvider(writers)
    print("\(provider.name), random \(run): STRATA_SEED=\(seed)")
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) {
      try await run.run(max(1, Int(Double(count) * scale)), seed: seed, on: provider)
    }
  }
}
