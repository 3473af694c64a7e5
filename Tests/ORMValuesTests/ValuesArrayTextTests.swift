import FoundationEssentials
import TestSupport
import Testing

@testable import ORMValues

@Suite("1.2 Arrays as JSON text")
struct ValuesArrayTextTests {
  static let uuid = UUID(
    uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255))

  static let cases: [([StoredValue], AttributeType, String)] = [
    ([], .int64, "[]"),
    ([.int(1), .null, .int(.min)], .int64, "[1,null,-9223372036854775808]"),
    ([.uint(.max), .int(0)], .uint64, "[18446744073709551615,0]"),
    ([.bool(true), .bool(false)], .bool, "[true,false]"),
    (
      [.double(1), .double(-0.0), .double(0.1), .double(.infinity), .double(-.infinity)], .double,
      "[1.0,-0.0,0.1,9e999,-9e999]"
    ),
    ([.double(1e100), .double(.leastNonzeroMagnitude)], .double, "[1e+100,5e-324]"),
    ([.string("a\"b\\\n\0é")], .string, #"["a\"b\\\n\u0000é"]"#),
    ([.string(""), .string("null")], .string, #"["","null"]"#),
    ([.data(Data()), .data(Data([0, 1, 255]))], .data, #"["","AAH/"]"#),
    ([.date(Date(timeIntervalSinceReferenceDate: 0.5))], .date, "[0.5]"),
    ([.uuid(uuid)], .uuid, #"["00112233-4455-6677-8899-AABBCCDDEEFF"]"#),
    ([.decimal(dec("12.50"))], .decimal, #"["12.5"]"#),
    ([.array([.int(1)]), .array([])], .array(.int8), "[[1],[]]"),
    ([.json(#"{"a":1}"#)], .json, #"["{\"a\":1}"]"#),
  ]

  @Test("an array has one text and reads back to the bit", arguments: cases)
  func roundTrip(elements: [StoredValue], type: AttributeType, text: String) throws {
    #expect(JSONText.encode(array: elements) == text)
    let read = try JSONText.decode(array: text, element: type)
    #expect(StoredValue.array(read).isIdentical(to: .array(elements)))
    #expect(throws: Never.self) { try JSONText.validate(text) }
  }

  @Test("space between tokens is read")
  func space() throws {
    #expect(try JSONText.decode(array: " [ 1 ,\n2 ] ", element: .int64) == [.int(1), .int(2)])
    #expect(try JSONText.decode(array: "[ ]", element: .int64) == [])
  }

  static let refused: [(String, AttributeType)] = [
    ("", .int64), ("1", .int64), ("[1", .int64), ("[1,]", .int64), ("[1]x", .int64),
    ("[1.0]", .int64), ("[1e2]", .int64), ("[9223372036854775808]", .int64), ("[128]", .int8),
    ("[-1]", .uint8), ("[-1]", .uint64), ("[\"1\"]", .int64), ("[true]", .int64), ("[1]", .bool),
    ("[1]", .string), ("[\"!\"]", .data), ("[\"x\"]", .uuid), ("[\"1x\"]", .decimal),
    ("[1]", .decimal), ("[\"1\"]", .double), ("[1]", .array(.int64)), ("[\"\\ud800\"]", .string),
    ("[01]", .int64),
  ]

  @Test("1.4 an element of another type or range is a decoding error", arguments: refused)
  func refusal(text: String, type: AttributeType) {
    do {
      _ = try JSONText.decode(array: text, element: type)
      Issue.record("read")
    } catch {
      #expect((error as? StoreError)?.code == .decoding)
    }
  }

  @Test("random doubles, strings and decimals read back to the bit")
  func randomRoundTrip() throws {
    var random = SeededGenerator.printed("randomRoundTrip")
    var doubles: [StoredValue] = []
    var texts: [StoredValue] = []
    var decimals: [StoredValue] = []
    for _ in 0..<500 {
      doubles.append(.double(random.anyDouble()))
      decimals.append(.decimal(random.anyDecimal()))
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...8, using: &random) {
        let limit: UInt32 = Bool.random(using: &random) ? 0x80 : 0x11_0000
        if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) {
          scalars.append(scalar)
        }
      }
      texts.append(.string(String(scalars)))
    }
    for (elements, type) in [
      (doubles, AttributeType.double), (texts, .string), (decimals, .decimal),
    ] {
      let read = try JSONText.decode(array: JSONText.encode(array: elements), element: type)
      #expect(StoredValue.array(read).isIdentical(to: .array(elements)))
    }
  }
}
