import Foundation
import ORMCore
import SQLEngine
import TestSupport
import Testing

@testable import SQLiteBackend

/// Teams, their players, and tags of both, as relationships are lowered.
enum RelatedFixture {
  static let schema = StoredSchema(entities: [
    StoredEntity(
      name: "team",
      columns: [
        StoredColumn("id", .int64), StoredColumn("name", .string),
        StoredColumn("captain", .int64, isOptional: true),
      ], key: [0], indexes: [StoredIndex("team.name", [.init(1, form: .caseFolded)])]),
    StoredEntity(
      name: "player",
      columns: [
        StoredColumn("id", .int64), StoredColumn("age", .int64),
        StoredColumn("team_id", .int64, attribute: "team", isOptional: true),
        StoredColumn("name", .string, isOptional: true),
        StoredColumn("points", .uint64, isOptional: true),
        StoredColumn("score", .double, isOptional: true),
        StoredColumn("price", .decimal, isOptional: true),
        StoredColumn("born", .date, isOptional: true),
        StoredColumn("token", .uuid, isOptional: true),
        StoredColumn("info", .json, isOptional: true),
        StoredColumn("tags", .array(.string), isOptional: true),
      ], key: [0],
      indexes: [
        StoredIndex("player.team", [.init(2)]),
        StoredIndex("player.tags", [.init(10, form: .elements)]),
      ]),
    StoredEntity(name: "tag", columns: [StoredColumn("name", .string)], key: [0]),
    StoredEntity(
      name: "team_tag", columns: [StoredColumn("team", .int64), StoredColumn("tag", .string)],
      key: [0, 1], indexes: [StoredIndex("team_tag.tag", [.init(1)])], isInternal: true),
  ])
  static let tables = SQLSchema(declared: schema, stored: schema)

  static let low = UUID(uuidString: "00000000-0000-0000-0000-000000000001") ?? UUID()
  static let high = UUID(uuidString: "FF000000-0000-0000-0000-000000000000") ?? UUID()
  static func date(_ seconds: Double) -> StoredValue {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  /// Reds has two players, Blues one, Empty none and a captain who is not there; player 14 has no
  /// team, player 15 one that is not there.
  static func fill(_ store: any Store) throws {
    try store.put(
      schema.entities[0], .insert,
      [
        [.int(1), .string("Reds"), .int(11)], [.int(2), .string("Blues"), .null],
        [.int(3), .string("Empty"), .int(99)],
      ])
    try store.put(
      schema.entities[1], .insert,
      [
        [
          .int(11), .int(20), .int(1), .string("Ann"), .uint(UInt64.max), .double(1e100),
          .decimal(9), date(5), .uuid(high), .json("{\"a\":2}"), .array([.string("x")]),
        ],
        [
          .int(12), .int(31), .int(1), .string("Éva of the reds"), .null, .double(-1e100),
          .decimal(10), date(-7), .uuid(low), .json("{\"a\":\"t\"}"),
          .array([.string("x"), .string("Reds")]),
        ],
        [
          .int(13), .int(31), .int(2), .null, .int(7), .double(-0.0), .null, .null, .null, .null,
          .null,
        ],
        [
          .int(14), .int(40), .null, .string("Blues"), .null, .null, .null, .null, .null, .null,
          .null,
        ],
        [.int(15), .int(18), .int(9), .null, .null, .null, .null, .null, .null, .null, .null],
      ])
    try store.put(
      schema.entities[2], .insert, [[.string("a")], [.string("b")], [.string("c")]])
    try store.put(
      schema.entities[3], .insert,
      [[.int(1), .string("a")], [.int(1), .string("b")], [.int(2), .string("b")]])
  }

  static func withStore<R>(
    callsCore: Bool = true, _ body: (SQLiteStore) throws -> R
  ) throws -> R {
    let fixture = SQLiteFixture()
    let store = try fixture.store(schema, callsCore: callsCore)
    defer { try? store.close(CloseTurn()) }
    try fill(store)
    return try body(store)
  }

  static func path(_ name: String, _ scope: Int = 0) -> Operand.Path {
    Operand.Path([name], scope: scope)
  }

  static func step(
    _ entity: String, _ scope: Int, _ attribute: String, _ other: String, _ outer: Int
  ) -> RelatedRows.Step {
    .init(entity: entity, scope: scope, links: [.init(attribute, equals: path(other, outer))])
  }

  /// The players of a team that is the row of a scope.
  static func players(_ scope: Int, of team: Int = 0) -> RelatedRows {
    RelatedRows([step("player", scope, "team", "id", team)])
  }

  /// The team of a player that is the row of a scope.
  static func team(_ scope: Int, of player: Int = 0) -> RelatedRows {
    RelatedRows([step("team", scope, "id", "team", player)])
  }

  /// The tags of a team, through the rows between.
  static func tags(_ scope: Int, of team: Int = 0) -> RelatedRows {
    RelatedRows([
      step("team_tag", scope, "team", "id", team), step("tag", scope + 1, "name", "tag", scope),
    ])
  }

  static func attribute(_ name: String, _ scope: Int = 0) -> Operand { .path(path(name, scope)) }

  static func compare(
    _ left: Operand, _ comparator: ORMCore.Comparator, _ right: Operand,
    _ options: TextOptions = []
  ) -> Condition { .compare(left, comparator, right, options) }

  static func aggregate(
    _ kind: Aggregate.Kind, _ name: String? = nil, _ condition: Condition = .constant(true)
  ) -> Operand {
    .relatedAggregate(kind, name.map { attribute($0, 1) }, players(1), condition)
  }
}

extension Store {
  /// The keys of the rows that a condition leaves, in the order asked for.
  func keys(
    of entity: String, where condition: Condition = .constant(true), by sort: [SortTerm] = []
  ) throws -> [Int64] {
    try rows(
      FetchRequest(
        entity: entity, output: .values([.attribute("id")]), condition: condition,
        sort: sort + [SortTerm(.attribute("id"))])
    ).map { row in
      guard case .int(let key) = row[0] else { return -1 }
      return key
    }
  }

  /// The values of an operand for each row, in the order of the key.
  func values(of entity: String, _ operand: Operand) throws -> [StoredValue] {
    try rows(
      FetchRequest(
        entity: entity, output: .values([operand]), sort: [SortTerm(.attribute("id"))])
    ).map { $0[0] }
  }
}
