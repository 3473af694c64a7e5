import Foundation
import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// Files that outgrow their map.
@Suite struct LMDBGrowthTests {
  let folder = TestFolder(inMemory: true)

  private func small(_ path: String, wait: Double = 5) throws -> LMDBMap {
    var options = LMDBMap.Options()
    options.reservedSize = 1 << 20
    options.wait = wait
    return try LMDBMap(path: path, options: options)
  }

  /// Puts rows in ascending order, of which a page holds four.
  private func fill(_ map: LMDBMap, _ rows: Range<Int>) throws {
    try map.write { batch in
      for number in rows {
        try batch.put("key \(100_000 + number)", String(repeating: "v", count: 1_000), in: 1)
      }
    }
  }

  @Test func addressSpaceIsReservedForAVeryLargeFile() throws {
    let map = try LMDBMap(path: folder.newPath())
    #expect(try map.statistics().mapSize == 1 << 40)
    #expect(try map.statistics().fileSize < 1 << 20)
    try map.close()
  }

  @Test func aSmallMapGrowsBetweenBatches() throws {
    let path = folder.newPath()
    let map = try small(path)
    for part in 0..<40 { try fill(map, part * 100..<(part + 1) * 100) }
    #expect(try map.statistics().mapSize >= 4 << 20)
    try map.read { (snapshot) throws in #expect(try snapshot.count(of: 1) == 4_000) }
    try map.close()
    try LMDBFile.check(path)
  }

  @Test func aBatchTooLargeForTheMapIsFullAndTheNextHasMoreRoom() throws {
    let map = try small(folder.newPath())
    try map.letters("a")
    var refused = 0
    var isFilled = false
    while !isFilled && refused < 9 {
      do {
        try fill(map, 0..<3_000)
        isFilled = true
      } catch let error as StoreError {
        #expect(error.code == .full)
        refused += 1
        try map.read { try $0.expect([Pair("a", "a!")], in: 1) }
      }
    }
    // 1 and 2 MiB are too little for 750 pages.
    #expect(refused == 2)
    try map.read { (snapshot) throws in #expect(try snapshot.count(of: 1) == 3_001) }
    try map.close()
  }

  @Test func snapshotsAreWaitedForBeforeTheMapIsMoved() throws {
    let map = try small(folder.newPath(), wait: 0.2)
    // 200 pages and some more, of 256.
    try fill(map, 0..<800)
    let snapshot = try map.snapshot()
    let size = try map.statistics().mapSize
    // There is room left: the batch goes on without more.
    try fill(map, 800..<820)
    #expect(try map.statistics().mapSize == size)
    #expect(try snapshot.count(of: 1) == 800)
    snapshot.end()
    try fill(map, 820..<840)
    #expect(try map.statistics().mapSize == size * 2)
    try map.read { (snapshot) throws in #expect(try snapshot.count(of: 1) == 840) }
    try map.close()
  }

  @Test func whatAnotherProcessHasGrownIsMappedAnew() throws {
    let path = folder.newPath()
    let map = try small(path, wait: 0.2)
    try fill(map, 0..<10)
    let snapshot = try map.snapshot()
    #expect(try HelperProcess.run("lmdb", "grow", path, "\(8 << 20)") == ["ok"])
    // As long as a snapshot is open the map cannot be moved.
    #expect(throws: StoreError.self) { _ = try map.snapshot() }
    #expect(throws: StoreError.self) { _ = try map.batch(wait: 0.2) }
    #expect(try snapshot.count(of: 1) == 10)
    snapshot.end()
    try map.read { (snapshot) throws in #expect(try snapshot.count(of: 1) == 8_192 + 10) }
    try fill(map, 9_000..<9_010)
    try map.close()
  }
}
