import Foundation
import ORMCore
import SQLEngine
import TestSupport
import Testing

@testable import SQLiteBackend

/// Updates that add to integers: rows that cannot keep what they have are not compared.
@Suite struct IncrementTests {
  private typealias Rows = RelatedFixture
  private static let reds = FetchRequest(
    entity: "player", condition: Rows.compare(Rows.attribute("team"), .equal, .value(.int(1))))

  private static func age(_ symbol: ArithmeticOperator, _ step: Int64) -> [StoreChange.Assignment] {
    let value = Operand.arithmetic(symbol, Rows.attribute("age"), .value(.int(step)))
    return [.init(column: 1, value: value)]
  }

  private static func text(_ assignments: [StoreChange.Assignment], changesAll: Bool) throws
    -> String
  {
    var compiler = ChangeCompiler(Rows.tables.storedTables[1], Rows.tables, SQLiteDialect())
    let plan = try compiler.update(
      FetchShape(entity: "player"), assignments, checksValues: false, changesAll: changesAll)
    #expect(plan.countsSelected != changesAll)
    return plan.query.sql
  }

  @Test func `rows that cannot keep what they have are neither compared nor counted one by one`()
    throws
  {
    #expect(
      try Self.text([.init(column: 3, value: .value(.null))], changesAll: false)
        == #"UPDATE "player" SET "name" = ?1 WHERE "#
        + #"CASE WHEN strata_row_count() THEN CASE WHEN "name" IS NOT ?1 THEN 1 END END"#)
    let sum = try Self.text(Self.age(.add, 1), changesAll: true)
    #expect(sum.hasPrefix(#"UPDATE "player" SET "age" = CASE WHEN "#))
    #expect(!sum.contains("WHERE"))
  }

  @Test func `5.1 rows are counted that are selected, and changed where the step is none too`()
    throws
  {
    try Rows.withStore { (store) throws in
      func apply(_ symbol: ArithmeticOperator, _ step: Int64) throws -> Int {
        try store.written { try $0.apply(.update(Self.reds, Self.age(symbol, step))) }
      }
      #expect(try apply(.add, 5) == 2)
      #expect(try apply(.subtract, 1) == 2)
      #expect(try apply(.add, 0) == 2)
      #expect(try apply(.multiply, 1) == 2)
      #expect(
        try store.values(of: "player", Rows.attribute("age"))
          == [.int(24), .int(35), .int(31), .int(40), .int(18)])
    }
  }

  @Test func `5.1 a step of none is no change`() throws {
    try Rows.withStore { (store) throws in
      try store.written { writer in
        let before = try #require(writer.changeCount)
        #expect(try writer.apply(.update(Self.reds, Self.age(.add, 0))) == 2)
        #expect(writer.changeCount == before)
        #expect(try writer.apply(.update(Self.reds, Self.age(.add, 1))) == 2)
        #expect(writer.changeCount != before)
      }
    }
  }

  @Test func `5.5 an overflow after rows were changed is undone with its savepoint`() throws {
    try Rows.withStore { (store) throws in
      try store.put(
        Rows.schema.entities[1], .insert, [[.int(16), .int(.max), .int(1)]], columns: [0, 1, 2])
      try store.written { writer in
        #expect(try writer.apply(.update(Self.reds, Self.age(.subtract, 1))) == 3)
        let error = try thrownError {
          try writer.savepoint { _ = try writer.apply(.update(Self.reds, Self.age(.add, 2))) }
        }
        #expect(error.code == .overflow)
      }
      #expect(
        try store.values(of: "player", Rows.attribute("age"))
          == [.int(19), .int(30), .int(31), .int(40), .int(18), .int(.max - 1)])
    }
  }
}
