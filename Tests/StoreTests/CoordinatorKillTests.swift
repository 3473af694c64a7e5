import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Processes that use several stores as one, and are killed: clause 12.11.
@Suite struct CoordinatorKillTests {
  private static let kills =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 12

  @Test(
    "12.11: after a kill at any time, every store has a reported transaction, and none has a part",
    arguments: CoordinatedStore.allCases)
  func anyTime(_ kind: CoordinatedStore) throws {
    let folder = TestFolder()
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let path = folder.file("stores")
    var reported = 0
    var halves = 0
    for number in 0..<Self.kills {
      let helper = try HelperProcess.store(["number", kind.location(path)])
      // Half of the kills come while the stores are opened and repaired.
      if Bool.random(using: &generator) { _ = helper.line() }
      usleep(.random(in: 0...60_000, using: &generator))
      helper.kill()
      let comment = "kill \(number), seed \(seed)"
      reported = helper.lines().compactMap { Int($0) }.last ?? reported
      if number % 2 == 1, try isHalf(kind, path) { halves += 1 }
      reported = try Numbered.expect(in: kind.open(path), reported: reported, comment)
    }
    #expect(reported > Self.kills, "seed \(seed)")
    print("\(kind): \(Self.kills) kills, \(halves) found between two commits")
  }

  @Test(
    "12.11: a kill before any write or sync of a file, creation included, leaves nothing half",
    .enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"),
    arguments: CoordinatedStore.allCases)
  func anyCall(_ kind: CoordinatedStore) throws {
    let folder = TestFolder()
    let shim = try SyncShim(folder)
    let command = ["number", kind.location(folder.file("whole")), "4"]
    let (log, printed) = try shim.run(command, environment: ["LOG_WRITES": "1"])
    #expect(printed == ["1", "2", "3", "4", "ok"])
    let calls = log.count { $0.hasPrefix("sync ") || $0.hasPrefix("write ") }
    let tries = min(calls, 2 * Self.kills)
    #expect(tries > 3)
    var halves = 0
    for number in 0..<tries {
      // The first and the last call are among them.
      let position = 1 + number * (calls - 1) / (tries - 1)
      let path = folder.file("killed-\(position)")
      let helper = try HelperProcess.store(
        ["number", kind.location(path), "4"],
        environment: [
          "LD_PRELOAD": shim.library, "FAIL_CALL": "kill", "FAIL_AT": "\(position)",
        ])
      let lines = helper.lines()
      #expect(!lines.contains("ok"), "call \(position) of \(calls)")
      if try isHalf(kind, path) { halves += 1 }
      let comment = "call \(position) of \(calls)"
      let reported = lines.compactMap { Int($0) }.last ?? 0
      _ = try Numbered.expect(in: kind.open(path), reported: reported, comment)
      try FileManager.default.removeItem(atPath: path)
    }
    // Calls of a small share may miss the few between two commits.
    #expect(halves > 0 || tries < calls)
    print("\(kind): \(tries) kills at \(calls) calls, \(halves) between two commits")
  }

  @Test(
    "12.11: a migration of both stores that is killed before a write or sync is whole or undone",
    .enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"),
    arguments: CoordinatedStore.allCases)
  func migrations(_ kind: CoordinatedStore) throws {
    let folder = TestFolder()
    let shim = try SyncShim(folder)
    let filled = folder.file("filled")
    try Membership.fill(StoreLocation(kind: kind.kind, path: filled))
    func copy(_ name: String) throws -> String {
      try FileManager.default.copyItem(atPath: filled, toPath: folder.file(name))
      return folder.file(name)
    }
    let (log, printed) = try shim.run(
      ["migrate", kind.location(try copy("whole"))], environment: ["LOG_WRITES": "1"])
    #expect(printed == ["opening", "opened", "ok"])
    let calls = log.count { $0.hasPrefix("sync ") || $0.hasPrefix("write ") }
    let tries = min(calls, Self.kills)
    #expect(tries > 3)
    var versions: Set<Bool> = []
    for number in 0..<tries {
      let position = 1 + number * (calls - 1) / (tries - 1)
      let path = try copy("killed-\(position)")
      let helper = try HelperProcess.store(
        ["migrate", kind.location(path)],
        environment: [
          "LD_PRELOAD": shim.library, "FAIL_CALL": "kill", "FAIL_AT": "\(position)",
        ])
      let lines = helper.lines()
      #expect(!lines.contains("ok"), "call \(position) of \(calls)")
      let isMigrated = try expectVersion(kind, path, "call \(position) of \(calls)")
      #expect(isMigrated || !lines.contains("opened"), "call \(position) of \(calls)")
      versions.insert(isMigrated)
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(versions.contains(false))
    print("\(kind): \(tries) kills of migrations at \(calls) calls")
  }

  /// Returns whether the stores, each opened alone, have not the same transactions.
  private func isHalf(_ kind: CoordinatedStore, _ folder: String) throws -> Bool {
    var options = StoreOptions()
    options.isReadOnly = true
    let members = kind.members(folder)
    guard let first = try? members[0].open(schema: Schema(Journal.self), options: options) else {
      return false
    }
    defer { try? first.close() }
    guard let second = try? members[1].open(schema: Schema(Entry.self), options: options) else {
      return false
    }
    defer { try? second.close() }
    let last = try first.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
    return try Set(second.fetch(Entry.all).map(\.group)) != Set(Numbered.groups(after: last))
  }

  /// Expects stores of version 1 or 3 with all rows, and migrates them; returns true for version 3.
  private func expectVersion(
    _ kind: CoordinatedStore, _ path: String, _ comment: String
  ) throws -> Bool {
    let location = StoreLocation(kind: kind.kind, path: path)
    func expect(_ schema: Schema, _ options: StoreOptions, _ rows: [String: [DynamicRow]]) throws {
      let store = try location.open(schema: schema, options: options)
      let difference = try Membership.difference(store, rows)
      #expect(difference == nil, "\(comment)")
      let report = try store.check()
      #expect(report.isSound, "\(comment): \(report)")
      try store.close()
    }
    var isMigrated = false
    do {
      try expect(Membership.oldSchema(), StoreOptions(), Membership.oldRows)
    } catch let error as StoreError where error.code == .schemaTooNew {
      isMigrated = true
    }
    try expect(Membership.newSchema(), Membership.options(), Membership.newRows)
    return isMigrated
  }
}
