internal import Foundation
public import ORM
internal import ORMCore
internal import Testing

/// Expects that the content of a store is that of a text file beside the test.
///
/// ```swift
/// @Test func imports() throws {
///   try store.insert(Team(name: "Bears"))
///   try expectSnapshot(of: store, named: "teams")
/// }
/// ```
///
/// The file is `__Snapshots__/TEST-FILE/teams.txt` beside the test's file. With `STRATA_RECORD=1` in the
/// environment it is written, and nothing is compared. A file that is not there is a failure. Line
/// ends do not matter. The difference is shown line by line.
///
/// - Parameters:
///   - store: the store.
///   - name: the name of the file, which no other test of the same file has.
///   - entities: the names of the entities to be shown; all unless given.
///   - options: the form of the snapshot.
///   - fileID: the file of the test, as the report names it.
///   - filePath: the file of the test, beside which the snapshot is.
///   - line: the line of the expectation.
///   - column: the column of the expectation.
/// - Throws: the errors of reading the store, and of writing the file.
public func expectSnapshot(
  of store: any Store, named name: String, entities: [String]? = nil,
  options: Snapshot.Options = Snapshot.Options(), fileID: String = #fileID,
  filePath: String = #filePath, line: Int = #line, column: Int = #column
) throws {
  let found = try Snapshot(of: store, entities: entities, options: options).text
  let location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let isRecording = ProcessInfo.processInfo.environment["STRATA_RECORD"] == "1"
  let file = SnapshotFile(name: name, of: filePath)
  if let failure = try file.compare(found, at: "\(filePath):\(line)", isRecording: isRecording) {
    TestReport.fail(failure, at: location)
  }
}

/// The text file of a snapshot.
struct SnapshotFile {
  let path: String
  let name: String

  init(name: String, of test: String) {
    self.name = name
    let test = URL(fileURLWithPath: test)
    let folder = test.deletingLastPathComponent().appendingPathComponent("__Snapshots__")
      .appendingPathComponent(test.deletingPathExtension().lastPathComponent)
    let safe = name.map { $0.isLetter || $0.isNumber || "-_ .".contains($0) ? $0 : "-" }
    path = folder.appendingPathComponent(String(safe) + ".txt").path
  }

  /// The source locations that use each file, and the text that was recorded in this run.
  private static let used = Lock<[String: (location: String, recorded: String?)]>([:])

  /// Compares a text with the file, or writes it.
  ///
  /// - Parameters:
  ///   - location: the location of the expectation in the source, one for all runs of a test.
  ///   - isRecording: true to write the file.
  /// - Returns: the failure in words; nil if both are equal.
  func compare(_ found: String, at location: String, isRecording: Bool) throws -> String? {
    try Self.used.withLock { used in
      if let known = used[path], known.location != location {
        return "two expectations have the snapshot \"\(name)\": that at \(known.location) too"
      }
      let recorded = used[path]?.recorded
      used[path] = (location, recorded)
      if isRecording {
        if let recorded { return difference(recorded, found, "another run of the same test") }
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(found.utf8).write(to: url, options: .atomic)
        used[path] = (location, found)
        return nil
      }
      guard let data = FileManager.default.contents(atPath: path) else {
        return "there is no snapshot \"\(name)\" at \(path): run the test with STRATA_RECORD=1"
      }
      return difference(String(decoding: data, as: UTF8.self), found, "the file \(path)")
    }
  }

  private func difference(_ expected: String, _ found: String, _ other: String) -> String? {
    TextDifference.lines(expected: expected, found: found).map {
      "the content differs from \(other) (- expected, + found):\n\($0)"
    }
  }
}
