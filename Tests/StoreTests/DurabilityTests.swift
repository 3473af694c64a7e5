import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// What is synced before a write returns, as a library preloaded into the process sees it:
/// clause 6.6.
@Suite(.enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"))
struct DurabilityTests {
  @Test(
    "With full durability the file, or its log, is synced before every write returns",
    arguments: FileStore.inPlace)
  func fullSyncs(_ kind: FileStore) throws {
    let folder = TestFolder()
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
    let folder = TestFolder()
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
        let folder = TestFolder(inMemory: true)
        let path = folder.file("store")
        let log = folder.file("log")
        let note = "\(bytes) bytes of write \(first), error \(error), \(times) times"
        let helper = try HelperProcess.store(
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
        try store.close()
        let again = try FileStore.lmdb.open(path) { $0.verification = .always }
        #expect(try again.count(Entry.self) == found + 1, "\(note)")
        try again.close()
      }
    }
  }

  @Test(
    "Before a commit is synced, so are the contents outside of rows with every folder above them",
    arguments: FileStore.inPlace, [false, true])
  func externalFolders(_ kind: FileStore, _ areThere: Bool) throws {
    let folder = TestFolder()
    let path = folder.file("new/deeper/store")
    var names = UnsyncedNames()
    if areThere {
      // As a process leaves them that was killed before it synced them.
      for name in ["new"] + (0..<256).map({ String(format: "%02x", $0) }) {
        let made = "\(path).external/\(name)"
        try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
        names.add(made)
      }
      names.add("\(path).external")
    }
    let shim = try SyncShim(folder)
    let (lines, printed) = try shim.run(["faulty", kind.location(path), "8", "close"])
    #expect(printed == (1...8).map(String.init) + ["ok"])
    var contents: [String] = []
    var commits = 0
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      switch parts[0] {
      case "mkdir": names.add(parts[1])
      case "rename":
        names.add(parts[1])
        if parts[1].contains(".external/") { contents.append(parts[1]) }
      default:
        names.sync(parts[1])
        guard parts[1] == path || parts[1] == path + "-wal" else { continue }
        for content in contents { #expect(!names.isLost(content), "\(line)") }
        #expect(!names.isLost(path))
        commits += 1
      }
    }
    #expect(contents.count >= 6)
    #expect(commits >= 6)
  }
}

/// The names that a power cut would take away: those given since their folder was synced.
private struct UnsyncedNames {
  private var unsynced: Set<String> = []

  mutating func add(_ path: String) { unsynced.insert(path) }

  mutating func sync(_ folder: String) {
    unsynced = unsynced.filter { Self.parent(of: $0) != folder }
  }

  /// Returns whether a file would be lost, by its name or that of a folder above it.
  func isLost(_ path: String) -> Bool {
    var path = path
    while path.utf8.count > 1 {
      if unsynced.contains(path) { return true }
      path = Self.parent(of: path)
    }
    return false
  }

  private static func parent(of path: String) -> String {
    URL(fileURLWithPath: path).deletingLastPathComponent().path
  }
}
