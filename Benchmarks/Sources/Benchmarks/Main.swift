import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend

/// Runs every workload: `Benchmarks [ROWS] [REPETITIONS] [NAME ...]`.
///
/// Names choose contestants by a part of theirs, such as `SQLite`; all run without any. The word
/// `graph` runs the workloads of relationships instead, on clubs of 20 members, ROWS members in all;
/// the word `query` those of questions, the word `guards` what rules, hooks and kept attributes cost.
///
/// CPU time a unit, medians; every contestant but raw SQLite as a ratio to it, Strata's LMDB and
/// memory stores to raw LMDB as well.
@main
enum Benchmarks {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    let rows = arguments.first ?? 100_000
    let repetitions = arguments.dropFirst().first ?? 5
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
    let names = CommandLine.arguments.dropFirst().filter {
      Int($0) == nil && !["graph", "query", "guards"].contains($0)
    }
    if CommandLine.arguments.contains("graph") {
      return try GraphBench(members: rows, repetitions: repetitions, names: names, path: path).run()
    }
    if CommandLine.arguments.contains("query") {
      return try QueryBench(rows: rows, repetitions: repetitions, names: names, path: path).run()
    }
    if CommandLine.arguments.contains("guards") {
      return try GuardBench(rows: rows, repetitions: repetitions, path: path).run()
    }
    let schema = try Schema(Player.self, PlainPlayer.self)
    let all: [(String, () throws -> any Contestant)] = [
      ("raw SQLite", { try RawSQLite(path: path("raw.sqlite")) }),
      (
        "Strata SQLite",
        {
          StrataContestant(
            name: "Strata SQLite", store: try SQLiteStore(path: path("s.sqlite"), schema: schema))
        }
      ),
      (
        "GRDB codable",
        {
          try GRDBContestant(
            name: "GRDB codable", path: path("c.sqlite"), CodablePlayer.self, CodablePlain.self)
        }
      ),
      (
        "GRDB fast",
        {
          try GRDBContestant(
            name: "GRDB fast", path: path("f.sqlite"), FastPlayer.self, FastPlain.self)
        }
      ),
      ("raw LMDB", { try RawLMDB(path: path("raw.lmdb")) }),
      (
        "Strata LMDB",
        {
          StrataContestant(
            name: "Strata LMDB", store: try LMDBStore(path: path("s.lmdb"), schema: schema))
        }
      ),
      (
        "Strata memory",
        { StrataContestant(name: "Strata memory", store: MemoryStore(schema: schema)) }
      ),
    ]
    let contestants = try all.filter { name, _ in
      names.isEmpty || names.contains { name.contains($0) }
    }.map { try $0.1() }
    let rawLMDB = contestants.firstIndex { $0.name == "raw LMDB" }
    let measurement = Measurement(
      contestants: contestants.map { ($0.name, $0) }, repetitions: repetitions)
    say("\(rows) rows, medians of \(repetitions) interleaved repetitions, CPU time\n")
    say("| workload | unit | " + contestants.map(\.name).joined(separator: " | ") + " |")
    say("|---|---|" + contestants.map { _ in "--:|" }.joined())
    for workload in workloads(rows: rows) {
      let times = try measurement.measure(workload)
      let cells = times.enumerated().map { index, time in
        index == 0
          ? readable(time)
          : String(format: "%.2f ×", time / times[0])
            + (rawLMDB.map { raw in
              index > raw ? String(format: " (%.2f × raw LMDB)", time / times[raw]) : ""
            } ?? "")
      }
      say("| \(workload.name) | \(workload.unit) | " + cells.joined(separator: " | ") + " |")
    }
  }

  /// Prints at once, also into a pipe.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  private static func workloads(rows: Int) -> [Workload<any Contestant>] {
    let players = (1...Int64(rows)).map { PlayerData(id: $0) }
    let upserts = rows / 5
    let keys = (0..<rows / 5).map { Int64(($0 &* 7919) % rows) + 1 }
    let scores = (0..<200).map { Int64($0 * 5) }
    let matching = players.count { $0.score % 5 == 0 && $0.score < 1000 }
    return [
      Workload(
        name: "insert, one transaction", unit: "row", units: rows,
        prepare: { try $0.clearPlain() },
        run: { contestant, _ in try contestant.insertPlain(players) }),
      Workload(
        name: "upsert, half new", unit: "row", units: upserts,
        run: { contestant, repetition in
          let new = Int64(rows + repetition * upserts)
          return try contestant.upsertPlain(
            (0..<Int64(upserts)).map { index in
              PlayerData(
                id: index % 2 == 0 ? index + 1 : new + index, round: Int64(repetition + 1))
            })
        }),
      Workload(
        name: "insert with index", unit: "row", units: rows,
        prepare: { try $0.clearIndexed() },
        run: { contestant, _ in try contestant.insertIndexed(players) }),
      Workload(
        name: "find by key in one transaction", unit: "row", units: keys.count,
        run: { contestant, _ in try contestant.find(keys) }),
      Workload(
        name: "scan to an array, 8 fields", unit: "row", units: rows,
        run: { contestant, _ in try contestant.scan() }),
      Workload(
        name: "filter by index", unit: "row", units: matching,
        run: { contestant, _ in try contestant.filter(scores) }),
      Workload(
        name: "top 20 by index", unit: "query", units: 500,
        run: { contestant, _ in try contestant.top(500) }),
    ]
  }
}
