import Foundation
import ORMConformance
import Testing

@Suite("Stores answer random requests as the reference store does", .serialized)
struct RandomRunTests {
  static let seed = number("STRATA_SEED") ?? UInt64.random(in: 0..<1_000_000)

  static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  static let providers: [any StoreProvider] = [
    MemoryProvider(), LMDBProvider(), SQLiteProvider(),
  ]

  @Test("requests give the same rows in the same order, bit for bit", arguments: providers)
  func requests(_ provider: any StoreProvider) async throws {
    defer { try? provider.cleanUp() }
    print("STRATA_SEED=\(Self.seed)")
    let count = Self.number("STRATA_RANDOM_REQUESTS") ?? 20_000
    try await RandomRun.requests(Int(count) / 3, seed: Self.seed, on: provider)
  }

  @Test("sequences of writes leave the same content", arguments: providers)
  func sequences(_ provider: any StoreProvider) async throws {
    defer { try? provider.cleanUp() }
    print("STRATA_SEED=\(Self.seed)")
    let count = Self.number("STRATA_RANDOM_SEQUENCES") ?? 1_000
    try await RandomRun.sequences(Int(count) / 3, seed: Self.seed, on: provider)
  }
}
