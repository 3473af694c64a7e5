internal import ORM

/// A reader of CSV in the form of RFC 4180, record by record: fields in quotes may hold
/// delimiters, line ends and doubled quotes; lines end in LF or CRLF.
struct CSVReader {
  let window: ByteWindow
  private let delimiter: UInt8
  private let quote: UInt8
  private let comment: UInt8?
  private let isTrimmed: Bool
  /// True if records without anything special are taken at once, which finds the same fields.
  var takesPlainRecords: Bool
  /// The place of the next byte.
  private(set) var place: ImportPlace
  /// The start of each field of the last record.
  private(set) var places: [ImportPlace] = []
  /// The end of the last record.
  private(set) var end = ImportPlace()
  private var utf8: [UInt8] = []
  private var ends: [Int] = []
  private var areQuoted: [Bool] = []

  init(_ window: ByteWindow, _ format: CSVFormat) {
    self.window = window
    delimiter = UInt8(truncatingIfNeeded: format.delimiter.value)
    quote = UInt8(truncatingIfNeeded: format.quote.value)
    comment = format.comment.map { UInt8(truncatingIfNeeded: $0.value) }
    isTrimmed = format.isTrimmed
    takesPlainRecords =
      !isTrimmed && delimiter != quote
      && [delimiter, quote].allSatisfy { $0 == 0x09 || (0x20..<0x80).contains($0) }
    place = ImportPlace(byte: window.offset)
  }

  /// The number of fields of the last record.
  var count: Int { ends.count }

  /// True if the last record is an empty line.
  var isBlank: Bool { ends.count == 1 && utf8.isEmpty && !areQuoted[0] }

  /// Returns whether a field is in quotes.
  func isQuoted(_ field: Int) -> Bool { areQuoted[field] }

  /// The text of a field; nil for bytes that are not UTF-8.
  func text(_ field: Int) -> String? {
    let start = field == 0 ? 0 : ends[field - 1]
    return String(validating: utf8[start..<ends[field]], as: UTF8.self)
  }

