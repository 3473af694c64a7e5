/// The output of a record to standard output and to its files: table, plots and JSON.
struct RecordReport {
  private(set) var record: Record
  private let table: RecordTable
  private let output: Output
  private var text: [String]

  init(_ record: Record, _ output: Output) {
    self.record = record
    self.output = output
    table = RecordTable(record: record)
    text = table.heading
    text.forEach(output.say)
  }

  /// Prints a line, and writes the files anew: a run of hours that is broken off has its results so
  /// far.
  ///
  /// Without a line, does nothing.
  mutating func add(_ line: Record.Line?) throws {
    guard let line else { return }
    record.lines.append(line)
    text += table.rows(line)
    table.rows(line).forEach(output.say)
    let name = "\(record.mode)-\(record.rows)"
    try output.write(record, as: name)
    try output.write(text.joined(separator: "\n"), as: name + ".md")
    for (clock, path) in [("CPU", \Time.cpu), ("wall", \Time.wall)] {
      try output.write(
        BarPlot(record, clock: path, named: "\(clock) time").document,
        as: "\(name)-\(clock.lowercased()).svg")
    }
  }
}
