import Foundation
import Workloads

/// The options of the command line.
struct Options {
  var mode = Mode.all
  /// The first is how many rows, the second how many repetitions; `growth` takes all as sizes.
  var numbers: [Int] = []
  var names: [String] = []
  var words: [String] = []
  var measuresPeaks = true
  /// The one contestant, by its whole name, whose peaks this process is to print.
  var peaksOf: String?
  /// The location of a store to which this process is to write while another changes its schema.
  var besideOf: String?
  var output = Output(folder: URL(fileURLWithPath: "results"))

  enum Mode: String {
    case all, rows, graph, query, interceptors, first, growth, concurrency, memory, external,
      changes, migrations, coordinator, exchange, postgres, fixtures, goals
  }

  var rows: Int { numbers.first ?? 100_000 }
  var repetitions: Int { numbers.dropFirst().first ?? 5 }

  init(_ arguments: some Sequence<String>) {
    var left = Array(arguments)[...]
    while let word = left.popFirst() {
      if word == "-w", let name = left.popFirst() {
        words.append(name)
      } else if word == "-o", let path = left.popFirst() {
        output = Output(folder: URL(fileURLWithPath: path))
      } else if word == "-n" {
        measuresPeaks = false
      } else if word == "--peaks-of", let name = left.popFirst() {
        peaksOf = name
      } else if word == "--beside", let location = left.popFirst() {
        besideOf = location
      } else if let mode = Mode(rawValue: word) {
        self.mode = mode
      } else if let number = Int(word), number > 0 {
        numbers.append(number)
      } else {
        names.append(word)
      }
    }
  }

  /// Returns whether the command line asks for a contestant of this name.
  func asks(for name: String) -> Bool { names.isEmpty || names.contains { name.contains($0) } }

  /// Runs the mode, with its files in a folder.
  func run(in folder: URL) async throws {
    let path = { (name: String) in folder.appendingPathComponent(name).path }
    let rows = Rows(count: rows)
    let workloads = Workloads(rows)
    let entrants = Entrants(path: path).withPeers
    switch mode {
    case .all: try table("all", entrants, workloads.all, rows)
    case .rows:
      try table(
        "rows", entrants,
        workloads.writes + workloads.singles + workloads.reads + workloads.scans
          + workloads.numbers + workloads.changes, rows)
    case .graph: try table("graph", entrants, workloads.graph, rows)
    case .query: try table("query", entrants, workloads.queries, rows)
    case .interceptors:
      for (kind, entrants) in ValidationEntrants(path: path).all {
        try table("interceptors-\(kind)", entrants, ValidationWorkloads(rows: rows.count).all, rows)
      }
    case .growth:
      try GrowthBench(
        sizes: numbers.isEmpty ? [10_000, 100_000, 1_000_000, 10_000_000] : numbers,
        contestants: GrowthContestant.all(path: path).filter { asks(for: $0.name) }, output: output
      ).run()
    case .first:
      try FirstBench(
        rows: rows, repetitions: repetitions,
        contestants: FirstContestant.all(path: path).filter { asks(for: $0.name) }, output: output
      ).run()
    case .concurrency:
      try await ConcurrencyBench(
        rows: rows.count, repetitions: repetitions, output: output,
        contestants: ConcurrencyBench.contestants(path: path).filter { asks(for: $0.name) }
      ).run()
    case .memory: try await memory(path)
    case .changes:
      try ChangesBench(
        rows: rows, repetitions: repetitions, words: words,
        contestants: ChangesBench.contestants(path: path).filter { asks(for: $0.name) },
        output: output
      ).run()
    case .migrations:
      if let location = besideOf { return try WritersBeside.write(location, output) }
      try MigrationsBench(
        rows: rows, repetitions: repetitions, words: words,
        contestants: MigrationContestant.all(path: path).filter { asks(for: $0.name) },
        output: output
      ).run()
    case .coordinator:
      try CoordinatorBench(
        rows: rows.count, repetitions: repetitions,
        contestants: CoordinatorContestant.all(path: path).filter { asks(for: $0.name) },
        output: output
      ).run()
    case .exchange:
      try ExchangeBench(
        rows: numbers.first ?? 850_000, repetitions: repetitions, names: names, output: output,
        path: path
      ).run()
    case .postgres:
      try await PostgresBench(rows: self.rows, repetitions: repetitions, output: output).run()
    case .fixtures:
      try FixtureBench(rows: rows.count, repetitions: repetitions, output: output).run()
    case .goals:
      for name in names {
        let report = try GoalReport(path: name)
        report.table.forEach(output.say)
        try output.write(
          report.table.joined(separator: "\n"), as: "goals-\(report.record.rows).md")
      }
    case .external:
      try ExternalBench(
        sizes: numbers.isEmpty ? ExternalBench.sizes : numbers,
        contestants: ExternalContestant.all(path: path).filter { asks(for: $0.name) },
        output: output
      ).run()
    }
  }

  private func memory(_ path: @escaping (String) -> String) async throws {
    let bench = MemoryBench(rows: numbers.first ?? 10_000_000, output: output, path: path)
    if let peaksOf { return try await bench.measure(peaksOf) }
    try bench.run(MemoryBench.names.filter(asks)) { name in
      try PeakProcess.ask([mode.rawValue, String(bench.rows), "--peaks-of", name])
    }
  }

  private func table(
    _ name: String, _ entrants: [Entrant], _ workloads: [Workload], _ rows: Rows
  ) throws {
    let workloads = workloads.filter { words.isEmpty || words.contains($0.word) }
    if let peaksOf {
      guard let entrant = entrants.first(where: { $0.name == peaksOf }) else { return }
      return try PeakProcess.run(entrant, workloads, rows, output)
    }
    try TableRun(
      mode: name,
      entrants: entrants.filter { entrant in
        asks(for: entrant.name) && workloads.contains { entrant.has($0.section) }
      }, workloads: workloads,
      rows: rows, repetitions: repetitions, output: output
    ) { entrant in
      guard measuresPeaks, mode != .interceptors else { return [:] }
      return try PeakProcess.ask(
        [mode.rawValue, String(rows.count), "--peaks-of", entrant.name]
          + words.flatMap { ["-w", $0] })
    }.run()
  }
}
