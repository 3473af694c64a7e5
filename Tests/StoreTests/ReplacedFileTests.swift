import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Files that are removed or replaced under an open store: clause 6.6, as no commit is reported
/// that nobody will find.
@Suite struct ReplacedFileTests {
  private let folder: TestFolder
  private var path: String { folder.file("store") }

  init() throws { folder = TestFolder(inMemory: true) }

  private func move(_ name: String, _ target: String) throws {
    try FileManager.default.moveItem(atPath: folder.file(name), toPath: folder.file(target))
  }

  private func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: folder.file(name))
  }

  private func copy(_ name: String, _ target: String) throws {
    try FileManager.default.copyItem(atPath: folder.file(name), toPath: folder.file(target))
  }

  /// Does to the files what is named.
  private func damage(_ damage: String) throws {
    let parts = damage.split(separator: " ")
    let name = String(parts[1])
    switch parts[0] {
    case "remove": try remove(name)
    case "move": try move(name, "elsewhere")
    default:
      try copy(name, "copy")
      try remove(name)
      try move("copy", name)
    }
  }

  @Test(
    "Once a file is removed or replaced, writes throw fileReplaced and nothing of them is kept",
    arguments: [FileStore.sqlite],
    ["store", "store-wal", "store-shm"].flatMap { ["remove \($0)", "move \($0)", "replace \($0)"] })
  func writes(_ kind: FileStore, _ change: String) async throws {
    let store = try kind.open(path)
    try await store.save(Counter(1, value: 1))
    // From here on there is a connection that reads.
    #expect(try await store.count(Counter.self) == 1)
    try damage(change)
    #expect(code { try store.save(Counter(1, value: 2)) } == .fileReplaced)
    #expect(code { try store.insert(Entry(1, 1)) } == .fileReplaced)
    #expect(code { try store.write { try $0.save(Counter(2, value: 2)) } } == .fileReplaced)
    // Several that share a commit.
    await withTaskGroup(of: StoreError.Code?.self) { group in
      for number in 3..<20 {
        group.addTask {
          do {
            _ = try await store.save(Counter(number, value: number))
            return nil
          } catch {
            return (error as? StoreError)?.code
          }
        }
      }
      for await code in group { #expect(code == .fileReplaced) }
    }
    #expect(try await store.fetch(Counter.all) == [Counter(1, value: 1)])
    #expect(try await store.count(Entry.self) == 0)
    try await store.close()
  }

  @Test("The message names the file and says what to do")
  func message() throws {
    let store = try FileStore.sqlite.open(path)
    try remove("store")
    let error = #expect(throws: StoreError.self) { try store.save(Counter(1)) }
    #expect(error?.message.contains(path) == true)
    #expect(error?.message.contains("open it again") == true)
    try store.close()
  }

  @Test(
    "Another store under the name is neither read nor changed by the one that was open before",
    arguments: [FileStore.sqlite])
  func others(_ kind: FileStore) throws {
    let store = try kind.open(path)
    try store.save(Counter(1, value: 1))
    for suffix in ["", "-wal", "-shm"] {
      try damage("move store" + suffix); try remove("elsewhere")
    }
    let other = try kind.open(path)
    try other.save(Counter(2, value: 2))
    #expect(code { try store.save(Counter(3)) } == .fileReplaced)
    // A reader beside the writer needs a connection of its own, which would be to the new file.
    let found = code {
      let rows = try store.fetch(Counter.all)
      #expect(rows == [Counter(1, value: 1)])
    }
    #expect(found == nil || found == .fileReplaced)
    try store.close()
    try other.save(Counter(4, value: 4))
    try other.close()
    let again = try kind.open(path)
    #expect(try again.fetch(Counter.all) == [Counter(2, value: 2), Counter(4, value: 4)])
    #expect(try again.check().isSound)
    try again.close()
  }

  @Test(
    "6.6: a file that loses its name while a commit is synced has not reported that commit",
    .enabled(if: SyncShim.isPossible, "needs Linux and a C compiler"),
    arguments: FileStore.inPlace)
  func removalsInCommits(_ kind: FileStore) throws {
    let shim = try SyncShim(folder)
    let whole = try shim.run(kind.location(folder.file("whole")), commits: 8, durability: "full")
    // The first sync after four commits were reported.
    let fourth = try #require(whole.indices.filter { whole[$0] == "returned" }.dropFirst(3).first)
    let syncs = whole[...fourth].count { $0.hasPrefix("sync ") }
    let (log, printed) = try shim.run(
      ["sync", kind.location(path), "8", "full"],
      environment: ["REMOVE_AT": "\(syncs + 1) \(path)"])
    #expect(printed == ["fileReplaced"])
    #expect(log.count { $0 == "returned" } == 4)
  }
}
