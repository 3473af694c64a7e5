import Foundation
import MemoryBackend
import ORM
import SQLiteBackend
import StrataTesting
import Workloads

/// What tests of programs pay: made-up rows and a new store, `Benchmarks fixtures [ROWS] [REPETITIONS]`.
///
/// The goals are 200,000 rows a second into memory, 1 ms for a memory store, and 5 ms for one of SQLite.
struct FixtureBench {
  let rows: Int
  let repetitions: Int
  let output: Output

  /// The number of stores that are opened for one measurement.
  private static let stores = 50
  private static let kinds: [(name: String, kind: StoreKind)] = [
    ("Strata memory", .memory), ("Strata SQLite", .sqlite),
  ]

  func run() throws {
    let players = try Schema(Player.self)
    let clubs = try Schema(Club.self, Member.self, Tag.self)
    let linked: FakeCounts = [Club.self: rows / 100, Member.self: rows - rows / 100]
    output.say(
      "\(rows) rows, medians of \(repetitions); a store is opened, bound and removed\n")
    var report = RecordReport(
      Record(
        mode: "fixtures", rows: rows, repetitions: repetitions,
        contestants: Self.kinds.map(\.name)), output)
    func add(_ name: String, unit: String, units: Int, _ body: (StoreKind) throws -> Void) throws {
      var times = Self.kinds.map { _ in [Time]() }
      for _ in 0..<repetitions {
        for (index, contestant) in Self.kinds.enumerated() {
          let began = Time.now()
          try body(contestant.kind)
          times[index].append(Time.now().since(began, units: units))
        }
      }
      try report.add(
        Record.Line(word: name, name: name, unit: unit, units: units, times: times))
    }
    // The rows alone are the same work for both.
    try add("make rows", unit: "row", units: rows) { _ in
      _ = try Fake(players, seed: 1).rows([Player.self: rows])
    }
    try add("fill an entity", unit: "row", units: rows) { kind in
      try kind.withTestStore(players) { try Fake(players, seed: 1).fill($0, [Player.self: rows]) }
    }
    try add("fill linked entities", unit: "row", units: rows) { kind in
      try kind.withTestStore(clubs) { try Fake(clubs, seed: 1).fill($0, linked) }
    }
    try add("a store for a test", unit: "store", units: Self.stores) { kind in
      for _ in 0..<Self.stores { try kind.withTestStore(players) { _ in } }
    }
  }
}
