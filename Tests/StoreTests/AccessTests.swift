import Foundation
import MemoryBackend
import ORM
import StoreModels
import TestSupport
import Testing

/// Opening for reading alone, missing folders, and paths that cannot be written: clause 7.3 and
/// 8.1.
@Suite struct AccessTests {
  @Test(
    "A store opened for reading alone gives its rows and refuses every write",
    arguments: FileStore.inPlace)
  func readOnly(_ kind: FileStore) throws {
    let folder = TestFolder()
    let path = folder.file("store")
    let before = try kind.makeSamples(20, at: path)
    let store = try kind.open(path) { $0.isReadOnly = true }
    #expect(try store.fetch(Entry.all) == (1...20).map { Entry.sample($0) })
    #expect(code { _ = try store.insert(Entry(9, 9)) } == .readOnly)
    #expect(code { _ = try store.delete(Entry.all) } == .readOnly)
    #expect(code { try store.write { _ in } } == .readOnly)
    #expect(try store.count(Entry.self) == 20)
    try store.close()
    #expect(try bytes(path) == before)
  }

  @Test(
    "For reading alone a missing file cannot be opened, and nothing is made",
    arguments: FileStore.allCases)
  func missing(_ kind: FileStore) throws {
    let folder = TestFolder()
    for name in ["store", "folder/store"] {
      #expect(code { _ = try kind.open(folder.file(name)) { $0.isReadOnly = true } } == .cannotOpen)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("Missing folders are made", arguments: FileStore.inPlace)
  func folders(_ kind: FileStore) throws {
    let folder = TestFolder()
    let path = folder.file("a/b c/ü/store?x=%41#1")
    _ = try kind.makeSamples(3, at: path)
    let store = try kind.open(path)
    #expect(try store.count(Entry.self) == 3)
    try store.close()
  }

  @Test("What cannot be a store's file cannot be opened", arguments: FileStore.inPlace)
  func noFile(_ kind: FileStore) throws {
    let folder = TestFolder()
    _ = try folder.write(Data("x".utf8), "file")
    let paths = [
      folder.path, folder.file("file/store"), folder.file("folder/"), "/dev/null",
      folder.file(String(repeating: "n", count: 300)),
    ]
    for path in paths {
      for isReadOnly in [false, true] {
        let found = code { _ = try kind.open(path) { $0.isReadOnly = isReadOnly } }
        #expect(found == .cannotOpen, "\(path.suffix(40)), \(isReadOnly)")
      }
    }
  }

  @Test(
    "In a folder where nothing can be made a new file cannot be opened",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self")),
    arguments: FileStore.inPlace)
  func procFolder(_ kind: FileStore) {
    for path in ["/proc/store", "/proc/no folder/store", "/proc/self/store"] {
      #expect(code { _ = try kind.open(path) } == .cannotOpen, "\(path)")
    }
  }

  @Test(
    "On a read-only volume a file can be read, and not be opened for writing",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"),
    arguments: FileStore.inPlace)
  func readOnlyVolume(_ kind: FileStore) throws {
    let disk = try TinyDisk(size: "2m")
    let path = disk.folder.file("store")
    _ = try kind.makeSamples(5, at: path)
    try disk.makeReadOnly()
    #expect(code { _ = try kind.open(disk.folder.file("new")) } == .cannotOpen)
    #expect(code { _ = try kind.open(path) } == .cannotOpen)
    let store = try kind.open(path) { $0.isReadOnly = true }
    #expect(try store.fetch(Entry.all) == (1...5).map { Entry.sample($0) })
    try store.close()
  }

  @Test(
    "A full disk is full, keeps nothing of what failed, and the store goes on",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"),
    arguments: FileStore.inPlace)
  func fullDisk(_ kind: FileStore) throws {
    let disk = try TinyDisk(size: "2m")
    let path = disk.folder.file("store")
    let helper = try HelperProcess.store(["fill", kind.location(path)])
    let lines = helper.lines()
    #expect(helper.exits())
    // Filled; the large transaction again; a row deleted; one made.
    #expect(lines.prefix(4) == ["full", "whole", "full", "whole"], "\(lines)")
    #expect(lines.dropFirst(4).prefix(3) == ["allowed", "allowed", "whole"], "\(lines)")
    #expect(lines.last == "ok", "\(lines)")
    let groups = lines.dropLast().last.flatMap { Int($0) } ?? 0
    #expect(groups > 2, "\(lines)")
    let store = try kind.open(path)
    #expect(try store.count(Entry.self) == groups * 50)
    try store.close()
  }

  @Test("A memory store past its limit is full, keeps nothing of what failed, and goes on")
  func memoryLimit() throws {
    let store = MemoryStore(schema: try StoreModels.schema(), limit: 100_000)
    var groups = 0
    func addGroup() throws {
      try store.write { transaction in
        for number in 0..<20 { try transaction.insert(Entry(groups, number)) }
      }
      groups += 1
    }
    #expect(code { while true { try addGroup() } } == .full)
    #expect(groups > 0)
    #expect(try store.count(Entry.self) == groups * 20)
    #expect(try store.delete(Entry.all.where { $0.group == 0 }) == 20)
    try store.insert(Entry(1_000, 0))
    #expect(try store.count(Entry.self) == groups * 20 - 19)
  }
}
