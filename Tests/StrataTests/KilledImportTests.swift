#if Command
  import Foundation
  import TestSupport
  import Testing

  /// Imports whose process is killed between two commits, or in the middle of one.
  struct KilledImportTests {
    @Test(
      "12.3 An import that is killed goes on to the same result", arguments: [Kind.sqlite, .lmdb])
    func killed(kind: Kind) throws {
      var random = SeededGenerator.printed(#function)
      let folder = CommandFolder()
      let store = kind.location()
      let count = 6_000
      let lines = (1...count).map { "\($0),n\($0)" }
      try folder.write("id,name\n" + lines.joined(separator: "\n") + "\n", to: "t.csv")
      // The entity is there before, so that each run begins with the import.
      try folder.write("id,name\n0,first\n", to: "first.csv")
      _ = try folder.run("import", store, "T", "first.csv")
      var last = 0
      for _ in 0..<6 {
        try kill(
          after: Double.random(in: 0.05...0.5, using: &random), store, folder, "--every", "100")
        let rows = try self.rows(store, folder)
        // Whole batches, and never fewer than before.
        #expect((rows - 1) % 100 == 0)
        #expect(rows - 1 >= last)
        last = rows - 1
      }
      let output = try folder.run("import", store, "T", "t.csv", "--every", "100")
      if last > 0, last < count {
        #expect(output.hasSuffix("resumed after \(last)\n"), "\(output)")
      }
      #expect(try rows(store, folder) == count + 1)
      let found = try folder.run("query", store, "T", "--where", "id > 0", "--format", "csv")
      #expect(found == "id,name\n" + lines.joined(separator: "\n") + "\n")
    }

    @Test(
      "12.1 An import of a new entity that is killed leaves all rows or no entity",
      arguments: [Kind.sqlite, .lmdb])
    func killedNew(kind: Kind) throws {
      var random = SeededGenerator.printed(#function)
      let store = kind.location()
      let lines = (1...3_000).map { "\($0),n\($0)\n" }
      for _ in 0..<3 {
        let folder = CommandFolder()
        try folder.write("id,name\n" + lines.joined(), to: "t.csv")
        try kill(after: Double.random(in: 0.05...0.6, using: &random), store, folder)
        let found = try CommandRun(["query", store, "T", "--format", "csv"], in: folder)
        #expect(found.status != 0 || found.output == "id,name\n" + lines.joined())
        let output = try folder.run("import", store, "T", "t.csv")
        #expect(
          output
            == (found.status == 0
              ? "T: 0 inserted, 0 updated, 3000 unchanged\n"
              : "T: 3000 inserted, 0 updated, 0 unchanged\n"))
      }
    }

    /// Begins the import and kills it.
    private func kill(
      after seconds: Double, _ store: String, _ folder: CommandFolder, _ options: String...
    ) throws {
      let process = Process()
      process.executableURL = HelperProcess.product("strata")
      process.arguments = ["import", store, "T", "t.csv"] + options
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      Thread.sleep(forTimeInterval: seconds)
      // The number of a process that has ended may be another's.
      if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
      process.waitUntilExit()
    }

    private func rows(_ store: String, _ folder: CommandFolder) throws -> Int {
      try folder.run("query", store, "T", "--format", "jsonl").utf8.count { $0 == 10 }
    }
  }
#endif
