#if Command
  import Foundation
  import TestSupport
  import Testing

  /// One run of the built `strata` as a child process.
  struct CommandRun {
    let output: String
    let errors: String
    let status: Int32
    /// True if it ended by itself: neither a trap nor a signal.
    let isExit: Bool

    /// Runs the command in a folder and waits for its end.
    init(_ arguments: [String], in folder: CommandFolder) throws {
      let process = Process()
      process.executableURL = Self.executable
      process.arguments = arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      process.standardInput = FileHandle.nullDevice
      // Files instead of pipes: no reader has to keep pace.
      let files = ["out", "err"].map { "\(folder.path)/.\(UUID().uuidString).\($0)" }
      let handles = try files.map { file in
        try Data().write(to: URL(fileURLWithPath: file))
        return try #require(FileHandle(forWritingAtPath: file))
      }
      process.standardOutput = handles[0]
      process.standardError = handles[1]
      try process.run()
      process.waitUntilExit()
      output = try String(contentsOfFile: files[0], encoding: .utf8)
      errors = try String(contentsOfFile: files[1], encoding: .utf8)
      status = process.terminationStatus
      isExit = process.terminationReason == .exit
      for file in files { try FileManager.default.removeItem(atPath: file) }
    }

    /// The products of a build are in one folder.
    private static let executable = HelperProcess.product("strata")
  }

  /// A folder for the files of one test, removed with everything in it.
  final class CommandFolder: Sendable {
    private let files = TestFolder()
    var path: String { files.path }

    /// Writes a file and gives its name back.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
      try write(Array(text.utf8), to: name)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String) throws -> String {
      try files.write(Data(bytes), name)
      return name
    }

    func exists(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }

    /// The output of a run that must succeed and say nothing on standard error.
    func run(
      _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
      let run = try CommandRun(arguments, in: self)
      #expect(run.isExit && run.status == 0, sourceLocation: sourceLocation)
      #expect(run.errors == "", sourceLocation: sourceLocation)
      return run.output
    }

    /// The message of a run that must fail, on standard error; it says nothing on standard output.
    func failure(
      _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
      let run = try CommandRun(arguments, in: self)
      #expect(run.isExit && run.status != 0, sourceLocation: sourceLocation)
      #expect(run.output == "", sourceLocation: sourceLocation)
      #expect(!run.errors.contains("Fatal error"), sourceLocation: sourceLocation)
      #expect(!run.errors.contains("NSCocoaErrorDomain"), sourceLocation: sourceLocation)
      return run.errors
    }
  }

  /// The kinds of stores, each with the location of a store of this name.
  enum Kind: String, CaseIterable, Sendable {
    case sqlite, lmdb, memory

    func location(_ name: String = "store") -> String { "\(rawValue):\(name).\(rawValue)" }
  }
#endif
