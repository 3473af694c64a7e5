import Foundation
import Testing

@testable import ORMCore
@testable import ORMStorage
@testable import OrderedEngine

/// Which plan a condition and an order lead to, as it prints.
@Suite struct PlannerTests {
  private static let entity = StoredEntity(
    name: "snack", modelName: "Snack",
    columns: [
      StoredColumn("id", .int64), StoredColumn("name", .string),
      StoredColumn("taste", .string, isOptional: true), StoredColumn("price", .int32),
      StoredColumn("weight", .double, isOptional: true), StoredColumn("code", .uuid),
      StoredColumn("tags", .array(.string)), StoredColumn("rank", .decimal),
      StoredColumn("note", .json, isOptional: true),
    ],
    key: [0],
    indexes: [
      StoredIndex("byName", [.init(1)]),
      StoredIndex("byNameFolded", [.init(1, form: .caseFolded)]),
      StoredIndex("byTaste", [.init(2), .init(3)]),
      StoredIndex("byWeight", [.init(4, isDescending: true)]),
      StoredIndex("byCode", [.init(5)], isUnique: true),
      StoredIndex("byTag", [.init(6, form: .elements)]),
      StoredIndex("byRank", [.init(7)]),
    ])
  private static let seat = StoredEntity(
    name: "seat",
    columns: [
      StoredColumn("row", .int16), StoredColumn("number", .string),
      StoredColumn("taken", .bool),
    ], key: [0, 1])
  private static let layout = Result {
    let schema = StoredSchema(entities: [entity, seat])
    return try StoreLayout(
      Catalog(of: schema, hasChecksums: false), declared: schema,
      overflowKeys: OverflowKeys(limit: .max))
  }

  private func plan(
    _ condition: Condition, _ sort: SortTerm..., in name: String = "snack",
    output: FetchShape.Output = .rows, limit: Int? = nil
  ) throws -> String {
    let entity = try Self.layout.get().entity(name)
    let request = FetchRequest(
      entity: name, output: output, condition: condition,
      sort: sort.isEmpty ? [] : SortTerm.total(sort, entity: entity.declared),
      limit: limit)
    return Planner.plan(request.shape, entity).description(entity)
  }

  private let everything = Condition.constant(true)
  private func name(_ name: String) -> Operand { .attribute(name) }
  private func key(_ name: String, descending: Bool = false, nils: SortTerm.NilPlacement? = nil)
    -> SortTerm
  { SortTerm(.attribute(name), isDescending: descending, nils: nils) }
  private func list(_ name: String, _ values: [StoredValue], _ options: TextOptions = [])
    -> Condition
  { .isIn(.attribute(name), list: .value(.array(values)), options) }
  private func begins(_ name: String, _ text: String, _ options: TextOptions = []) -> Condition {
    .text(.attribute(name), .beginsWith, .value(.string(text)), options)
  }

