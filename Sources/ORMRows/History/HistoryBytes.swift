internal import FoundationEssentials
internal import ORMStorage

/// Writes the byte form of the history and of cursors: numbers of variable length, texts and values.
package struct HistoryBytes {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func append(byte: UInt8) { bytes.append(byte) }

  /// Appends a number, seven bits a byte, the lowest first.
  package mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func append(count: Int) { append(number: UInt64(count)) }

  package mutating func append(double: Double) { append(word: double.bitPattern) }

  package mutating func append(word: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }

  package mutating func append(text: String) {
    append(count: text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends texts, or that there are none.
  package mutating func append(texts: [String]?) {
    append(count: texts.map { $0.count + 1 } ?? 0)
    for text in texts ?? [] { append(text: text) }
  }

  package mutating func append(values: some Collection<StoredValue>) {
    append(count: values.count)
    for value in values { append(value: value) }
  }

  fileprivate enum Tag: UInt8 {
    case null, no, yes, int, uint, double, string, data, date, uuid, decimal, json, array
  }

  package mutating func append(value: StoredValue) {
    switch value {
    case .null: append(byte: Tag.null.rawValue)
    case .bool(let value): append(byte: (value ? Tag.yes : Tag.no).rawValue)
    case .int(let value):
      append(byte: Tag.int.rawValue)
      append(number: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    case .uint(let value):
      append(byte: Tag.uint.rawValue)
      append(number: value)
    case .double(let value):
      append(byte: Tag.double.rawValue)
      append(double: value)
    case .string(let text):
      append(byte: Tag.string.rawValue)
      append(text: text)
    case .data(let data):
      append(byte: Tag.data.rawValue)
      append(count: data.count)
      bytes.append(contentsOf: data)
    case .date(let date):
      append(byte: Tag.date.rawValue)
      append(double: date.timeIntervalSinceReferenceDate)
    case .uuid(let uuid):
      append(byte: Tag.uuid.rawValue)
      withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) }
    case .decimal(let decimal):
      append(byte: Tag.decimal.rawValue)
      append(text: DecimalText.text(of: decimal))
    case .json(let text):
      append(byte: Tag.json.rawValue)
      append(text: text)
    case .array(let elements):
      append(byte: Tag.array.rawValue)
      append(values: elements)
    }
  }
}

/// Reads the byte form of the history; damage is an error.
package struct HistoryByteReader {
  private let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package static var damaged: StoreError {
    StoreError(.corrupt, "the history of the store is damaged")
  }

  package mutating func byte() throws -> UInt8 {
    guard position < bytes.count else { throw Self.damaged }
    defer { position += 1 }
    return bytes[position]
  }

  package mutating func number() throws -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next <= 1 else { throw Self.damaged }
      number |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return number }
      shift += 7
    }
  }

  /// Reads the number of elements that follow, each of at least a byte.
  package mutating func count() throws -> Int {
    let number = try number()
    guard number <= UInt64(bytes.count - position) else { throw Self.damaged }
    return Int(number)
  }

  mutating func double() throws -> Double { Double(bitPattern: try word()) }

  package mutating func word() throws -> UInt64 {
    var word: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 8) { word |= UInt64(try byte()) << shift }
    return word
  }

  private mutating func run(_ count: Int) throws -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw Self.damaged }
    defer { position += count }
    return bytes[position..<position + count]
  }

  package mutating func text() throws -> String {
    guard let text = String(validating: try run(count()), as: UTF8.self) else {
      throw Self.damaged
    }
    return text
  }

  package mutating func texts() throws -> [String]? {
    let count = try number()
    if count == 0 { return nil }
    guard count <= UInt64(bytes.count) else { throw Self.damaged }
    return try (1..<count).map { _ in try text() }
  }

  package mutating func values() throws -> [StoredValue] {
    try (0..<count()).map { _ in try value() }
  }

  /// Reads a value with at most this many levels of arrays.
  package mutating func value(levels: Int = 8) throws -> StoredValue {
    guard let tag = HistoryBytes.Tag(rawValue: try byte()) else { throw Self.damaged }
    switch tag {
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .int:
      let number = try number()
      return .int(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))
    case .uint: return .unsigned(try number())
    case .double: return .double(try double())
    case .string: return .string(try text())
    case .data: return .data(Data(try run(count())))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: try double()))
    case .uuid:
      let bytes = Array(try run(16))
      return .uuid(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
    case .decimal:
      guard let decimal = DecimalText.decimal(from: try text()) else { throw Self.damaged }
      return .decimal(decimal)
    case .json: return .json(try text())
    case .array:
      guard levels > 0 else { throw Self.damaged }
      return .array(try (0..<count()).map { _ in try value(levels: levels - 1) })
    }
  }

  /// True if everything was read.
  package var isAtEnd: Bool { position == bytes.count }
}
