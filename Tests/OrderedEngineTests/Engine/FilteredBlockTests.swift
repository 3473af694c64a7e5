import ORMCore
import Testing

@testable import OrderedEngine

/// Rows that are tested several at once: what a condition throws is thrown at its row, after the
/// rows before it (clause 2.2).
@Suite struct FilteredBlockTests {
  private static let entity = StoredEntity(
    name: "row", columns: [StoredColumn("id", .int64), StoredColumn("number", .int64)], key: [0])

  /// Rows 0 to 99, whose numbers are their keys; that of row 70 has no successor.
  private static let rows: [[StoredValue]] = (0..<100).map {
    [.int($0), .int($0 == 70 ? .max : $0)]
  }

  /// Rows 10 to 69 meet the condition, row 70 throws.
  private static func request(limit: Int? = nil) -> FetchRequest {
    FetchRequest(
      entity: "row",
      condition: .compare(
        .arithmetic(.add, .attribute("number"), .value(.int(1))), .greaterOrEqual,
        .value(.int(11)), []),
      limit: limit)
  }

  private func withReader(
    of map: TestedMap, _ body: (any StoreReader) throws -> Void
  ) throws {
    try map.withStore(StoredSchema(entities: [Self.entity])) { store in
      try store.put(Self.rows, into: "row")
      try store.inReader(body)
    }
  }

  private func ids(_ log: RowLog) -> [StoredValue] { log.rows.map { $0[0] } }

  private func ids(_ range: Range<Int64>) -> [StoredValue] { range.map { .int($0) } }

  @Test(arguments: TestedMap.allCases)
  func rowsBeforeAFailureAreHandedOut(map: TestedMap) throws {
    try withReader(of: map) { reader in
      var log = RowLog()
      let error = #expect(throws: StoreError.self) { try reader.visit(Self.request(), &log) }
      #expect(error?.code == .overflow)
      #expect(ids(log) == ids(10..<70))
    }
  }

  @Test(arguments: TestedMap.allCases)
  func aFailureBehindTheLastRowTakenIsNotThrown(map: TestedMap) throws {
    try withReader(of: map) { reader in
      var log = RowLog()
      log.stopsAfter = 60
      try reader.visit(Self.request(), &log)
      #expect(ids(log) == ids(10..<70))
      #expect(try reader.rows(Self.request(limit: 60)).map { $0[0] } == ids(10..<70))
    }
  }

  @Test(arguments: TestedMap.allCases)
  func aPausedCursorThrowsWhenItComesToTheRow(map: TestedMap) throws {
    try withReader(of: map) { reader in
      let cursor = try reader.cursor(Self.request())
      var log = RowLog()
      log.pauses = true
      for count in 1...60 {
        let hasMore = try cursor.visit(&log)
        #expect(hasMore && log.rows.count == count)
      }
      let error = #expect(throws: StoreError.self) { _ = try cursor.visit(&log) }
      #expect(error?.code == .overflow)
      #expect(ids(log) == ids(10..<70))
      #expect(try !cursor.visit(&log), "a cursor has ended after an error")
    }
  }
}
