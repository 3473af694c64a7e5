import Foundation
import MemoryBackend
import ORM
import StoreModels
import TestSupport
import Testing

/// Stores that are replaced by a copy: clause 10.15.
@Suite struct RestoreTests {
  private let folder = TestFolder()

  /// Makes a store of samples, and returns its path.
  private func samples(_ kind: FileStore, _ count: Int64, _ name: String) throws -> String {
    let path = folder.file(name)
    _ = try kind.makeSamples(count, at: path)
    return path
  }

  private func rows(_ kind: FileStore, _ path: String) throws -> Int {
    let store = try kind.open(path)
    defer { try? store.close() }
    let report = try store.check()
    #expect(report.isSound, "\(report)")
    return try store.count(Entry.self)
  }

  private static let kinds = [FileStore.sqlite, .lmdb, .memory]

  @Test("10.15: a store becomes the copy, which stays", arguments: kinds)
  func restores(_ kind: FileStore) throws {
    let copy = try samples(kind, 30, "copy")
    let path = try samples(kind, 50, "store")
    let before = try bytes(copy)
    let location = StoreLocation(kind: kind.kind, path: path)
    for _ in 0..<2 {
      try location.restore(from: copy)
      #expect(try bytes(copy) == before)
      #expect(try rows(kind, path) == 30)
      let store = try kind.open(path)
      try store.insert(Entry.sample(31))
      try (store as? any ImageStore)?.write(to: path)
      try store.close()
      #expect(try rows(kind, path) == 31)
    }
    #expect(try !folder.names().contains { $0.hasSuffix(".restore") })
  }

  @Test("10.15: a store that is missing or damaged is replaced, with its log", arguments: kinds)
  func damaged(_ kind: FileStore) throws {
    let copy = try samples(kind, 30, "copy")
    let path = folder.file("store")
    let location = StoreLocation(kind: kind.kind, path: path)
    try location.restore(from: copy)
    #expect(try rows(kind, path) == 30)
    let whole = try samples(kind, 300, "other")
    var damaged = try bytes(whole)
    // The beginning is left, by which the kind of the file is known.
    for position in 200..<damaged.count { damaged[position] = 0xff }
    try folder.write(damaged, "store")
    try location.restore(from: copy)
    #expect(try rows(kind, path) == 30)
    for content in [damaged.prefix(200), Data()] {
      try folder.write(content, "store")
      try location.restore(from: copy)
      #expect(try rows(kind, path) == 30)
    }
  }

  @Test(
    "10.15: the log of a killed program is not taken for the copy's", arguments: FileStore.inPlace)
  func killed(_ kind: FileStore) throws {
    let copy = try samples(kind, 30, "copy")
    let path = folder.file("store")
    let helper = try HelperProcess.store(["number", kind.location(path)])
    for _ in 0..<5 { _ = helper.line() }
    helper.kill()
    _ = helper.lines()
    if kind.isSQLite { #expect(try folder.names().contains("store-wal")) }
    try StoreLocation(kind: kind.kind, path: path).restore(from: copy)
    #expect(try rows(kind, path) == 30)
  }

  @Test("10.15: what is no sound copy is refused, and the store is as it was", arguments: kinds)
  func refusals(_ kind: FileStore) throws {
    let copy = try samples(kind, 300, "copy")
    let path = try samples(kind, 50, "store")
    let location = StoreLocation(kind: kind.kind, path: path)
    func expect(_ code: StoreError.Code, _ name: String, _ content: Data) throws {
      try folder.write(content, name)
      #expect(storeError { try location.restore(from: folder.file(name)) }?.code == code, "\(name)")
      #expect(try rows(kind, path) == 50)
      #expect(try !folder.names().contains { $0.hasSuffix(".restore") })
    }
    try expect(.notADatabase, "text", Data("id,name\n1,a\n".utf8))
    let whole = try bytes(copy)
    try expect(.corrupt, "short", whole.prefix(whole.count / 2))
    var changed = whole
    for position in whole.count / 2..<whole.count / 2 + 5_000 { changed[position] ^= 0xff }
    try expect(.corrupt, "changed", changed)
    #expect(storeError { try location.restore(from: folder.file("none")) }?.code == .cannotOpen)
    #expect(storeError { try location.restore(from: path) }?.code == .invalidLocation)
    #expect(try rows(kind, path) == 50)
    // A file of another kind is not replaced.
    let other = try folder.write(Data("a text".utf8), "notes")
    #expect(
      storeError { try StoreLocation(kind: kind.kind, path: other).restore(from: copy) }?.code
        == .notADatabase)
    #expect(try bytes(other) == Data("a text".utf8))
  }

