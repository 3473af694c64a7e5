import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend

/// The workloads of questions.
struct QueryBench {
  let rows: Int
  let repetitions: Int
  let names: [String]
  let path: (String) -> String

  init(rows: Int, repetitions: Int, names: [String], path: @escaping (String) -> String) {
    self.rows = rows
    self.repetitions = repetitions
    self.names = names
    self.path = path
  }

  func run() throws {
    let contestants = try self.contestants()
    let players = (1...Int64(rows)).map { PlayerData(id: $0) }
    for contestant in contestants { try contestant.value.fill(players) }
    let measurement = Measurement(contestants: contestants, repetitions: repetitions)
    let rawLMDB = contestants.firstIndex { $0.name == "raw LMDB" }
    Benchmarks.say("\(rows) rows, medians of \(repetitions) interleaved repetitions, CPU time\n")
    Benchmarks.say("| workload | unit | " + contestants.map(\.name).joined(separator: " | ") + " |")
    Benchmarks.say("|---|---|" + contestants.map { _ in "--:|" }.joined())
    for workload in workloads() {
      let times = try measurement.measure(workload)
      let cells = times.enumerated().map { index, time in
        index == 0
          ? readable(time)
          : String(format: "%.2f ×", time / times[0])
            + (rawLMDB.map { raw in
              index > raw ? String(format: " (%.2f × raw LMDB)", time / times[raw]) : ""
            } ?? "")
      }
      Benchmarks.say(
        "| \(workload.name) | \(workload.unit) | " + cells.joined(separator: " | ") + " |")
    }
    try measureParsing()
  }

  private func contestants() throws -> [(name: String, value: any QueryContestant)] {
    let schema = try Schema(RankedPlayer.self)
    let all: [(String, () throws -> any QueryContestant)] = [
      ("raw SQLite", { try RawSQLiteQueries(path: path("raw.sqlite")) }),
      (
        "Strata SQLite",
        {
          StrataQueries(
            name: "Strata SQLite", store: try SQLiteStore(path: path("s.sqlite"), schema: schema))
        }
      ),
      ("GRDB fast", { try GRDBQueries(path: path("g.sqlite")) }),
      ("raw LMDB", { try RawLMDBQueries(path: path("raw.lmdb")) }),
      (
        "Strata LMDB",
        {
          StrataQueries(
            name: "Strata LMDB", store: try LMDBStore(path: path("s.lmdb"), schema: schema))
        }
      ),
      (
        "Strata memory",
        { StrataQueries(name: "Strata memory", store: MemoryStore(schema: schema)) }
      ),
    ]
    return try all.filter { name, _ in
      names.isEmpty || names.contains { name.contains($0) }
    }.map { ($0.0, try $0.1()) }
  }

  private func workloads() -> [Workload<any QueryContestant>] {
    let players = (1...Int64(rows)).map { PlayerData(id: $0) }
    let keys = (0..<rows / 5).map { Int64(($0 &* 7919) % rows) + 1 }
    let pairs = (0..<20).map { (score: Int64($0 * 37), team: Int64($0)) }
    let either = pairs.reduce(0) { sum, pair in
      sum + players.count { $0.score == pair.score || $0.team == pair.team }
    }
    let lists = (0..<20).map { number in
      (0..<1000).map { Int64(($0 &* 7919 &+ number &* 13) % rows) + 1 }
    }
    let scores = (0..<10).map { Int64($0 * 90) }
    return [
      Workload(
        name: "one row by its key, a query each", unit: "query", units: keys.count,
        run: { contestant, _ in try contestant.single(keys) }),
      Workload(
        name: "OR of two indexes", unit: "row", units: either,
        run: { contestant, _ in try contestant.either(pairs) }),
      Workload(
        name: "IN of 1,000 keys", unit: "row", units: lists.count * 1000,
        run: { contestant, _ in try contestant.among(lists) }),
      Workload(
        name: "page 1 to 100", unit: "query", units: 100,
        run: { contestant, _ in try contestant.pages(100) }),
      Workload(
        name: "count by index, a tenth of the rows", unit: "query", units: scores.count,
        run: { contestant, _ in try contestant.count(from: scores) }),
      Workload(
        name: "group by team, sum of scores", unit: "row", units: rows,
        run: { contestant, _ in try contestant.sums() }),
      Workload(
        name: "regular expression, scan", unit: "row", units: rows,
        run: { contestant, _ in try contestant.matching() }),
    ]
  }

  /// A format string of ten terms, parsed, checked and bound to its arguments.
  private func measureParsing() throws {
    let count = 20_000
    let format = """
      score > %d AND score <= %d AND team IN %@ AND name BEGINSWITH %@ AND country != %@ \
      AND rating BETWEEN {%f, %f} AND isActive == YES AND note CONTAINS[c] %@ AND id > %ld \
      AND NOT team == nil
      """
    var times: [Double] = []
    for _ in 0...repetitions {
      let began = cpuTime()
      for number in 0..<count {
        let filter = try Filter<RankedPlayer>(
          format: format, number, number + 10, [1, 2, 3], "Player", "Peru", 0.25, 0.75, "note", 17)
        blackHole(filter)
      }
      times.append((cpuTime() - began) / Double(count))
    }
    let median = times.dropFirst().sorted()[repetitions / 2]
    Benchmarks.say("\nparse and bind of a format of ten terms: \(readable(median))")
  }
}

/// Keeps the optimiser from dropping a value.
@inline(never)
private func blackHole<Value>(_ value: Value) {}
