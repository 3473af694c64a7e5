import Foundation

/// The measurements of a run, as they are written to a JSON file.
struct Record: Codable {
  var mode: String
  var date = Date()
  var machine = Machine()
  var rows: Int
  var repetitions: Int
  var contestants: [String]
  var lines: [Line] = []

  struct Line: Codable {
    var word: String
    var name: String
    var unit: String
    var units: Int
    /// Seconds a unit by contestant and repetition; null where one has no such workload.
    var times: [[Time]?]
    /// The most memory over what was resident when the workload began, in bytes, by contestant.
    var peaks: [Int?] = []

    /// The median time a unit of one clock, by contestant.
    func medians(_ clock: KeyPath<Time, Double>) -> [Double?] {
      times.map { $0.flatMap { $0.map { $0[keyPath: clock] }.median } }
    }
  }

  struct Machine: Codable {
    var processor = Self.value(of: "model name", in: "/proc/cpuinfo")
    var cores = ProcessInfo.processInfo.activeProcessorCount
    var memory = ProcessInfo.processInfo.physicalMemory
    var system = ProcessInfo.processInfo.operatingSystemVersionString

    private static func value(of name: String, in path: String) -> String {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
      return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
    }
  }
}
