import FoundationEssentials
import TestSupport
import Testing

@testable import ORMValues

@Suite("1.7 JSON texts")
struct ValuesJSONTests {
  static let valid = [
    "0", "-0", "1.5e-3", "1E+2", "true", "false", "null", #""""#, "[]", "{}", " [ ] ", "\t{\n}\r",
    "[1,2]", "[[],[[]]]", #"{"a":1,"a":2}"#, #"{"":null}"#,
    #""\"\\\/\b\f\n\r\t\u0000\uD83D\ude00""#,
    #""\u007f ü 😀""#, "[1 , 2]", #"{ "a" : [ 1 ] , "b" : { } }"#, "9e999",
    String(repeating: "[", count: 512) + String(repeating: "]", count: 512),
  ]

  static let invalid = [
    "", " ", "[", "]", "{", "[1,]", "[,1]", "[1 2]", "{1:2}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
    #"{"a" 1}"#, "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "Infinity", "tru", "nul",
    "True", "truex", "1 2", "[1]]", "{}{}", #"""#, #""a"#, "\"\n\"", "\"\0\"", #""\x""#, #""\u12""#,
    #""\u12G4""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, #""\"#, "'a'", "[1//c\n]",
    "\u{FEFF}1",
    "\u{A0}1", "{]", "[}",
    String(repeating: "[", count: 513) + String(repeating: "]", count: 513),
  ]

  @Test("RFC 8259: what is JSON passes", arguments: valid)
  func validTexts(text: String) {
    #expect(throws: Never.self) { try JSONText.validate(text) }
  }

  @Test("RFC 8259: what is not JSON is a decoding error", arguments: invalid)
  func invalidTexts(text: String) {
    do {
      try JSONText.validate(text)
      Issue.record("passed")
    } catch {
      #expect((error as? StoreError)?.code == .decoding)
    }
  }

  @Test("canonical text has no space, keeps order, doubles and numbers")
  func canonical() throws {
    let text =
      #" { "b" : [ 1.50 , -0 , 1E2 , true , null ] , "a\u0041\/\u00e9" : "\u0009\"" , "b" : { } } "#
    #expect(try JSONText.canonical(text) == #"{"b":[1.50,-0,1E2,true,null],"aA/é":"\t\"","b":{}}"#)
    #expect(try JSONText.canonical(#""\u0000\u001F\u007f""#) == "\"\\u0000\\u001f\u{7F}\"")
  }

