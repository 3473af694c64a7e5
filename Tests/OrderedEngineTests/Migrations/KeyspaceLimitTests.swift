import ORMCore
import TestSupport
import Testing

@testable import LMDBBackend
@testable import OrderedEngine

/// A migration that needs more keyspaces than a file has room for.
@Suite struct KeyspaceLimitTests {
  @Test("10.2: without room for more keyspaces a migration is full, and the store as it was")
  func exhausted() throws {
    let folder = TestFolder(inMemory: true)
    var options = LMDBMap.Options()
    // 2 entities with 5 indexes, and those of the engine.
    options.maximumKeyspaces = 12
    let map = try LMDBMap(path: folder.file("store.lmdb"), options: options)
    try SnackSchema.fill(map.open(SnackSchema.first))
    var union = SnackSchema.first
    for number in 1...3 {
      var copy = SnackSchema.snack
      copy.name = "copy\(number)"
      copy.modelName = copy.name
      copy.indexes = copy.indexes.map { StoredIndex("\(copy.name).\($0.name)", $0.terms) }
      union.entities.append(copy)
    }
    var changes = SchemaChanges(union: union)
    changes.addedEntities = ["copy1", "copy2", "copy3"]
    let (wanted, added) = (union.version(2), changes)
    @Sendable func copy(_ transaction: any SchemaTransaction) throws {
      try transaction.change(added)
      for name in added.addedEntities {
        let writer = try transaction.writer()
        try writer.put(SnackSchema.rows, into: wanted[name], .insert)
      }
    }
    let found = code { _ = try map.open(wanted, copy) }
    #expect(found == .full)
    let store = try map.open(SnackSchema.first)
    #expect(try store.rows(of: "snack") == SnackSchema.rows)
    #expect(try store.rows(of: "shop") == SnackSchema.shops)
    #expect(try store.faults() == [])
    let new: [StoredValue] = [.int(0), .string("y"), .null, .int(1), .null]
    #expect(try store.put([new], into: "snack").keys == [11])
    try map.close()
    withExtendedLifetime(folder) {}
  }
}