  @Test func keys() throws {
    #expect(try plan(everything) == "scan")
    #expect(try plan(.constant(false)) == "nothing")
    #expect(try plan(attribute("id", .equal, .int(3))) == "keys id == $0")
    #expect(
      try plan(.compare(.value(.int(3)), .equal, name("id"), [])) == "keys id == $0")
    #expect(try plan(list("id", [.int(3), .int(1)])) == "keys id IN $0")
    #expect(
      try plan(.any([attribute("id", .equal, .int(3)), attribute("id", .equal, .int(1))]))
        == "keys id IN $0")
    #expect(
      try plan(.all([attribute("id", .greater, .int(3)), attribute("id", .lessOrEqual, .int(9))]))
        == "key range id > $0 AND id <= $1")
    #expect(
      try plan(.all([attribute("id", .equal, .int(3)), attribute("price", .less, .int(9))]))
        == "keys id == $0, where price < $1")
    #expect(
      try plan(.all([attribute("id", .equal, .int(3)), attribute("name", .equal, .string("a"))]))
        == "keys id == $0, where name == $1")
    #expect(
      try plan(.all([list("id", [.int(1), .int(2)]), attribute("id", .greater, .int(1))]))
        == "keys id IN $0 AND id > $1")
  }

  @Test func compoundKeys() throws {
    let row = attribute("row", .equal, .int(3))
    #expect(try plan(row, in: "seat") == "key range row == $0")
    #expect(
      try plan(.all([attribute("number", .equal, .string("b")), row]), in: "seat")
        == "keys row == $1 AND number == $0")
    #expect(
      try plan(.all([row, begins("number", "b")]), in: "seat")
        == "key range row == $0 AND number BEGINSWITH $1")
    #expect(
      try plan(.all([row, list("number", [.string("b"), .string("c")])]), in: "seat")
        == "keys row == $0 AND number IN $1")
    #expect(
      try plan(attribute("number", .equal, .string("b")), in: "seat")
        == "scan, where number == $0")
    #expect(
      try plan(row, key("number", descending: true), in: "seat")
        == "key range row == $0, reversed")
    #expect(try plan(everything, key("row", descending: true), in: "seat") == "scan, reversed")
    #expect(try plan(everything, key("number"), in: "seat") == "scan, sorted")
  }

  @Test func indexes() throws {
    #expect(
      try plan(attribute("name", .equal, .string("a"))) == "index byName name == $0")
    #expect(
      try plan(attribute("name", .greater, .string("a")))
        == "index byName name > $0, sorted")
    #expect(try plan(begins("name", "a"), key("name")) == "index byName name BEGINSWITH $0")
    #expect(
      try plan(list("name", [.string("b"), .string("a")]), key("name", descending: true))
        == "index byName name IN $0, reversed")
    #expect(
      try plan(
        .all([attribute("taste", .equal, .string("x")), attribute("price", .less, .int(5))]))
        == "index byTaste taste == $0 AND price < $1, sorted")
    #expect(
      try plan(attribute("price", .less, .int(5))) == "scan, where price < $0")
    #expect(try plan(attribute("code", .equal, .uuid(.init()))) == "index byCode code == $0")
    #expect(
      try plan(
        .any([attribute("name", .less, .string("a")), attribute("name", .greater, .string("z"))]))
        == "index byName name < $0 OR name > $1, sorted")
    #expect(
      try plan(
        .any([attribute("name", .less, .string("a")), attribute("price", .greater, .int(1))]))
        == "scan, where name < $0 OR price > $1")
    #expect(
      try plan(.not(attribute("name", .equal, .string("a")))) == "scan, where name != $0")
    #expect(
      try plan(attribute("name", .notEqual, .string("a"))) == "scan, where name != $0")
  }

  // 2.1
  @Test func nilIsLookedFor() throws {
    #expect(
      try plan(.compare(name("taste"), .equal, .value(.null), []))
        == "index byTaste taste == nil, sorted")
    #expect(
      try plan(.compare(name("taste"), .notEqual, .value(.null), []))
        == "index byTaste taste != nil, sorted")
    #expect(
      try plan(list("taste", [.string("a"), .null]))
        == "index byTaste taste == $0 OR taste == nil, sorted")
  }

  // 2.4
  @Test func foldedTexts() throws {
    let folded = Condition.compare(name("name"), .equal, .value(.string("A")), .caseInsensitive)
    #expect(try plan(folded) == "index byNameFolded name ==[c] $0")
    #expect(
      try plan(begins("name", "A", .caseInsensitive))
        == "index byNameFolded name BEGINSWITH[c] $0, sorted")
    #expect(
      try plan(list("name", [.string("A")], .caseInsensitive))
        == "index byNameFolded name ==[c] $0")
    #expect(
      try plan(begins("name", "A", [.caseInsensitive, .diacriticInsensitive]))
        == "scan, where name BEGINSWITH[cd] $0")
    #expect(
      try plan(everything, SortTerm(name("name"), options: .caseInsensitive))
        == "index byNameFolded")
    #expect(
      try plan(folded, SortTerm(name("name"), options: .caseInsensitive))
        == "index byNameFolded name ==[c] $0")
    #expect(
      try plan(folded, key("name")) == "index byNameFolded name ==[c] $0, sorted")
  }

  @Test func elements() throws {
    let hot = Condition.isIn(.value(.string("hot")), list: name("tags"), [])
    #expect(try plan(hot) == "index byTag $0 IN tags")
    #expect(
      try plan(.all([hot, attribute("price", .less, .int(3))]))
        == "index byTag $0 IN tags, where price < $1")
    #expect(
      try plan(.isIn(.value(.string("hot")), list: name("tags"), .caseInsensitive))
        == "scan, where $0 IN[c] tags")
  }

  // 2.2
  @Test func numbersOfOtherKinds() throws {
    #expect(try plan(attribute("id", .greater, .double(2.5))) == "key range id > $0")
    #expect(try plan(attribute("id", .equal, .decimal(2))) == "keys id == $0")
    #expect(try plan(attribute("rank", .less, .int(2))) == "index byRank rank < $0, sorted")
    #expect(try plan(attribute("rank", .less, .double(2))) == "scan, where rank < $0")
    #expect(try plan(attribute("weight", .less, .int(2))) == "index byWeight weight < $0, sorted")
  }

  // 3.1, 3.2
  @Test func order() throws {
    #expect(try plan(everything, key("id")) == "scan")
    #expect(try plan(everything, key("id", descending: true)) == "scan, reversed")
    #expect(try plan(everything, key("name")) == "index byName")
    #expect(try plan(everything, key("name", descending: true)) == "index byName, reversed")
    #expect(try plan(everything, key("price")) == "scan, sorted")
    #expect(try plan(everything, key("taste")) == "scan, sorted")
    #expect(try plan(everything, key("taste"), key("price")) == "index byTaste")
    #expect(
      try plan(everything, key("taste"), key("price", descending: true)) == "scan, sorted")
    #expect(
      try plan(everything, key("taste", descending: true), key("price", descending: true))
        == "index byTaste, reversed")
    #expect(
      try plan(attribute("taste", .equal, .string("x")), key("price"))
        == "index byTaste taste == $0")
    #expect(
      try plan(attribute("taste", .equal, .string("x")), key("taste"), key("price"))
        == "index byTaste taste == $0")
    #expect(try plan(everything, key("weight", descending: true)) == "index byWeight")
    #expect(try plan(everything, key("weight")) == "index byWeight, reversed")
    #expect(try plan(everything, key("id"), key("name")) == "scan")
    #expect(
      try plan(everything, key("name"), key("id", descending: true)) == "scan, sorted")
    #expect(
      try plan(attribute("code", .equal, .uuid(.init())), key("price")) == "index byCode code == $0"
    )
  }

  // 3.1
  @Test func nilPlacement() throws {
    #expect(try plan(everything, key("weight", nils: .first)) == "index byWeight, reversed")
    #expect(try plan(everything, key("weight", nils: .last)) == "scan, sorted")
    #expect(
      try plan(everything, key("weight", descending: true, nils: .first)) == "scan, sorted")
    #expect(
      try plan(attribute("weight", .greater, .double(1)), key("weight", nils: .last))
        == "index byWeight weight > $0, reversed")
    #expect(try plan(everything, key("name", nils: .last)) == "index byName")
  }

  /// An index is read for its order alone only when not many rows are thrown away for nothing.
  @Test func orderAgainstFilters() throws {
    let cheap = attribute("price", .less, .int(3))
    #expect(try plan(cheap, key("name")) == "scan, where price < $0, sorted")
    #expect(try plan(cheap, key("name"), limit: 20) == "index byName, where price < $0")
    #expect(
      try plan(.all([cheap, attribute("id", .greater, .int(3))]), key("name"), limit: 20)
        == "key range id > $1, where price < $0, sorted")
  }

  @Test func aggregatesNeedNoOrder() throws {
    let count = FetchShape.Output.aggregates([Aggregate(.count)])
    #expect(
      try plan(attribute("name", .greater, .string("a")), output: count) == "index byName name > $0"
    )
  }

  /// The page after a position reads from there on.
  @Test func pagesByKey() throws {
    func after(_ sort: [SortTerm], _ values: [StoredValue]) throws -> String {
      let entity = try Self.layout.get().entity("snack")
      let total = SortTerm.total(sort, entity: entity.declared)
      let request = try RequestLowering(entity: entity.declared, options: StoreOptions()).request(
        condition: .constant(true), order: sort, paging: .limit(10, offset: 0),
        start: QueryCursor(sort: total, values: values))
      return Planner.plan(request.shape, entity).description(entity)
    }
    #expect(
      try after([key("id")], [.int(7)]) == "key range (id > $0 OR id == $1) AND id > $2")
    #expect(
      try after([key("name")], [.string("b"), .int(7)])
        == "ranges of (index byName name > $2 AND (name > $0 OR name == $1)), "
        + "(index byName name == $3 AND id > $4), where name > $0 OR name == $1")
  }
}
