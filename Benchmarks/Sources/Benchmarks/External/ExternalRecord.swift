import Foundation

/// The measurements of the mode of large values.
struct ExternalRecord: Codable {
  var mode = "external"
  var date = Date()
  var machine = Record.Machine()
  var rows: Int
  var contestants: [String]
  var lines: [Line] = []

  init(rows: Int, contestants: [String]) {
    self.rows = rows
    self.contestants = contestants
  }

  struct Line: Codable {
    /// The bytes of a value.
    var size: Int
    var step: String
    /// Seconds a row, by contestant.
    var times: [Time]
  }

  var heading: [String] {
    [
      "| value | a row of \(rows), wall (CPU) | " + contestants.joined(separator: " | ") + " |",
      "|--:|---|" + contestants.map { _ in "--:|" }.joined(),
    ]
  }

  func row(_ line: Line) -> String {
    let cells = line.times.map { "\(readable($0.wall)) (\(readable($0.cpu)))" }
    return "| \(line.size >> 10) KiB | \(line.step) | " + cells.joined(separator: " | ") + " |"
  }

  /// A plot of each step, the wall-clock time against the size of a value.
  var plots: [LinePlot] {
    var steps: [String] = []
    for line in lines where !steps.contains(line.step) { steps.append(line.step) }
    return steps.map { step in
      let lines = lines.filter { $0.step == step }
      return LinePlot(
        title: "\(step), a row", across: "bytes of a value", up: readable,
        lines: contestants.indices.map { index in
          (contestants[index], lines.map { (Double($0.size), $0.times[index].wall) })
        })
    }
  }
}
