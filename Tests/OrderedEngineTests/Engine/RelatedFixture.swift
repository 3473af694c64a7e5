import Foundation
import ORMCore
import Testing

@testable import OrderedEngine

/// Teams, their players, leagues and tags, as relationships are lowered.
enum RelatedFixture {
  static let schema = StoredSchema(entities: [
    StoredEntity(
      name: "team",
      columns: [
        StoredColumn("id", .int64), StoredColumn("name", .string),
        StoredColumn("captain", .int64, isOptional: true),
        StoredColumn("country", .string, isOptional: true),
        StoredColumn("number", .int64, isOptional: true),
      ], key: [0], indexes: [StoredIndex("team.league", [.init(3), .init(4)])]),
    StoredEntity(
      name: "player",
      columns: [
        StoredColumn("id", .int64), StoredColumn("age", .int64),
        StoredColumn("team_id", .int64, attribute: "team", isOptional: true),
        StoredColumn("weight", .uint64, isOptional: true),
      ], key: [0], indexes: [StoredIndex("player.team", [.init(2)])]),
    StoredEntity(
      name: "league",
      columns: [
        StoredColumn("country", .string), StoredColumn("number", .int64),
        StoredColumn("title", .string),
      ], key: [0, 1]),
    StoredEntity(name: "tag", columns: [StoredColumn("name", .string)], key: [0]),
    StoredEntity(
      name: "team_tag", columns: [StoredColumn("team", .int64), StoredColumn("tag", .string)],
      key: [0, 1], indexes: [StoredIndex("team_tag.tag", [.init(1)])], isInternal: true),
  ])

  /// Reds has two players, Blues one, Empty none and a captain who is not there; player 14 has no
  /// team, player 15 one that is not there.
  static func fill(_ store: any Store) throws {
    try store.put(
      [
        [.int(1), .string("Reds"), .int(11), .string("IS"), .int(1)],
        [.int(2), .string("Blues"), .null, .string("IS"), .int(2)],
        [.int(3), .string("Empty"), .int(99), .null, .int(1)],
      ], into: "team")
    try store.put(
      [
        [.int(11), .int(20), .int(1), .uint(UInt64.max)],
        [.int(12), .int(31), .int(1), .null],
        [.int(13), .int(31), .int(2), .int(7)],
        [.int(14), .int(40), .null, .null],
        [.int(15), .int(18), .int(9), .null],
      ], into: "player")
    try store.put(
      [
        [.string("IS"), .int(1), .string("Top")], [.string("IS"), .int(2), .string("Second")],
        [.string("NO"), .int(1), .string("Other")],
      ], into: "league")
    try store.put([[.string("a")], [.string("b")], [.string("c")]], into: "tag")
    try store.put(
      [
        [.int(1), .string("a")], [.int(1), .string("b")], [.int(2), .string("b")],
      ], into: "team_tag")
  }

  static func withStore<R>(_ map: TestedMap, _ body: (any Store) throws -> R) throws -> R {
    try map.withStore(schema) { store in
      try fill(store)
      return try body(store)
    }
  }

  /// The players of a team that is the row of a scope.
  static func players(_ scope: Int, of team: Int = 0) -> RelatedRows {
    RelatedRows([
      .init(
        entity: "player", scope: scope, links: [.init("team", equals: path("id", team))])
    ])
  }

  /// The team of a player that is the row of a scope.
  static func team(_ scope: Int, of player: Int = 0) -> RelatedRows {
    RelatedRows([
      .init(entity: "team", scope: scope, links: [.init("id", equals: path("team", player))])
    ])
  }

  static func path(_ name: String, _ scope: Int = 0) -> Operand.Path {
    Operand.Path([name], scope: scope)
  }
}

/// An attribute of the row of a scope.
func attribute(_ name: String, of scope: Int) -> Operand { .path(.init([name], scope: scope)) }

/// A comparison of two operands.
func compare(_ left: Operand, _ comparator: ORMCore.Comparator, _ right: Operand) -> Condition {
  .compare(left, comparator, right, [])
}

extension Store {
  /// The keys of the rows that a condition leaves, in the order asked for.
  func keys(
    of entity: String, where condition: Condition = .constant(true), by sort: [SortTerm] = []
  ) throws -> [StoredValue] {
    let keyed = sort.isEmpty ? [] : sort + [SortTerm(.attribute("id"))]
    return try rows(FetchRequest(entity: entity, condition: condition, sort: keyed)).map { $0[0] }
  }

  /// The values of an operand for each row, in the order of the key.
  func values(of entity: String, _ operand: Operand) throws -> [StoredValue] {
    try rows(FetchRequest(entity: entity, output: .values([operand]))).map { $0[0] }
  }
}
