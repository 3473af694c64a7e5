import Foundation
import ORMConformance
import Testing

extension ConformanceSuite {
  /// The cases that one of the three stores runs: all if `STRATA_VARIANTS` is `all`, as `Scripts/check-all` sets
  /// it; else a third of them, so that each case runs on one of the stores.
  static func cases(ofStore number: Int) -> [ConformanceCase] {
    if ProcessInfo.processInfo.environment["STRATA_VARIANTS"] == "all" { return all }
    let first = (Int(RandomRun.seed % 3) + number) % 3
    return stride(from: first, to: all.count, by: 3).map { all[$0] }
  }
}

extension ConformanceCase {
  /// Runs the case on a provider of its own and removes what it left behind.
  func hold(on provider: some StoreProvider) async throws {
    defer { try? provider.cleanUp() }
    await #expect(throws: Never.self) { try await run(on: provider) }
  }
}

extension RandomRun {
  /// The seed of every run: `STRATA_SEED`, or a new one.
  static let seed =
    ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0..<1_000_000_000)

  /// Makes 1,000 random requests, 200 sequences of writes, or the share of one store of another run.
  func agree(on provider: some StoreProvider) async throws {
    defer { try? provider.cleanUp() }
    let count =
      switch name {
      case "requests": 1_000
      case "sequences": 200
      default: usualCount / 20 + 1
      }
    print("\(provider.name), \(count) random \(self): STRATA_SEED=\(Self.seed)")
    await #expect(throws: Never.self) { try await run(count, seed: Self.seed, on: provider) }
  }
}
