import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

@Suite struct ExplainTests {
  static let schema = RandomRequests.schema

  func explain(_ condition: Condition, sort: [SortTerm] = []) throws -> Explanation {
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema)
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    return try reader.explain(
      FetchRequest(
        entity: "Every", condition: condition, sort: sort + [SortTerm(.attribute("id"))]))
  }

  static func compare(
    _ name: String, _ comparator: ORMCore.Comparator, _ value: StoredValue,
    _ options: TextOptions = []
  ) -> Condition {
    .compare(.attribute(name), comparator, .value(value), options)
  }

  @Test func `a key is looked up`() throws {
    let found = try explain(Self.compare("id", .equal, .int(1)))
    #expect(found.access == .keyLookup)
    #expect(found.index == nil)
    #expect(found.ranges == ["id = ?"])
    #expect(found.engineConditions.isEmpty && found.coreConditions.isEmpty)
    #expect(found.isOrderFromAccess)
  }

  @Test func `a range of keys, with what is tested besides`() throws {
    let like = Condition.text(.attribute("string"), .like, .value(.string("a*")), [])
    let found = try explain(
      .all([
        Self.compare("id", .greater, .int(1)), Self.compare("bool", .equal, .bool(true)), like,
      ]))
    #expect(found.access == .keyRange)
    #expect(found.ranges == ["id > ?"])
    #expect(found.engineConditions == ["bool == $1"])
    #expect(found.coreConditions == ["string LIKE $2"])
    #expect(found.isOrderFromAccess)
  }

  @Test func `an index of values gives the order too`() throws {
    let found = try explain(
      Self.compare("int", .greaterOrEqual, .int(1)), sort: [SortTerm(.attribute("int"))])
    #expect(found.access == .indexRange)
    #expect(found.index == "Every_int")
    #expect(found.ranges == ["int > ?"])
    #expect(found.isOrderFromAccess)
  }

  @Test func `2.4 an index of folded texts answers [c]`() throws {
    for condition in [
      Self.compare("stringMaybe", .equal, .string("A"), .caseInsensitive),
      .isIn(
        .attribute("stringMaybe"), list: .value(.array([.string("a"), .string("b")])),
        .caseInsensitive),
      .text(.attribute("stringMaybe"), .beginsWith, .value(.string("a")), .caseInsensitive),
    ] {
      let found = try explain(condition)
      #expect(found.access == .indexRange)
      #expect(found.index == "Every_folded")
      #expect(found.engineConditions.isEmpty && found.coreConditions.isEmpty)
    }
  }

  @Test func `an index of elements leads to the rows`() throws {
    let found = try explain(.isIn(.value(.string("a")), list: .attribute("array"), []))
    #expect(found.access == .indexRange)
    #expect(found.index == "Every_array")
    #expect(found.ranges == ["array = ?"])
  }

  @Test func `a scan that is sorted, and a condition that never holds`() throws {
    let scan = try explain(
      Self.compare("decimal", .less, .decimal(1)), sort: [SortTerm(.attribute("bool"))])
    #expect(scan.access == .scan)
    #expect(!scan.isOrderFromAccess)
    #expect(scan.coreConditions.count == 1)
    #expect(try explain(.constant(false)).access == .nothing)
  }

  @Test func `BEGINSWITH reads a range of an index`() throws {
    let found = try explain(.text(.attribute("string"), .beginsWith, .value(.string("a")), []))
    #expect(found.access == .indexRange)
    #expect(found.index == "Every_string")
    #expect(found.ranges == ["string > ?", "string < ?"])
  }

  @Test func `2.5 an expression that begins with text is a range of an index`() throws {
    let found = try explain(
      .text(.attribute("string"), .matches, .value(.string("a[bc]")), []))
    #expect(found.access == .indexRange)
    #expect(found.index == "Every_string")
    #expect(found.ranges == ["string > ?", "string < ?"])
    #expect(found.coreConditions == ["string MATCHES $0"])
    let folded = try explain(
      .text(.attribute("stringMaybe"), .matches, .value(.string("a[bc]")), .caseInsensitive))
    #expect(folded.access == .scan)
  }

  @Test func `4.2 groups are the engine's where it forms them exactly`() throws {
    func groups(_ key: Operand, _ aggregate: Aggregate) throws -> Explanation.Groups? {
      let fixture = SQLiteFixture()
      let store = try fixture.store(Self.schema)
      let reader = try store.reader(ReadTurn())
      defer { reader.end() }
      return try reader.explain(
        FetchRequest(
          entity: "Every",
          output: .groups(keys: [key], aggregates: [aggregate], having: .constant(true)),
          sort: RequestLowering.total([], keyCount: 1))
      ).groups
    }
    let count = Aggregate(.count)
    #expect(
      try groups(.attribute("int"), count) == Explanation.Groups(.engine, areInOrder: true))
    #expect(
      try groups(.attribute("small"), count) == Explanation.Groups(.engine, areInOrder: false))
    #expect(
      try groups(.attribute("json"), count) == Explanation.Groups(.core, areInOrder: false))
    #expect(
      try groups(.function(.length, .attribute("string")), count)
        == Explanation.Groups(.core, areInOrder: false))
  }
}
