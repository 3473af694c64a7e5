import Foundation
import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// Processes killed at any time, and disks that are full: clauses 6.6 and 7.3.
@Suite struct LMDBCrashTests {
  let folder = TestFolder()

  @Test func everyCommitThatWasReportedSurvivesAKill() throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let path = folder.newPath()
    var last = 0
    for round in 0..<12 {
      let helper = try HelperProcess(["lmdb", "commit", path, "0"])
      // Every other one is killed after its first commit, however slow the machine is.
      let first = round % 2 == 0 ? helper.line().flatMap { Int($0) } : nil
      let pause = UInt32.random(in: 5_000...120_000, using: &generator)
      usleep(pause)
      helper.kill()
      let reported = helper.lines().compactMap { Int($0) }.last ?? first ?? last
      last = try expectCommits(path, reported, seed)
    }
    #expect(last >= 6, "seed \(seed)")
  }

  /// Expects what the helper's command "commit" leaves after each of its commits; gives the last.
  private func expectCommits(_ path: String, _ reported: Int, _ seed: UInt64) throws -> Int {
    let map = try LMDBMap(path: path)
    defer { try? map.close() }
    return try map.read { (snapshot) throws in
      let last = try snapshot.value("last", in: 2).flatMap { Int($0) } ?? 0
      // The last commit may have been durable before it could be reported.
      #expect(last == reported || last == reported + 1, "seed \(seed)")
      let kept = max(1, last - 49)..<last + 1
      #expect(try snapshot.count(of: 1) == kept.count, "seed \(seed)")
      for number in kept {
        let row = String(repeating: "\(number) ", count: number * 37 % 1_000)
        #expect(try snapshot.value("row \(number)", in: 1) == row, "seed \(seed)")
      }
      #expect(try snapshot.count(of: 3) == last % 20, "seed \(seed)")
      return last
    }
  }

  @Test func aKilledCreationLeavesAFileOrNone() throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    for round in 0..<10 {
      let place = "\(folder.path)/\(round)"
      let helper = try HelperProcess(["lmdb", "create", place])
      #expect(helper.line() == "0", "seed \(seed)")
      usleep(.random(in: 0...8_000, using: &generator))
      helper.kill()
      let last = (helper.lines().compactMap { Int($0) }.last ?? 0) + 1
      for number in [last - 1, last] {
        let map = try LMDBMap(path: "\(place)/\(number).mdb")
        try map.letters("a")
        try map.close()
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: place)
      #expect(!left.contains { $0.hasSuffix("-new") }, "seed \(seed)")
    }
  }

  @Test func whatAKilledCreationLeftIsRemoved() throws {
    let path = folder.newPath()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    for torn in [Data(), Data(count: 100), Data(count: 4_096), Data(repeating: 7, count: 9_000)] {
      try torn.write(to: URL(fileURLWithPath: path + "-new"))
      let map = try LMDBMap(path: path)
      try map.letters("a")
      try map.close()
      #expect(!FileManager.default.fileExists(atPath: path + "-new"))
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func aFullDiskIsFullAndHurtsNothing() throws {
    let path = folder.newPath()
    let lines = try HelperProcess.run("lmdb", "limit-file", path, "\(4 << 20)")
    #expect(lines == ["full", "2", "ok"])
    try LMDBFile.check(path)
    let map = try LMDBMap(path: path)
    try map.read { try $0.expect([Pair("after", "x"), Pair("before", "x")], in: 1) }
    try map.close()
  }

  @Test(.enabled(if: TinyDisk.isPossible, "a disk of its own can only be made by root"))
  func aFullFileSystemIsFullWhenMakingAndWriting() throws {
    let disk = try TinyDisk(size: "300k")
    defer { withExtendedLifetime(disk) {} }
    let map = try LMDBMap(path: disk.folder.path + "/store.mdb")
    try map.letters("a")
    for _ in 0..<3 {
      #expect(throws: StoreError.self) {
        do {
          try map.write { batch in
            for number in 0..<2_000 {
              try batch.put("key \(number)", String(repeating: "v", count: 500), in: 1)
            }
          }
        } catch let error as StoreError {
          #expect(error.code == .full)
          throw error
        }
      }
      try map.read { try $0.expect([Pair("a", "a!")], in: 1) }
    }
    // No room even for a new file; a guard without a file may stay.
    #expect(throws: StoreError.self) {
      do {
        _ = try LMDBMap(path: disk.folder.path + "/other.mdb")
      } catch let error as StoreError {
        #expect(error.code == .full)
        throw error
      }
    }
    #expect(!FileManager.default.fileExists(atPath: disk.folder.path + "/other.mdb"))
    try map.write { batch in
      #expect(try batch.remove("a", in: 1))
      try batch.put("b", "b!", in: 1)
    }
    try map.close()
    try LMDBFile.check(disk.folder.path + "/store.mdb")
  }

  @Test(.enabled(if: TinyDisk.isPossible, "a disk of its own can only be made by root"))
  func aFileOnAReadOnlyDiskCanBeRead() throws {
    let disk = try TinyDisk(size: "1m")
    defer { withExtendedLifetime(disk) {} }
    let path = disk.folder.path + "/store.mdb"
    let writable = try LMDBMap(path: path)
    try writable.letters("a")
    try writable.close()
    for name in ["store.mdb-guard", "store.mdb-lock"] {
      try FileManager.default.removeItem(atPath: disk.folder.path + "/" + name)
    }
    try disk.makeReadOnly()
    var options = LMDBMap.Options()
    options.isReadOnly = true
    let map = try LMDBMap(path: path, options: options)
    #expect(map.wasChecked, "nothing tells how it was closed")
    try map.read { try $0.expect([Pair("a", "a!")], in: 1) }
    try map.close()
    #expect(throws: StoreError.self) {
      do {
        _ = try LMDBMap(path: path)
      } catch let error as StoreError {
        #expect(error.code == .cannotOpen)
        throw error
      }
    }
  }

  @Test func theDefaultDurabilitySyncsEachCommit() throws {
    let map = try LMDBMap(path: folder.newPath())
    #expect(map.areCommitsSynced)
    try map.close()
    for durability in [StoreOptions.Durability.normal, .off] {
      var options = LMDBMap.Options()
      options.durability = durability
      let map = try LMDBMap(path: folder.newPath(), options: options)
      #expect(!map.areCommitsSynced)
      try map.letters("a")
      try map.read { try $0.expect([Pair("a", "a!")], in: 1) }
      try map.close()
    }
  }

  /// The calls of a process that commits three times and reports each: before each report the pages
  /// are synced, and then the first page is written by a descriptor that syncs.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace")))
  func aCommitIsSyncedBeforeItIsReported() throws {
    let trace = folder.path + "-trace"
    defer { try? FileManager.default.removeItem(atPath: trace) }
    let calls = "trace=openat,pwrite64,pwritev,writev,fdatasync,write"
    let helper = try HelperProcess(
      ["lmdb", "commit", folder.newPath(), "3"],
      under: ["/usr/bin/strace", "-f", "-y", "-o", trace, "-e", calls])
    #expect(helper.lines() == ["1", "2", "3", "ok"])
    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    let synced = lines.last {
      $0.contains("openat") && $0.contains("O_DSYNC") && $0.contains(".mdb")
    }
    let descriptor = try #require(synced?.split(separator: "= ").last?.split(separator: "<").first)
    var steps: [String] = []
    for line in lines {
      if line.contains("fdatasync(") && line.contains(".mdb>") { steps.append("sync") }
      if line.contains("pwrite64(\(descriptor)<") { steps.append("meta") }
      if let report = ["1", "2", "3"].first(where: { line.contains("\"\($0)\\n\"") }) {
        steps.append(report)
      }
    }
    let ends = steps.split { Int($0) != nil }.prefix(3).map { $0.suffix(2) }
    #expect(ends == [["sync", "meta"], ["sync", "meta"], ["sync", "meta"]], "\(steps)")
  }
}
