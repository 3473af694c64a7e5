import Foundation
import ORMCore
import SQLEngine
import TestSupport
import Testing

@testable import SQLiteBackend

/// The SQL of conditions, by hand.
///
/// `?n` are the parameters in the order of their first use.
@Suite struct ConditionTextTests {
  static let entity = StoredEntity(
    name: "T",
    columns: [
      StoredColumn("id", .int64), StoredColumn("i", .int32),
      StoredColumn("o", .int64, isOptional: true), StoredColumn("d", .double),
      StoredColumn("s", .string), StoredColumn("so", .string, isOptional: true),
      StoredColumn("u", .uint64), StoredColumn("dec", .decimal), StoredColumn("b", .bool),
      StoredColumn("f", .string, isOptional: true), StoredColumn("tags", .array(.string)),
      StoredColumn("j", .json), StoredColumn("x\"y", .int64, attribute: "odd"),
    ], key: [0],
    indexes: [
      StoredIndex("T_f", [.init(9, form: .caseFolded)]),
      StoredIndex("T_tags", [.init(10, form: .elements)]),
    ])
  static let schema = StoredSchema(entities: [entity])
  static let tables = SQLSchema(declared: schema, stored: schema)

  static func attribute(_ name: String) -> Operand { .attribute(name) }

  /// The text after WHERE, as the store makes it of a request.
  static func text(_ condition: Condition) throws -> String {
    let request = FetchRequest(entity: "T", condition: condition)
    var compiler = ConditionCompiler(tables.storedTables[0], tables, SQLiteDialect())
    guard let text = try compiler.condition(request.shape.condition) else { return "" }
    return SQLQuery(text, SQLiteDialect()).sql
  }

  static func compare(
    _ name: String, _ comparator: ORMCore.Comparator, _ value: StoredValue,
    _ options: TextOptions = []
  ) -> Condition {
    .compare(.attribute(name), comparator, .value(value), options)
  }

