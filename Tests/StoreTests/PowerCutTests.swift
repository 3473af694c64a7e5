import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Disks as a power cut leaves them, rebuilt from what a process wrote and synced: clauses 6.6 and 12.11.
@Suite(.enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"))
struct PowerCutTests {
  private static let cuts =
    ProcessInfo.processInfo.environment["STRATA_POWER_CUTS"].flatMap { Int($0) } ?? 100

  @Test(
    "6.6: after a power cut at any time every reported transaction is there, with its contents",
    arguments: FileStore.inPlace)
  func contents(_ kind: FileStore) throws {
    let commits = 16
    let folder = TestFolder(inMemory: true)
    let history = try history(
      ["faulty", kind.location(folder.file("store")), "\(commits)", "close"], folder)
    #expect(history.events.last { $0 == .report("\(commits)") } != nil)
    try cut(history, folder) { place, reported, comment in
      let store = try StoreLocation(kind: kind.kind, path: place.file("store"))
        .open(schema: Reel.schema())
      let last = try store.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
      #expect(last >= reported, "\(comment)")
      // A row whose content is gone would throw.
      #expect(try store.fetch(Reel.all) == Reels.rows(after: last), "\(comment)")
      #expect(try Reels.next(in: store) == last + 1, "\(comment)")
      try store.sweepExternalData()
      let report = try store.check()
      #expect(report.isSound && report.unusedContents == 0, "\(comment): \(report)")
      try store.close()
    }
  }

  @Test(
    "6.6: after a power cut at any time every transaction of many rows is whole or absent",
    arguments: [FileStore.sqlite, .checksums, .lmdb])
  func transactions(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let history = try history(["number", kind.location(folder.file("store")), "40"], folder)
    try cut(history, folder) { place, reported, comment in
      _ = try Numbered.expect(
        in: kind.open(place.file("store")), reported: reported, comment)
    }
  }

  @Test(
    "6.6: with normal durability a power cut loses the last transactions at most, and none in part",
    arguments: [FileStore.sqlite, .lmdb])
  func lastTransactions(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let history = try history(
      ["number", kind.location(folder.file("store")), "40", "normal"], folder)
    try cut(history, folder) { place, _, comment in
      _ = try Numbered.expect(in: kind.open(place.file("store")), reported: 0, comment)
    }
  }

  @Test(
    "12.11: after a power cut at any time each transaction of a coordinator is whole or absent",
    arguments: CoordinatedStore.allCases)
  func coordinators(_ kind: CoordinatedStore) throws {
    let folder = TestFolder(inMemory: true)
    let history = try history(["number", kind.location(folder.path), "16"], folder)
    try cut(history, folder) { place, reported, comment in
      _ = try Numbered.expect(in: kind.open(place.path), reported: reported, comment)
    }
  }

  @Test(
    "A disk that does not carry out the syncs loses reported transactions, so these tests would see it",
    arguments: FileStore.inPlace)
  func disksThatLie(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let history = try history(["number", kind.location(path), "12"], folder)
    var lost = 0
    var generator = SeededGenerator.printed("disksThatLie")
    try history.replay(ignoring: { event in
      switch event {
      case .sync, .writeThrough: true
      default: false
      }
    }) { position, disk, report in
      guard let reported = report.flatMap({ Int($0) }), position % 40 == 0 else { return }
      let place = TestFolder(inMemory: true)
      try disk.write(.some, of: folder.path, to: place.path, using: &generator)
      var last = -1
      do {
        let store = try kind.open(place.file("store"))
        last = try store.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
        try store.close()
      } catch is StoreError {
        // Nothing of it can be read.
      }
      if last < reported { lost += 1 }
    }
    #expect(lost > 0)
  }

  /// The history of a helper's files in a folder.
  private func history(_ arguments: [String], _ folder: TestFolder) throws -> DiskHistory {
    let (log, printed) = try SyncShim(TestFolder()).run(
      arguments, environment: ["LOG_DATA": "1"], limit: 120)
    #expect(printed.last == "ok")
    // What a store keeps for those that have it open, and makes anew.
    let history = DiskHistory(log) { $0.hasSuffix("-shm") || $0.hasSuffix("-lock") }
    #expect(history.events.count > 50)
    return history
  }

  /// Cuts the power after events that are spread over a history, and has each disk checked.
  private func cut(
    _ history: DiskHistory, _ folder: TestFolder,
    _ check: (_ place: TestFolder, _ reported: Int, _ comment: String) throws -> Void,
    _ test: String = #function
  ) throws {
    let seed = runSeed(test)
    var generator = SeededGenerator(seed: seed)
    let count = history.events.count
    var made = 0
    history.replay { position, disk, report in
      let wanted = Self.cuts * (position + 1) / count
      for number in made..<max(made, wanted) {
        let selection =
          Disk.Selection.allCases[number % Disk.Selection.allCases.count]
        let place = TestFolder(inMemory: true)
        let comment =
          "cut \(number) after event \(position) of \(count), \(selection) kept, seed \(seed)"
        do {
          try disk.write(selection, of: folder.path, to: place.path, using: &generator)
          try check(place, report.flatMap { Int($0) } ?? 0, comment)
        } catch {
          Issue.record("\(comment): \(error)")
        }
      }
      made = max(made, wanted)
    }
    print("\(test): \(made) disks after \(count) events")
  }
}
