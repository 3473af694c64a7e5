import Foundation
import Workloads

/// What opening and the first questions take, once with the file not in the system's cache and once
/// with all of it there: `Benchmarks first [ROWS] [REPETITIONS] [NAME ...]`.
///
/// Every repetition opens anew, so no contestant has statements, plans or pages of its own.
struct FirstBench {
  let rows: Rows
  let repetitions: Int
  let contestants: [FirstContestant]
  let output: Output

  private static let steps = ["open", "first find by key", "second find", "first top 20"]

  func run() throws {
    for contestant in contestants {
      let open = try contestant.open()
      try open.players.clearIndexed()
      _ = try open.players.indexedInsert(rows.players)()
      try open.close()
    }
    var times: [String: [[Time]]] = [:]
    for repetition in 0..<repetitions {
      var checksums: Set<Int> = []
      for (index, contestant) in contestants.enumerated() {
        for (state, isCold) in [("cold", true), ("warm", false)] {
          if isCold { try contestant.dropFromCache() }
          let (taken, checksum) = try measure(contestant, repetition)
          checksums.insert(checksum)
          for (step, time) in zip(Self.steps, taken) {
            let empty = contestants.map { _ in [Time]() }
            times["\(step), \(state)", default: empty][index].append(time)
          }
        }
      }
      guard checksums.count == 1 else { throw Disagreement(description: "first: \(checksums)") }
    }
    output.say(
      "\(rows.count) rows, medians of \(repetitions); cold: no page of the file is in memory\n")
    var report = RecordReport(
      Record(
        mode: "first", rows: rows.count, repetitions: repetitions,
        contestants: contestants.map(\.name)), output)
    for state in ["cold", "warm"] {
      for step in Self.steps {
        let name = "\(step), \(state)"
        try report.add(
          Record.Line(word: name, name: name, unit: "query", units: 1, times: times[name] ?? []))
      }
    }
  }

  private func measure(
    _ contestant: FirstContestant, _ repetition: Int
  ) throws -> ([Time], checksum: Int) {
    let key = Int64((repetition &* 7919) % (rows.count - 1)) + 1
    var began = Time.now()
    var times: [Time] = []
    func lap() {
      let now = Time.now()
      times.append(now.since(began, units: 1))
      began = now
    }
    let open = try contestant.open()
    lap()
    var sum = try open.players.find([key])
    lap()
    sum &+= try open.players.find([key + 1])
    lap()
    sum &+= try open.players.top(1)
    lap()
    try open.close()
    return (times, sum)
  }
}
