internal import FoundationEssentials

extension JSONText {
  /// The value at a path, as conditions see it (clause 1.7).
  ///
  /// - A missing member, an index outside the array, a step that does not fit (a name in an array)
  ///   and a JSON null are null. Of members with one name the last counts.
  /// - A number that is written as an integer, without fraction and exponent, and fits Int64 is an
  ///   int (`-0` is 0), any other the nearest double: `1e2` and `1.0` are doubles.
  /// - A string is a string, with all escapes read.
  /// - `{"$date":seconds}` is a date and `{"$data":"base64"}` data, as ``JSONCoding`` writes them.
  ///   Any other object or array is `.json` of its canonical text.
  ///
  /// The bytes are those of a text that was checked when it was stored; where they turn out not to be JSON,
  /// the value is null. Costs one pass over the bytes before the value, and over the value.
  package static func value(
    at path: [JSONStep], in utf8: UnsafeRawBufferPointer
  ) -> StoredValue {
    var scanner = JSONScanner(utf8)
    for step in path {
      let isThere =
        switch step {
        case .key(let name): ByteOrder.withBytes(of: name) { scanner.enterMember($0) }
        case .index(let index): scanner.enterElement(index)
        }
      if !isThere { return .null }
    }
    return scanner.storedValue() ?? .null
  }

  /// The value at a path in a text.
  package static func value(at path: [JSONStep], in text: String) -> StoredValue {
    ByteOrder.withBytes(of: text) { value(at: path, in: $0) }
  }
}

extension JSONText {
  /// The elements of an array, as conditions see them; nil for any other text.
  package static func elements(of text: String) -> [StoredValue]? {
    ByteOrder.withBytes(of: text) { utf8 in
      var scanner = JSONScanner(utf8)
      guard scanner.skip(UInt8(ascii: "[")) else { return nil }
      var elements: [StoredValue] = []
      scanner.skipSpace()
      if !scanner.isAtEnd, scanner.next == UInt8(ascii: "]") { return elements }
      repeat {
        elements.append(scanner.storedValue() ?? .null)
        guard scanner.skipValue() else { return nil }
      } while scanner.skip(UInt8(ascii: ","))
      return elements
    }
  }
}

extension JSONScanner {
  /// Moves to the value of the last member with a name; false when there is none.
  package mutating func enterMember(_ name: UnsafeRawBufferPointer) -> Bool {
    guard skip(UInt8(ascii: "{")) else { return false }
    var found: Int?
    repeat {
      skipSpace()
      guard let token = string(), skip(UInt8(ascii: ":")) else { break }
      if isEqual(token, to: name) { found = position }
      guard skipValue() else { break }
    } while skip(UInt8(ascii: ","))
    guard let found else { return false }
    position = found
    return true
  }

  /// Moves to an element; false when there is none.
  package mutating func enterElement(_ index: Int) -> Bool {
    guard index >= 0, skip(UInt8(ascii: "[")) else { return false }
    for _ in 0..<index {
      guard skipValue(), skip(UInt8(ascii: ",")) else { return false }
    }
    skipSpace()
    return !isAtEnd && next != UInt8(ascii: "]")
  }

  /// The value at the position; nil if none begins there.
  func storedValue() -> StoredValue? {
    var copy = self
    return copy.takeStoredValue()
  }

  private mutating func takeStoredValue() -> StoredValue? {
    skipSpace()
    switch next {
    case .quote:
      guard let token = string() else { return nil }
      return text(of: token).map(StoredValue.string)
    case UInt8(ascii: "t") where skip(word: "true"): return .bool(true)
    case UInt8(ascii: "f") where skip(word: "false"): return .bool(false)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      var end = self
      guard end.skipValue() else { return nil }
      let slice = UnsafeRawBufferPointer(rebasing: bytes[position..<end.position])
      if let tagged = tagged() { return tagged }
      guard let text = String(validating: slice, as: UTF8.self) else { return nil }
      return (try? JSONText.canonical(text)).map(StoredValue.json)
    default:
      guard let token = number() else { return nil }
      if let integer = integer(of: token, as: Int64.self) { return .int(integer) }
      return .double(double(of: token))
    }
  }

  /// The date or data that an object with that one member stands for.
  private func tagged() -> StoredValue? {
    var scanner = self
    guard scanner.skip(UInt8(ascii: "{")) else { return nil }
    scanner.skipSpace()
    guard let token = scanner.string(), scanner.skip(UInt8(ascii: ":")),
      let name = scanner.text(of: token)
    else { return nil }
    scanner.skipSpace()
    let value: StoredValue
    if name == JSONTag.date, let number = scanner.number() {
      value = .date(Date(timeIntervalSinceReferenceDate: scanner.double(of: number)))
    } else if name == JSONTag.data, let string = scanner.string(),
      let data = scanner.text(of: string).flatMap({ Data(base64Encoded: $0) })
    {
      value = .data(data)
    } else {
      return nil
    }
    return scanner.skip(UInt8(ascii: "}")) ? value : nil
  }
}

/// The member names of the objects that stand for dates and data, which JSON does not have.
enum JSONTag {
  /// Seconds since the reference date, as a number.
  static let date = "$date"
  /// Bytes in base64.
  static let data = "$data"
}
