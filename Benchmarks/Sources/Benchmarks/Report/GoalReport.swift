import Foundation

/// Which goals a record of all workloads meets, and by how much it does not.
struct GoalReport {
  let record: Record

  init(path: String) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    record = try decoder.decode(Record.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// A Markdown table, with what is not met first.
  var table: [String] {
    var met: [String] = []
    var missed: [String] = []
    for goal in Goal.all {
      guard let (name, ratio) = ratio(goal) else { continue }
      let isMet = ratio <= goal.limit
      let outcome = isMet ? "met" : String(format: "%.0f %% over", (ratio / goal.limit - 1) * 100)
      let numbers = [goal.limit, ratio].map { String(format: "%.2f ×", $0) }
      let cells = [name, goal.store, goal.base] + numbers + [outcome]
      let row = "| " + cells.joined(separator: " | ") + " |"
      if isMet { met.append(row) } else { missed.append(row) }
    }
    return [
      "\(record.rows) rows: \(met.count) of \(met.count + missed.count) goals are met.", "",
      "| workload | store | against | at most | measured | |", "|---|---|---|--:|--:|---|",
    ] + missed + met
  }

  private func ratio(_ goal: Goal) -> (name: String, ratio: Double)? {
    guard let line = record.lines.first(where: { $0.word == goal.word }),
      let store = record.contestants.firstIndex(of: goal.store),
      let base = record.contestants.firstIndex(of: goal.base)
    else { return nil }
    let medians = line.medians(goal.clock)
    guard let time = medians[store], let other = medians[base], other > 0 else { return nil }
    return (line.name, time / other)
  }
}
