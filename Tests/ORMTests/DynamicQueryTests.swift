import Foundation
import ORM
import Testing

@Suite struct DynamicQueryTests {
  private func read(_ text: String) throws -> DynamicQuery {
    try JSONDecoder().decode(DynamicQuery.self, from: Data(text.utf8))
  }

  private func written(_ query: DynamicQuery) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(query), as: UTF8.self)
  }

  @Test("2, 7.4: a query by names is written with a format, in a version")
  func format() throws {
    let store = try StoreKind.memory.openStore()
    let query = try DynamicQuery(
      "Snack", in: store.schema,
      where: "price > %@ AND name BEGINSWITH[c] 'a' OR taste IN {'x', nil}",
      arguments: [1.5], limit: 3)
    let text = try written(query)
    #expect(
      text == #"{"condition":{"format":"price > 1.5 AND name BEGINSWITH[c] \"a\" OR "#
        + #"taste IN {\"x\", nil}","version":1},"entity":"Snack","limit":3,"offset":0,"order":[]}"#)
    #expect(try read(text) == query)
    #expect(throws: StoreError.self) {
      try read(
        #"{"condition":{"version":2,"format":"id == 1"},"entity":"Snack","offset":0,"order":[]}"#)
    }
    #expect(throws: StoreError.self) {
      try read(
        #"{"condition":{"version":1,"format":"id =="},"entity":"Snack","offset":0,"order":[]}"#)
    }
  }

  @Test("a bare tree, as it was written once, is read")
  func tree() throws {
    let tree =
      #"{"compare":{"_0":{"path":{"_0":{"names":["id"],"scope":0}}},"_1":"equal","#
      + #""_2":{"value":{"_0":{"int":{"_0":3}}}},"_3":0}}"#
    let query = try read(#"{"condition":\#(tree),"entity":"Snack","offset":2,"order":[]}"#)
    #expect(
      query
        == DynamicQuery(
          "Snack", where: .compare(.attribute("id"), .equal, .value(.int(3)), []), offset: 2))
  }

  @Test("paths, to-manys, JSON and elements come back as they were")
  func names() throws {
    let players = Elements(.init(["players"]), scope: 1)
    let doc = Operand.attribute("doc")
    let conditions: [Condition] = [
      .compare(.path(.init(["team", "coach", "name"])), .equal, .value(.string("Kay")), []),
      .some(players, .compare(.path(.init(["age"], scope: 1)), .greater, .value(.int(3)), [])),
      .compare(.json(doc, ["a", 0]), .equal, .value(.null), []),
      .compare(.element(.attribute("tags"), 1), .equal, .value(.string("x")), .caseInsensitive),
      .isIn(.value(.string("x")), list: .attribute("tags"), []),
      .compare(.attribute("at"), .less, .value(.date(Date(timeIntervalSinceReferenceDate: 0))), []),
      .compare(.attribute("price"), .equal, .value(.decimal(1)), []), .constant(true),
      .not(.any([.constant(false), .compare(.attribute("a b"), .equal, .value(.bool(true)), [])])),
    ]
    for condition in conditions {
      let query = DynamicQuery("Thing", where: condition, order: [SortTerm(.attribute("id"))])
      #expect(try read(written(query)) == query, "\(condition)")
    }
    #expect(
      try written(DynamicQuery("Player", where: conditions[0]))
        .contains(#""format":"team.coach.name == \"Kay\"""#))
  }

  @Test("7.4: texts by names are checked against the schema")
  func faults() throws {
    let store = try StoreKind.memory.openStore()
    #expect(fault { _ = try DynamicQuery("Snak", in: store.schema) } == "unknownEntity")
    #expect(
      fault { _ = try DynamicQuery("Snack", in: store.schema, where: "prise > 1") }
        == "unknownAttribute prise")
    let query = try DynamicQuery("Snack", in: store.schema, sortedBy: "price DESC, name[c]")
    #expect(query.order.map(\.description) == ["price descending", "name[c]"])
  }
}
