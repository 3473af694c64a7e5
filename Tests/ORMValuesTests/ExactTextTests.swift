import Foundation
import ORMValues
import Testing

/// Names that are canonically equal and have different scalars (clause 2.3).
struct ExactTextTests {
  private let composed = "\u{E9}"
  private let decomposed = "e\u{301}"

  @Test("2.3: a table and a set of exact texts keep canonical twins apart")
  func tables() {
    var table: [ExactText: Int] = [:]
    table[composed] = 1
    table[decomposed] = 2
    #expect(table.count == 2)
    #expect(table[composed] == 1)
    #expect(table[decomposed] == 2)
    table[composed, default: 0] += 5
    #expect(table[composed] == 6)
    let replaced = table.updateValue(7, forKey: decomposed)
    #expect(replaced == 2)
    #expect(table[decomposed] == 7)

    var set = Set<ExactText>(texts: [composed])
    #expect(!set.contains(decomposed))
    let inserted = [set.insert(decomposed).inserted, set.insert(composed).inserted]
    #expect(inserted == [true, false])
    #expect(set.sorted().map(\.text).haveSameScalars(as: [decomposed, composed]))
  }

  @Test("2.3: keys of one spelling are one, however their texts were made")
  func equalKeys() {
    let long = String(repeating: composed, count: 40)
    let bridged = (NSString(string: long) as String)
    #expect(ExactText(long) == ExactText(bridged))
    #expect(ExactText(long).hashValue == ExactText(bridged).hashValue)
    #expect(Set([ExactText(long), ExactText(bridged)]).count == 1)
  }

  @Test("1.7: steps of a JSON path compare names by scalars")
  func steps() {
    #expect(JSONStep.key(composed) != .key(decomposed))
    #expect(JSONStep.key(composed) == .key("\u{E9}"))
    #expect(JSONStep.key("1") != .index(1))
    #expect(Set<JSONStep>([.key(composed), .key(decomposed), .index(0), .index(0)]).count == 3)
  }

  @Test("12.1: JSON values keep members whose names are canonical twins", arguments: [2, 30])
  func members(count: Int) throws {
    // Beyond twelve members, names are found in a table.
    var text = #"{"\#(composed)":1,"\#(decomposed)":2"#
    for number in 2..<count { text += #","n\#(number)":0"# }
    text += "}"
    var json = try JSONValue(parsing: text)
    #expect(json.members?.count == count)
    #expect(json[composed].integer == 1)
    #expect(json[decomposed].integer == 2)
    json[composed] = 3
    #expect(json[decomposed].integer == 2)
    #expect(
      json.text.utf8.elementsEqual(
        text.replacingOccurrences(of: ":1,", with: ":3,").utf8))
    let other: JSONValue = .object(JSONMembers(composed, 1))
    let twin: JSONValue = .object(JSONMembers(decomposed, 1))
    #expect(other != twin)
  }

  @Test("1.7: a Codable type reads the member whose name has its scalars")
  func coding() throws {
    struct Pair: Codable, Equatable {
      var first: Int?
      var second: Int?
      enum CodingKeys: String, CodingKey {
        case first = "\u{E9}"
        case second = "e\u{301}"
      }
    }
    let pair = try JSONCoding.decode(Pair.self, from: #"{"\#(decomposed)":2,"\#(composed)":1}"#)
    #expect(pair == Pair(first: 1, second: 2))
    let one = try JSONCoding.decode(Pair.self, from: #"{"\#(decomposed)":2}"#)
    #expect(one == Pair(first: nil, second: 2))
  }
}

extension JSONMembers {
  fileprivate init(_ name: String, _ value: JSONValue) {
    self.init()
    self[name] = value
  }
}

/// Stored values by the coders of JSON of programs (clause 3.3).
struct StoredValueCodingTests {
  @Test("3.3: every value goes through JSONEncoder and JSONDecoder, infinite ones too")
  func foundation() throws {
    let dates = [0, -0.0, .infinity, -.infinity, 1e300, -63_114_076_801.5].map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
    let values: [StoredValue] =
      [
        .null, .bool(true), .int(.min), .uint(.max), .string("e\u{301}"), .data(Data([0, 255])),
        .uuid(UUID()), .decimal(0.1), .json(#"{"a":9e999}"#), .double(.infinity),
        .double(-.infinity), .double(-0.0), .double(.leastNonzeroMagnitude),
        .array([.double(.infinity), .date(dates[3]), .int(1)]),
      ] + dates.map { .date($0) }
    for value in values {
      let found = try JSONDecoder().decode(StoredValue.self, from: JSONEncoder().encode(value))
      #expect(found.isIdentical(to: value), "\(value)")
      // The library's own form of a value stays as it was.
      let text = try JSONCoding.encode(value)
      #expect(try JSONCoding.decode(StoredValue.self, from: text).isIdentical(to: value), "\(text)")
    }
    #expect(try JSONCoding.encode(StoredValue.double(.infinity)) == #"{"double":{"_0":9e999}}"#)
    #expect(try JSONCoding.encode(StoredValue.null) == #"{"null":{}}"#)
    #expect(try JSONCoding.encode(StoredValue.int(3)) == #"{"int":{"_0":3}}"#)
    #expect(
      String(decoding: try JSONEncoder().encode(StoredValue.double(-.infinity)), as: UTF8.self)
        == #"{"double":{"_0":"-inf"}}"#)
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(
        StoredValue.self, from: Data(#"{"double":{"_0":"5"}}"#.utf8))
    }
  }

  @Test("JSON values: nil removes a member, and .null sets null")
  func removal() {
    var body: JSONValue = ["title": "Chips", "tags": ["salty"], "price": 2]
    body["title"] = .null
    body["tags"] = nil
    #expect(body.text == #"{"title":null,"price":2}"#)
    #expect(body.members?["tags"] == nil)
    #expect(body.members?["title"] == .null)
    #expect(body["tags"].isNull)
    #expect(body["price"]["amount"].double == nil)
    var text: JSONValue = "a"
    text["x"] = nil
    #expect(text == "a")
    text["x"] = 1
    #expect(text.text == #"{"x":1}"#)
  }
}
