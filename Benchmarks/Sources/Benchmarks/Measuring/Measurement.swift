import Workloads

/// Interleaved repetitions: every contestant runs once a repetition, in turn.
struct Measurement {
  let entrants: [Entrant]
  let rows: Rows
  let repetitions: Int

  /// The times a unit of every contestant that knows the workload; nil of the others.
  func measure(_ workload: Workload) throws -> [[Time]?] {
    var times: [[Time]?] = entrants.map { _ in [] }
    for entrant in entrants { try entrant.fill(workload.data, rows) }
    for repetition in 0...repetitions {
      var checksums: [String: Int] = [:]
      for (index, entrant) in entrants.enumerated() where times[index] != nil {
        guard let run = try workload.prepare(entrant, repetition) else {
          times[index] = nil
          continue
        }
        let began = Time.now()
        checksums[entrant.name] = try run()
        let took = Time.now().since(began, units: workload.units)
        // The first repetition warms caches and is not counted.
        if repetition > 0 { times[index]?.append(took) }
      }
      guard Set(checksums.values).count <= 1 else {
        throw Disagreement(description: "\(workload.name): \(checksums)")
      }
    }
    for entrant in entrants { entrant.spoil(workload.spoils) }
    return times
  }
}

/// Contestants that did not see the same.
struct Disagreement: Error, CustomStringConvertible {
  let description: String
}
