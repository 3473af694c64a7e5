import Foundation
import ORMCore
import Testing

@testable import SQLiteBackend

/// A folder of a test's own, removed at its end, and the `sqlite3` command as the independent
/// program that says what a file holds.
final class SQLiteFixture {
  let folder: String
  var path: String { folder + "/store.sqlite" }

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/strata-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The store's file, made when it is not there.
  func file(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> SQLiteFile {
    var options = StoreOptions()
    options.writerWait = .seconds(5)
    change(&options)
    return try SQLiteFile(path: path, options: options, settings: SQLiteSettings(options))
  }

  /// What the file and those beside it hold, by name.
  func bytes() throws -> [String: Data] {
    var all: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      all[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
    }
    return all
  }

  func write(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: path)) }

  /// Runs the command on the file and gives what it prints, without the last line's end.
  @discardableResult
  func command(_ sql: String, on path: String? = nil) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-batch", "-bail", path ?? self.path, sql]
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "sqlite3 failed on \(sql)")
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
  }

  /// The store error that `body` throws.
  static func error(
    location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws -> StoreError {
    do {
      try body()
    } catch {
      return try #require(error as? StoreError, "another error: \(error)", sourceLocation: location)
    }
    Issue.record("nothing was thrown", sourceLocation: location)
    return StoreError(.engine, "nothing was thrown")
  }
}

/// A `sqlite3` command that runs until it is told to end, fed line by line.
///
/// Unchecked: a test uses it from one thread at a time, handed over by starting a thread.
final class SQLiteSession: @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ path: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-batch", path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Runs statements and waits until the command has done them; gives what they print.
  @discardableResult
  func run(_ sql: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n.print done\n".utf8))
    var text = ""
    while !text.hasSuffix("done\n") {
      let more = output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "sqlite3 ended")
      text += String(decoding: more, as: UTF8.self)
    }
    return String(text.dropLast(5))
  }

  /// Ends it as a kill does: nothing is tidied.
  func kill() {
    #if canImport(Glibc)
      _ = Foundation.kill(process.processIdentifier, SIGKILL)
    #endif
    process.waitUntilExit()
  }

  deinit { if process.isRunning { kill() } }
}
