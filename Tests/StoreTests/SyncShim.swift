import Foundation
import TestSupport
import Testing

/// A library that logs the syncs of the process it is preloaded into, and makes calls of it fail.
struct SyncShim {
  let library: String
  private let folder: TestFolder

  static var isPossible: Bool {
    #if os(Linux)
      compiler != nil
    #else
      false
    #endif
  }

  private static var compiler: String? {
    ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// Builds the library.
  init(_ folder: TestFolder) throws {
    self.folder = folder
    library = folder.file("syncshim.so")
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Support/SyncShim/syncshim.c").path
    let compiler = try #require(Self.compiler)
    let process = try Process.run(
      URL(fileURLWithPath: compiler), arguments: ["-shared", "-fPIC", "-o", library, source])
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  /// The log of a process that commits a number of times.
  func run(_ location: String, commits: Int, durability: String) throws -> [String] {
    let (log, printed) = try run(["sync", location, "\(commits)", durability])
    #expect(printed == ["ok"])
    return log
  }

  /// The log of a process, and what it tells; one that hangs for `limit` seconds is killed, and an
  /// issue.
  func run(
    _ arguments: [String], environment: [String: String] = [:], limit: Double = 60
  ) throws -> (log: [String], printed: [String]) {
    let log = folder.file("log-" + UUID().uuidString)
    let helper = try HelperProcess.store(
      arguments,
      environment: environment.merging(["LD_PRELOAD": library, "SYNC_LOG": log]) { $1 },
      limit: limit)
    let printed = helper.lines()
    #expect(helper.exits(), "\(arguments) \(environment) \(printed)")
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return (text.split(separator: "\n").map(String.init), printed)
  }
}
