import Foundation
import Workloads

/// Runs workloads: `Benchmarks [MODE] [ROWS] [REPETITIONS] [NAME ...]`.
///
/// Names choose contestants by a part of theirs, such as `SQLite`; all run without any. `-w WORD`
/// chooses workloads, `-o FOLDER` where table, plot and record are written (`results`), `-n` leaves
/// peak memory out. Modes: none for all of the next three, `rows` for rows and batches, `graph` for
/// relationships, `query` for questions; `interceptors` for what rules, hooks and managed attributes cost,
/// `first` for opening and first questions, cold and warm, `growth` for what things cost against the
/// number of rows (its numbers are sizes), `concurrency` for readers beside a writer and saves of
/// many tasks, `memory` for streaming and rows in memory, `external` for large values inside and
/// outside of the store (its numbers are sizes of a value), `changes` for recording changes and for
/// observations, `migrations` for openings that change a schema, `coordinator` for several stores as
/// one, `exchange` for JSON, imports and exports, `postgres` for a PostgreSQL server beside calls of
/// libpq, `fixtures` for made-up rows and stores of tests. `goals FILE` reads the record of a run of
/// all workloads and says which goals it meets.
@main
enum Benchmarks {
  static func main() async {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-benchmarks-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await Options(CommandLine.arguments.dropFirst()).run(in: folder)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      try? FileManager.default.removeItem(at: folder)
      exit(1)
    }
  }
}