  static let document = #"""
    { "a" : 1, "b": {"c": [10, 20.0, "x", null, {"d": true}], "c2": 9223372036854775807},
      "n": 1e2, "big": 9223372036854775808, "least": -9223372036854775808, "tiny": -0,
      "zero": -0.0, "inf": 9e999, "ninf": -9e999, "s": "a\u0000\ud83d\ude00\"\\\/",
      "\u006b\n": 7, "a": 2, "e": { }, "twice": {"x": 1}, "twice": {"y": 2},
      "when": { "$date" : -1.5 }, "bytes": {"$data":"AAH/"}, "odd": {"$date": 1, "x": 2},
      "text": {"$date":"today"}, "arr": [ 1 , [ 2 ] ], "last": "end" }
    """#

  static let lookups: [(String, StoredValue)] = [
    ("a", .int(2)), ("b.c.0", .int(10)), ("b.c.1", .double(20)), ("b.c.2", .string("x")),
    ("b.c.3", .null), ("b.c.4.d", .bool(true)), ("b.c.5", .null), ("b.c.-1", .null),
    ("b.c2", .int(.max)), ("n", .double(100)), ("big", .double(0x1p63)), ("least", .int(.min)),
    ("tiny", .int(0)), ("inf", .double(.infinity)), ("ninf", .double(-.infinity)),
    ("s", .string("a\0😀\"\\/")), ("k\n", .int(7)), ("e", .json("{}")), ("missing", .null),
    ("twice.x", .null), ("twice.y", .int(2)), ("a.b", .null), ("a.0", .null), ("b.0", .null),
    ("b.c.x", .null), ("arr", .json("[1,[2]]")), ("arr.1", .json("[2]")), ("last", .string("end")),
    ("when", .date(Date(timeIntervalSinceReferenceDate: -1.5))), ("when.$date", .double(-1.5)),
    ("bytes", .data(Data([0, 1, 255]))), ("odd", .json(#"{"$date":1,"x":2}"#)),
    ("text", .json(#"{"$date":"today"}"#)),
  ]

  static func steps(_ path: String) -> [JSONStep] {
    path.split(separator: ".").map { step in Int(step).map(JSONStep.index) ?? .key(String(step)) }
  }

  @Test("1.7 a path finds its value", arguments: lookups)
  func paths(path: String, expected: StoredValue) {
    #expect(JSONText.value(at: Self.steps(path), in: Self.document) == expected)
  }

  @Test("1.7 the empty path is the whole, and names go by scalars")
  func pathEdges() {
    #expect(JSONText.value(at: [], in: " 5 ") == .int(5))
    #expect(JSONText.value(at: [], in: "null") == .null)
    #expect(JSONText.value(at: [], in: "[1, 2]") == .json("[1,2]"))
    #expect(JSONText.value(at: [.key("zero")], in: Self.document).isIdentical(to: .double(-0.0)))
    let composed = "{\"\u{E9}\":1}"
    #expect(JSONText.value(at: [.key("\u{E9}")], in: composed) == .int(1))
    #expect(JSONText.value(at: [.key("e\u{301}")], in: composed) == .null)
    #expect(JSONText.value(at: [.index(0), .index(0)], in: "[[]]") == .null)
  }

  @Test("what is not JSON has nothing at any path, and nothing traps")
  func brokenTexts() {
    var random = SeededGenerator.printed("brokenTexts")
    let whole = Array(Self.document.utf8)
    let paths = Self.lookups.map { Self.steps($0.0) }
    for round in 0..<2000 {
      var bytes = whole
      if round % 2 == 0 { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8(
          truncatingIfNeeded: random.next())
      }
      bytes.withUnsafeBytes { raw in
        for path in paths { _ = JSONText.value(at: path, in: raw) }
      }
    }
    for text in Self.invalid where !["truex", "1 2", "{}{}", "[1]]", "[1 2]"].contains(text) {
      #expect(JSONText.value(at: [.key("nothing")], in: text) == .null)
    }
    Array("{\"a\":\"\u{FF}".utf8).dropLast().withUnsafeBytes { raw in
      #expect(JSONText.value(at: [.key("a")], in: raw) == .null)
    }
  }

  /// The model reads lines of a path, a tab and JSON in hexadecimal.
  static let pathModel = """
    import sys, json, struct
    def whole(s):
        n = int(s)
        return n if -2**63 <= n < 2**63 else float(s)
    def refuse(s): raise ValueError(s)
    def show(v):
        if v is None: return "null"
        if v is True or v is False: return "bool %d" % v
        if isinstance(v, int): return "int %d" % v
        if isinstance(v, float): return "double %x" % struct.unpack(">Q", struct.pack(">d", v))[0]
        if isinstance(v, str): return "string " + v.encode().hex()
        return "json"
    for line in sys.stdin:
        path, text = line.rstrip("\\n").split("\\t")
        try:
            v = json.loads(bytes.fromhex(text).decode(), parse_int=whole, parse_constant=refuse)
        except ValueError:
            print("invalid"); continue
        for step in path.split("."):
            if step == "": continue
            if step.startswith("#"):
                i = int(step[1:])
                v = v[i] if isinstance(v, list) and i < len(v) else None
            else:
                v = v.get(step) if isinstance(v, dict) else None
        print(show(v))
    """

  func randomJSON(_ random: inout SeededGenerator, depth: Int) -> String {
    let space = ["", "", " ", "\n\t"].randomElement(using: &random) ?? ""
    let scalars = [
      "null", "true", "false", "0", "-1", "1.0", "12.25e-3", "9223372036854775807",
      "9223372036854775808", "-9223372036854775809", "1e400", "0.1", "123456789012345678",
      "1.7976931348623157e308", "4.9e-324", "2.2250738585072011e-308", "-0.0",
      "0.1234567890123456789", "\"\"", #""a\n\u00e9""#, #""\ud83d\ude00 x""#, #""ü""#,
    ]
    let kind = Int.random(in: 0..<(depth == 0 ? 3 : 6), using: &random)
    switch kind {
    case 0: return space + "\(random.anyDouble())" + space
    case 1, 2: return space + (scalars.randomElement(using: &random) ?? "0") + space
    case 3:
      let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        randomJSON(&random, depth: depth - 1)
      }
      return space + "[" + space + elements.joined(separator: ",") + "]" + space
    default:
      let names = [#""a""#, #""b""#, #""\u0061""#, #""c" "#, #" """#]
      let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        (names.randomElement(using: &random) ?? "") + ":" + randomJSON(&random, depth: depth - 1)
      }
      return space + "{" + space + members.joined(separator: ",") + "}" + space
    }
  }

  @Test(
    "1.7 random texts: accepted and found as Python's reader has it",
    .enabled(if: PythonModel.isThere, "python3 is not here"))
  func agreesWithPython() throws {
    var random = SeededGenerator.printed("agreesWithPython")
    var cases: [(steps: [JSONStep], text: String)] = []
    var lines: [String] = []
    for _ in 0..<3000 {
      var text = randomJSON(&random, depth: 4)
      // Some are broken by a byte taken out or put in; escapes of surrogates stay whole, because
      // Python takes lone ones.
      if Int.random(in: 0..<3, using: &random) == 0, !text.contains(#"\ud"#), !text.isEmpty {
        let index = text.indices.randomElement(using: &random) ?? text.startIndex
        if Bool.random(using: &random) {
          text.remove(at: index)
        } else {
          text.insert("[]{}:,\"\\ 0.e-n".randomElement(using: &random) ?? "x", at: index)
        }
      }
      let steps: [JSONStep] = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        Bool.random(using: &random)
          ? .index(Int.random(in: 0...2, using: &random))
          : .key(["a", "b", "c"].randomElement(using: &random) ?? "a")
      }
      let path = steps.map { step in
        switch step {
        case .key(let name): name
        case .index(let index): "#\(index)"
        }
      }.joined(separator: ".")
      let hexadecimal = text.utf8.map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
      cases.append((steps, text))
      lines.append(path + "\t" + hexadecimal)
    }
    let expected = try PythonModel.run(Self.pathModel, lines: lines)
    try #require(expected.count == cases.count)
    for (test, expected) in zip(cases, expected) {
      let isValid = (try? JSONText.validate(test.text)) != nil
      #expect(isValid == (expected != "invalid"), "\(test.text)")
      guard isValid else { continue }
      let found: String =
        switch JSONText.value(at: test.steps, in: test.text) {
        case .null: "null"
        case .bool(let value): "bool \(value ? 1 : 0)"
        case .int(let value): "int \(value)"
        case .double(let value): "double \(String(value.bitPattern, radix: 16))"
        case .string(let value):
          "string " + value.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        case .json: "json"
        default: "other"
        }
      #expect(
        found.split(separator: " ") == expected.split(separator: " "),
        "\(test.steps) \(test.text)")
    }
  }
}
