import Foundation
import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// Making and opening files, and files that are open already: clauses 6.9, 7.3 and 8.1.
@Suite struct LMDBOpeningTests {
  let folder = TestFolder()

  @Test func missingFoldersAreMade() throws {
    let path = folder.path + "/a/b/c/store.mdb"
    let map = try LMDBMap(path: path)
    try map.letters("a")
    try map.close()
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func theDataIsOneFileWithTwoBesideIt() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    try map.letters("a")
    try map.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["1.mdb", "1.mdb-guard", "1.mdb-lock"])
    // The two beside it may be deleted.
    try FileManager.default.removeItem(atPath: path + "-guard")
    try FileManager.default.removeItem(atPath: path + "-lock")
    let again = try LMDBMap(path: path)
    try again.read { try $0.expect([Pair("a", "a!")], in: 1) }
    try again.close()
  }

  @Test("room is made for few keyspaces where there are few, and for all where there are more")
  func capacityForKeyspaces() throws {
    let path = folder.newPath()
    var options = LMDBMap.Options()
    options.usualKeyspaces = 10
    let small = try LMDBMap(path: path, options: options)
    for keyspace in UInt32(1)...9 {
      try small.write { try $0.put("key", "\(keyspace)", in: keyspace) }
    }
    // The engine's own is the tenth.
    #expect(code { try small.write { try $0.put("key", "10", in: 10) } } == .full)
    try small.write { try $0.put("other", "9", in: 9) }
    try small.close()
    let large = try LMDBMap(path: path, options: options)
    for keyspace in UInt32(10)...40 {
      try large.write { try $0.put("key", "\(keyspace)", in: keyspace) }
    }
    for keyspace in UInt32(1)...40 {
      #expect(try large.read { try $0.value("key", in: keyspace) } == "\(keyspace)")
    }
    try large.close()
  }

  @Test func whatCannotBeOpenedIsSaid() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let file = folder.path + "/file"
    try Data("text".utf8).write(to: URL(fileURLWithPath: file))
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    let long = folder.path + "/" + String(repeating: "x", count: 300)
    // The folder of a process takes no files, from any user.
    for path in [
      "", "/", folder.path, folder.path + "/", file + "/below", pipe, link, long, "a\0b",
      "/proc/self/store.mdb", "/proc/self/folder/store.mdb",
    ] {
      #expect(code { _ = try LMDBMap(path: path) } == .cannotOpen, "\(path)")
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(left == ["file", "link", "pipe"])
  }

  @Test(arguments: ["-lock", "-guard"])
  func aLinkInPlaceOfAFileBesideTheStoreIsNotFollowed(_ suffix: String) throws {
    let path = folder.newPath()
    try LMDBMap(path: path).close()
    let other = folder.path + "/other"
    let bytes = Data("of somebody else".utf8)
    for content in [bytes, nil] {
      try content?.write(to: URL(fileURLWithPath: other))
      if content == nil { try FileManager.default.removeItem(atPath: other) }
      try? FileManager.default.removeItem(atPath: path + suffix)
      try FileManager.default.createSymbolicLink(atPath: path + suffix, withDestinationPath: other)
      #expect(code { _ = try LMDBMap(path: path) } == .cannotOpen)
      #expect(FileManager.default.contents(atPath: other) == content)
    }
    try FileManager.default.removeItem(atPath: path + suffix)
    let map = try LMDBMap(path: path)
    try map.letters("a")
    try map.close()
  }

  @Test func aFileIsOpenOnceInAProcessByWhateverName() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    try map.letters("a")
    let (symbolic, hard) = (folder.path + "/symbolic", folder.path + "/hard")
    try FileManager.default.createSymbolicLink(atPath: symbolic, withDestinationPath: path)
    #expect(Foundation.link(path, hard) == 0)
    let round = folder.path + "/./../" + (folder.path as NSString).lastPathComponent + "/1.mdb"
    for other in [path, symbolic, hard, round] {
      #expect(code { _ = try LMDBMap(path: other) } == .alreadyOpen, "\(other)")
    }
    // The refused openings have left the locks of the first as they were.
    let busy = try HelperProcess(["lmdb", "put", path, "2"])
    try map.letters("b")
    #expect(busy.lines() == ["ok"])
    try map.close()
    for other in [symbolic, hard, round, path] {
      let map = try LMDBMap(path: other)
      try map.read { try $0.expect([Pair("a", "a!"), Pair("b", "b!")], in: 1) }
      try map.close()
    }
  }

  @Test func aFileThatIsBeingOpenedIsNotOpenedAgain() async throws {
    let path = folder.newPath()
    let opened = await withTaskGroup(of: LMDBMap?.self) { group in
      for _ in 0..<16 { group.addTask { try? LMDBMap(path: path) } }
      return await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
    }
    #expect(opened.count == 1)
    try opened.first?.letters("a")
    try opened.first?.close()
  }

  @Test func readOnlyNeedsAFileAndWritesNothing() throws {
    let path = folder.file("new/store.mdb")
    var options = LMDBMap.Options()
    options.isReadOnly = true
    #expect(code { _ = try LMDBMap(path: path, options: options) } == .cannotOpen)
    #expect(try folder.names() == [])
    let writable = try LMDBMap(path: path)
    try writable.letters("a", "b")
    try writable.close()
    let map = try LMDBMap(path: path, options: options)
    #expect(code { _ = try map.batch(wait: 1) } == .readOnly)
    try map.read { try $0.expect([Pair("a", "a!"), Pair("b", "b!")], in: 1) }
    // It sees what others commit.
    #expect(try HelperProcess.run("lmdb", "put", path, "1") == ["ok"])
    try map.read { (snapshot) throws in #expect(try snapshot.value("k", in: 1) == "1") }
    try map.close()
  }

  @Test func aClosedMapRefusesAndOneInUseIsNotClosed() throws {
    let map = try LMDBMap(path: folder.newPath())
    let snapshot = try map.snapshot()
    #expect(code { try map.close() } == .busy)
    snapshot.end()
    let batch = try map.batch(wait: 1)
    #expect(code { try map.close() } == .busy)
    #expect(code { _ = try map.batch(wait: 1) } == .busy, "one batch at a time")
    batch.end()
    try map.close()
    try map.close()
    #expect(code { _ = try map.snapshot() } == .closed)
    #expect(code { _ = try map.batch(wait: 1) } == .closed)
  }

  @Test func whatHasEndedIsRefused() throws {
    let map = try LMDBMap(path: folder.newPath())
    try map.letters("a")
    let snapshot = try map.snapshot()
    let cursor = try snapshot.cursor(in: 1)
    #expect(try cursor.seek("a"))
    snapshot.end()
    #expect(code { _ = try snapshot.value("a", in: 1) } == .transactionEnded)
    #expect(code { _ = try snapshot.cursor(in: 1) } == .transactionEnded)
    #expect(code { _ = try cursor.seek("a") } == .transactionEnded)
    #expect(try !cursor.next())
    let batch = try map.batch(wait: 1)
    #expect(code { try batch.savepoint { try batch.commit() } } == .reentrancy)
    try batch.commit()
    #expect(code { try batch.put("b", "x", in: 1) } == .transactionEnded)
    #expect(code { try batch.commit() } == .transactionEnded)
    try map.close()
  }

  @Test func keysThatNoFileTakesAreRefused() throws {
    let map = try LMDBMap(path: folder.newPath())
    #expect(map.maximumKeyLength == 511)
    let batch = try map.batch(wait: 1)
    for length in [0, 512] {
      let key = Bytes(repeating: 1, count: length)
      #expect(code { try batch.put(key, [1], in: 1) } == .tooLarge)
      #expect(try batch.value(key, in: 1) == nil)
      #expect(try !batch.remove(key, in: 1))
    }
    try batch.put(Bytes(repeating: 1, count: 511), [1], in: 1)
    try batch.commit()
    try map.close()
  }
}
