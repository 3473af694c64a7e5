import Foundation
import Testing

/// A running CrashHelper, to be read line by line, and killed.
final class HelperProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var rest: [UInt8] = []

  /// Starts the helper with these arguments, as an argument of `tool` where there is one.
  init(_ arguments: [String], under tool: [String] = []) throws {
    var line = tool + [Self.path] + arguments
    process.executableURL = URL(fileURLWithPath: line.removeFirst())
    process.arguments = line
    process.standardOutput = output
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Ours is the only reading end, and the helper's the only writing end.
    try output.fileHandleForWriting.close()
    try input.fileHandleForReading.close()
  }

  /// Starts the helper, and waits until it says that it is ready.
  static func ready(_ arguments: String...) throws -> HelperProcess {
    let helper = try HelperProcess(arguments)
    try #require(helper.line() == "ready")
    return helper
  }

  deinit { if process.isRunning { kill() } }

  /// The products of a build are in one folder.
  private static let path: String = {
    let test = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return test.deletingLastPathComponent().appendingPathComponent("CrashHelper").path
  }()

  /// The next whole line; nil at the end.
  func line() -> String? {
    while true {
      if let end = rest.firstIndex(of: 10) {
        defer { rest.removeSubrange(...end) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
      if count <= 0 { return nil }
      rest += buffer[..<count]
    }
  }

  /// All lines to the end.
  func lines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  /// Sends lines, and says that no more will come.
  func finish(_ lines: [String] = [""]) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    try input.fileHandleForWriting.close()
  }

  /// The number of the process.
  var identifier: Int32 { process.processIdentifier }

  /// Kills the process as a power cut to it would.
  func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits for the end; true when no signal ended it.
  func exits() -> Bool {
    process.waitUntilExit()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }

  /// Runs the helper to its end, and gives its lines.
  static func run(_ arguments: String...) throws -> [String] {
    let helper = try HelperProcess(arguments)
    try helper.finish()
    let lines = helper.lines()
    #expect(helper.exits(), "a signal ended \(arguments)")
    return lines
  }
}
