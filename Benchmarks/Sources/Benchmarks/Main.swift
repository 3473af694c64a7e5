import Foundation
import Workloads

/// Runs workloads: `Benchmarks [MODE] [ROWS] [REPETITIONS] [NAME ...]`.
///
/// Names choose contestants by a part of theirs, such as `SQLite`; all run without any. `-w WORD`
/// chooses workloads, `-o FOLDER` where table, plot and record are written (`results`), `-n` leaves
/// peak memory out. Modes: none for all of the next three, `rows` for rows and batches, `graph` for
/// relationships, `query` for questions; `guards` for what rules, hooks and kept attributes cost.
@main
enum Benchmarks {
  static func main() {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Options(CommandLine.arguments.dropFirst())
        .run { folder.appendingPathComponent($0).path }
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      try? FileManager.default.removeItem(at: folder)
      exit(1)
    }
  }
}