  /// Calls a closure with the bytes of all fields, one after another.
  @inline(__always)
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try utf8.withUnsafeBytes(body)
  }

  /// The bytes of a field among those of all.
  @inline(__always)
  func bytes(of field: Int, in all: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = field == 0 ? 0 : ends[field - 1]
    return UnsafeRawBufferPointer(rebasing: all[start..<ends[field]])
  }

  /// True if every byte of the last record is ASCII.
  var isASCII: Bool {
    utf8.withUnsafeBytes { bytes in
      var place = 0
      var bits: UInt64 = 0
      while place &+ 8 <= bytes.count {
        bits |= bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        place &+= 8
      }
      while place < bytes.count {
        bits |= UInt64(bytes[place])
        place &+= 1
      }
      return bits & 0x8080_8080_8080_8080 == 0
    }
  }

  /// Reads the next record; false at the end.
  ///
  /// - Throws: ``Fault`` for a record that is not CSV, after which the next line can be read.
  mutating func next() throws -> Bool {
    while let comment, try window.peek() == comment { try skipLine() }
    window.mark = window.position
    guard try window.peek() != nil else { return false }
    window.note(place)
    clear()
    if takesPlainRecords, takePlainRecord() { return true }
    clear()
    repeat { places.append(place) } while try !field()
    return true
  }

  private mutating func clear() {
    places.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    areQuoted.removeAll(keepingCapacity: true)
    utf8.removeAll(keepingCapacity: true)
  }

  /// Reads a record that lies in memory as a whole, is ASCII, and has no line end and no quote inside
  /// of a field; false for any other, of which nothing is taken then.
  private mutating func takePlainRecord() -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: window.memory[window.position..<window.count])
    var next = 0
    var at = place
    while true {
      let isQuoted = next < bytes.count && bytes[next] == quote
      if isQuoted { next &+= 1 }
      let start = next
      let stop = isQuoted ? quote : delimiter
      while next < bytes.count, bytes[next] != stop, !isStop(bytes[next]) { next &+= 1 }
      let end = next
      if isQuoted {
        guard next < bytes.count, bytes[next] == quote else { return false }
        next &+= 1
      }
      utf8.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      places.append(at)
      ends.append(utf8.count)
      areQuoted.append(isQuoted)
      (at.byte, at.column) = (place.byte + next, place.column + next)
      guard next < bytes.count else { return false }
      if bytes[next] == delimiter {
        next &+= 1
        at.byte += 1
        at.column += 1
        continue
      }
      self.end = at
      if bytes[next] == 0x0D { next &+= 1 }
      guard next < bytes.count, bytes[next] == 0x0A else { return false }
      window.position += next + 1
      place = ImportPlace(line: place.line + 1, column: 1, byte: place.byte + next + 1)
      return true
    }
  }

  /// Returns whether a byte ends what can be taken as it stands.
  @inline(__always)
  private func isStop(_ byte: UInt8) -> Bool {
    // Control characters come before the space, and all that is not ASCII after it.
    byte == quote || byte &- 0x20 >= 0x60
  }

  /// A record that is not CSV.
  struct Fault: Error {
    let message: String
    let place: ImportPlace
  }

  /// Moves past the rest of a line.
  mutating func skipLine() throws {
    while let byte = try take() {
      window.mark = window.position
      if byte == UInt8(ascii: "\n") { return }
    }
  }

  @inline(__always)
  private mutating func take() throws -> UInt8? {
    guard let byte = try window.peek() else { return nil }
    window.position += 1
    place.byte += 1
    if byte == UInt8(ascii: "\n") {
      place.line += 1
      place.column = 1
    } else if byte & 0xC0 != 0x80 {
      // The bytes that go on with a scalar are not counted.
      place.column += 1
    }
    return byte
  }

  /// Reads a field; true if it ends the record.
  private mutating func field() throws -> Bool {
    let start = utf8.count
    if isTrimmed { try skipBlanks() }
    let isQuoted = try window.peek() == quote
    if isQuoted { try takeQuoted() }
    var endsRecord = true
    loop: while true {
      if !isQuoted {
        try takeRun { [delimiter, quote] in $0 == delimiter || $0 == quote || $0 == 0x0D }
      }
      let at = place
      end = at
      guard let byte = try take() else { break }
      switch byte {
      case delimiter:
        endsRecord = false
        break loop
      case UInt8(ascii: "\n"): break loop
      case UInt8(ascii: "\r") where try isAtLineEnd():
        _ = try take()
        break loop
      default:
        if isQuoted, isTrimmed, byte == 0x20 || byte == 0x09 { continue }
        if isQuoted {
          throw Fault(message: "text follows the closing quote of a field", place: at)
        }
        if byte == quote {
          throw Fault(
            message: "a quote inside an unquoted field; quote the field and double the quote",
            place: at)
        }
        utf8.append(byte)
      }
    }
    if isTrimmed, !isQuoted {
      while utf8.count > start, utf8[utf8.count - 1] == 0x20 || utf8[utf8.count - 1] == 0x09 {
        utf8.removeLast()
      }
    }
    ends.append(utf8.count)
    areQuoted.append(isQuoted)
    return endsRecord
  }

  /// Adds bytes to the field, up to the end of the line or one that stops them.
  @inline(__always)
  private mutating func takeRun(_ stops: (UInt8) -> Bool) throws {
    while try window.peek() != nil {
      let start = window.position
      let bytes = UnsafeRawBufferPointer(rebasing: window.memory[start..<window.count])
      var count = 0
      var scalars = 0
      while count < bytes.count, bytes[count] != 0x0A, !stops(bytes[count]) {
        scalars &+= bytes[count] & 0xC0 != 0x80 ? 1 : 0
        count &+= 1
      }
      utf8.append(contentsOf: bytes[..<count])
      window.position = start + count
      place.byte += count
      place.column += scalars
      if count < bytes.count { return }
    }
  }

  private mutating func skipBlanks() throws {
    while let byte = try window.peek(), byte == 0x20 || byte == 0x09 { _ = try take() }
  }

  /// Returns whether the byte after a carriage return makes it part of a line end.
  private func isAtLineEnd() throws -> Bool {
    let byte = try window.peek()
    return byte == nil || byte == UInt8(ascii: "\n")
  }

  private mutating func takeQuoted() throws {
    let start = place
    _ = try take()
    while true {
      try takeRun { [quote] in $0 == quote }
      guard let byte = try take() else {
        throw Fault(message: "a quoted field has no closing quote", place: start)
      }
      if byte != quote {
        utf8.append(byte)
      } else if try window.peek() == quote {
        _ = try take()
        utf8.append(byte)
      } else {
        return
      }
    }
  }
}
