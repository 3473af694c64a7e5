import Foundation
import ORM
import StoreModels
import Testing

/// Calls of the system that fail, one position after another: semantics 6.6 and 7.3.
@Suite(.enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"))
struct FaultTests {
  @Test(
    "6.6: whichever sync fails, every row that is found later leads to its content",
    arguments: FileStore.inPlace, ["stop", "run"])
  func syncs(_ kind: FileStore, _ end: String) throws {
    let folder = try TestFolder(inMemory: true)
    let shim = try SyncShim(folder)
    let (log, _) = try shim.run(["faulty", kind.location(folder.file("whole")), "4", "run"])
    let count = log.count { $0.hasPrefix("sync ") }
    #expect(count > 12)
    var failures = 0
    for position in 1...count {
      let path = folder.file("\(position)")
      let (_, told) = try shim.run(
        ["faulty", kind.location(path), "4", end],
        environment: ["FAIL_CALL": "sync", "FAIL_AT": "\(position)"])
      failures += told.count { Int($0) == nil && $0 != "ok" }
      let store = try StoreLocation(kind: kind.kind, path: path).open(schema: Reel.schema())
      let last = try store.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
      #expect(last >= told.compactMap { Int($0) }.last ?? 0, "position \(position): \(told)")
      #expect(
        code { #expect(try store.fetch(Reel.all) == Reels.rows(after: last)) } == nil,
        "position \(position): \(told)")
      #expect(try Reels.next(in: store) == last + 1)
      try store.sweepExternalData()
      let report = try store.check()
      #expect(report.isSound && report.unusedContents == 0, "position \(position): \(report)")
      try store.shut()
    }
    #expect(failures > count / 2)
  }
}
