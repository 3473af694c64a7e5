import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMObservation
import SQLiteBackend
import Workloads

/// The cost of recording changes, of histories, of observations and of sessions:
/// `Benchmarks changes [ROWS] [REPETITIONS] [-w WORD]...`.
///
/// Times are of the whole process, so that the work of observers on other threads is in them.
struct ChangesBench {
  let rows: Rows
  let repetitions: Int
  /// The words of the lines that are asked for; empty for all.
  let words: [String]
  let contestants: [Contestant]
  let output: Output

  struct Contestant {
    let name: String
    /// Opens an empty store; with a history of a level, if the contestant keeps histories.
    let open: (_ history: ChangeLevel?) throws -> (any ObservationOperations)?
  }

  /// The numbers of observers whose rows no commit changes.
  static let observers = [1_000, 10_000]
  static let commits = 20
  static let latencies = 200

  static func contestants(path: @escaping (String) -> String) throws -> [Contestant] {
    let schema = try Schema(Player.self)
    func options(_ history: ChangeLevel?) -> StoreOptions {
      var options = StoreOptions()
      // The time of a disk is not what is compared; GRDB's and ours wait for none.
      options.durability = .off
      if let history { options.history = .retained(level: history) }
      return options
    }
    func file(_ name: String, _ history: ChangeLevel?) -> String {
      path(history.map { "\(name)-\($0)" } ?? name)
    }
    return [
      Contestant(name: "Strata memory") { history in
        StrataChanges(store: MemoryStore(schema: schema, options: options(history)))
      },
      Contestant(name: "Strata SQLite") { history in
        StrataChanges(
          store: try SQLiteStore(
            path: file("changes.sqlite", history), schema: schema, options: options(history)))
      },
      Contestant(name: "Strata LMDB") { history in
        StrataChanges(
          store: try LMDBStore(
            path: file("changes.lmdb", history), schema: schema, options: options(history)))
      },
      Contestant(name: "GRDB") { history in
        history == nil ? try GRDBChanges(path: path("changes.grdb")) : nil
      },
    ]
  }

  func run() throws {
    output.say("\(rows.count) rows, medians of \(repetitions) interleaved repetitions\n")
    var report = RecordReport(
      Record(
        mode: "changes", rows: rows.count, repetitions: repetitions,
        contestants: contestants.map(\.name)), output)
    let stores = try contestants.map { try $0.open(nil) }
    for detail in ChangeDetail.allCases {
      try report.add(
        line("insert-\(detail)", "batch insert, \(detail.rawValue)", "row", rows.count, stores) {
          try insert($0, detail)
        })
    }
    try addHistories(to: &report, stores)
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
    try addLists(to: &report, stores)
    let count = min(10_000, rows.count)
    for (word, name, inSession) in [
      ("by-hand", "load, change and save by hand", false),
      ("session", "load, change and save in a session", true),
    ] {
      try report.add(
        line(word, name, "row", count, stores) { try edit($0, count, inSession: inSession) })
    }
    for store in stores { try store?.close() }
  }

  private func addHistories(
    to report: inout RecordReport, _ stores: [(any ObservationOperations)?]
  ) throws {
    try report.add(
      line("commit", "commit of one row, no history", "commit", Self.commits, stores, commit))
    for level in [ChangeLevel.keys, .attributes, .values] {
      let stores = try contestants.map { try $0.open(level) }
      try report.add(
        line("history-\(level)", "batch insert, history of \(level)", "row", rows.count, stores) {
          try insert($0, .none)
        })
      try report.add(
        line(
          "commit-history-\(level)", "commit of one row, history of \(level)", "commit",
          Self.commits, stores, commit))
      for store in stores { try store?.close() }
    }
  }

  private func addLists(
    to report: inout RecordReport, _ stores: [(any ObservationOperations)?]
  ) throws {
    try report.add(
      line("array", "one row changed in an observed query", "commit", Self.commits, stores) {
        try changeRow($0, observing: $0.observeRows)
      })
    try report.add(
      line("list", "one row changed in an observed list", "commit", Self.commits, stores) {
        try changeRow($0, observing: $0.observeList)
      })
    try report.add(
      line("keys", "one row changed in an observed list of keys", "commit", Self.commits, stores) {
        try changeRow($0, observing: $0.observeKeys)
      })
    let count = min(1_000, rows.count / 2)
    try report.add(
      line("change-\(count)", "\(count) rows changed, nobody observes", "commit", 1, stores) {
        try changeRows($0, count, isObserved: false)
      })
    try report.add(
      line(
        "list-\(count)", "\(count) rows changed in an observed list", "commit", 1, stores
      ) {
        try changeRows($0, count, isObserved: true)
      })
    try report.add(
      line(
        "latency", "commit to observed value, 99th percentile", "commit", 1, stores, latency))
  }

  /// Measures a line; nil if it is not asked for.
  private func line(
    _ word: String, _ name: String, _ unit: String, _ units: Int,
    _ stores: [(any ObservationOperations)?],
    _ measure: (any ObservationOperations) throws -> Time?
  ) throws -> Record.Line? {
    guard words.isEmpty || words.contains(word) else { return nil }
    var times: [[Time]?] = stores.map { _ in [] }
    for _ in 0..<repetitions {
      for (index, store) in stores.enumerated() {
        guard let store, let time = try measure(store) else {
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
}
