import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// More shapes than a connection keeps statements of, and more columns than a function takes.
@Suite struct ManyShapesTests {
  /// A key and 300 numbers: column `c7` of row 2 holds 2007.
  private static let wide = StoredEntity(
    name: "Wide",
    columns: [StoredColumn("id", .int64)]
      + (0..<300).map { StoredColumn("c\($0)", .int64, isOptional: true) },
    key: [0])

  private static func row(_ id: Int64) -> [StoredValue] {
    [.int(id)] + (0..<300).map { .int(id * 1_000 + $0) }
  }

  private let fixture: SQLiteFixture

  init() throws { fixture = SQLiteFixture() }

  private func store() throws -> SQLiteStore {
    let store = try fixture.store(StoredSchema(entities: [Self.wide]))
    try store.put(Self.wide, .insert, (1...3).map(Self.row))
    return store
  }

  private func keys(_ store: SQLiteStore, _ condition: Condition) throws -> [Int64] {
    try store.rows(
      FetchRequest(entity: "Wide", condition: condition, sort: [SortTerm(.attribute("id"))])
    ).compactMap { if case .int(let id) = $0[0] { id } else { nil } }
  }

  /// `c0 + c1 + … ` of a number of columns.
  private static func sum(_ count: Int) -> Operand {
    (1..<count).reduce(.attribute("c0")) { .arithmetic(.add, $0, .attribute("c\($1)")) }
  }

  @Test(arguments: [97, 98, 99, 100, 150, 196])
  func `7.1 the evaluator is handed as many columns as a condition reads`(count: Int) throws {
    let store = try store()
    // Of row 2: count times 2000, and 0 + 1 + … + (count - 1).
    let expected = Int64(count * 2_000 + count * (count - 1) / 2)
    let sum = Self.sum(count)
    #expect(try keys(store, .compare(sum, .equal, .value(.int(expected)), [])) == [2])
    #expect(try keys(store, .compare(sum, .greater, .value(.int(expected)), [])) == [3])
    #expect(try keys(store, .not(.compare(sum, .equal, .value(.int(expected)), []))) == [1, 3])
  }

  @Test func `7.1 a chain over every one of 300 columns, which core tests`() throws {
    let store = try store()
    let parts = (0..<300).map { column -> Condition in
      .compare(
        .arithmetic(.multiply, .attribute("c\(column)"), .value(.int(2))), .equal,
        .value(.int(Int64(2 * (3_000 + column)))), [])
    }
    #expect(try keys(store, .all(parts)) == [3])
    #expect(try keys(store, .any(parts)) == [3])
    #expect(try keys(store, .not(.any(parts))) == [1, 2])
  }

  @Test func `2.6 an update that reads more columns than a function takes`() throws {
    let store = try store()
    let request = FetchRequest(
      entity: "Wide", condition: .compare(.attribute("id"), .less, .value(.int(3)), []))
    let count = try store.written {
      try $0.apply(.update(request, [.init(column: 300, value: Self.sum(150))]))
    }
    #expect(count == 2)
    let rows = try store.all("Wide")
    // 150 times 1000 or 2000, and 0 + 1 + … + 149; the third row is as it was.
    #expect(rows.map { $0[300] } == [.int(161_175), .int(311_175), .int(3_299)])
  }

  @Test func `two hundred shapes through the caches of one connection, again and again`() throws {
    let store = try store()
    for _ in 0..<2 {
      for column in 0..<200 {
        let name = "c\(column)"
        #expect(
          try keys(
            store, .compare(.attribute(name), .equal, .value(.int(Int64(2_000 + column))), []))
            == [2])
        let change = FetchRequest(
          entity: "Wide", condition: .compare(.attribute(name), .equal, .value(.int(-1)), []))
        #expect(try store.written { try $0.apply(.delete(change)) } == 0)
        try store.put(
          Self.wide, .update, [[.int(1), .int(Int64(1_000 + column))]], columns: [0, column + 1])
      }
    }
    #expect(try store.all("Wide") == (1...3).map(Self.row))
  }
}
