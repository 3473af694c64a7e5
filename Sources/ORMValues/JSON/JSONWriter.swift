/// Writes one JSON text without space, putting in commas and colons.
package struct JSONWriter {
  package init() {}

  private var utf8: [UInt8] = []
  /// The closing bracket of every object and array that is open.
  private var open: [UInt8] = []
  private var needsComma = false

  /// The text so far.
  package var text: String { String(decoding: utf8, as: UTF8.self) }

  /// The number of bytes so far.
  package var count: Int { utf8.count }

  /// Passes on the bytes so far, and begins anew in the same memory.
  package mutating func take<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let result = try utf8.withUnsafeBytes(body)
    utf8.removeAll(keepingCapacity: true)
    return result
  }

  /// Writes text between two top-level values, such as a line's end.
  package mutating func between(_ text: StaticString) {
    utf8.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    needsComma = false
  }

  package mutating func beginObject() { begin("{", "}") }
  package mutating func beginArray() { begin("[", "]") }

  private mutating func begin(_ opening: Unicode.Scalar, _ closing: Unicode.Scalar) {
    separate()
    utf8.append(UInt8(ascii: opening))
    open.append(UInt8(ascii: closing))
    needsComma = false
  }

  /// Ends the innermost object or array.
  package mutating func end() {
    if let closing = open.popLast() { utf8.append(closing) }
    needsComma = true
  }

  /// Writes the name of the next value.
  package mutating func key(_ name: String) {
    string(name)
    utf8.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes the name of the next value, which is JSON already, with its colon.
  package mutating func key(literal name: UnsafeRawBufferPointer) {
    separate()
    utf8.append(contentsOf: name)
    needsComma = false
  }

  /// Writes a value that is JSON already.
  package mutating func literal(_ text: String) {
    separate()
    var text = text
    text.withUTF8 { utf8.append(contentsOf: $0) }
  }

  /// Writes an integer.
  package mutating func integer(_ value: Int64) {
    separate()
    // The last digit comes first; there are at most 19, and a sign.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var first = digits.count
      var rest = value.magnitude
      repeat {
        first -= 1
        digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 {
        first -= 1
        digits[first] = UInt8(ascii: "-")
      }
      utf8.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[first...]))
    }
  }

  package mutating func string(_ text: String) {
    separate()
    utf8.append(.quote)
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    utf8.append(.quote)
  }

  /// Adds the bytes of a string, those that need no escape a run at a time.
  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let scanner = JSONScanner(bytes)
    var start = 0
    while true {
      let end = scanner.endOfPlain(from: start)
      utf8.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      if end == bytes.count { return }
      escape(bytes[end])
      start = end + 1
    }
  }

  private mutating func escape(_ control: UInt8) {
    utf8.append(.backslash)
    switch control {
    case .quote, .backslash: utf8.append(control)
    case 0x08: utf8.append(UInt8(ascii: "b"))
    case 0x09: utf8.append(UInt8(ascii: "t"))
    case 0x0A: utf8.append(UInt8(ascii: "n"))
    case 0x0C: utf8.append(UInt8(ascii: "f"))
    case 0x0D: utf8.append(UInt8(ascii: "r"))
    default:
      let digits = Array("0123456789abcdef".utf8)
      utf8.append(contentsOf: "u00".utf8)
      utf8.append(digits[Int(control >> 4)])
      utf8.append(digits[Int(control & 15)])
    }
  }

  /// The text of a double that reads back to the bit, never as an integer.
  ///
  /// The shortest digits that do; infinities, which JSON has no word for, are `9e999` and
  /// `-9e999`, numbers past the greatest double, as SQLite writes them too. NaN has no text.
  package static func text(of value: Double) -> String {
    value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : value.description
  }

  private mutating func separate() {
    if needsComma { utf8.append(UInt8(ascii: ",")) }
    needsComma = true
  }
}
