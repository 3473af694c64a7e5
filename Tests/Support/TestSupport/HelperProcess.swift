package import Foundation
import Synchronization

/// A running CrashHelper, to be read line by line, and killed.
package final class HelperProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var rest: [UInt8] = []
  private let isOver = Flag()

  /// Starts the helper.
  ///
  /// - Parameters:
  ///   - arguments: the helper's command and its arguments.
  ///   - tool: a program that runs the helper, with its arguments.
  ///   - file: the file that is the helper's input; a pipe unless it is given.
  ///   - environment: variables that are set for the helper.
  ///   - limit: the seconds after which the helper is killed.
  package init(
    _ arguments: [String], under tool: [String] = [], input file: String? = nil,
    environment: [String: String] = [:], limit: Double? = nil
  ) throws {
    var line = tool + [Self.product("CrashHelper").path] + arguments
    process.executableURL = URL(fileURLWithPath: line.removeFirst())
    process.arguments = line
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardInput = file.flatMap { FileHandle(forReadingAtPath: $0) } ?? input
    process.standardError = FileHandle.nullDevice
    // The system gives the number of a process that has ended to another one, or to a thread of this one.
    process.terminationHandler = { [isOver] _ in isOver.set() }
    try process.run()
    // Ours is the only reading end, and the helper's the only writing end.
    try output.fileHandleForWriting.close()
    try input.fileHandleForReading.close()
    guard let limit else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [identifier, isOver] in
      if !isOver.isSet { _ = Foundation.kill(identifier, SIGKILL) }
    }
  }

  /// Starts `CrashHelper store <arguments>`, which is killed after `limit` seconds.
  package static func store(
    _ arguments: [String], input file: String? = nil, environment: [String: String] = [:],
    limit: Double = 300
  ) throws -> HelperProcess {
    try HelperProcess(
      ["store"] + arguments, input: file, environment: environment, limit: limit)
  }

  /// Starts the helper, and waits until it reports that it is ready.
  package static func ready(_ arguments: String...) throws -> HelperProcess {
    let helper = try HelperProcess(arguments)
    let line = helper.line()
    guard line == "ready" else {
      throw TestFailure("\(arguments) is not ready: \(line ?? "it has ended")")
    }
    return helper
  }

  deinit { if process.isRunning { kill() } }

  /// Returns the program of a product; the products of a build are in one folder.
  package static func product(_ name: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name)
  }

  /// Returns the next whole line, or nil at the end.
  package func line() -> String? {
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

  /// Returns all lines to the end.
  package func lines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  /// Sends an empty line.
  package func send() throws { try write("\n") }

  /// Writes to the helper's input; throws if the helper has ended.
  ///
  /// The signal of a pipe without a reader would end the tests, and their report with them.
  private func write(_ text: String) throws {
    var pipes = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipes)
    sigaddset(&pipes, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipes, &before)
    defer {
      var pending = sigset_t()
      sigpending(&pending)
      var signal: Int32 = 0
      if sigismember(&pending, SIGPIPE) == 1 { sigwait(&pipes, &signal) }
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Sends lines, and ends the helper's input.
  package func finish(_ lines: [String] = [""]) throws {
    try write(lines.map { $0 + "\n" }.joined())
    try input.fileHandleForWriting.close()
  }

  /// True until the process has ended.
  package var isRunning: Bool { process.isRunning }

  /// The number of the process.
  package var identifier: Int32 { process.processIdentifier }

  /// Kills the process as a power cut to it would.
  package func kill() {
    if !isOver.isSet { _ = Foundation.kill(identifier, SIGKILL) }
    _ = exits()
  }

  /// Waits for the end, and returns true if no signal ended the process.
  package func exits() -> Bool {
    process.waitUntilExit()
    isOver.set()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }

  /// Runs the helper to its end, and returns its lines.
  package static func run(_ arguments: String...) throws -> [String] {
    let helper = try HelperProcess(arguments)
    try helper.finish()
    let lines = helper.lines()
    guard helper.exits() else { throw TestFailure("a signal ended \(arguments)") }
    return lines
  }
}

/// An event that happens at most once, on any thread.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
