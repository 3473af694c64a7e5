import Foundation
import MemoryBackend
import ORM
import StoreModels
import TestSupport
import Testing

/// Files of data stored outside of rows: clauses 6.1, 6.6 and 7.3.
@Suite struct ExternalTests {
  private let folder: TestFolder
  private var path: String { folder.file("store") }

  init() throws { folder = TestFolder(inMemory: true) }

  private func open(
    _ kind: FileStore, _ set: (inout StoreOptions) -> Void = { _ in }
  ) throws -> any Store {
    var options = StoreOptions()
    set(&options)
    return try StoreLocation(kind: kind.kind, path: path)
      .open(schema: Reel.schema(), options: options)
  }

  /// The files of contents, by their paths.
  private func files() throws -> [String] {
    let place = path + ".external"
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: place)) ?? []
    return names.filter { $0.utf8.count == 65 }.map { place + "/" + $0 }.sorted()
  }

  /// The number of different films that are large among these.
  private func largeFilms(_ reels: [Reel]) -> Int {
    Set(reels.map(\.film).filter { $0.count > 1000 }).count
  }

  // MARK: Kills

  @Test(
    "6.6: after each of twelve kills every value is right, and no file is left over",
    arguments: FileStore.inPlace)
  func killedWriters(_ kind: FileStore) throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    var reported = 0
    for _ in 0..<12 {
      let helper = try HelperProcess.store(["reels", kind.location(path)])
      if Bool.random(using: &generator) { _ = helper.line() }
      usleep(.random(in: 0...60_000, using: &generator))
      helper.kill()
      reported = helper.lines().compactMap { Int($0) }.last ?? reported
      let store = try open(kind)
      let last = try store.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
      #expect(last >= reported, "seed \(seed)")
      #expect(try store.fetch(Reel.all) == Reels.rows(after: last), "seed \(seed)")
      reported = Bool.random(using: &generator) ? try Reels.next(in: store) : last
      // A commit leaves files to a later one while another process has the folder open. Until it has
      // started its program, a process that another test starts has what was open here.
      try store.sweepExternalData()
      let rows = Reels.rows(after: reported)
      #expect(try store.fetch(Reel.all) == rows, "seed \(seed)")
      let report = try store.check()
      #expect(report.isSound && report.unusedContents == 0, "seed \(seed): \(report)")
      #expect(try files().count == largeFilms(rows), "seed \(seed)")
      try store.close()
    }
    #expect(reported > 5, "seed \(seed)")
  }

  // MARK: Damage

  @Test(
    "7.3: a file that is missing, cut off or changed is corrupt where its value is read",
    arguments: FileStore.inPlace, ["missing", "cut", "longer", "changed", "empty"])
  func damaged(_ kind: FileStore, _ damage: String) throws {
    let store = try open(kind)
    try store.save([Reel(1, film: 1), Reel(2, film: 5), Reel(3, film: 3)])
    try store.delete(Reel.self, id: 3)
    let sound = try #require(try files().first)
    #expect(try files().count == 1)
    try store.save(Reel(3, film: 2))
    let file = URL(fileURLWithPath: try #require(try files().first { $0 != sound }))
    var content = try Data(contentsOf: file)
    switch damage {
    case "missing": try FileManager.default.removeItem(at: file)
    case "cut": try content.dropLast().write(to: file)
    case "longer": try (content + [0]).write(to: file)
    case "changed":
      content[7777] ^= 1
      try content.write(to: file)
    default: try Data().write(to: file)
    }
    let error = #expect(throws: StoreError.self) { _ = try store.find(Reel.self, 3) }
    #expect(error?.code == .corrupt)
    #expect(error?.entity == "Reel")
    #expect(error?.key == [.int(3)])
    #expect(error?.attributes == ["film"])
    #expect(try store.fetch(Reel.all.where { $0.id < 3 }) == [Reel(1, film: 1), Reel(2, film: 5)])
    #expect(try store.fetch(Reel.all.select(\.title)).count == 3)
    #expect(code { _ = try store.fetch(Reel.all.select(\.film)) } == .corrupt)
    let report = try store.check(decoding: [Reel.self])
    #expect(report.faults.map(\.code) == [.corrupt], "\(report)")
    #expect(report.faults.first?.key == [.int(3)])
    // Another save of the value repairs it, and a deleted row needs no file.
    try store.save(Reel(4, film: 2))
    #expect(try store.find(Reel.self, 3) == Reel(3, film: 2))
    try FileManager.default.removeItem(at: file)
    try store.delete(Reel.self, ids: [3, 4])
    #expect(try store.check().isSound)
    #expect(try files() == [sound])
    try store.close()
  }

  @Test("A file that no row refers to is reported, and swept", arguments: FileStore.inPlace)
  func orphans(_ kind: FileStore) throws {
    let store = try open(kind)
    try store.save([Reel(1, film: 1), Reel(2, film: 2)])
    let name = try #require(try files().first?.split(separator: "/").suffix(2).joined())
    let other = "ab" + String(name.reversed().prefix(62))
    let place = path + ".external/ab"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: place + "/" + other.dropFirst(2)))
    #expect(try store.check().unusedContents == 1)
    #expect(try store.check().isSound)
    #expect(try store.sweepExternalData() == 1)
    #expect(try store.check().unusedContents == 0)
    #expect(try store.fetch(Reel.all) == [Reel(1, film: 1), Reel(2, film: 2)])
    #expect(code { _ = try store.read { _ in try store.sweepExternalData() } } == .reentrancy)
    try store.close()
  }

  // MARK: Others

  @Test("6.1: a reader of another process keeps what it sees", arguments: FileStore.inPlace)
  func otherReaders(_ kind: FileStore) throws {
    let store = try open(kind)
    try store.save([Reel(1, film: 1), Reel(2, film: 2)])
    let helper = try HelperProcess.store(["watch", kind.location(path)])
    #expect(helper.line() == "2")
    try store.delete(Reel.self, id: 1)
    try store.save(Reel(2, film: 3))
    try store.save(Reel(4, film: 4))
    #expect(try store.sweepExternalData() == 0)
    #expect(try files().count == 4)
    try helper.finish()
    #expect(helper.line() == "[20000, 30000]")
    #expect(helper.lines().last == "ok")
    #expect(helper.exits())
    #expect(try store.sweepExternalData() == 2)
    #expect(try files().count == 2)
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test("A killed reader leaves nothing", arguments: FileStore.inPlace)
  func killedReaders(_ kind: FileStore) throws {
    let store = try open(kind)
    try store.save([Reel(1, film: 1), Reel(2, film: 2)])
    let helper = try HelperProcess.store(["watch", kind.location(path)])
    #expect(helper.line() == "2")
    try store.deleteAll(Reel.self)
    #expect(try files().count == 2)
    helper.kill()
    try store.save(Reel(3, film: 3))
    #expect(try files().count == 1)
    try store.close()
  }

  @Test("6.1: a stream keeps what it sees", arguments: FileStore.inPlace)
  func streams(_ kind: FileStore) async throws {
    let store = try open(kind)
    try await store.save((1...600).map { Reel($0, film: $0) })
    var count = 0
    for try await reel in store.stream(Reel.all) {
      if count == 0 { _ = try await store.deleteAll(Reel.self) }
      count += 1
      #expect(reel == Reel(count, film: count))
    }
    #expect(count == 600)
    try await store.save(Reel(1, film: 1))
    #expect(try files().count == 1)
    try await store.close()
  }

  @Test(
    "6.6: with weaker durability files stay until what removed them is durable",
    arguments: FileStore.inPlace, [StoreOptions.Durability.normal, .off])
  func weakerDurability(_ kind: FileStore, _ durability: StoreOptions.Durability) throws {
    let store = try open(kind) { $0.durability = durability }
    try store.save([Reel(1, film: 1), Reel(2, film: 2)])
    try store.deleteAll(Reel.self)
    try store.save(Reel(3, film: 3))
    #expect(try files().count == 3)
    #expect(try store.check().unusedContents == 2)
    #expect(try store.sweepExternalData() == 2)
    #expect(try files().count == 1)
    try store.close()
  }

  @Test("A store opened for reading alone reads them", arguments: FileStore.inPlace)
  func readOnly(_ kind: FileStore) throws {
    var store = try open(kind)
    try store.save([Reel(1, film: 1)])
    try store.close()
    store = try open(kind) { $0.isReadOnly = true }
    #expect(try store.fetch(Reel.all) == [Reel(1, film: 1)])
    #expect(try store.check().isSound)
    #expect(code { _ = try store.sweepExternalData() } == .readOnly)
    try store.close()
  }

  @Test("A store moved with its folder is whole", arguments: FileStore.inPlace)
  func moved(_ kind: FileStore) throws {
    var store = try open(kind)
    try store.save((1...20).map { Reel($0, film: $0) })
    try store.close()
    let place = folder.file("elsewhere")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for name in ["", ".external"] {
      try FileManager.default.moveItem(atPath: path + name, toPath: place + "/moved" + name)
    }
    store = try StoreLocation(kind: kind.kind, path: place + "/moved").open()
    #expect(try store.fetch(Reel.all) == (1...20).map { Reel($0, film: $0) })
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test("Copies take the contents along, through memory and its image too")
  func copies() throws {
    let first = try open(.sqlite)
    let reels = (1...40).map { Reel($0, film: $0) }
    try first.save(reels)
    let memory = MemoryStore(schema: try Reel.schema())
    try StoreCopy(from: first, to: memory).run()
    try memory.write(to: folder.file("image"))
    let image = try MemoryStore(schema: try Reel.schema(), contentsOf: folder.file("image"))
    #expect(try image.fetch(Reel.all) == reels)
    let last = try StoreLocation(kind: FileStore.lmdb.kind, path: folder.file("last"))
      .open(schema: Reel.schema())
    try StoreCopy(from: image, to: last).run()
    #expect(try last.fetch(Reel.all) == reels)
    #expect(try last.check().isSound)
    for store in [first, memory, image, last] { try store.close() }
  }
}
