import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// Updates and deletes by related rows see what was there before them; limits of the engine do not
/// show (clause 7.1).
@Suite struct RelatedChangeTests {
  private typealias Rows = RelatedFixture
  private func a(_ name: String, _ scope: Int = 0) -> Operand { Rows.attribute(name, scope) }

  /// True if another player is of the same team.
  private func hasMate(_ scope: Int) -> Condition {
    let mates = RelatedRows([Rows.step("player", scope, "team", "team", 0)])
    return .exists(mates, Rows.compare(a("id", scope), .notEqual, a("id")))
  }

  /// A condition that holds when another does, as many rows deep as said: a row of its own, by its
  /// key, and of that again.
  private func nested(
    _ levels: Int, _ entity: String, from scope: Int = 100, of outer: Int = 0, _ inner: Condition
  ) -> Condition {
    guard levels > 0 else { return inner }
    let next = nested(levels - 1, entity, from: scope + 1, of: scope, inner)
    return .exists(
      RelatedRows([Rows.step(entity, scope, "id", "id", outer)]),
      .any([
        .all([next, Rows.compare(a("id", scope), .equal, a("id"))]),
        Rows.compare(a("id", scope), .less, .value(.int(0))),
      ]))
  }

  private func apply(_ store: SQLiteStore, _ change: StoreChange) throws -> Int {
    try store.written { try $0.apply(change) }
  }

  @Test func `deletes see the rows that they delete`() throws {
    for condition in [hasMate(1), nested(40, "player", hasMate(1))] {
      try Rows.withStore { (store) throws in
        let request = FetchRequest(entity: "player", condition: condition)
        #expect(try apply(store, .delete(request)) == 2)
        #expect(try store.keys(of: "player") == [13, 14, 15])
      }
    }
    try Rows.withStore { (store) throws in
      let first = FetchRequest(
        entity: "player", condition: hasMate(1), sort: [SortTerm(.attribute("id"))], limit: 1)
      #expect(try apply(store, .delete(first)) == 1)
      #expect(try store.keys(of: "player", where: hasMate(1)) == [])
    }
  }

  @Test func `updates see the rows that they change`() throws {
    for condition in [hasMate(2), nested(40, "player", hasMate(2))] {
      try Rows.withStore { (store) throws in
        let mates = RelatedRows([Rows.step("player", 1, "team", "team", 0)])
        let sum = Operand.relatedAggregate(.sum, a("age", 1), mates, .constant(true))
        let request = FetchRequest(entity: "player", condition: condition)
        #expect(
          try apply(store, .update(request, [.init(column: 1, value: sum)])) == 2)
        #expect(
          try store.values(of: "player", a("age"))
            == [.int(51), .int(51), .int(31), .int(40), .int(18)])
      }
    }
    try Rows.withStore { (store) throws in
      let captain = Rows.aggregate(.maximum, "id")
      let all = FetchRequest(entity: "team")
      #expect(try apply(store, .update(all, [.init(column: 2, value: captain)])) == 3)
      #expect(try store.values(of: "team", a("captain")) == [.int(12), .int(13), .null])
      // A condition about the column that is set.
      let isLed = Condition.exists(
        RelatedRows([Rows.step("player", 1, "id", "captain", 0)]), .constant(true))
      let led = FetchRequest(entity: "team", condition: isLed)
      #expect(try apply(store, .update(led, [.init(column: 2, value: .value(.null))])) == 2)
      #expect(try store.values(of: "team", a("captain")) == [.null, .null, .null])
    }
  }

  @Test func `2.6 a sum that overflows throws in an update`() throws {
    try Rows.withStore { (store) throws in
      try store.put(
        Rows.schema.entities[1], .insert, [[.int(16), .int(.max), .int(1)]], columns: [0, 1, 2])
      let all = FetchRequest(entity: "team")
      let error = try thrownError {
        _ = try apply(
          store, .update(all, [.init(column: 2, value: Rows.aggregate(.sum, "age"))]))
      }
      #expect(error.code == .overflow)
      #expect(try store.values(of: "team", a("captain")) == [.int(11), .null, .int(99)])
    }
  }

  @Test func `7.1 conditions deep inside one another`() throws {
    try Rows.withStore { (store) throws in
      let isReds = Rows.compare(a("name"), .equal, .value(.string("Reds")))
      for levels in [3, 6, 20, 99] {
        #expect(try store.keys(of: "team", where: nested(levels, "team", isReds)) == [1])
        #expect(
          try store.keys(of: "team", where: .not(nested(levels, "team", .not(isReds)))) == [1])
      }
      // Deep on both sides of a subquery.
      var deep = Rows.compare(a("age", 1), .greater, .value(.int(30)))
      for level in 1...90 {
        let more = Rows.compare(a("age", 1), .greater, .value(.int(Int64(-level))))
        deep = level % 2 == 0 ? .all([more, deep]) : .any([.not(more), deep])
      }
      var around = Condition.exists(Rows.players(1), deep)
      for level in 1...90 {
        let more = Rows.compare(a("id"), .greater, .value(.int(Int64(-level))))
        around = level % 2 == 0 ? .all([more, around]) : .any([.not(more), around])
      }
      #expect(try store.keys(of: "team", where: around) == [1, 2])
      // Values one of another: the team of a player of … by 60 steps there and back.
      var steps: [RelatedRows.Step] = []
      for scope in 1...60 { steps.append(Rows.step("team", scope, "id", "id", scope - 1)) }
      #expect(
        try store.values(of: "team", .relatedValue(a("name", 60), RelatedRows(steps)))
          == [.string("Reds"), .string("Blues"), .string("Empty")])
      #expect(
        try store.keys(
          of: "team",
          where: .exists(
            RelatedRows(steps), Rows.compare(a("name", 60), .equal, a("name")))) == [1, 2, 3])
    }
  }

  @Test func `7.1 more values than one statement binds, more columns than one call takes`() throws {
    try Rows.withStore { (store) throws in
      let list = Operand.value(.array((0..<4000).map { .int($0) }))
      let conditions = (1...30).map { scope in
        Condition.exists(Rows.players(scope), .isIn(a("age", scope), list: list, []))
      }
      #expect(try store.keys(of: "team", where: .all(conditions)) == [1, 2])
      let counts = (1...120).map { scope in
        Operand.relatedAggregate(
          .count, nil, Rows.players(scope),
          Rows.compare(a("age", scope), .greater, .value(.int(Int64(scope)))))
      }
      let sum = counts.reduce(Operand.value(.int(0))) { Operand.arithmetic(.add, $0, $1) }
      // Ages 20 and 31: one each below the age.
      #expect(try store.values(of: "team", sum) == [.int(19 + 30), .int(30), .int(0)])
      let isSum = Rows.compare(sum, .equal, .value(.int(49)))
      #expect(try store.keys(of: "team", where: isSum) == [1])
    }
  }
}
