import ORMCore
import Testing

@testable import OrderedEngine

/// Clause 5.7, by filter.
@Suite struct DeletingTests {
  private static let word = StoredEntity(
    name: "word", modelName: "Word",
    columns: [
      StoredColumn("id", .int64), StoredColumn("tags", .array(.string)),
      StoredColumn("size", .int64),
    ],
    key: [0],
    indexes: [StoredIndex("word_tags", [.init(1, form: .elements)])])

  /// Rows are walked over, and the entries of each are several: none is written on the way.
  @Test(
    "5.7: all rows that match go with their entries, however few of these may wait",
    arguments: TestedMap.allCases, [0, 20, 45, 1 << 20])
  func rowsGoWithTheirEntries(map: TestedMap, capacity: Int) throws {
    try map.withStore(StoredSchema(entities: [Self.word])) { store in
      try store.put(
        (1...20).map { id in
          [.int(id), .array([.string("a"), .string("b\(id)"), .string("c")]), .int(id % 4)]
        }, into: "word")
      try store.inWriter { writer in
        try #require(writer as? OrderedStoreWriter).capacity = capacity
        try writer.savepoint {
          let request = FetchRequest(
            entity: "word", condition: attribute("size", .less, .int(3)))
          let count = try writer.apply(.delete(request))
          #expect(count == 15)
        }
      }
      #expect(try store.rows(of: "word").map { $0[0] } == [3, 7, 11, 15, 19].map { .int($0) })
      try store.inReader { reader in try reader.verify { throw $0 } }
    }
  }
}
