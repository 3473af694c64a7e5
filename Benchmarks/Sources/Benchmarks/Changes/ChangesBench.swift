import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import SQLiteBackend
import Workloads

/// The cost of recording changes, and of observations: `Benchmarks changes [ROWS] [REPETITIONS]`.
///
/// Times are of the whole process, so that the work of observers on other threads is in them.
struct ChangesBench {
  let rows: Rows
  let repetitions: Int
  let contestants: [Contestant]
  let output: Output

  struct Contestant {
    let name: String
    let open: () throws -> any ObservationOperations
  }

  /// The numbers of observers whose rows no commit changes.
  private static let observers = [1_000, 10_000]
  private static let commits = 20

  static func contestants(path: @escaping (String) -> String) throws -> [Contestant] {
    let schema = try Schema(Player.self)
    var options = StoreOptions()
    // The time of a disk is not what is compared; GRDB's and ours wait for none.
    options.durability = .off
    return [
      Contestant(name: "Strata memory") {
        StrataChanges(store: try MemoryStore(schema: schema))
      },
      Contestant(name: "Strata SQLite") {
        StrataChanges(
          store: try SQLiteStore(path: path("changes.sqlite"), schema: schema, options: options))
      },
      Contestant(name: "Strata LMDB") {
        StrataChanges(
          store: try LMDBStore(path: path("changes.lmdb"), schema: schema, options: options))
      },
      Contestant(name: "GRDB") { try GRDBChanges(path: path("changes.grdb")) },
    ]
  }

  func run() throws {
    output.say("\(rows.count) rows, medians of \(repetitions) interleaved repetitions\n")
    var report = RecordReport(
      Record(
        mode: "changes", rows: rows.count, repetitions: repetitions,
        contestants: contestants.map(\.name)), output)
    let stores = try contestants.map { try $0.open() }
    for detail in ChangeDetail.allCases {
      try report.add(
        line("insert-\(detail)", "batch insert, \(detail.rawValue)", "row", rows.count, stores) {
          try insert($0, detail)
        })
    }
    for count in Self.observers {
      // GRDB fetches for each of its observers after each commit.
      let commits = count > 1_000 ? 2 : Self.commits
      try report.add(
        line(
          "observers-\(count)", "commit, \(count) observers unaffected", "commit", commits, stores
        ) {
          try observe($0, count, commits)
        })
    }
    try report.add(
      line("list", "one row changed in an observed list", "commit", Self.commits, stores, changeRow)
    )
    for store in stores { try store.close() }
  }

  private func line(
    _ word: String, _ name: String, _ unit: String, _ units: Int,
    _ stores: [any ObservationOperations],
    _ measure: (any ObservationOperations) throws -> Time?
  ) throws -> Record.Line {
    var times: [[Time]?] = stores.map { _ in [] }
    for _ in 0..<repetitions {
      for (index, store) in stores.enumerated() {
        guard let time = try measure(store) else {
          times[index] = nil
          continue
        }
        times[index]?.append(time)
      }
    }
    return Record.Line(
      word: word, name: name, unit: unit, units: units, times: times, peaks: stores.map { _ in nil }
    )
  }

  private func insert(_ store: any ObservationOperations, _ detail: ChangeDetail) throws -> Time? {
    try store.clear()
    let hold = try store.listen(detail)
    if detail != .none, hold == nil { return nil }
    let began = Time.now()
    try store.insert(rows.players)
    let time = Time.now().since(began, units: rows.count)
    withExtendedLifetime(hold) {}
    return time
  }

  /// Commits of rows that are in the result of no observer but the one that counts all rows.
  private func observe(
    _ store: any ObservationOperations, _ count: Int, _ commits: Int
  ) throws -> Time? {
    try store.clear()
    let counts = Arrivals<Int>()
    let first = Countdown(count)
    // Scores of players are not negative.
    let hold = try store.observe(scores: -Int64(count) - 1 ..< -1) { first.count() }
    let counter = try store.observeCount(counts.note)
    first.wait()
    try counts.wait(for: 0)
    let began = Time.now()
    for number in 1...commits {
      try store.save(PlayerData(id: Int64(number)))
      try counts.wait(for: number)
    }
    let time = Time.now().since(began, units: commits)
    withExtendedLifetime((hold, counter)) {}
    return time
  }

  private func changeRow(_ store: any ObservationOperations) throws -> Time? {
    try store.clear()
    try store.insert(rows.players)
    let scores = Arrivals<Int64>()
    let hold = try store.observeRows(scores.note)
    var player = PlayerData(id: Int64(rows.count / 2))
    let top = Int64(1) << 40
    player.score = top
    try store.save(player)
    try scores.wait(for: top)
    let began = Time.now()
    for number in 1...Self.commits {
      player.score = top + Int64(number)
      try store.save(player)
      try scores.wait(for: player.score)
    }
    let time = Time.now().since(began, units: Self.commits)
    withExtendedLifetime(hold) {}
    return time
  }
}
