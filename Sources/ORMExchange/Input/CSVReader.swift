internal import ORM

/// A reader of CSV in the form of RFC 4180, record by record: fields in quotes may hold
/// delimiters, line ends and doubled quotes; lines end in LF or CRLF, or all of them in CR alone.
struct CSVReader {
  let window: ByteWindow
  private let delimiter: UInt8
  private let quote: UInt8
  private let comment: UInt8?
  private let isTrimmed: Bool
  /// True if lines end in CR alone, which the first end of a line says; nil before it.
  private var endsInReturn: Bool?
  /// True if records without anything special are taken at once, which finds the same fields.
  var takesPlainRecords: Bool
  /// The location of the next byte.
  private(set) var location: ImportLocation
  /// True if the fields of the last record lie in the source as their texts are, in valid UTF-8.
  private(set) var isPlain = false
  /// The fields of the last record, in its bytes.
  private(set) var spans: [CSVSpan] = []
  /// The start of the last record.
  private(set) var start = ImportLocation()
  /// The end of a plain record, in its bytes.
  private var plainEnd = 0
  /// The start of each field and the end of a record that is not plain.
  private var starts: [ImportLocation] = []
  private var stop = ImportLocation()
  /// The texts of the fields of a record that is not plain.
  private var utf8: [UInt8] = []

  init(_ window: ByteWindow, _ format: CSVFormat) {
    self.window = window
    delimiter = UInt8(truncatingIfNeeded: format.delimiter.value)
    quote = UInt8(truncatingIfNeeded: format.quote.value)
    comment = format.comment.map { UInt8(truncatingIfNeeded: $0.value) }
    isTrimmed = format.isTrimmed
    takesPlainRecords =
      !isTrimmed && delimiter != quote
      && [delimiter, quote].allSatisfy { $0 == 0x09 || (0x20..<0x80).contains($0) }
    location = ImportLocation(byte: window.offset)
  }

  /// The number of fields of the last record.
  var count: Int { spans.count }

  /// True if the last record is an empty line.
  var isBlank: Bool { spans.count == 1 && spans[0].count == 0 && !spans[0].isQuoted }

  /// Returns whether a field is in quotes.
  func isQuoted(_ field: Int) -> Bool { spans[field].isQuoted }

  /// The text of a field; nil for bytes that are not UTF-8.
  func text(_ field: Int) -> String? {
    withBytes { String(validating: spans[field].bytes(in: $0), as: UTF8.self) }
  }

  /// The start of a field of the last record.
  func location(of field: Int) -> ImportLocation {
    isPlain ? withBytes { spans[field].location(in: $0, from: start) } : starts[field]
  }

  /// The start of each field of the last record.
  var locations: [ImportLocation] { spans.indices.map { location(of: $0) } }

  /// The end of the last record.
  var end: ImportLocation {
    isPlain ? withBytes { start.moved(past: plainEnd, of: $0) } : stop
  }

