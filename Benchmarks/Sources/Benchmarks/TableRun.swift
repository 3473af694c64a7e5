import Workloads

/// A run of workloads over contestants: a table, plots and a record.
struct TableRun {
  let mode: String
  let entrants: [Entrant]
  let workloads: [Workload]
  let rows: Rows
  let repetitions: Int
  let output: Output
  /// The peak memory of one contestant by the words of workloads.
  let peaks: (Entrant) throws -> [String: Int]

  func run() throws {
    output.say(
      "\(mode): \(rows.count) rows, medians of \(repetitions) interleaved repetitions; peak: the most memory "
        + "over what was resident before\n")
    let peaks = try entrants.map(peaks)
    var report = RecordReport(
      Record(
        mode: mode, rows: rows.count, repetitions: repetitions, contestants: entrants.map(\.name)),
      output)
    let measurement = Measurement(entrants: entrants, rows: rows, repetitions: repetitions)
    for workload in workloads {
      try report.add(
        Record.Line(
          word: workload.word, name: workload.name, unit: workload.unit, units: workload.units,
          times: try measurement.measure(workload), peaks: peaks.map { $0[workload.word] }))
    }
  }
}