  static let cases: [(Condition, String)] = [
    (.constant(true), ""),
    (.constant(false), "0"),
    // 2.1: nil by IS; a value never equals nil.
    (compare("i", .equal, .int(3)), #""i" = ?1"#),
    (compare("o", .equal, .int(3)), #""o" = ?1"#),
    (compare("o", .equal, .null), #""o" IS NULL"#),
    (compare("o", .notEqual, .null), #""o" IS NOT NULL"#),
    (compare("o", .less, .null), "0"),
    (compare("i", .notEqual, .int(3)), #""i" <> ?1"#),
    (compare("o", .notEqual, .int(3)), #""o" IS NOT ?1"#),
    // 2.1: NOT is plain negation.
    (.not(compare("o", .greater, .int(3))), #"("o" > ?1) IS NOT 1"#),
    (.not(compare("i", .greater, .int(3))), #"NOT ("i" > ?1)"#),
    // 2.2: numbers of different kinds natively where that is exact, else by core.
    (compare("i", .less, .double(2.5)), #""i" < ?1"#),
    (compare("i", .equal, .double(2.5)), #""i" = CAST(?1 AS DOUBLE PRECISION)"#),
    (compare("d", .greaterOrEqual, .int(2)), #""d" >= ?1"#),
    (compare("u", .less, .int(-1)), #""u" < ?1"#),
    (compare("u", .equal, .uint(.max)), #""u" = ?1"#),
    (compare("u", .less, .double(2)), #"strata_test(?1, "u")"#),
    (compare("i", .equal, .decimal(2)), #"strata_test(?1, "i")"#),
    (compare("dec", .equal, .decimal(2)), #""dec" = ?1"#),
    (compare("dec", .less, .decimal(2)), #"strata_test(?1, "dec")"#),
    (compare("b", .equal, .bool(true)), #""b" = ?1"#),
    // Columns beside each other.
    (.compare(.attribute("i"), .equal, .attribute("o"), []), #""i" IS "o""#),
    (.compare(.attribute("i"), .equal, .attribute("d"), []), #""i" = "d""#),
    (.compare(.attribute("i"), .notEqual, .attribute("o"), []), #""i" IS NOT "o""#),
    (.compare(.attribute("i"), .less, .attribute("o"), []), #""i" < "o""#),
    (.compare(.attribute("i"), .less, .attribute("u"), []), #"strata_test(?1, "i", "u")"#),
    (.compare(.attribute("u"), .less, .attribute("i"), []), #"strata_test(?1, "i", "u")"#),
    // The value on the left.
    (.compare(.value(.int(3)), .less, .attribute("i"), []), #""i" > ?1"#),
    // 7.2: names are quoted.
    (compare("odd", .equal, .int(3)), #""x""y" = ?1"#),
    // 2.4: [c] from the column of folded texts where there is one.
    (compare("f", .equal, .string("A"), .caseInsensitive), #""f$folded" = ?1"#),
    (compare("s", .equal, .string("A"), .caseInsensitive), #"strata_test(?1, "s")"#),
    (
      compare("f", .equal, .string("A"), [.caseInsensitive, .diacriticInsensitive]),
      #"strata_test(?1, "f")"#
    ),
    // 2.5.
    (.text(.attribute("s"), .contains, .value(.string("a")), []), #"instr("s", ?1) > 0"#),
    (.text(.attribute("s"), .beginsWith, .value(.string("a")), []), #""s" >= ?1 AND "s" < ?2"#),
    (
      .text(.attribute("s"), .endsWith, .value(.string("a")), []),
      #"substr(CAST("s" AS BLOB), -?1, ?1) = ?2 OR (?1 = 0 AND "s" IS NOT NULL)"#
    ),
    (.text(.attribute("s"), .like, .value(.string("a*")), []), #"strata_test(?1, "s")"#),
    (
      .text(.attribute("f"), .beginsWith, .value(.string("a")), .caseInsensitive),
      #""f$folded" >= ?1 AND "f$folded" < ?2"#
    ),
    (
      .not(.text(.attribute("so"), .contains, .value(.string("a")), [])),
      #"(instr("so", ?1) > 0) IS NOT 1"#
    ),
    // Lists: as many parameters as the next power of two, the last repeated.
    (
      .isIn(.attribute("i"), list: .value(.array([.int(1), .int(2), .int(3)])), []),
      #""i" IN (?1, ?2, ?3, ?4)"#
    ),
    (
      .isIn(.attribute("o"), list: .value(.array([.int(1), .null])), []),
      #""o" = ?1 OR "o" IS NULL"#
    ),
    (
      .isIn(.attribute("i"), list: .value(.array([.int(1), .decimal(2)])), []),
      #"strata_test(?1, "i")"#
    ),
    (
      .isIn(.attribute("f"), list: .value(.array([.string("a")])), .caseInsensitive),
      #""f$folded" = ?1"#
    ),
    (
      .isIn(.value(.string("hot")), list: .attribute("tags"), []),
      #""id" IN (SELECT "owner" FROM "T$tags" WHERE "element" = ?1)"#
    ),
    (.isIn(.attribute("s"), list: .attribute("tags"), []), #"strata_test(?1, "s", "tags")"#),
    // Arithmetic and JSON are core's.
    (
      .compare(
        .arithmetic(.add, .attribute("i"), .value(.int(1))), .greater, .value(.int(2)), []),
      #"strata_test(?1, "i")"#
    ),
    (
      .compare(.json(.attribute("j"), [.key("a")]), .equal, .value(.int(2)), []),
      #"strata_test(?1, "j")"#
    ),
    // What the engine tests comes first; what core tests is one call.
    (
      .all([
        .text(.attribute("s"), .like, .value(.string("a*")), []), compare("i", .equal, .int(1)),
        compare("dec", .less, .decimal(1)),
      ]), #""i" = ?1 AND strata_test(?2, "s", "dec")"#
    ),
    (
      .any([
        .text(.attribute("s"), .like, .value(.string("a*")), []),
        compare("dec", .less, .decimal(1)),
      ]), #"strata_test(?1, "s", "dec")"#
    ),
    (
      .all([
        compare("i", .equal, .int(1)),
        .any([compare("o", .equal, .int(1)), compare("o", .equal, .null)]),
      ]), #""i" = ?1 AND ("o" = ?2 OR "o" IS NULL)"#
    ),
    (
      .not(.all([compare("i", .equal, .int(1)), compare("o", .equal, .int(1))])),
      #""i" <> ?1 OR "o" IS NOT ?2"#
    ),
    (
      .not(.text(.attribute("s"), .like, .value(.string("a*")), [])),
      #"strata_test(?1, "s")"#
    ),
  ]

  @Test(arguments: cases.indices) func `a condition becomes this text`(_ number: Int) throws {
    let (condition, expected) = Self.cases[number]
    #expect(try Self.text(condition) == expected)
  }

  @Test func `7.1 conditions past the engine's limits go to core whole`() throws {
    var deep = Self.compare("i", .equal, .int(0))
    for level in 1...100 {
      let more = Self.compare("i", .equal, .int(Int64(level)))
      deep = level % 2 == 0 ? .all([more, deep]) : .any([more, deep])
    }
    let text = try Self.text(deep)
    #expect(text.contains("strata_test("))
    var depth = 0
    var deepest = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      deepest = max(deepest, depth)
    }
    #expect(deepest <= SQLiteDialect().limits.nesting + 1)
    let wide = Condition.any((0..<40_000).map { Self.compare("i", .equal, .int(Int64($0))) })
    #expect(try Self.text(wide) == #"strata_test(?1, "i")"#)
  }

  @Test func `7.1 a long chain is grouped`() throws {
    let chain = Condition.all((0..<120).map { Self.compare("i", .notEqual, .int(Int64($0))) })
    let text = try Self.text(chain)
    #expect(text.hasPrefix(#"("i" <> ?1 AND "#))
    #expect(text.components(separatedBy: ") AND (").count == 3)
  }

  @Test func `an error that waits in a condition is thrown`() throws {
    let error = try thrownError {
      _ = try Self.text(.all([.constant(true), .invalid(StoreError(.invalidCondition, "bad"))]))
    }
    #expect(error.code == .invalidCondition)
  }
}
