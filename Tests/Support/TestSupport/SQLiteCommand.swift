import Foundation

/// The `sqlite3` command, an independent program that reads and changes a file.
package enum SQLiteCommand {
  private static let path = "/usr/bin/sqlite3"
  package static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// Runs statements on a file, and returns the output without the end of its last line.
  @discardableResult
  package static func run(_ sql: String, _ file: String) throws -> String {
    let (text, isDone) = try output(sql, file)
    guard isDone else { throw TestFailure("sqlite3 failed on \(sql): \(text)") }
    return text
  }

  /// Runs a statement that fails on a file, and returns the message.
  package static func failure(_ sql: String, _ file: String) throws -> String {
    let (text, isDone) = try output(sql, file)
    guard !isDone else { throw TestFailure("sqlite3 did not fail on \(sql): \(text)") }
    return text
  }

  private static func output(_ sql: String, _ file: String) throws -> (String, isDone: Bool) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-batch", "-bail", file, sql]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text.hasSuffix("\n") ? String(text.dropLast()) : text, process.terminationStatus == 0)
  }
}

/// A `sqlite3` command that runs until it is ended, fed line by line.
///
/// Unchecked: a test uses it from one thread at a time, handed over by starting a thread.
package final class SQLiteSession: @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  package init(_ path: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-batch", path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Runs statements, waits until the command has executed them, and returns what they print.
  @discardableResult
  package func run(_ sql: String) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data("\(sql)\n.print done\n".utf8))
    var text = ""
    while !text.hasSuffix("done\n") {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw TestFailure("sqlite3 ended") }
      text += String(decoding: more, as: UTF8.self)
    }
    return String(text.dropLast(5))
  }

  /// Ends the command as a kill does, without clean-up.
  package func kill() {
    #if canImport(Glibc)
      // The number of a process that has ended may be another's.
      if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
    #endif
    process.waitUntilExit()
  }

  deinit { if process.isRunning { kill() } }
}
