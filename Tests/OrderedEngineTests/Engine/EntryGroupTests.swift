import Foundation
import ORMCore
import TestSupport
import Testing

@testable import OrderedEngine

/// Groups that are formed of the entries of an index, beside the same groups worked out here.
@Suite struct EntryGroupTests {
  private static let columns: [StoredColumn] = [
    StoredColumn("id", .int64), StoredColumn("team", .string, isOptional: true),
    StoredColumn("score", .int64), StoredColumn("bonus", .int64, isOptional: true),
    StoredColumn("weight", .double), StoredColumn("rate", .double, isOptional: true),
    StoredColumn("level", .uint64), StoredColumn("flag", .bool),
    StoredColumn("token", .uuid, isOptional: true), StoredColumn("price", .decimal),
    StoredColumn("day", .date),
  ]

  /// For each column, the values that rows have, one of them drawn for each row.
  private static let values: [[StoredValue]] = [
    [],
    [.null, .string(""), .string("red"), .string("re\u{0}d"), .string("blue")],
    [.int(-4), .int(0), .int(1), .int(3), .int(1 << 40)],
    [.null, .int(.max), .int(-7)],
    [.double(0), .double(0.5), .double(-1e9), .double(3)],
    [.null, .double(-0.25), .double(8)],
    [.unsigned(0), .unsigned(5), .unsigned(UInt64(Int64.max) + 9)],
    [.bool(false), .bool(true)],
    [
      .null, uuid("00000000-0000-0000-0000-000000000001"),
      uuid("FF000000-0000-0000-0000-000000000000"),
    ],
    [.decimal(0), .decimal(1), .decimal(-20)],
    [date(-5), date(0), date(77)],
  ]

  private static func uuid(_ text: String) -> StoredValue {
    .uuid(UUID(uuidString: text) ?? UUID())
  }

  private static func date(_ seconds: Double) -> StoredValue {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  /// An aggregate that is asked for, of a column or of the rows.
  private struct Asked: CustomStringConvertible {
    var kind: Aggregate.Kind
    var column: Int?

    var aggregate: Aggregate { Aggregate(kind, column.map(EntryGroupTests.operand)) }
    var description: String { "\(kind) of \(column ?? -1)" }

    /// The aggregate over some rows, by its definition.
    func total(of rows: [[StoredValue]]) -> StoredValue {
      guard let column else { return .int(Int64(rows.count)) }
      var values: [StoredValue] = []
      for row in rows where !row[column].isNull { values.append(row[column]) }
      switch kind {
      case .count: return .int(Int64(values.count))
      case .countDistinct: return .int(Int64(Set(values.map { GroupKey([$0]) }).count))
      case .minimum: return values.min { StoredValue.order($0, $1) < 0 } ?? .null
      case .maximum: return values.max { StoredValue.order($0, $1) < 0 } ?? .null
      case .sum, .average:
        var sum = Int64(0)
        for case .int(let value) in values { sum += value }
        return .int(sum)
      }
    }
  }

  private static func operand(_ column: Int) -> Operand { .attribute(columns[column].attribute) }

  @Test(arguments: TestedMap.allCases)
  func agreesWithRows(_ map: TestedMap) throws {
    var random = SeededGenerator(seed: runSeed())
    for round in 0..<12 {
      var order = Array(1..<Self.columns.count)
      order.shuffle(using: &random)
      var terms: [StoredIndex.Term] = []
      for column in order { terms.append(.init(column, isDescending: random.chance(3))) }
      let entity = StoredEntity(
        name: "row", columns: Self.columns, key: [0], indexes: [StoredIndex("all", terms)])
      let count = [0, 1, 40, 300][round % 4]
      var rows: [[StoredValue]] = []
      for id in 0..<count {
        var row: [StoredValue] = [.int(Int64(id))]
        for values in Self.values.dropFirst() {
          row.append(values.randomElement(using: &random) ?? .null)
        }
        rows.append(row)
      }
      // The first terms, whose entries lie together; every third time one in the middle.
      let keys = round % 3 == 2 ? [order[2]] : Array(order.prefix(1 + round % 2))
      var asked = [Asked(kind: .count), Asked(kind: .sum, column: 2)]
      for column in Array(order.prefix(4)) + [order[7]] {
        for kind in [Aggregate.Kind.count, .countDistinct, .minimum, .maximum] {
          asked.append(Asked(kind: kind, column: column))
        }
      }
      let request = FetchRequest(
        entity: "row",
        output: .groups(
          keys: keys.map(Self.operand), aggregates: asked.map(\.aggregate), having: .constant(true)),
        sort: keys.indices.map { SortTerm(.output($0)) })
      let found = try map.withStore(StoredSchema(entities: [entity])) { store in
        try store.put(rows, into: "row")
        return try store.inReader { reader in
          let explanation = try reader.explain(request)
          #expect(explanation.index == "all" && !explanation.readsRows, "\(explanation)")
          return try reader.rows(request)
        }
      }
      let expected = Self.expected(rows, by: keys, asked)
      #expect(found == expected, "index \(terms), by \(keys), \(asked)")
    }
  }

  /// The groups of rows in the order of their keys, by definition.
  private static func expected(
    _ rows: [[StoredValue]], by keys: [Int], _ asked: [Asked]
  ) -> [[StoredValue]] {
    let groups = Dictionary(grouping: rows) { row in GroupKey(keys.map { row[$0] }) }
    var result: [[StoredValue]] = []
    for rows in groups.values {
      var group: [StoredValue] = []
      for key in keys { group.append(rows[0][key]) }
      for aggregate in asked { group.append(aggregate.total(of: rows)) }
      result.append(group)
    }
    result.sort { a, b in
      for place in keys.indices {
        let order = StoredValue.order(a[place], b[place])
        if order != 0 { return order < 0 }
      }
      return false
    }
    return result
  }
}
