import Foundation
import LMDBBackend
import MemoryBackend
import ORM
import ORMCore
import SQLiteBackend
import Testing

@testable import StrataTesting

@Suite(.store(try Schema.teams, .memory, .sqlite)) struct StoreTraitTests {
  @Test("each test has a store of its own", arguments: 0..<8)
  func ownStore(_ number: Int) async throws {
    let store = try Persistence.store
    #expect(try await store.count(League.self) == 0)
    try await League(id: "league \(number)").save()
    #expect(try await League.all.count() == 1)
  }

  @Test(
    "a test runs on each of its kinds",
    .stores(try Schema.teams, .memory, .sqlite, .lmdb))
  func everywhere() throws {
    #expect(try Persistence.store.count(League.self) == 0)
    try League(id: "one").save()
    #expect(try League.all.count() == 1)
  }

  @Test("the environment chooses among the kinds that a test names")
  func chosenKinds() {
    let kinds: [StoreKind] = [.memory, .sqlite, .lmdb]
    #expect(StoreKind.tested(kinds, named: "") == kinds)
    #expect(StoreKind.tested(kinds, named: "lmdb, memory") == [.memory, .lmdb])
    #expect(StoreKind.tested(kinds, named: "sqlite") == [.sqlite])
    #expect(StoreKind.tested([.memory], named: "sqlite") == [.memory])
  }

  @Test("the files of a store are removed with it", arguments: [StoreKind.sqlite, .lmdb])
  func filesAreRemoved(_ kind: StoreKind) throws {
    let schema = try Schema.teams
    let (store, folder) = try kind.openTestStore(schema, nil)
    let path = try #require(folder?.path)
    #expect(try bytesExist(path))
    StoreKind.remove(store, folder)
    #expect(try !bytesExist(path))
  }

  private func bytesExist(_ path: String) throws -> Bool {
    FileManager.default.fileExists(atPath: path)
  }
}
