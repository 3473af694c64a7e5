internal import ORM

/// The location of a byte in a JSON text: for errors alone, since it reads the text again.
struct JSONLocation: CustomStringConvertible {
  /// The line and the column, from 1; the column is in Unicode scalars.
  private(set) var line = 1
  private(set) var column = 1
  private(set) var byte: Int
  /// The path from the top, such as `data.items[17].price`; empty for the whole text.
  private(set) var path = ""
  private let isInText: Bool

  /// Finds a location.
  ///
  /// - Parameters:
  ///   - byte: the position of a value.
  ///   - suffix: a path from that value on.
  ///   - bytes: the text.
  ///   - isText: whether a person knows the text; otherwise the path alone says anything.
  ///   - origin: the location of the text in a source of many records.
  init(
    of byte: Int, path suffix: String, in bytes: UnsafeRawBufferPointer, isText: Bool = true,
    origin: RecordOrigin? = nil
  ) {
    self.byte = byte
    isInText = isText
    findLine(in: bytes)
    findPath(in: bytes)
    if path.isEmpty || suffix.isEmpty || suffix.hasPrefix("[") {
      path += suffix
    } else {
      path += "." + suffix
    }
    if let origin { move(to: origin) }
  }

  /// Makes the location one of the source that the text was taken from.
  private mutating func move(to origin: RecordOrigin) {
    if let location = origin.location(ofField: byte) {
      (line, column, byte) = (location.line, location.column, location.byte)
    } else {
      column = line == 1 ? origin.location.column + column - 1 : column
      line += origin.location.line - 1
      byte += origin.location.byte
    }
    let prefix = origin.path
    path =
      prefix.isEmpty || path.isEmpty || path.hasPrefix("[") ? prefix + path : prefix + "." + path
  }

  private mutating func findLine(in bytes: UnsafeRawBufferPointer) {
    for byte in bytes[..<min(byte, bytes.count)] {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }

  /// Reads the text up to the byte, and remembers the objects and arrays that are open there.
  private mutating func findPath(in bytes: UnsafeRawBufferPointer) {
    enum Open {
      case array(Int)
      case object(String?)
    }
    var open: [Open] = []
    var scanner = JSONScanner(bytes)
    while scanner.position < min(byte, bytes.count) {
      switch scanner.next {
      case UInt8(ascii: "{"): open.append(.object(nil))
      case UInt8(ascii: "["): open.append(.array(0))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = open.popLast()
      case UInt8(ascii: ","):
        switch open.popLast() {
        case .array(let index): open.append(.array(index + 1))
        case .object: open.append(.object(nil))
        case nil: break
        }
      case UInt8(ascii: "\""):
        guard let token = scanner.string() else { return finish() }
        if case .object(nil)? = open.last {
          open[open.count - 1] = .object(scanner.text(of: token) ?? "")
        }
        continue
      default: break
      }
      scanner.position += 1
    }
    finish()

    func finish() {
      path = open.reduce(into: "") { path, step in
        switch step {
        case .array(let index): path += "[\(index)]"
        case .object(let name?): path += (path.isEmpty ? "" : ".") + JSONKeyPath.escaped(name)
        case .object(nil): break
        }
      }
    }
  }

  /// The location in words: `data.items[17].price (line 3, column 14, byte 220)`.
  var description: String {
    let name = path.isEmpty ? "the top" : path
    return isInText ? "\(name) (line \(line), column \(column), byte \(byte))" : name
  }
}
