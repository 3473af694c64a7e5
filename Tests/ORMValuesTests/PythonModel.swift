import Foundation
import TestSupport

/// Runs a test's model in Python, whose integers and fractions have no limits.
///
/// Tests that need it are skipped, saying so, where there is no `python3`.
enum PythonModel {
  /// True if `python3` can be run.
  static let isThere: Bool = (try? run("print('yes')", lines: [])) == ["yes"]

  /// Runs a script over lines of standard input and returns its lines of output.
  static func run(_ script: String, lines: [String]) throws -> [String] {
    let folder = TestFolder()
    defer { withExtendedLifetime(folder) {} }
    let input = try folder.write(Data(lines.joined(separator: "\n").utf8), "input")
    let output = try folder.write(Data(), "output")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script]
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: input))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    try process.run()
    process.waitUntilExit()
    return String(decoding: try bytes(output), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}
