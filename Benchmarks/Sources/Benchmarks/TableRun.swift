import Workloads

/// A run of workloads over contestants: a table, a plot and a record.
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
    var record = Record(
      mode: mode, rows: rows.count, repetitions: repetitions, contestants: entrants.map(\.name))
    let table = RecordTable(record: record)
    output.say(
      "\(rows.count) rows, medians of \(repetitions) interleaved repetitions; peak: the most memory "
        + "over what was resident before\n")
    let peaks = try entrants.map(peaks)
    var text = table.heading
    table.heading.forEach(output.say)
    let measurement = Measurement(entrants: entrants, rows: rows, repetitions: repetitions)
    for workload in workloads {
      let line = Record.Line(
        word: workload.word, name: workload.name, unit: workload.unit, units: workload.units,
        times: try measurement.measure(workload), peaks: peaks.map { $0[workload.word] })
      record.lines.append(line)
      text += table.rows(line)
      table.rows(line).forEach(output.say)
      // A run of hours that is broken off has told what it found so far.
      try write(record, text)
    }
  }

  private func write(_ record: Record, _ text: [String]) throws {
    let name = "\(mode)-\(rows.count)"
    try output.write(record, as: name)
    try output.write(text.joined(separator: "\n"), as: name + ".md")
    for (clock, path) in [("cpu", \Time.cpu), ("wall", \Time.wall)] {
      try output.write(
        BarPlot(record, clock: path, named: "\(clock == "cpu" ? "CPU" : "wall") time").document,
        as: "\(name)-\(clock).svg")
    }
  }
}
