import Foundation
import ORM
import StoreModels
import Testing

/// What is synced before a write returns, as a library preloaded into the process sees it:
/// semantics 6.6.
@Suite(.enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"))
struct DurabilityTests {
  @Test(
    "With full durability the file, or its log, is synced before every write returns",
    arguments: FileStore.inPlace)
  func fullSyncs(_ kind: FileStore) throws {
    let folder = try TestFolder()
    let path = folder.file("store")
    let lines = try SyncShim(folder).run(kind.location(path), commits: 8, durability: "full")
    let commits = lines.drop { $0 != "opened" }.dropFirst()
      .split(separator: "returned", omittingEmptySubsequences: false)
    #expect(commits.count == 9, "eight commits, and the closing")
    for commit in commits.prefix(8) {
      #expect(commit.contains { $0 == "sync \(path)" || $0 == "sync \(path)-wal" }, "\(commit)")
      // Nothing is left over that is only written through after its pages were synced.
      #expect(commit.last?.hasSuffix(path) == true || commit.last?.hasSuffix("-wal") == true)
    }
    // A new file's name is made durable with it.
    #expect(lines.contains("sync \(folder.path)"))
  }

  @Test("Weaker durability syncs less", arguments: FileStore.inPlace)
  func weakerSyncs(_ kind: FileStore) throws {
    let folder = try TestFolder()
    let shim = try SyncShim(folder)
    let counts = try ["full", "normal", "off"].map { durability in
      let location = kind.location(folder.file(durability))
      let lines = try shim.run(location, commits: 8, durability: durability)
      let first = try #require(lines.firstIndex(of: "returned"))
      let last = try #require(lines.lastIndex(of: "returned"))
      return lines[first...last].count { $0 != "returned" }
    }
    #expect(counts[0] >= 7)
    #expect(counts[1] < counts[0])
    #expect(counts[2] <= counts[1])
  }

  /// Five writes of a meta page in, of ten commits: one fails after some of its bytes, with an error
  /// or the end of the process; then the library's attempt to write the old page back may fail too.
  @Test(
    "6.6 a write of a meta page that fails, or ends half-way, costs no commit that was reported",
    arguments: [EIO, ENOSPC, 0], [1, 2])
  func failedMetaPages(_ error: Int32, _ times: Int) throws {
    let shim = try SyncShim(TestFolder())
    for bytes in stride(from: 0, through: 120, by: 24) {
      for first in [5, 6] {
        let folder = try TestFolder(inMemory: true)
        let path = folder.file("store")
        let log = folder.file("log")
        let note = "\(bytes) bytes of write \(first), error \(error), \(times) times"
        let helper = try Helper(
          ["sync", FileStore.lmdb.location(path), "10", "full"],
          environment: [
            "LD_PRELOAD": shim.library, "SYNC_LOG": log,
            "META_FAULT": "\(first) \(times) \(error) \(bytes)",
          ])
        let lines = helper.lines()
        _ = helper.exits()
        #expect(lines == (error == 0 ? [] : [error == EIO ? "inputOutput" : "full"]), "\(note)")
        let reported = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
          .count { $0 == "returned" }
        #expect((1..<10).contains(reported), "\(note)")
        let store = try FileStore.lmdb.open(path)
        let found = try store.count(Entry.self)
        // A commit that was not reported may be there if its page was written to the end.
        #expect(found == reported || bytes == 120 && found == reported + 1, "\(note)")
        #expect(try store.check().isSound, "\(note)")
        try store.insert(Entry(1_000, 0))
        try store.shut()
        let again = try FileStore.lmdb.open(path) { $0.verification = .always }
        #expect(try again.count(Entry.self) == found + 1, "\(note)")
        try again.shut()
      }
    }
  }
}

/// A library that logs the syncs of the process it is preloaded into.
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

  /// The log of a process that commits so many times.
  func run(_ location: String, commits: Int, durability: String) throws -> [String] {
    let log = folder.file("log-" + durability)
    let helper = try Helper(
      ["sync", location, "\(commits)", durability],
      environment: ["LD_PRELOAD": library, "SYNC_LOG": log])
    #expect(helper.lines() == ["ok"])
    #expect(helper.exits())
    return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
  }
}
