import Foundation
import Workloads

/// Peak memory by contestant, each in a process of its own, which holds no other's rows.
///
/// What is counted of a workload is the most that was resident while it ran over what was when it
/// began, mapped pages of files included, so a cache that was warm before does not count.
enum PeakProcess {
  /// Runs the workloads once, in this process, and prints the peak of each.
  static func run(_ entrant: Entrant, _ workloads: [Workload], _ rows: Rows, _ output: Output)
    throws
  {
    for workload in workloads {
      try entrant.fill(workload.data, rows)
      guard let run = try workload.prepare(entrant, 0) else { continue }
      ProcessMemory.resetPeak()
      let before = ProcessMemory.now
      _ = try run()
      output.say("\(workload.word) \(max(0, ProcessMemory.peak - before))")
      entrant.spoil(workload.spoils)
    }
  }

  /// The peaks of one contestant by the words of workloads, from a child with these arguments.
  static func ask(_ arguments: [String]) throws -> [String: Int] {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = arguments
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    guard child.terminationStatus == 0 else {
      throw Disagreement(description: "the peaks of \(arguments) could not be measured")
    }
    var peaks: [String: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, let bytes = Int(words[1]) { peaks[String(words[0])] = bytes }
    }
    return peaks
  }
}
