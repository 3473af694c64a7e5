import Foundation
import ORMCore
import Testing

/// The form of coded conditions and operands, which is stored in schemas: that of the compiler's
/// own coding, a member named after the case.
@Suite struct ConditionCodingTests {
  private let a = Operand.item(1)
  private let coded = #"{"item":{"_0":1}}"#
  private let rows = RelatedRows([
    RelatedRows.Step(entity: "T", scope: 2, links: [.init("id", equals: .init(["t"]))])
  ])
  private let codedRows =
    #"{"steps":[{"entity":"T","links":[{"attribute":"id","other":{"names":["t"],"scope":0}}],"#
    + #""scope":2}]}"#

  private func expect<Value: Codable & Equatable>(
    _ value: Value, _ text: String, location: SourceLocation = #_sourceLocation
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let written = String(decoding: try encoder.encode(value), as: UTF8.self)
    #expect(written == text, sourceLocation: location)
    #expect(
      try JSONDecoder().decode(Value.self, from: Data(text.utf8)) == value,
      sourceLocation: location)
  }

  @Test("every operand keeps its form")
  func operands() throws {
    let elements = Elements(.init(["tags"]), scope: 3)
    let codedElements = #"{"path":{"names":["tags"],"scope":0},"scope":3}"#
    let forms: [(Operand, String)] = [
      (.value(.null), #"{"value":{"_0":{"null":{}}}}"#),
      (.parameter(4, .int), #"{"parameter":{"_0":4,"_1":"int"}}"#),
      (
        .parameterList(4, .string, capacity: 8),
        #"{"parameterList":{"_0":4,"_1":"string","capacity":8}}"#
      ),
      (.parameterList(4, nil, capacity: 8), #"{"parameterList":{"_0":4,"capacity":8}}"#),
      (.path(.init(["a", "b"], scope: 1)), #"{"path":{"_0":{"names":["a","b"],"scope":1}}}"#),
      (
        .json(a, [.key("k"), .index(2)]),
        #"{"json":{"_0":\#(coded),"_1":[{"key":{"_0":"k"}},{"index":{"_0":2}}]}}"#
      ),
      (.element(a, 3), #"{"element":{"_0":\#(coded),"_1":3}}"#),
      (
        .arithmetic(.add, a, .now),
        #"{"arithmetic":{"_0":"add","_1":\#(coded),"_2":{"now":{}}}}"#
      ),
      (.negated(a), #"{"negated":{"_0":\#(coded)}}"#),
      (.function(.length, a), #"{"function":{"_0":"length","_1":\#(coded)}}"#),
      (
        .choice(.constant(true), a, .now),
        #"{"choice":{"_0":{"constant":{"_0":true}},"_1":\#(coded),"_2":{"now":{}}}}"#
      ),
      (
        .ofElements(.count, nil, elements, .constant(true)),
        #"{"ofElements":{"_0":"count","_2":\#(codedElements),"_3":{"constant":{"_0":true}}}}"#
      ),
      (
        .ofElements(.sum, a, elements, .constant(true)),
        #"{"ofElements":{"_0":"sum","_1":\#(coded),"_2":\#(codedElements),"#
          + #""_3":{"constant":{"_0":true}}}}"#
      ),
      (
        .relatedAggregate(.count, nil, rows, .constant(true)),
        #"{"relatedAggregate":{"_0":"count","_2":\#(codedRows),"_3":{"constant":{"_0":true}}}}"#
      ),
      (.relatedValue(a, rows), #"{"relatedValue":{"_0":\#(coded),"_1":\#(codedRows)}}"#),
      (a, coded),
      (
        .ofItems(.count, a, scope: 5, .constant(true)),
        #"{"ofItems":{"_0":"count","_1":\#(coded),"_3":{"constant":{"_0":true}},"scope":5}}"#
      ),
      (.list([a, .now]), #"{"list":{"_0":[\#(coded),{"now":{}}]}}"#),
      (.variable("LOW"), #"{"variable":{"_0":"LOW"}}"#),
      (.now, #"{"now":{}}"#),
      (.output(2), #"{"output":{"_0":2}}"#),
    ]
    for (operand, text) in forms { try expect(operand, text) }
  }

  @Test("every condition keeps its form")
  func conditions() throws {
    let yes = Condition.constant(true)
    let codedYes = #"{"constant":{"_0":true}}"#
    let forms: [(Condition, String)] = [
      (yes, codedYes),
      (.not(yes), #"{"not":{"_0":\#(codedYes)}}"#),
      (.all([yes]), #"{"all":{"_0":[\#(codedYes)]}}"#),
      (.any([]), #"{"any":{"_0":[]}}"#),
      (
        .compare(a, .lessOrEqual, .now, []),
        #"{"compare":{"_0":\#(coded),"_1":"lessOrEqual","_2":{"now":{}},"_3":0}}"#
      ),
      (.isIn(a, list: .now, []), #"{"isIn":{"_0":\#(coded),"_2":0,"list":{"now":{}}}}"#),
      (
        .text(a, .beginsWith, .now, []),
        #"{"text":{"_0":\#(coded),"_1":"beginsWith","_2":{"now":{}},"_3":0}}"#
      ),
      (
        .some(Elements(.init(["tags"]), scope: 3), yes),
        #"{"some":{"_0":{"path":{"names":["tags"],"scope":0},"scope":3},"_1":\#(codedYes)}}"#
      ),
      (.exists(rows, yes), #"{"exists":{"_0":\#(codedRows),"_1":\#(codedYes)}}"#),
      (
        .someItem(of: a, scope: 5, yes),
        #"{"someItem":{"_2":\#(codedYes),"of":\#(coded),"scope":5}}"#
      ),
    ]
    for (condition, text) in forms { try expect(condition, text) }
    let error = StoreError(.invalidCondition, "no")
    #expect(
      try JSONDecoder().decode(
        Condition.self, from: JSONEncoder().encode(Condition.invalid(error))) == .invalid(error))
    for text in ["{}", #"{"none":{}}"#, #"{"not":{}}"#, #"{"not":5}"#, "[]", "5"] {
      #expect(throws: DecodingError.self, "\(text)") {
        try JSONDecoder().decode(Condition.self, from: Data(text.utf8))
      }
    }
  }

  @Test("pages, defaults and locations of links keep their forms")
  func others() throws {
    try expect(Paging.all, #"{"all":{}}"#)
    try expect(Paging.limit(nil, offset: 3), #"{"limit":{"offset":3}}"#)
    try expect(Paging.limit(2, offset: 3), #"{"limit":{"_0":2,"offset":3}}"#)
    try expect(Paging.page(1, size: 50), #"{"page":{"_0":1,"size":50}}"#)
    typealias Default = AttributeDescription.DefaultValue
    try expect(Default.value(.int(1)), #"{"value":{"_0":{"int":{"_0":1}}}}"#)
    try expect(Default.now, #"{"now":{}}"#)
    try expect(Default.uuid, #"{"uuid":{}}"#)
    typealias Storage = RelationshipDescription.Storage
    try expect(Storage.own(["t"], position: nil), #"{"own":{"_0":["t"]}}"#)
    try expect(
      Storage.target(["t"], position: "p"), #"{"target":{"_0":["t"],"position":"p"}}"#)
    try expect(
      Storage.join(entity: "J", own: ["a"], target: ["b"], position: nil),
      #"{"join":{"entity":"J","own":["a"],"target":["b"]}}"#)
  }
}
