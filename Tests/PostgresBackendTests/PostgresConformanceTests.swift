import Foundation
import ORM
import ORMConformance
import TestSupport
import Testing

@Suite(
  "PostgresStore conforms", .serialized,
  .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresConformanceTests {
  @Test("9.1: every case holds", arguments: ConformanceSuite.all)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    let provider = PostgresProvider()
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) { try await testCase.run(on: provider) }
  }

  @Test("9.1: random runs agree", arguments: RandomRun.all)
  func agrees(_ run: RandomRun) async throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000_000)
    let scale = environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) } ?? 1
    let count =
      switch run.name {
      case "requests": 1_000
      case "sequences": 200
      default: run.usualCount / 40 + 1
      }
    print("PostgresStore, random \(run): STRATA_SEED=\(seed)")
    let provider = PostgresProvider()
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) {
      try await run.run(max(1, Int(Double(count) * scale)), seed: seed, on: provider)
    }
  }
}
