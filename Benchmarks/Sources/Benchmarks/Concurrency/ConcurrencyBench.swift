import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import Workloads

/// Readers beside a writer, two readers against one, and 64 tasks that save a row each against
/// single commits.
///
/// `Benchmarks concurrency [ROWS] [REPETITIONS] [NAME ...]`. Wall-clock time.
struct ConcurrencyBench {
  let rows: Int
  let repetitions: Int
  let output: Output
  let contestants: [(name: String, value: any ConcurrencyOperations)]

  private static let seconds = 1.0
  private static let tasks = 64
  private static let singles = 100

  static func contestants(
    path: (String) -> String
  ) throws -> [(name: String, value: any ConcurrencyOperations)] {
    let schema = try Schema(Player.self, PlainPlayer.self)
    return [
      (
        "Strata SQLite",
        StrataConcurrency(store: try SQLiteStore(path: path("c.sqlite"), schema: schema))
      ),
      (
        "Strata LMDB", StrataConcurrency(store: try LMDBStore(path: path("c.lmdb"), schema: schema))
      ),
      ("Strata memory", StrataConcurrency(store: MemoryStore(schema: schema))),
      ("GRDB pool", try GRDBConcurrency(path: path("pool.sqlite"))),
    ]
  }

  func run() async throws {
    let players = (1...Int64(rows)).map { PlayerData(id: $0) }
    for contestant in contestants { try contestant.value.fill(players) }
    var runs: [[[ConcurrencyRecord.Figure: Double]]] = contestants.map { _ in [] }
    for repetition in 0..<repetitions {
      for (index, contestant) in contestants.enumerated() {
        runs[index].append(try await measure(contestant.value, repetition))
      }
    }
    let record = ConcurrencyRecord(
      rows: rows, repetitions: repetitions, contestants: contestants.map(\.name), runs: runs)
    let table = record.table
    table.forEach(output.say)
    try output.write(record, as: "concurrency")
    try output.write(table.joined(separator: "\n"), as: "concurrency.md")
    try output.write(record.plot.document, as: "concurrency.svg")
  }

  private func measure(
    _ contestant: any ConcurrencyOperations, _ repetition: Int
  ) async throws -> [ConcurrencyRecord.Figure: Double] {
    let rows = rows
    let reader: @Sendable (Int) throws -> Void = { round in
      _ = try contestant.find((0..<200).map { Int64(((round + $0) &* 7919) % rows) + 1 })
    }
    let writer: @Sendable (Int) throws -> Void = { round in
      let batch = (1...Int64(100)).map { PlayerData(id: $0, round: Int64(round)) }
      try contestant.write(batch)
    }
    func rates(_ bodies: [@Sendable (Int) throws -> Void]) throws -> [Double] {
      try Threads.rates(seconds: Self.seconds, bodies)
    }
    var figures: [ConcurrencyRecord.Figure: Double] = [:]
    figures[.oneReader] = try rates([reader])[0] * 200
    figures[.twoReaders] = try rates([reader, reader]).reduce(0, +) * 200
    figures[.writerAlone] = try rates([writer])[0]
    let together = try rates([reader, writer])
    figures[.readerBesideWriter] = together[0] * 200
    figures[.writerBesideReader] = together[1]
    // New keys each time, so that every commit has something to keep.
    let first = Int64(1_000_000 + repetition * 100_000)
    let before = try contestant.count()
    figures[.singleCommits] = try await rate(Self.singles) {
      for id in first..<first + Int64(Self.singles) {
        try contestant.write([PlayerData(id: id)])
      }
    }
    let rounds = 10
    figures[.taskCommits] = try await rate(Self.tasks * rounds) {
      for round in 0..<rounds {
        let start = first + 50_000 + Int64(round * Self.tasks)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for id in start..<start + Int64(Self.tasks) {
            group.addTask { try await contestant.save(PlayerData(id: id)) }
          }
          try await group.waitForAll()
        }
      }
    }
    let written = try contestant.count() - before
    guard written == Self.singles + Self.tasks * rounds else {
      throw Disagreement(description: "\(written) rows are there of those acknowledged")
    }
    return figures
  }

  private func rate(_ units: Int, _ body: () async throws -> Void) async throws -> Double {
    let began = Time.now()
    try await body()
    return 1 / Time.now().since(began, units: units).wall
  }
}