  @Test("10.15: a store that is open is not replaced", arguments: FileStore.inPlace)
  func open(_ kind: FileStore) throws {
    let copy = try samples(kind, 30, "copy")
    let path = try samples(kind, 50, "store")
    let location = StoreLocation(kind: kind.kind, path: path)
    let store = try kind.open(path)
    #expect(storeError { try location.restore(from: copy) }?.code == .busy)
    #expect(try store.count(Entry.self) == 50)
    try store.insert(Entry.sample(51))
    try store.close()
    let helper = try HelperProcess.store(["hold", kind.location(path)])
    #expect(helper.line() == "ready")
    #expect(storeError { try location.restore(from: copy) }?.code == .busy)
    helper.kill()
    _ = helper.lines()
    #expect(try rows(kind, path) == 51)
    try location.restore(from: copy)
    #expect(try rows(kind, path) == 30)
  }

  @Test("10.15: a store in memory without a file cannot be restored")
  func withoutFile() throws {
    #expect(
      storeError { try StoreLocation.memory.restore(from: folder.file("x")) }?.code
        == .invalidLocation)
  }

  @Test(
    "10.15: a store is the former one or the copy, wherever its replacement is killed or fails",
    .enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"),
    arguments: FileStore.inPlace, ["kill", "write", "sync", "name"])
  func faults(_ kind: FileStore, _ call: String) throws {
    let copy = try samples(kind, 30, "copy")
    let former = folder.file("former")
    // The former store has a log, as a killed program leaves it.
    let helper = try HelperProcess.store(["number", kind.location(former)])
    for _ in 0..<5 { _ = helper.line() }
    helper.kill()
    _ = helper.lines()
    let count = try {
      let files = try folder.names().filter { $0.hasPrefix("former") }
      for name in files {
        try FileManager.default.copyItem(
          atPath: folder.file(name), toPath: folder.file("count" + name.dropFirst(6)))
      }
      return try rows(kind, folder.file("count"))
    }()
    #expect(count != 30)
    func place() throws -> String {
      for name in try folder.names() where name.hasPrefix("store") {
        try FileManager.default.removeItem(atPath: folder.file(name))
      }
      for name in try folder.names() where name.hasPrefix("former") {
        try FileManager.default.copyItem(
          atPath: folder.file(name), toPath: folder.file("store" + name.dropFirst(6)))
      }
      return folder.file("store")
    }
    let shim = try SyncShim(folder)
    var found: Set<Int> = []
    var position = 1
    // A call that fails may do no harm; beyond the last, none fails.
    var successes = 0
    while successes < (call == "kill" ? 1 : 4) {
      let path = try place()
      let helper = try HelperProcess.store(
        ["restore", kind.location(path), copy],
        environment: [
          "LD_PRELOAD": shim.library, "FAIL_CALL": call, "FAIL_AT": "\(position)",
          "FAIL_NAMES": "1",
        ])
      let printed = helper.lines()
      let now = try rows(kind, path)
      #expect(now == count || now == 30, "\(call) \(position): \(printed)")
      if printed == ["ok"] { #expect(now == 30) }
      successes = printed == ["ok"] ? successes + 1 : 0
      found.insert(now)
      position += 1
    }
    #expect(found == [count, 30])
    print("\(kind): \(position - 1) runs, each with another call of \(call)")
  }
}
