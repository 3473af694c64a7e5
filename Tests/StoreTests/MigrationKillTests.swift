import Foundation
import ORM
import ORMMigrations
import StoreModels
import TestSupport
import Testing

/// Processes that are killed while they migrate a store: clauses 10.2 and 10.9.
@Suite struct MigrationKillTests {
  private static let kills =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 12

  @Test(
    "10.2, 10.9: a store whose migration is killed at any time is whole, of the old version or the new",
    arguments: FileStore.inPlace, [MigrationOptions.Mode.atomic, .resumable])
  func anyTime(_ kind: FileStore, _ mode: MigrationOptions.Mode) throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let stores = try KilledMigrations(kind, mode)
    let path = try stores.copy()
    let helper = try HelperProcess.store([stores.command, kind.location(path)])
    #expect(helper.line() == "opening")
    let start = ContinuousClock.now
    #expect(helper.line() == "opened")
    let duration = (ContinuousClock.now - start) / .microseconds(1)
    #expect(helper.lines() == ["ok"])
    #expect(try stores.isMigrated(path, byPlan: true))
    var migrated = 0
    for number in 0..<Self.kills {
      let path = try stores.copy()
      let helper = try HelperProcess.store([stores.command, kind.location(path)])
      #expect(helper.line() == "opening")
      usleep(UInt32(.random(in: 0...1.1, using: &generator) * duration))
      helper.kill()
      let isReported = helper.lines().contains("opened")
      let byPlan = Bool.random(using: &generator)
      let isMigrated = try stores.isMigrated(path, byPlan: byPlan, "kill \(number), seed \(seed)")
      if isMigrated, !byPlan { migrated += 1 }
      #expect(isMigrated || !isReported, "kill \(number), seed \(seed)")
      try stores.remove(path)
    }
    print(
      "\(kind), \(mode): \(Self.kills) kills, after \(migrated) the version was found to be new")
  }

  @Test(
    "10.2, 10.9: a store is whole wherever its migration is killed before a write or sync of a file",
    .enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"),
    arguments: FileStore.inPlace, [MigrationOptions.Mode.atomic, .resumable])
  func anyCall(_ kind: FileStore, _ mode: MigrationOptions.Mode) throws {
    let stores = try KilledMigrations(kind, mode)
    let shim = try SyncShim(stores.folder)
    let (log, printed) = try shim.run(
      [stores.command, kind.location(try stores.copy())], environment: ["LOG_WRITES": "1"])
    #expect(printed == ["opening", "opened", "ok"])
    let calls = log.count { $0.hasPrefix("sync ") || $0.hasPrefix("write ") }
    let tries = min(calls, Self.kills)
    #expect(tries > 3)
    var versions: Set<Bool> = []
    for number in 0..<tries {
      // The first and the last call are among them.
      let position = 1 + number * (calls - 1) / (tries - 1)
      let path = try stores.copy()
      let helper = try HelperProcess.store(
        [stores.command, kind.location(path)],
        environment: [
          "LD_PRELOAD": shim.library, "FAIL_CALL": "kill", "FAIL_AT": "\(position)",
        ])
      let lines = helper.lines()
      #expect(!lines.contains("ok"), "call \(position) of \(calls)")
      let isMigrated = try stores.isMigrated(
        path, byPlan: false, "call \(position) of \(calls)")
      #expect(isMigrated || !lines.contains("opened"), "call \(position) of \(calls)")
      versions.insert(isMigrated)
      try stores.remove(path)
    }
    #expect(versions.contains(false))
    print("\(kind), \(mode): \(tries) kills at \(calls) calls")
  }
}

/// Copies of a store of version 1, whose migrations are killed or fail.
final class KilledMigrations {
  let folder = TestFolder()
  /// The command of the helper that migrates.
  var command: String { mode == .resumable ? "migrate-parts" : "migrate" }
  private let kind: FileStore
  private let mode: MigrationOptions.Mode
  private var count = 0

  init(_ kind: FileStore, _ mode: MigrationOptions.Mode) throws {
    self.kind = kind
    self.mode = mode
    try Membership.fill(StoreLocation(kind: kind.kind, path: folder.file("filled")))
  }

  /// Copies the store and gives the path of the copy.
  func copy() throws -> String {
    count += 1
    let path = folder.file("copy\(count)")
    try FileManager.default.copyItem(atPath: folder.file("filled"), toPath: path)
    return path
  }

  /// Removes the files of a copy.
  func remove(_ path: String) throws {
    for name in try folder.names() where folder.file(name).hasPrefix(path) {
      try FileManager.default.removeItem(atPath: folder.file(name))
    }
  }

  private func open(_ path: String, _ schema: Schema, _ options: StoreOptions = StoreOptions())
    throws -> any Store
  {
    try StoreLocation(kind: kind.kind, path: path).open(schema: schema, options: options)
  }

  /// Expects a store of version 1 or 3 with all its rows, and migrates it to the end.
  ///
  /// - Parameter byPlan: true to open it by the plan at once, and not by the old program first.
  /// - Returns: true if it was found to be of version 3, or was opened by the plan at once.
  func isMigrated(_ path: String, byPlan: Bool, _ comment: String = "") throws -> Bool {
    var isMigrated = true
    if !byPlan {
      do {
        let store = try open(path, Membership.oldSchema())
        isMigrated = false
        try expect(store, Membership.oldRows, comment)
      } catch let error as StoreError where error.code == .schemaTooNew {
        // A program of version 3 needs no plan then.
        try expect(try open(path, Membership.newSchema()), Membership.newRows, comment)
      }
      try expectBackup(path, isMade: isMigrated, comment)
    }
    let store = try open(path, Membership.newSchema(), Membership.options(mode))
    try store.write { tx in
      try tx.insert([
        DynamicRow(
          "Person",
          ["name": .string("new"), "height": .double(1), "note": .string("")])
      ])
      let isNew = Condition.compare(.attribute("name"), .equal, .value(.string("new")), [])
      let rows = try tx.fetch(DynamicQuery("Person", where: isNew))
      #expect(rows.map { $0["id"] } == [.int(Membership.count + 1)], "\(comment)")
      try tx.delete(DynamicQuery("Person", where: isNew))
    }
    try expect(store, Membership.newRows, comment)
    return isMigrated
  }

  /// Expects the backup of a store to be whole: it has its name only then.
  private func expectBackup(_ path: String, isMade: Bool, _ comment: String) throws {
    let backup = path + ".before-3"
    let isThere = FileManager.default.fileExists(atPath: backup)
    #expect(isThere || !isMade, "\(comment)")
    if isThere { try expect(try open(backup, Membership.oldSchema()), Membership.oldRows, comment) }
  }

  private func expect(
    _ store: any Store, _ rows: [String: [DynamicRow]], _ comment: String
  ) throws {
    let difference = try Membership.difference(store, rows)
    #expect(difference == nil, "\(comment)")
    let report = try store.check()
    #expect(report.isSound, "\(comment): \(report)")
    try store.close()
  }
}
