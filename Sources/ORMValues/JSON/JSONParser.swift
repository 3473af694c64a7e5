/// A receiver of the events that a ``JSONParser`` reports as it goes through a text.
protocol JSONHandler {
  mutating func beginObject()
  mutating func beginArray()
  /// The end of the innermost object or array.
  mutating func end()
  /// The name of the next value, which is a member of an object.
  mutating func key(_ token: JSONScanner.StringToken, in scanner: JSONScanner)
  mutating func string(_ token: JSONScanner.StringToken, in scanner: JSONScanner)
  mutating func number(_ token: JSONScanner.NumberToken, in scanner: JSONScanner)
  mutating func bool(_ value: Bool)
  mutating func null()
}

/// Goes through a whole JSON text (RFC 8259) and checks every byte of it.
///
/// The top level may be any value. Objects and arrays may be 512 deep. The text must be UTF-8, which that of
/// a `String` is.
struct JSONParser {
  private var scanner: JSONScanner
  /// The closing bracket of every object and array that is open.
  private var open: [UInt8] = []

  /// The greatest depth to which objects and arrays may be nested.
  static let maximumDepth = 512

  init(_ utf8: UnsafeRawBufferPointer) {
    scanner = JSONScanner(utf8)
  }

  /// Goes to the end; throws `decoding`, with the position, at the first fault.
  mutating func parse<Handler: JSONHandler>(_ handler: inout Handler) throws {
    repeat {
      try value(&handler)
    } while try separator(&handler)
  }

  /// A scalar, an empty container, or the beginning of a container and so its first value.
  private mutating func value<Handler: JSONHandler>(_ handler: inout Handler) throws {
    while true {
      scanner.skipSpace()
      switch scanner.next {
      case UInt8(ascii: "{"):
        try begin(UInt8(ascii: "}"))
        handler.beginObject()
        if !close(&handler) {
          try name(&handler)
          continue
        }
      case UInt8(ascii: "["):
        try begin(UInt8(ascii: "]"))
        handler.beginArray()
        if !close(&handler) { continue }
      case .quote:
        guard let token = scanner.string() else { throw fault("a broken string") }
        handler.string(token, in: scanner)
      case UInt8(ascii: "t") where scanner.skip(word: "true"): handler.bool(true)
      case UInt8(ascii: "f") where scanner.skip(word: "false"): handler.bool(false)
      case UInt8(ascii: "n") where scanner.skip(word: "null"): handler.null()
      default:
        guard let token = scanner.number() else { throw fault("no value") }
        handler.number(token, in: scanner)
      }
      return
    }
  }

  /// Reads the comma or the closing brackets after a value.
  ///
  /// Returns true if another value follows, false at the end of the text.
  private mutating func separator<Handler: JSONHandler>(_ handler: inout Handler) throws -> Bool {
    while let last = open.last {
      if scanner.skip(UInt8(ascii: ",")) {
        if last == UInt8(ascii: "}") { try name(&handler) }
        return true
      }
      guard close(&handler) else { throw fault("expected a comma or a closing bracket") }
    }
    scanner.skipSpace()
    guard scanner.isAtEnd else { throw fault("unexpected text after the end") }
    return false
  }

  private mutating func begin(_ closing: UInt8) throws {
    guard open.count < Self.maximumDepth else {
      throw fault("more than \(Self.maximumDepth) nested objects and arrays")
    }
    open.append(closing)
    scanner.position += 1
  }

  private mutating func close<Handler: JSONHandler>(_ handler: inout Handler) -> Bool {
    guard let last = open.last, scanner.skip(last) else { return false }
    open.removeLast()
    handler.end()
    return true
  }

  private mutating func name<Handler: JSONHandler>(_ handler: inout Handler) throws {
    scanner.skipSpace()
    guard let token = scanner.string() else { throw fault("expected the name of a member") }
    guard scanner.skip(UInt8(ascii: ":")) else { throw fault("expected a colon after a name") }
    handler.key(token, in: scanner)
  }

  private func fault(_ what: String) -> StoreError {
    StoreError(.decoding, "not JSON: \(what) at byte \(scanner.position)")
  }
}
