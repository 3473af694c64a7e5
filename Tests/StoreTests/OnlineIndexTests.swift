import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Indexes that one program builds while others write, and is killed: clause 10.18.
@Suite struct OnlineIndexTests {
  private static let kills =
    ProcessInfo.processInfo.environment["STRATA_KILLS"].flatMap { Int($0) } ?? 12

  private func open(
    _ kind: FileStore, _ path: String, isIndexed: Bool
  ) throws -> any Store {
    try StoreLocation(kind: kind.kind, path: path)
      .open(schema: Cups.schema(isIndexed: isIndexed), options: Cups.options)
  }

  @Test(
    "10.18: a program that has the store open loses nothing while another builds indexes",
    arguments: FileStore.inPlace)
  func writersBeside(_ kind: FileStore) throws {
    let generator = SeededGenerator.printed("writersBeside \(kind)")
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let old = try open(kind, path, isIndexed: false)
    try Cups.fill(old)
    let helper = try HelperProcess.store(["index", kind.location(path)])
    var writer = CupWriter(old, generator)
    while helper.isRunning { try writer.write() }
    #expect(helper.lines() == ["opening", "opened", "ok"])
    #expect(try writer.differences(old) == [])
    for _ in 0..<20 { try writer.write() }
    try old.close()
    let new = try open(kind, path, isIndexed: true)
    #expect(try writer.differences(new) == [])
    let size = DynamicQuery("Cup", where: .compare(.attribute("size"), .equal, .value(.int(9)), []))
    #expect(try new.read { try $0.explain(size) }.index != nil)
    let code = StoreError.Code.duplicate
    let taken = try #require(writer.sizes.keys.min())
    var row = Cups.row(taken, size: writer.sizes[taken] ?? nil)
    row["id"] = .int(Cups.keys.upperBound)
    let twin = row
    #expect(throws: StoreError.self) { try new.write { _ = try $0.save([twin]) } }
    do { try new.write { _ = try $0.save([twin]) } } catch let error as StoreError {
      #expect(error.code == code)
    }
    print("\(kind): \(writer.count) transactions beside, the longest took \(writer.longest)")
    try new.close()
  }

  @Test(
    "10.18: a store whose index is killed in the making is whole, for the old program and the new",
    arguments: FileStore.inPlace)
  func kills(_ kind: FileStore) throws {
    var generator = SeededGenerator.printed("kills \(kind)")
    let folder = TestFolder(inMemory: true)
    let filled = try open(kind, folder.file("filled"), isIndexed: false)
    try Cups.fill(filled)
    try filled.close()
    var duration = 0.0
    for number in 0...Self.kills {
      let path = folder.file("copy\(number)")
      try FileManager.default.copyItem(atPath: folder.file("filled"), toPath: path)
      let helper = try HelperProcess.store(["index", kind.location(path)])
      #expect(helper.line() == "opening")
      if number == 0 {
        let start = ContinuousClock.now
        #expect(helper.lines() == ["opened", "ok"])
        duration = (ContinuousClock.now - start) / .microseconds(1)
        continue
      }
      usleep(UInt32(.random(in: 0...1.1, using: &generator) * duration))
      helper.kill()
      _ = helper.lines()
      let isOldFirst = Bool.random(using: &generator)
      var store = try open(kind, path, isIndexed: !isOldFirst)
      var writer = CupWriter(store, generator)
      #expect(try writer.differences(store) == [], "kill \(number)")
      for _ in 0..<5 { try writer.write() }
      #expect(try writer.differences(store) == [], "kill \(number)")
      if isOldFirst {
        try store.close()
        store = try open(kind, path, isIndexed: true)
        #expect(try writer.differences(store) == [], "kill \(number)")
      }
      try store.close()
    }
  }

  @Test(
    "10.18: several programs that add the same indexes at once add them once",
    arguments: FileStore.inPlace)
  func several(_ kind: FileStore) throws {
    let generator = SeededGenerator.printed("several \(kind)")
    let folder = TestFolder(inMemory: true)
    let path = folder.file("store")
    let old = try open(kind, path, isIndexed: false)
    try Cups.fill(old)
    let helpers = try (0..<3).map { _ in
      try HelperProcess.store(["index", kind.location(path)])
    }
    var writer = CupWriter(old, generator)
    for _ in 0..<50 { try writer.write() }
    for helper in helpers { #expect(helper.lines() == ["opening", "opened", "ok"]) }
    for _ in 0..<10 { try writer.write() }
    #expect(try writer.differences(old) == [])
    try old.close()
    let new = try open(kind, path, isIndexed: true)
    #expect(try writer.differences(new) == [])
    try new.close()
  }
}
