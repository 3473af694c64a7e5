import Foundation

/// Large values inside and outside of the store, 1,000 rows for each size of a value.
///
/// `Benchmarks external [SIZE ...]`. Making the values is part of inserting and replacing, the same for all.
struct ExternalBench {
  let sizes: [Int]
  let contestants: [ExternalContestant]
  let output: Output

  static let sizes = [4, 16, 64, 256, 512, 1024, 2048].map { $0 << 10 }
  private static let rows = 1000

  func run() throws {
    var record = ExternalRecord(rows: Self.rows, contestants: contestants.map(\.name))
    record.heading.forEach(output.say)
    for size in sizes {
      var lines: [ExternalRecord.Line] = []
      for contestant in contestants {
        for (step, time) in try measure(contestant, size) {
          if let index = lines.firstIndex(where: { $0.step == step }) {
            lines[index].times.append(time)
          } else {
            lines.append(ExternalRecord.Line(size: size, step: step, times: [time]))
          }
        }
      }
      record.lines += lines
      lines.map(record.row).forEach(output.say)
      try output.write(record, as: "external")
      try output.write(
        (record.heading + record.lines.map(record.row)).joined(separator: "\n"), as: "external.md")
      try output.write(LinePlot.document(record.plots), as: "external.svg")
    }
  }

  private func measure(
    _ contestant: ExternalContestant, _ size: Int
  ) throws -> [(String, Time)] {
    let documents = try contestant.open()
    let rows = Self.rows
    var times: [(String, Time)] = []
    func step(_ name: String, expecting count: Int, units: Int = rows, _ body: () throws -> Int)
      throws
    {
      let began = Time.now()
      let found = try body()
      times.append((name, Time.now().since(began, units: units)))
      guard found == count else {
        throw Disagreement(description: "\(name), \(contestant.name): \(found), not \(count)")
      }
    }
    try step("insert", expecting: rows) { try documents.insert(rows, size: size) }
    try step("scan of titles", expecting: rows) { try documents.titles() }
    try step("scan with values", expecting: rows * size) { try documents.values() }
    try step("update of titles", expecting: rows) { try documents.retitle() }
    try step("update of values", expecting: rows) { try documents.replace(rows, size: size) }
    try step("delete", expecting: rows / 2, units: rows / 2) { try documents.delete(rows) }
    try documents.close()
    try contestant.remove()
    return times
  }
}
