import Foundation
import Workloads

/// The import of a CSV file by the command, whose path the environment gives as `STRATA`; else the
/// release build of this checkout, and nothing where there is none.
struct GrowthImport {
  let contestant: GrowthContestant
  let rows: Int

  /// The wall-clock time of a row, in a process of its own; its CPU time is not known here.
  func run() throws -> Time? {
    let command = ProcessInfo.processInfo.environment["STRATA"] ?? "../.build/release/strata"
    guard let scheme = contestant.scheme,
      FileManager.default.isExecutableFile(atPath: command)
    else { return nil }
    try FileManager.default.createDirectory(
      atPath: contestant.folder, withIntermediateDirectories: true)
    defer { try? contestant.remove() }
    let text = contestant.folder + "/rows.csv"
    try write(to: text)
    let child = Process()
    child.executableURL = URL(fileURLWithPath: command)
    child.arguments = [
      "import", "\(scheme):\(contestant.folder)/\(contestant.file)", "GrowthRow", text,
    ]
    child.standardOutput = FileHandle.nullDevice
    let began = Time.now()
    try child.run()
    child.waitUntilExit()
    guard child.terminationStatus == 0 else {
      throw Disagreement(description: "the import into \(contestant.name) failed")
    }
    return Time(cpu: 0, wall: Time.now().since(began, units: rows).wall)
  }

  private func write(to path: String) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    guard let file = FileHandle(forWritingAtPath: path) else { return }
    defer { try? file.close() }
    var text = "id,rank,name\n"
    for id in 1...Int64(rows) {
      let row = GrowthData(id: id)
      text += "\(row.id),\(row.rank),\(row.name)\n"
      if text.utf8.count > 1 << 20 || id == Int64(rows) {
        try file.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
  }
}
