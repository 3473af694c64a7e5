import Foundation
import Workloads

/// Runs one workload on one store: `Gate STORE WORKLOAD ROWS [REPETITIONS]`.
///
/// `Gate sqlite find 10000` prints how many units the measured runs had in all and their checksum.
/// For tools that count instructions: a first run warms up, and only what is below
/// `strata_gate_measured` is the workload. `Gate list` names the stores and workloads. With
/// `GATE_INSTRUMENTS=idle`, `log` or `all` the stores have instruments.
@main
enum Gate {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-gate-\(ProcessInfo.processInfo.processIdentifier)")
    guard let options = Instruments.options() else {
      return fail("GATE_INSTRUMENTS is one of \(Instruments.allCases.map(\.rawValue))")
    }
    let entrants = Entrants(options: options) { folder.appendingPathComponent($0).path }
    let stores =
      [
        ("sqlite", entrants.strataSQLite), ("lmdb", entrants.strataLMDB),
        ("lmdb-library", entrants.strataLMDBLibrary),
        ("memory", entrants.strataMemory), ("raw-sqlite", entrants.rawSQLite),
        ("raw-sqlite-tuned", entrants.tunedSQLite), ("raw-lmdb", entrants.rawLMDB),
        ("sqlite-codable", entrants.strataCodable), ("plain", entrants.plain),
      ] + entrants.strataLayered
    if arguments.first == "list" {
      print("stores:", stores.map(\.0).joined(separator: " "))
      print("workloads:", Workloads(Rows(count: 20)).all.map(\.word).joined(separator: " "))
      return
    }
    guard arguments.count >= 3, let count = Int(arguments[3]), count > 0,
      let entrant = stores.first(where: { $0.0 == arguments[1] })?.1
    else { return fail("usage: Gate STORE WORKLOAD ROWS [REPETITIONS] | Gate list") }
    let rows = Rows(count: count)
    guard let workload = Workloads(rows).all.first(where: { $0.word == arguments[2] }) else {
      return fail("there is no workload \(arguments[2])")
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let repetitions = arguments.count > 3 ? Int(arguments[4]) ?? 1 : 1
    try entrant.fill(workload.data, rows)
    var checksum = 0
    for repetition in 0...repetitions {
      guard let run = try workload.prepare(entrant, repetition) else {
        return fail("\(arguments[1]) has no \(arguments[2])")
      }
      let result = try repetition == 0 ? run() : Measured.run(run)
      if repetition > 0 { checksum &+= result }
    }
    print("units \(workload.units * repetitions) checksum \(checksum)")
  }

  private static func fail(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(2)
  }
}
