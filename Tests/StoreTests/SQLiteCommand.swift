import Foundation
import Testing

/// The `sqlite3` command, by which another program reads and changes a file.
enum SQLiteCommand {
  private static let path = "/usr/bin/sqlite3"
  static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// Runs statements on a file, and gives what is printed without the last line's end.
  @discardableResult
  static func run(_ sql: String, _ file: String) throws -> String {
    let (text, isDone) = try output(sql, file)
    #expect(isDone, "\(text)")
    return text
  }

  /// Runs a statement that fails on a file, and gives the message.
  static func failure(_ sql: String, _ file: String) throws -> String {
    let (text, isDone) = try output(sql, file)
    #expect(!isDone, "\(sql)")
    return text
  }

  private static func output(_ sql: String, _ file: String) throws -> (String, isDone: Bool) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-batch", file, sql]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text.hasSuffix("\n") ? String(text.dropLast()) : text, process.terminationStatus == 0)
  }
}