  /// Calls a closure with the bytes in which the fields lie.
  ///
  /// Those of a plain record are in the window until the next one is read.
  func withBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try isPlain ? body(window.marked) : utf8.withUnsafeBytes(body)
  }

  /// The first field that is not UTF-8; nil if there is none.
  var firstInvalidField: Int? {
    if isPlain { return nil }
    return withBytes { bytes in
      if JSONScanner.firstInvalidByte(of: bytes) == nil { return nil }
      return spans.firstIndex { JSONScanner.firstInvalidByte(of: $0.bytes(in: bytes)) != nil }
    }
  }

  /// Reads the next record; false at the end.
  ///
  /// - Throws: ``Fault`` for a record that is not CSV, after which the next line can be read.
  mutating func next() throws -> Bool {
    while let comment, try window.peek() == comment { try skipLine() }
    window.mark = window.position
    guard try window.peek() != nil else { return false }
    window.note(location)
    start = location
    spans.removeAll(keepingCapacity: true)
    isPlain = takesPlainRecords && takePlainRecord()
    if isPlain { return true }
    spans.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    utf8.removeAll(keepingCapacity: true)
    repeat { starts.append(location) } while try !field()
    return true
  }

  /// Reads a record that lies in memory as a whole, is UTF-8, and has no line end and no quote inside
  /// of a field; false for any other, of which nothing is taken then.
  private mutating func takePlainRecord() -> Bool {
    let bytes = UnsafeRawBufferPointer(rebasing: window.memory[window.position..<window.count])
    var next = 0
    var bits: UInt8 = 0
    while true {
      let isQuoted = next < bytes.count && bytes[next] == quote
      if isQuoted { next &+= 1 }
      let start = next
      let stop = isQuoted ? quote : delimiter
      while next < bytes.count, bytes[next] != stop, bytes[next] != quote, bytes[next] >= 0x20 {
        bits |= bytes[next]
        next &+= 1
      }
      spans.append(CSVSpan(start: start, count: next &- start, isQuoted: isQuoted))
      if isQuoted {
        guard next < bytes.count, bytes[next] == quote else { return false }
        next &+= 1
      }
      guard next < bytes.count else { return false }
      if bytes[next] == delimiter {
        next &+= 1
        continue
      }
      let end = next
      if bytes[next] == 0x0D { next &+= 1 }
      guard next < bytes.count, bytes[next] == 0x0A else { return false }
      let text = UnsafeRawBufferPointer(rebasing: bytes[..<end])
      guard bits < 0x80 || JSONScanner.firstInvalidByte(of: text) == nil else { return false }
      plainEnd = end
      noteLineEnd()
      window.position += next + 1
      location = ImportLocation(line: location.line + 1, column: 1, byte: location.byte + next + 1)
      return true
    }
  }

  /// A record that is not CSV.
  struct Fault: Error {
    let message: String
    let location: ImportLocation
  }

  /// Moves past the rest of a line.
  mutating func skipLine() throws {
    while let byte = try take() {
      window.mark = window.position
      if byte == UInt8(ascii: "\n") { return noteLineEnd() }
      if try byte == UInt8(ascii: "\r") && endsLine() { return }
    }
  }

  @inline(__always)
  private mutating func take() throws -> UInt8? {
    guard let byte = try window.peek() else { return nil }
    window.position += 1
    location.byte += 1
    // Of CR and LF the second ends the line.
    let isReturn = byte == UInt8(ascii: "\r") && endsInReturn == true
    if try byte == UInt8(ascii: "\n") || (isReturn && window.peek() != UInt8(ascii: "\n")) {
      location.line += 1
      location.column = 1
    } else if byte & 0xC0 != 0x80 {
      // The bytes that go on with a scalar are not counted.
      location.column += 1
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
      let at = location
      stop = at
      guard let byte = try take() else { break }
      switch byte {
      case delimiter:
        endsRecord = false
        break loop
      case UInt8(ascii: "\n"):
        noteLineEnd()
        break loop
      case UInt8(ascii: "\r") where try endsLine(): break loop
      default:
        if isQuoted, isTrimmed, byte == 0x20 || byte == 0x09 { continue }
        if isQuoted {
          throw Fault(message: "text follows the closing quote of a field", location: at)
        }
        if byte == quote {
          throw Fault(
            message: "a quote inside an unquoted field; quote the field and double the quote",
            location: at)
        }
        utf8.append(byte)
      }
    }
    if isTrimmed, !isQuoted {
      while utf8.count > start, utf8[utf8.count - 1] == 0x20 || utf8[utf8.count - 1] == 0x09 {
        utf8.removeLast()
      }
    }
    spans.append(CSVSpan(start: start, count: utf8.count - start, isQuoted: isQuoted))
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
      location.byte += count
      location.column += scalars
      if count < bytes.count { return }
    }
  }

  private mutating func skipBlanks() throws {
    while let byte = try window.peek(), byte == 0x20 || byte == 0x09 { _ = try take() }
  }

  /// Returns whether a carriage return that was taken ends a line, and takes a line feed behind it.
  ///
  /// One alone does in a file whose first line ends so; in others it is a part of a field.
  private mutating func endsLine() throws -> Bool {
    let byte = try window.peek()
    if byte == nil { return true }
    if byte == UInt8(ascii: "\n") {
      noteLineEnd()
      _ = try take()
      return true
    }
    if endsInReturn == nil {
      endsInReturn = true
      location.line += 1
      location.column = 1
    }
    return endsInReturn == true
  }

  /// Notes that a line ended in a line feed.
  private mutating func noteLineEnd() { if endsInReturn == nil { endsInReturn = false } }

  private mutating func takeQuoted() throws {
    let start = location
    _ = try take()
    while true {
      try takeRun { [quote] in $0 == quote }
      guard let byte = try take() else {
        throw Fault(message: "a quoted field has no closing quote", location: start)
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
