import Foundation
import TestSupport
import Testing

@testable import ORMValues

@Suite("1.7 Codable values as JSON")
struct ValuesJSONCodingTests {
  func expectText<T: Codable & Equatable>(_ value: T, _ text: String) throws {
    #expect(try JSONCoding.encode(value) == text)
    #expect(try JSONCoding.decode(T.self, from: text) == value)
  }

  struct Address: Codable, Equatable {
    var street: String
    var lines: [String]
    var number: Int?
    var inner: [String: Double]
  }

  enum Shape: Codable, Equatable {
    case point
    case circle(radius: Double)
  }

  enum Colour: String, Codable, CaseIterable { case red, green }

  @Test("scalars at the top")
  func scalars() throws {
    try expectText(true, "true")
    try expectText("a\u{0}\"\n", #""a\u0000\"\n""#)
    try expectText(Int.min, "-9223372036854775808")
    try expectText(UInt64.max, "18446744073709551615")
    try expectText(Int8(-128), "-128")
    try expectText(UInt128.max, "340282366920938463463374607431768211455")
    try expectText(0.1, "0.1")
    try expectText(1.0, "1.0")
    try expectText(Double.infinity, "9e999")
    try expectText(-Float.infinity, "-9e999")
    try expectText(Float(0.1), "0.1")
    try expectText(Int?.none, "null")
    try expectText(Int?.some(5), "5")
    try expectText(Colour.green, #""green""#)
  }

  @Test("members in the order of their names' bytes, nils left out")
  func objects() throws {
    let address = Address(
      street: "x", lines: ["1", "2"], number: nil, inner: ["é": 1, "e": 2, "Z": 3])
    try expectText(
      address, #"{"inner":{"Z":3.0,"e":2.0,"é":1.0},"lines":["1","2"],"street":"x"}"#)
    try expectText([1: "a", -2: "b"], #"{"-2":"b","1":"a"}"#)
    try expectText(Shape.circle(radius: 2), #"{"circle":{"radius":2.0}}"#)
    try expectText([Shape.point], #"[{"point":{}}]"#)
  }

  @Test("what JSON cannot hold, and what it can but for its type")
  func special() throws {
    try expectText(Date(timeIntervalSinceReferenceDate: 0.1), #"{"$date":0.1}"#)
    try expectText(Date(timeIntervalSinceReferenceDate: -.infinity), #"{"$date":-9e999}"#)
    try expectText(Data([0, 1, 255]), #"{"$data":"AAH/"}"#)
    try expectText(Data(), #"{"$data":""}"#)
    try expectText(dec("12.50"), "12.5")
    try expectText(
      dec("123456789012345678901234567890.12345678"), "123456789012345678901234567890.12345678")
    try expectText(dec("-1e100"), "-1E+100")
    try expectText(ValuesArrayTextTests.uuid, #""00112233-4455-6677-8899-AABBCCDDEEFF""#)
    try expectText(try #require(URL(string: "https://a.b/c?d=%20#e")), #""https://a.b/c?d=%20#e""#)
    try expectText([UInt8]([0, 255]), "[0,255]")
    try expectText([Date?](), "[]")
    try expectText([Date(timeIntervalSinceReferenceDate: 1), nil], #"[{"$date":1.0},null]"#)
  }

  @Test("1.2 doubles, floats and dates keep their bits, -0.0 its sign")
  func bits() throws {
    var random = SeededGenerator.printed("bits")
    var doubles = [
      -0.0, 0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi, 1e16, 123456789,
    ]
    for _ in 0..<500 { doubles.append(random.anyDouble()) }
    let read = try JSONCoding.decode([Double].self, from: JSONCoding.encode(doubles))
    #expect(read.map(\.bitPattern) == doubles.map(\.bitPattern))
    let dates = doubles.map(Date.init(timeIntervalSinceReferenceDate:))
    let readDates = try JSONCoding.decode([Date].self, from: JSONCoding.encode(dates))
    #expect(
      readDates.map(\.timeIntervalSinceReferenceDate.bitPattern) == doubles.map(\.bitPattern))
    var floats: [Float] = [-0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    for _ in 0..<500 {
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      if float.isFinite { floats.append(float) }
    }
    let readFloats = try JSONCoding.decode([Float].self, from: JSONCoding.encode(floats))
    #expect(readFloats.map(\.bitPattern) == floats.map(\.bitPattern))
  }

  @Test("random decimals and integers are exact")
  func exactNumbers() throws {
    var random = SeededGenerator.printed("exactNumbers")
    for _ in 0..<300 {
      let decimal = random.anyDecimal()
      let read = try JSONCoding.decode(Decimal.self, from: JSONCoding.encode(decimal))
      #expect(StoredValue.decimal(read) == .decimal(decimal))
      let integer = Int64(bitPattern: random.next())
      #expect(try JSONCoding.decode(Int64.self, from: JSONCoding.encode(integer)) == integer)
    }
  }

  @Test("1.3 NaN is refused with invalidValue, naming the path")
  func nan() {
    for encode in [
      { try JSONCoding.encode(["a": [1, Double.nan]]) },
      { try JSONCoding.encode(["a": [Float.zero, Float.nan]]) },
      { try JSONCoding.encode(["a": [0, Decimal.nan]]) },
      { try JSONCoding.encode(["a": [Date.now, Date(timeIntervalSinceReferenceDate: .nan)]]) },
    ] {
      do {
        _ = try encode()
        Issue.record("encoded")
      } catch {
        #expect((error as? StoreError)?.code == .invalidValue)
        #expect("\(error)".contains("$.a[1]"))
      }
    }
  }

  @Test("sets and dictionaries have one text whatever their order")
  func unordered() throws {
    try expectText(Set(["b", "a", "c"]), #"["a","b","c"]"#)
    try expectText(["x": Set([3, 1, 2])], #"{"x":[1,2,3]}"#)
    try expectText([Colour.red: 1, .green: 2], #"["green",2,"red",1]"#)
    try expectText([[3.5]: "b", [1.5]: "a"], #"[[1.5],"a",[3.5],"b"]"#)
  }

  final class Link: Codable {
    var next: Link?
  }

  class Animal: Codable {
    var name = "n"
  }

  final class Dog: Animal {
    var age = 3
    enum Keys: String, CodingKey { case age, list }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      age = try container.decode(Int.self, forKey: .age)
      var list = try container.nestedUnkeyedContainer(forKey: .list)
      #expect(list.count == 3)
      #expect(try list.decode(Int.self) == 1)
      #expect(try list.decodeNil())
      let inner = try list.nestedContainer(keyedBy: Keys.self)
      #expect(try inner.decode(String.self, forKey: .age) == "old")
      #expect(list.isAtEnd)
      try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try super.encode(to: container.superEncoder())
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(1)
      try list.encodeNil()
      var inner = list.nestedContainer(keyedBy: Keys.self)
      try inner.encode("old", forKey: .age)
      var again = encoder.container(keyedBy: Keys.self)
      try again.encode(age, forKey: .age)
    }
  }

  @Test("nested containers and superclasses")
  func containers() throws {
    let text = #"{"age":3,"list":[1,null,{"age":"old"}],"super":{"name":"n"}}"#
    #expect(try JSONCoding.encode(Dog()) == text)
    let dog = try JSONCoding.decode(Dog.self, from: text)
    #expect(dog.age == 3)
    #expect(dog.name == "n")
  }

  @Test("a value that holds itself is invalidValue, 512 levels are not")
  func depth() throws {
    func chain(_ count: Int) -> Link {
      let first = Link()
      var last = first
      for _ in 1..<count {
        let link = Link()
        last.next = link
        last = link
      }
      return first
    }
    let text = try JSONCoding.encode(chain(512))
    #expect(throws: Never.self) { try JSONText.validate(text) }
    #expect(throws: Never.self) { try JSONCoding.decode(Link.self, from: text) }
    let ring = Link()
    ring.next = ring
    for value in [chain(513), ring] {
      do {
        _ = try JSONCoding.encode(value)
        Issue.record("encoded")
      } catch {
        #expect((error as? StoreError)?.code == .invalidValue)
      }
    }
    ring.next = nil
  }

  @Test("JSON from elsewhere: last member counts, whole numbers in any spelling, unknown ignored")
  func foreign() throws {
    let text =
      #" { "lines" : ["a"], "street" : "x" , "street":"y", "extra": [{}], "number": 1e2, "inner": {"a": 1} } "#
    let read = try JSONCoding.decode(Address.self, from: text)
    #expect(read == Address(street: "y", lines: ["a"], number: 100, inner: ["a": 1]))
    #expect(try JSONCoding.decode(Int.self, from: "1.0") == 1)
    #expect(try JSONCoding.decode(Int64.self, from: "9223372036854775807.0") == .max)
    #expect(try JSONCoding.decode(Double.self, from: "5") == 5)
  }

  @Test("objects of any size keep every member, and of members with one name the last")
  func manyMembers() throws {
    for count in [1, 12, 13, 14, 300] {
      let whole = Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", $0) })
      #expect(try JSONCoding.decode([String: Int].self, from: JSONCoding.encode(whole)) == whole)
      let members = (0..<count).map { "\"k\($0)\":-1" } + whole.map { "\"\($0)\":\($1)" }
      let text = "{" + members.joined(separator: ",") + "}"
      #expect(try JSONCoding.decode([String: Int].self, from: text) == whole)
    }
    struct Twice: Encodable {
      enum Keys: String, CodingKey { case a, b }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(1, forKey: .b)
        try container.encode(2, forKey: .a)
        try container.encode(3, forKey: .b)
      }
    }
    #expect(try JSONCoding.encode(Twice()) == #"{"a":2,"b":3}"#)
  }

  @Test("a value that encodes itself in two ways is invalidValue")
  func twoWays() {
    struct Both: Encodable {
      func encode(to encoder: any Encoder) throws {
        _ = encoder.unkeyedContainer()
        var single = encoder.singleValueContainer()
        try single.encode(1)
      }
    }
    struct Clash: Encodable {
      func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: JSONPathKey.self)
        _ = encoder.unkeyedContainer()
      }
    }
    #expect(throws: StoreError.self) { try JSONCoding.encode(Both()) }
    #expect(throws: StoreError.self) { try JSONCoding.encode([Clash()]) }
  }

  @Test("1.4 what is not of the type is a decoding error that names the path, not the value")
  func mismatches() {
    let cases: [(String, String)] = [
      (#"{"street":5,"lines":[],"inner":{}}"#, "$.street"),
      (#"{"street":"secret","lines":["a",7],"inner":{}}"#, "$.lines[1]"),
      (#"{"street":"secret","lines":null,"inner":{}}"#, "$.lines"),
      (#"{"street":"secret","lines":[],"inner":{"k":"secret"}}"#, "$.inner.k"),
      (#"{"lines":[],"inner":{}}"#, "street"),
      (#"{"street":"secret","lines":[],"number":1.5,"inner":{}}"#, "$.number"),
      (#"{"street":"secret""#, "byte"), ("[]", "$"),
    ]
    for (text, place) in cases {
      do {
        _ = try JSONCoding.decode(Address.self, from: text)
        Issue.record("decoded")
      } catch {
        #expect((error as? StoreError)?.code == .decoding, "\(text)")
        #expect("\(error)".contains(place), "\(error)")
        #expect(!"\(error)".contains("secret"), "\(error)")
      }
    }
    func expectRefusal<T: Decodable>(_ type: T.Type, _ text: String) {
      #expect(throws: StoreError.self, "\(text)") { try JSONCoding.decode(type, from: text) }
    }
    expectRefusal(Int8.self, "128")
    expectRefusal(UInt.self, "-1")
    expectRefusal(Int64.self, "9223372036854775808")
    expectRefusal(Float.self, "1e39")
    expectRefusal(Bool.self, "1")
    expectRefusal(Date.self, "5")
    expectRefusal(Date.self, #"{"$date":5,"x":1}"#)
    expectRefusal(Data.self, #"{"$data":"!"}"#)
    expectRefusal(Decimal.self, #""1""#)
    expectRefusal(Colour.self, #""blue""#)
    expectRefusal(Shape.self, #"{"square":{}}"#)
    expectRefusal([String: Int].self, "null")
  }

  @Test("types and values have one member, named after the case, in any decoder")
  func cases() throws {
    let seconds = Date(timeIntervalSinceReferenceDate: 7.25)
    let id = try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000002A"))
    let values: [(StoredValue, String)] = [
      (.null, #"{"null":{}}"#), (.bool(true), #"{"bool":{"_0":true}}"#),
      (.int(-5), #"{"int":{"_0":-5}}"#),
      (.uint(.max), #"{"uint":{"_0":18446744073709551615}}"#),
      (.double(0.5), #"{"double":{"_0":0.5}}"#), (.string("a"), #"{"string":{"_0":"a"}}"#),
      (.data(Data([1])), #"{"data":{"_0":{"$data":"AQ=="}}}"#),
      (.date(seconds), #"{"date":{"_0":{"$date":7.25}}}"#),
      (.uuid(id), #"{"uuid":{"_0":"00000000-0000-0000-0000-00000000002A"}}"#),
      (.decimal(12), #"{"decimal":{"_0":12}}"#),
      (.array([.null, .int(1)]), #"{"array":{"_0":[{"null":{}},{"int":{"_0":1}}]}}"#),
      (.json("[]"), #"{"json":{"_0":"[]"}}"#),
    ]
    for (value, text) in values {
      #expect(try JSONCoding.encode(value) == text)
      #expect(try JSONCoding.decode(StoredValue.self, from: text).isIdentical(to: value), "\(text)")
      let other = try JSONEncoder().encode(value)
      #expect(try JSONDecoder().decode(StoredValue.self, from: other).isIdentical(to: value))
    }
    let types: [(AttributeType, String)] = [
      (.bool, "bool"), (.int8, "int8"), (.int16, "int16"), (.int32, "int32"), (.int64, "int64"),
      (.uint8, "uint8"), (.uint16, "uint16"), (.uint32, "uint32"), (.uint64, "uint64"),
      (.float, "float"), (.double, "double"), (.string, "string"), (.data, "data"),
      (.date, "date"), (.uuid, "uuid"), (.decimal, "decimal"), (.json, "json"),
    ]
    for (type, name) in types {
      try expectText(type, #"{"\#(name)":{}}"#)
      try expectText(AttributeType.array(type), #"{"array":{"_0":{"\#(name)":{}}}}"#)
      #expect(
        try JSONDecoder().decode(AttributeType.self, from: JSONEncoder().encode(type)) == type)
    }
    for text in [
      "5", "[]", "{}", #"{"int128":{}}"#, #"{"int64":{},"bool":{}}"#, #"{"array":{}}"#,
      #"{"int64":5}"#, #"{"int":{"_0":"5"}}"#, #"{"array":{"_0":5}}"#,
    ] {
      #expect(throws: StoreError.self, "\(text)") {
        try JSONCoding.decode(AttributeType.self, from: text)
      }
      #expect(throws: StoreError.self, "\(text)") {
        try JSONCoding.decode(StoredValue.self, from: text)
      }
    }
  }

  @Test("paths find what was encoded")
  func pathsIntoEncoded() throws {
    struct Note: Codable {
      var when = Date(timeIntervalSinceReferenceDate: 7.25)
      var bytes = Data([1])
      var limit = Double.infinity
      var whole = 3.0
      var count: UInt64 = .max
    }
    let text = try JSONCoding.encode(Note())
    #expect(
      JSONText.value(at: [.key("when")], in: text)
        == .date(Date(timeIntervalSinceReferenceDate: 7.25)))
    #expect(JSONText.value(at: [.key("bytes")], in: text) == .data(Data([1])))
    #expect(JSONText.value(at: [.key("limit")], in: text) == .double(.infinity))
    #expect(JSONText.value(at: [.key("whole")], in: text) == .double(3))
    #expect(JSONText.value(at: [.key("count")], in: text) == .double(0x1p64))
  }
}
