import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Several processes with one file: clauses 6.1, 6.2, 6.3, 6.5 and 6.9.
@Suite struct ProcessTests {
  @Test(
    "A writer behind another process's writer is busy, readers go on, and see its commit",
    arguments: FileStore.inPlace)
  func writersOfTwoProcesses(_ kind: FileStore) throws {
    let folder = TestFolder()
    let path = folder.file("store")
    let store = try kind.open(path) { $0.writerWait = .milliseconds(100) }
    try store.save(Counter(1, value: 5))
    let helper = try HelperProcess.store(["hold", kind.location(path)])
    try #require(helper.line() == "ready")
    let start = ContinuousClock.now
    #expect(code { try store.save(Counter(2)) } == .busy)
    let waited = ContinuousClock.now - start
    #expect(waited >= .milliseconds(90), "\(waited)")
    #expect(try store.find(Counter.self, 1)?.value == 5, "before its commit")
    #expect(try store.count(Counter.self) == 1)
    try helper.finish()
    #expect(helper.lines() == ["ok"])
    #expect(helper.exits())
    #expect(try store.find(Counter.self, 1)?.value == 6, "after its commit")
    try store.save(Counter(2))
    try store.close()
  }

  @Test(
    "A writer that is killed inside its block leaves nothing and blocks no other",
    arguments: FileStore.inPlace)
  func killedInABlock(_ kind: FileStore) throws {
    let folder = TestFolder()
    let path = folder.file("store")
    let store = try kind.open(path) { $0.writerWait = .seconds(5) }
    try store.save(Counter(1, value: 5))
    let helper = try HelperProcess.store(["hold", kind.location(path)])
    try #require(helper.line() == "ready")
    helper.kill()
    #expect(try store.find(Counter.self, 1)?.value == 5)
    try store.save(Counter(1, value: 8))
    #expect(try store.find(Counter.self, 1)?.value == 8)
    try store.close()
  }

  @Test("Ten processes that count up one row lose no update", arguments: FileStore.inPlace)
  func tenCounters(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let store = try kind.open(path)
    let helpers = try (0..<10).map { _ in
      try HelperProcess.store(["count", kind.location(path), "20"])
    }
    for helper in helpers {
      #expect(helper.lines() == ["ok"])
      #expect(helper.exits())
    }
    #expect(try store.find(Counter.self, 1)?.value == 200)
    try store.close()
  }

  @Test("Ten processes may make the file at once", arguments: FileStore.inPlace)
  func tenCreators(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let path = folder.file("new/folder/store")
    let helpers = try (0..<10).map { _ in
      try HelperProcess.store(["count", kind.location(path), "1"])
    }
    for helper in helpers { #expect(helper.lines() == ["ok"]) }
    let store = try kind.open(path)
    #expect(try store.find(Counter.self, 1)?.value == 10)
    try store.close()
  }
}
