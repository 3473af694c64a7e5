import Foundation

/// CPU time of this process, in seconds.
func cpuTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// One workload: what is measured, how many units one run has, and the run.
struct Workload<Contestant> {
  let name: String
  let unit: String
  let units: Int
  /// Brings a contestant into the state the run starts from; not measured.
  var prepare: (Contestant) throws -> Void = { _ in }
  /// Gives a checksum, the same for every contestant in one repetition.
  let run: (Contestant, _ repetition: Int) throws -> Int
}

/// Medians of interleaved repetitions: every contestant runs once a repetition, in turn.
struct Measurement<Contestant> {
  let contestants: [(name: String, value: Contestant)]
  let repetitions: Int

  /// CPU seconds a unit, by contestant.
  func measure(_ workload: Workload<Contestant>) throws -> [Double] {
    var times = contestants.map { _ in [Double]() }
    for repetition in 0...repetitions {
      var checksums: [Int] = []
      for (index, contestant) in contestants.enumerated() {
        try workload.prepare(contestant.value)
        let began = cpuTime()
        checksums.append(try workload.run(contestant.value, repetition))
        let took = cpuTime() - began
        // The first repetition warms caches and is not counted.
        if repetition > 0 { times[index].append(took / Double(workload.units)) }
      }
      if Set(checksums).count != 1 {
        throw Disagreement(
          description: "\(workload.name): "
            + zip(contestants.map(\.name), checksums).map { "\($0) \($1)" }.joined(separator: ", "))
      }
    }
    return times.map { $0.sorted()[$0.count / 2] }
  }
}

/// Contestants that did not see the same.
struct Disagreement: Error, CustomStringConvertible {
  let description: String
}

/// A time in the unit that reads best.
func readable(_ seconds: Double) -> String {
  switch seconds {
  case ..<1e-6: String(format: "%.0f ns", seconds * 1e9)
  case ..<1e-3: String(format: "%.1f µs", seconds * 1e6)
  default: String(format: "%.1f ms", seconds * 1e3)
  }
}
