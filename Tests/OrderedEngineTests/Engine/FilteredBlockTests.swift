import ORMCore
import Testing

@testable import OrderedEngine

/// Rows that are tested several at once: each that meets the condition comes once, in order, however
/// the visitor takes them (clause 3.2).
@Suite struct FilteredBlockTests {
  private static let entity = StoredEntity(
    name: "row", columns: [StoredColumn("id", .int64), StoredColumn("number", .int64)], key: [0])

  /// Rows 0 to 199, whose numbers are the remainders of their keys by 10.
  private static let rows: [[StoredValue]] = (0..<200).map { [.int($0), .int($0 % 10)] }

  /// The keys of the rows that meet ``request(limit:)``.
  private static let ids: [StoredValue] = (0..<200).filter { $0 % 10 >= 7 }.map { .int($0) }

  private static func request(limit: Int? = nil) -> FetchRequest {
    FetchRequest(
      entity: "row", condition: attribute("number", .greaterOrEqual, .int(7)), limit: limit)
  }

  private func withReader(
    of map: TestedMap, _ body: (any StoreReader) throws -> Void
  ) throws {
    try map.withStore(StoredSchema(entities: [Self.entity])) { store in
      try store.put(Self.rows, into: "row")
      try store.inReader(body)
    }
  }

  private func ids(_ rows: [[StoredValue]]) -> [StoredValue] { rows.map { $0[0] } }

  @Test(arguments: TestedMap.allCases)
  func aVisitorThatTakesAllHasEachOnce(map: TestedMap) throws {
    try withReader(of: map) { reader in
      #expect(Self.ids.count == 60)
      let found = try reader.rows(Self.request())
      #expect(ids(found) == Self.ids)
    }
  }

  @Test(arguments: TestedMap.allCases)
  func aVisitorThatPausesAfterEachHasEachOnce(map: TestedMap) throws {
    try withReader(of: map) { reader in
      let cursor = try reader.cursor(Self.request())
      var log = RowLog()
      log.pauses = true
      while try cursor.visit(&log) { #expect(log.rows.count <= 60) }
      #expect(ids(log.rows) == Self.ids)
    }
  }

  @Test(arguments: TestedMap.allCases)
  func pagesAndStopsHaveTheFirst(map: TestedMap) throws {
    try withReader(of: map) { reader in
      for count in [1, 2, 31, 32, 33, 60] {
        var log = RowLog()
        log.stopsAfter = count
        try reader.visit(Self.request(), &log)
        #expect(ids(log.rows) == Array(Self.ids.prefix(count)))
        let page = try reader.rows(Self.request(limit: count))
        #expect(ids(page) == Array(Self.ids.prefix(count)))
      }
    }
  }
}
