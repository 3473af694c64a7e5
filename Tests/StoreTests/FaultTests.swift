import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Calls of the system that fail, one position after another: clauses 6.3, 6.6 and 7.3.
@Suite(.enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"))
struct FaultTests {
  @Test(
    "6.6: whichever sync fails, every row that is found later leads to its content",
    arguments: FileStore.inPlace, ["stop", "run"])
  func syncs(_ kind: FileStore, _ end: String) throws {
    let folder = TestFolder(inMemory: true)
    let shim = try SyncShim(folder)
    let (log, _) = try shim.run(["faulty", kind.location(folder.file("whole")), "4", "run"])
    let count = log.count { $0.hasPrefix("sync ") }
    #expect(count > 12)
    var failures = 0
    for position in 1...count {
      let path = folder.file("\(position)")
      let (_, printed) = try shim.run(
        ["faulty", kind.location(path), "4", end],
        environment: ["FAIL_CALL": "sync", "FAIL_AT": "\(position)"])
      failures += printed.count { Int($0) == nil && $0 != "ok" }
      let store = try StoreLocation(kind: kind.kind, path: path).open(schema: Reel.schema())
      let last = try store.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
      #expect(last >= printed.compactMap { Int($0) }.last ?? 0, "position \(position): \(printed)")
      // A row whose content is gone would throw.
      let rows = try store.fetch(Reel.all)
      #expect(rows == Reels.rows(after: last), "position \(position): \(printed)")
      #expect(try Reels.next(in: store) == last + 1)
      try store.sweepExternalData()
      let report = try store.check()
      #expect(report.isSound && report.unusedContents == 0, "position \(position): \(report)")
      try store.close()
    }
    #expect(failures > count / 2)
  }

  @Test(
    "6.3: whichever lock fails, once or from then on, every wait ends",
    arguments: FileStore.inPlace, [false, true])
  func locks(_ kind: FileStore, _ isLasting: Bool) throws {
    let folder = TestFolder(inMemory: true)
    let shim = try SyncShim(folder)
    let (log, _) = try shim.run(
      ["faulty", kind.location(folder.file("whole")), "2", "close"],
      environment: ["LOG_LOCKS": "1"])
    let count = log.count { $0.hasPrefix("lock ") }
    #expect(count > 4)
    let answers: Set<String> = ["1", "2", "ok", "busy", "inputOutput", "cannotOpen", "engine"]
    for position in stride(from: 1, through: count, by: isLasting ? 3 : 1) {
      var environment = ["FAIL_CALL": "lock", "FAIL_AT": "\(position)"]
      environment["FAIL_ERROR"] = "\(position % 2 == 0 ? ENOLCK : EIO)"
      if isLasting { environment["FAIL_ALL"] = "1" }
      // Every wait is of a tenth of a second; one of the library alone took ten.
      let (_, printed) = try shim.run(
        ["faulty", kind.location(folder.file("\(position)")), "2", "close"],
        environment: environment, limit: 20)
      #expect(printed.last != nil, "position \(position)")
      #expect(Set(printed).isSubset(of: answers), "position \(position): \(printed)")
    }
  }
}
