import Foundation
import Synchronization
import Testing

/// A running CrashHelper, to be read line by line, and killed.
final class Helper {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var rest: [UInt8] = []
  private let isOver = Flag()

  /// Starts `CrashHelper store <arguments>`, with a file as its input if one is named; one that has
  /// not ended after `limit` seconds is killed.
  init(
    _ arguments: [String], input file: String? = nil, environment: [String: String] = [:],
    limit: Double = 60
  ) throws {
    process.executableURL = Self.product("CrashHelper")
    process.arguments = ["store"] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardInput = file.flatMap { FileHandle(forReadingAtPath: $0) } ?? input
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Ours is the only reading end, and the helper's the only writing end.
    try output.fileHandleForWriting.close()
    try input.fileHandleForReading.close()
    let identifier = process.processIdentifier
    let isOver = isOver
    DispatchQueue.global().asyncAfter(deadline: .now() + limit) {
      if !isOver.isSet { _ = Foundation.kill(identifier, SIGKILL) }
    }
  }

  deinit { if process.isRunning { kill() } }

  /// The products of a build are in one folder.
  private static func product(_ name: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent(name)
  }

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
  func send(_ lines: [String] = [""]) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    try input.fileHandleForWriting.close()
  }

  /// Kills the process as a power cut to it would.
  func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    _ = exits()
  }

  /// Waits for the end; true when no signal ended it.
  func exits() -> Bool {
    process.waitUntilExit()
    isOver.set()
    return process.terminationReason == .exit && process.terminationStatus == 0
  }
}

/// Something that happened once, on any thread.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
