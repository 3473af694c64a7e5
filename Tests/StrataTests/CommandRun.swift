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
    ///
    /// - Parameters:
    ///   - input: the text of standard input.
    ///   - terminal: the columns of the terminal that standard output is; nil for a file.
    init(
      _ arguments: [String], in folder: CommandFolder, input: String? = nil,
      terminal columns: UInt16? = nil
    ) throws {
      let process = Process()
      process.executableURL = Self.executable
      process.arguments = arguments
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      let source = "\(folder.path)/.\(UUID().uuidString).in"
      try Data((input ?? "").utf8).write(to: URL(fileURLWithPath: source))
      defer { try? FileManager.default.removeItem(atPath: source) }
      let reading = try #require(FileHandle(forReadingAtPath: source))
      process.standardInput = reading
      // Files instead of pipes: no reader has to keep pace.
      let files = ["out", "err"].map { "\(folder.path)/.\(UUID().uuidString).\($0)" }
      let handles = try files.map { file in
        try Data().write(to: URL(fileURLWithPath: file))
        return try #require(FileHandle(forWritingAtPath: file))
      }
      let terminal = try columns.map { try Terminal(columns: $0) }
      process.standardOutput = terminal?.end ?? handles[0]
      process.standardError = handles[1]
      try process.run()
      process.waitUntilExit()
      output = try terminal?.text() ?? String(contentsOfFile: files[0], encoding: .utf8)
      errors = try String(contentsOfFile: files[1], encoding: .utf8)
      status = process.terminationStatus
      isExit = process.terminationReason == .exit
      for file in files { try FileManager.default.removeItem(atPath: file) }
    }

    /// The products of a build are in one folder.
    private static let executable = HelperProcess.product("strata")
  }

  /// A terminal that is the output of a process.
  private struct Terminal {
    /// The end that the process has.
    let end: FileHandle
    private let other: FileHandle

    init(columns: UInt16) throws {
      #if os(Linux)
        let other = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var number: Int32 = 0
        // TIOCSPTLCK unlocks the other end, and TIOCGPTN names it.
        try #require(ioctl(other, 0x4004_5431, &number) == 0)
        try #require(ioctl(other, 0x8004_5430, &number) == 0)
        let end = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(end, UInt(TIOCSWINSZ), &size) == 0)
        self.end = FileHandle(fileDescriptor: end, closeOnDealloc: true)
        self.other = FileHandle(fileDescriptor: other, closeOnDealloc: true)
      #else
        throw TestFailure("the test needs a terminal of Linux")
      #endif
    }

    /// The text that the process has written before it ended, which is less than a terminal holds.
    func text() throws -> String {
      try end.close()
      var text: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        let count = read(other.fileDescriptor, &buffer, buffer.count)
        if count <= 0 { break }
        text += buffer[..<count]
      }
      return String(decoding: text, as: UTF8.self).replacing("\r\n", with: "\n")
    }
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
