import Foundation
import ORMExchange
import Testing

/// Text that is JSON by RFC 8259, and text that is not: as a value that is read, as one that is passed
/// over, and as the whole text.
@Suite struct SyntaxTests {
  /// Values, each by the grammar of RFC 8259.
  static let accepted = [
    "null", "true", "false", "0", "-0", "1", "-1", "10", "0.5", "-0.5", "1e5", "1E+5", "1e-5",
    "123456789012345678901234567890", "0e0", "1.5e300", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#,
    #""\u0041\u00e9\ud83d\ude00""#, #""\u0000""#, "\"\u{7F}\"", "\"é😀\u{2028}\"", "[]", "[ ]",
    "[1,2]", "[[],[[]]]", "{}", "{ }", #"{"a":1}"#, #"{"":0}"#, #"{"a":{"b":[{}]}}"#,
    #"{"a":1,"a":2}"#, " \t\r\n1 \t\r\n", "[1\n,2]", #"{"a" : 1 , "b" : 2}"#,
  ]

  /// Texts that are no value.
  static let refused = [
    "", " ", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "undefined", "-", "+1", "01",
    "-01", "00", "1.", ".5", "1.e5", "1e", "1e+", "1ee5", "0x10", "1_000", "1 2", "--1", "1,2",
    "'a'", "\"", #""a"#, #""\x""#, #""\u12""#, #""\u12G4""#, #""\ud800""#, #""\udc00""#,
    #""\ud800\u0041""#, "\"\n\"", "\"\t\"", "\"\u{1}\"", #""\""#, "[", "]", "[1", "[1,", "[1,]",
    "[,1]", "[1 2]", "[1}", "{", "}", "{1:1}", "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
    #"{"a":1"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, #"{,"a":1}"#, "[1]]", "{}{}", "[] x",
    "/* */1", "// \n1", "\u{FEFF}1", "\u{A0}1", "{\"a\":\u{2028}1}",
  ]

  private static let anything = JSONMapping(Holder.self)

  @Test(arguments: accepted) func jsonIsAccepted(_ value: String) throws {
    _ = try Self.anything.decode(#"[{"id":1,"value":\#(value),"#.appending(#""x":\#(value)}]"#))
    _ = try Self.anything.decode(Data(#"[{"id":1,"value":\#(value)}]"#.utf8))
    _ = try JSONValue(parsing: value)
  }

  @Test(arguments: refused) func otherTextIsRefused(_ value: String) {
    for text in [value, #"[{"id":1,"value":\#(value)}]"#, #"[{"id":1,"unknown":\#(value)}]"#] {
      #expect(
        storeError { _ = try Self.anything.decode(text) }?.code == .invalidImport, "\(text)")
    }
    #expect(storeError { _ = try JSONValue(parsing: value) }?.code == .decoding)
  }

  /// Byte sequences that are not UTF-8 (RFC 3629): a lone continuation, cut sequences, overlong
  /// forms, a surrogate, a scalar past the last, and bytes that never occur.
  static let notUTF8: [[UInt8]] = [
    [0x80], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC0, 0x80], [0xE0, 0x80, 0x80],
    [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
  ]

  @Test(arguments: notUTF8) func bytesThatAreNotUTF8AreRefused(_ bytes: [UInt8]) {
    for name in ["value", "unknown"] {
      let start = Array(#"[{"id":1,"\#(name)":"aaaaaaaaaaaaaaaaaaaaaaaa"#.utf8)
      let error = storeError {
        _ = try Self.anything.decode(Data(start + bytes + Array(#""}]"#.utf8)))
      }
      #expect(error?.code == .invalidImport)
      #expect(error?.message.contains("byte \(start.count))") == true, "\(error as Any)")
    }
  }

  @Test func brokenTextNamesItsPosition() {
    let error = storeError { _ = try Self.anything.decode("[{\"id\":1},\n {\"id\":2,]") }
    #expect(
      error?.message
        == "[1] (line 2, column 10, byte 20): not JSON that can be read: no name of a member")
  }

  @Test func everyCutOfATextIsRefused() throws {
    let text = #"[{"id":1,"value":{"a":[1,-2.5e3,"x\u0041",true,null]},"y":[{}]},{"id":2}]"#
    #expect(try Self.anything.decode(text).count == 2)
    for count in 0..<text.utf8.count {
      let cut = String(decoding: text.utf8.prefix(count), as: UTF8.self)
      #expect(storeError { _ = try Self.anything.decode(cut) }?.code == .invalidImport, "\(cut)")
    }
  }
}

/// A model that takes any JSON.
struct Holder: PrimaryKeyed, Hashable {
  var id: Int64
  var value: String?

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    id = try row[0]
    value = try row.isNull(at: 1) ? nil : row.json(at: 1)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(id, at: 0)
    if let value { try row.set(json: value, at: 1) } else { try row.setNull(at: 1) }
  }

  static let entity = Entity<Holder>("Holder") {
    .key("id", \.id)
      .json("value", \.value)
  }
}
