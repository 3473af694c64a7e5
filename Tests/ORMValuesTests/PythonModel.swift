import Foundation

/// Runs a test's model in Python, whose integers and fractions have no limits.
///
/// Tests that need it are skipped, saying so, where there is no `python3`.
enum PythonModel {
  /// Whether `python3` can be run.
  static let isThere: Bool = (try? run("print('yes')", lines: [])) == ["yes"]

  /// Runs a script over lines of standard input and returns its lines of output.
  static func run(_ script: String, lines: [String]) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("values-model-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appendingPathComponent("input")
    let output = folder.appendingPathComponent("output")
    try Data(lines.joined(separator: "\n").utf8).write(to: input)
    try Data().write(to: output)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script]
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    return String(decoding: try Data(contentsOf: output), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}
