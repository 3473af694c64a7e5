import Foundation
import Workloads

/// What openings cost that change a schema:
/// `Benchmarks migrations [ROWS] [REPETITIONS] [-w WORK ...] [NAME ...]`.
///
/// Each repetition opens a new copy of a contestant's file. The work `beside` is the latency of a writer
/// in another process while an index is built; only `-w beside` asks for it.
struct MigrationsBench {
  let rows: Rows
  let repetitions: Int
  /// The works that are asked for; all if there are none.
  let words: [String]
  let contestants: [MigrationContestant]
  let output: Output

  func run() throws {
    output.say(
      "\(rows.count) rows, medians of \(repetitions) interleaved openings with the work in them; "
        + "peak: the most memory over what was resident before\n")
    for contestant in contestants { try contestant.prepare(rows) }
    var report = RecordReport(
      Record(
        mode: "migrations", rows: rows.count, repetitions: repetitions,
        contestants: contestants.map(\.name)), output)
    for work in MigrationWork.allCases where words.isEmpty || words.contains("\(work)") {
      try report.add(measure(work))
    }
    if words.contains("beside") {
      for contestant in contestants {
        try WritersBeside(contestant: contestant, output: output).run(times: repetitions)
      }
    }
  }

  private func measure(_ work: MigrationWork) throws -> Record.Line {
    let units = work.isOfRows ? rows.count : 1
    var times: [[Time]?] = contestants.map { _ in [] }
    var peaks: [Int?] = contestants.map { _ in nil }
    var sums: Set<Double> = []
    for _ in 0..<repetitions {
      for (index, contestant) in contestants.enumerated() {
        let path = try contestant.copy()
        ProcessMemory.resetPeak()
        let memory = ProcessMemory.now
        let began = Time.now()
        let sum = try contestant.run(path, work)
        let time = Time.now().since(contestant.lastPart() ?? began, units: units)
        let peak = ProcessMemory.peak - memory
        guard let sum else {
          times[index] = nil
          continue
        }
        times[index]?.append(time)
        peaks[index] = max(peaks[index] ?? 0, peak)
        try sums.insert(sum())
      }
    }
    guard sums.count <= 1 else { throw Disagreement(description: "\(work.name): \(sums)") }
    return Record.Line(
      word: "\(work)", name: work.name, unit: work.isOfRows ? "row" : "opening", units: units,
      times: times, peaks: peaks)
  }
}
