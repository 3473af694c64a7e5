import Foundation
import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// Several processes with one file, killed ones and forks: clauses 6.3, 6.5 and 6.9.
@Suite struct LMDBProcessTests {
  let folder = TestFolder()

  @Test func aWriterOfAnotherProcessIsWaitedForAndThenBusy() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    let helper = try HelperProcess.ready("lmdb", "write", path)
    for wait in [0, 0.2] {
      let start = ContinuousClock.now
      #expect(code { _ = try map.batch(wait: wait) } == .busy)
      #expect(ContinuousClock.now - start >= .seconds(wait))
    }
    // Reading is not waited for.
    try map.read { try $0.expect([], in: 1) }
    let process = helper.identifier
    let killer = Thread {
      usleep(100_000)
      kill(process, SIGKILL)
    }
    killer.start()
    try map.letters("a")
    helper.kill()
    try map.read { try $0.expect([Pair("a", "a!")], in: 1) }
    try map.close()
  }

  @Test func aKilledWriterIsRolledBackAndInNobodysWay() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    for _ in 0..<3 {
      try HelperProcess.ready("lmdb", "write", path).kill()
      try map.letters("a")
    }
    try map.read { try $0.expect([Pair("a", "a!")], in: 1) }
    try map.close()
  }

  @Test func keyspacesOfAnotherProcessAreSeen() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    let before = try map.snapshot()
    for keyspace in 1..<5 {
      #expect(try HelperProcess.run("lmdb", "put", path, "\(keyspace)") == ["ok"])
      try map.read { (snapshot) throws in
        #expect(try snapshot.value("k", in: Keyspace(keyspace)) == "\(keyspace)")
      }
    }
    try before.expect([], in: 1)
    before.end()
    // A batch sees them too, and makes others beside them.
    #expect(try HelperProcess.run("lmdb", "put", path, "5") == ["ok"])
    try map.write { batch in
      try batch.expect([Pair("k", "5")], in: 5)
      try batch.put("k", "6", in: 6)
    }
    #expect(try HelperProcess.run("lmdb", "put", path, "7") == ["ok"])
    for keyspace in 1..<8 {
      try map.read { try $0.expect([Pair("k", "\(keyspace)")], in: Keyspace(keyspace)) }
    }
    try map.close()
    try LMDBFile.check(path)
  }

  @Test func pagesThatAKilledReaderPinnedAreUsedAgain() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    func rewrite() throws {
      try map.write { batch in
        for number in 0..<200 {
          try batch.put("key \(number)", String(repeating: "v", count: 1_000), in: 1)
        }
      }
    }
    for _ in 0..<5 { try rewrite() }
    let reader = try HelperProcess.ready("lmdb", "read", path)
    let before = try map.statistics().pages
    for _ in 0..<10 { try rewrite() }
    let pinned = try map.statistics().pages
    #expect(pinned > before + 300, "nothing can be freed that the reader may read")
    reader.kill()
    for _ in 0..<10 { try rewrite() }
    #expect(try map.statistics().pages <= pinned + 60)
    try map.close()
  }

  @Test func aForkedProcessIsToldToOpenTheFileAnew() throws {
    let lines = try HelperProcess.run("lmdb", "fork", folder.newPath())
    #expect(
      lines == [
        "child: forked forked", "child reads 1", "child writes: busy",
        "parent reads 1", "parent reads 2", "ok",
      ])
  }

  @Test func littleAddressSpaceIsEnough() throws {
    // 256 MiB for everything: the default of 1 TiB is refused, and halves of it, down to what is
    // left beside the program.
    #expect(
      try HelperProcess.run("lmdb", "limit-memory", folder.newPath(), "\(256 << 20)") == ["ok"])
  }

  @Test func manyMoreReadersThanTheLibrarysDefaultAreAllowed() throws {
    let map = try LMDBMap(path: folder.newPath())
    try map.letters("a")
    var snapshots = try (0..<500).map { _ in try map.snapshot() }
    for snapshot in snapshots { #expect(try snapshot.value("a", in: 1) == "a!") }
    #expect(try map.statistics().snapshots == 500)
    for snapshot in snapshots { snapshot.end() }
    snapshots = []
    #expect(try map.statistics().snapshots == 0)
    try map.close()
  }

  @Test func tooManyReadersAreBusyAndKilledOnesMakeRoom() throws {
    let path = folder.newPath()
    var options = LMDBMap.Options()
    options.maximumReaders = 4
    let map = try LMDBMap(path: path, options: options)
    let helpers = try (0..<2).map { _ in try HelperProcess.ready("lmdb", "read", path) }
    var snapshots = try [map.snapshot()]
    while snapshots.count < 9 {
      do {
        snapshots.append(try map.snapshot())
      } catch let error as StoreError {
        #expect(error.code == .busy)
        break
      }
    }
    #expect(snapshots.count < 4)
    for helper in helpers { helper.kill() }
    snapshots.append(try map.snapshot())
    for snapshot in snapshots { snapshot.end() }
    try map.close()
  }
}
