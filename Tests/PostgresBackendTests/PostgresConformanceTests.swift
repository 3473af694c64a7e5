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
    try await testCase.hold(with: .oneWriter)
  }
}

/// A suite of its own, so that it runs beside the cases, most of whose time is the server's.
@Suite(
  "PostgresStore agrees with naive models", .serialized,
  .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresRandomRunTests {
  @Test("9.1: random runs agree", arguments: RandomRun.all)
  func agrees(_ run: RandomRun) async throws { try await run.hold(with: .oneWriter, part: 1) }
}

@Suite(
  "PostgresStore conforms with many writers", .serialized,
  .enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresManyWritersConformanceTests {
  private static let cases = VariantShare.cases(of: ConformanceSuite.all, number: 3)

  @Test("9.1: every case holds with many writers", arguments: cases)
  func caseHolds(_ testCase: ConformanceCase) async throws {
    try await testCase.hold(with: .manyWriters())
  }

  /// Sequences are not run: their model predicts each generated key, and keys may have gaps with many
  /// writers after a transaction that is undone (9.6).
  private static let runs = RandomRun.all.filter { $0.name != "sequences" }

  @Test("9.1: random runs agree with many writers", arguments: runs)
  func agrees(_ run: RandomRun) async throws {
    try await run.hold(with: .manyWriters(), part: VariantShare.count)
  }
}

extension ConformanceCase {
  /// Runs the case on stores of a provider of its own.
  fileprivate func hold(with writers: PostgresOptions.Writers) async throws {
    guard isChosen(name) else { return }
    let provider = PostgresProvider(writers)
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) { try await run(on: provider) }
  }
}

extension RandomRun {
  fileprivate static let postgresSeed =
    ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
    ?? .random(in: 0..<1_000_000_000)

  /// Runs a part of the run on stores of a provider of its own.
  fileprivate func hold(with writers: PostgresOptions.Writers, part: Int) async throws {
    let scale =
      ProcessInfo.processInfo.environment["STRATA_RANDOM_SCALE"].flatMap { Double($0) } ?? 1
    let count =
      switch name {
      case "requests": 1_000
      case "sequences": 200
      default: usualCount / 40 + 1
      }
    let provider = PostgresProvider(writers)
    print("\(provider.name), random \(self): STRATA_SEED=\(Self.postgresSeed)")
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) {
      try await run(
        max(1, Int(Double(count) * scale) / part), seed: Self.postgresSeed, on: provider)
    }
  }
}
