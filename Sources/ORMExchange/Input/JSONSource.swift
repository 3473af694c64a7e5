internal import ORM

/// The records of one JSON text: an array, an object of objects, or one object, at a path.
///
/// Goes through the text outside of records by itself, and finds the end of each record without
/// looking into it.
struct JSONSource {
  let window: ByteWindow
  let path: [PathStep]
  /// True if the members of an object are records.
  let isKeyed: Bool
  let entity: String
  /// The greatest depth of objects and arrays around the records.
  private static let depth = 200

  /// Calls a closure with each record.
  ///
  /// - Throws: `invalidImport` where the text outside of records is not JSON, for text that ends too
  ///   early, and for a path that leads nowhere.
  func forEach(_ body: (RawRecord) throws -> Void) throws {
    let isFound = try enter(path[...], 0, "", body)
    if try window.skipSpace() != nil { throw broken("text after the end") }
    if !isFound {
      throw StoreError(
        .invalidImport, "there is nothing at \(JSONKeyPath.text(of: path))", entity: entity,
        rule: ImportFault.records.rawValue)
    }
  }

  private func broken(_ message: String) -> StoreError {
    if isAtEnd {
      return window.fault(
        "not JSON that can be read: the text ends too early", at: window.position)
    }
    return window.fault("not JSON that can be read: \(message)", at: window.position)
  }

  /// True if the source has no more bytes, and not only memory.
  private var isAtEnd: Bool {
    do { return try window.peek() == nil } catch { return false }
  }

  private func enter(
    _ path: ArraySlice<PathStep>, _ depth: Int, _ text: String, _ body: (RawRecord) throws -> Void
  ) throws -> Bool {
    let next = try window.skipSpace()
    guard let step = path.first, !(path.count == 1 && step == .each) else {
      try records(depth, text, body)
      return true
    }
    if depth >= Self.depth { throw broken("more than \(Self.depth) nested objects and arrays") }
    let rest = path.dropFirst()
    var isFound = false
    switch (step, next) {
    case (.name(let name), UInt8(ascii: "{")):
      let inner = (text.isEmpty ? "" : text + ".") + JSONKeyPath.escaped(name)
      try forEachMember { member in
        guard member.hasSameScalars(as: name) else { return try skipValue() }
        // The records of the first were handed on already.
        if isFound { throw broken("a member on the path comes twice") }
        isFound = try enter(rest, depth + 1, inner, body)
      }
    case (.index, UInt8(ascii: "[")), (.each, UInt8(ascii: "[")):
      try forEachElement { index in
        guard step == .each || step == .index(index) else { return try skipValue() }
        if try enter(rest, depth + 1, "\(text)[\(index)]", body) { isFound = true }
      }
    default: try skipValue()
    }
    return isFound
  }

  private func records(
    _ depth: Int, _ text: String, _ body: (RawRecord) throws -> Void
  ) throws {
    func record(_ depth: Int, _ path: @autoclosure () -> String, _ name: String?) throws {
      _ = try window.skipSpace()
      let location = window.location(at: window.position)
      try skipValue()
      try body(
        RawRecord(
          bytes: window.marked, location: location,
          details: RecordDetails(depth: depth, name: name, path: path())))
      window.mark = window.position
    }
    let next = try window.skipSpace()
    if next == UInt8(ascii: "[") {
      try forEachElement { try record(depth + 1, "\(text)[\($0)]", nil) }
    } else if isKeyed, next == UInt8(ascii: "{") {
      try forEachMember { name in
        try record(
          depth + 1, (text.isEmpty ? "" : text + ".") + JSONKeyPath.escaped(name), name)
      }
    } else {
      try record(depth, text, nil)
    }
  }

  private func skip(_ byte: UInt8) throws -> Bool {
    guard try window.skipSpace() == byte else { return false }
    window.position += 1
    window.mark = window.position
    return true
  }

  private func forEachElement(_ body: (Int) throws -> Void) throws {
    _ = try skip(UInt8(ascii: "["))
    if try skip(UInt8(ascii: "]")) { return }
    var index = 0
    repeat {
      try body(index)
      index += 1
    } while try skip(UInt8(ascii: ","))
    guard try skip(UInt8(ascii: "]")) else {
      throw broken("no comma and no closing bracket after an element")
    }
  }

  private func forEachMember(_ body: (String) throws -> Void) throws {
    _ = try skip(UInt8(ascii: "{"))
    if try skip(UInt8(ascii: "}")) { return }
    repeat {
      guard try window.skipSpace() == UInt8(ascii: "\"") else {
        throw broken("no name of a member")
      }
      try skipValue()
      var scanner = JSONScanner(window.marked)
      guard let token = scanner.string(), scanner.isAtEnd, let name = scanner.text(of: token)
      else { throw broken("no name of a member") }
      guard try skip(UInt8(ascii: ":")) else { throw broken("no colon after a name") }
      try body(name)
    } while try skip(UInt8(ascii: ","))
    guard try skip(UInt8(ascii: "}")) else {
      throw broken("no comma and no closing brace after a member")
    }
  }

  /// Moves past one value, from the mark on, without looking into it.
  private func skipValue() throws {
    guard let first = try window.skipSpace() else { throw broken("no JSON value") }
    switch first {
    case UInt8(ascii: "\""): try skipString()
    case UInt8(ascii: "{"), UInt8(ascii: "["): try skipContainer()
    default:
      let start = window.offset
      while let byte = try window.peek(), Self.isInWord(byte) { window.position += 1 }
      if window.offset == start { throw broken("no JSON value") }
    }
  }

  private static func isInWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  private func skipContainer() throws {
    var depth = 0
    while try window.peek() != nil {
      // All that is in memory, without a call a byte.
      let (bytes, count) = (window.memory, window.count)
      var index = window.position
      scan: while index < count {
        switch bytes[index] {
        case UInt8(ascii: "\""): break scan
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if depth == 0 {
            window.position = index + 1
            return
          }
        default: break
        }
        index += 1
      }
      window.position = index
      if index < count { try skipString() }
    }
    throw broken("no closing bracket")
  }

  private func skipString() throws {
    window.position += 1
    while try window.peek() != nil {
      let (bytes, count) = (window.memory, window.count)
      var index = window.position
      while index < count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") {
        index += 1
      }
      window.position = index
      guard index < count else { continue }
      window.position += 1
      if bytes[index] == UInt8(ascii: "\"") { return }
      if try window.peek() != nil { window.position += 1 }
    }
    throw broken("no closing quote")
  }
}
