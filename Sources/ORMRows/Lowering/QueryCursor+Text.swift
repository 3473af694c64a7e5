internal import FoundationEssentials
internal import ORMStorage

/// A cursor as a short text for the address of a page.
///
/// The text has a digest of the order instead of the order itself, and the values in bytes.
extension QueryCursor {
  private static let version: UInt8 = 1

  /// The cursor as a text of letters, digits, `-` and `_`, for a URL.
  ///
  /// ```swift
  /// let page = try store.fetchPage(Snack.all.sorted(by: .ascending(\.name)).limit(50))
  /// let link = page.end.map { "/snacks?after=\($0.text)" }
  /// ```
  ///
  /// It has about 16 characters beside those of the row's values. Anyone can read the values in it.
  public var text: String {
    var bytes = CursorBytes()
    bytes.append(Self.version)
    bytes.append(fixed: digest ?? Self.digest(of: sort))
    for value in values { bytes.append(value) }
    return String(
      Data(bytes.bytes).base64EncodedString().compactMap { letter -> Character? in
        letter == "=" ? nil : letter == "+" ? "-" : letter == "/" ? "_" : letter
      })
  }

  /// Makes a cursor of a text that ``text`` gave.
  ///
  /// ```swift
  /// let query = Snack.all.sorted(by: .ascending(\.name)).limit(50)
  /// let first = try store.fetchPage(query)
  /// let after = try QueryCursor(text: first.end?.text ?? "")
  /// let next = try store.fetchPage(query.after(after))
  /// ```
  ///
  /// The order is checked when the cursor is used: a query with another one throws `invalidCursor`.
  ///
  /// - Throws: `invalidCursor` for a text that is no cursor, such as one that was cut off.
  public init(text: String) throws {
    let plain = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    let padding = String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: plain + padding),
      var reader = CursorReader(Array(data), version: Self.version),
      let digest = reader.fixed()
    else { throw Self.unreadable }
    var values: [StoredValue] = []
    while !reader.isAtEnd {
      guard let value = reader.value(depth: 0) else { throw Self.unreadable }
      values.append(value)
    }
    self.init(sort: [], values: values)
    self.digest = digest
  }

  private static var unreadable: StoreError {
    StoreError(.invalidCursor, "the text is no cursor; ask for the first page again")
  }

  /// A number that orders which differ do not share, but by chance.
  package static func digest(of sort: [SortTerm]) -> UInt64 {
    let text = (try? JSONCoding.encode(sort.map(\.comparable))) ?? ""
    return Array(text.utf8).withUnsafeBytes { XXHash64.hash($0) }
  }

  /// The cursor for a query with an order; nil if it belongs to another order.
  package func fitting(_ sort: [SortTerm]) -> QueryCursor? {
    guard values.count == sort.count else { return nil }
    if let digest {
      return digest == Self.digest(of: sort) ? QueryCursor(sort: sort, values: values) : nil
    }
    return self.sort.map(\.comparable) == sort.map(\.comparable) ? self : nil
  }
}

/// The bytes of a cursor that is written.
private struct CursorBytes {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  mutating func append(fixed number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// Adds a number, seven bits in a byte, the lowest first.
  private mutating func append(number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func append(_ tag: UInt8, _ content: some Collection<UInt8>) {
    bytes.append(tag)
    append(number: UInt64(content.count))
    bytes += content
  }

  mutating func append(_ value: StoredValue) {
    switch value {
    case .null: bytes.append(0)
    case .bool(let value): bytes.append(value ? 2 : 1)
    case .int(let value):
      bytes.append(3)
      append(number: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    case .uint(let value):
      bytes.append(4)
      append(number: value)
    case .double(let value):
      bytes.append(5)
      append(fixed: value.bitPattern)
    case .string(let text): append(6, text.utf8)
    case .data(let data): append(7, data)
    case .date(let date):
      bytes.append(8)
      append(fixed: date.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let id):
      bytes.append(9)
      withUnsafeBytes(of: id.uuid) { bytes += $0 }
    case .decimal(let value): append(10, DecimalText.text(of: value).utf8)
    case .json(let text): append(11, text.utf8)
    case .array(let elements):
      bytes.append(12)
      append(number: UInt64(elements.count))
      for element in elements { append(element) }
    }
  }
}

/// The bytes of a cursor that is read; a client may have sent any.
private struct CursorReader {
  private let bytes: [UInt8]
  private var position = 0

  var isAtEnd: Bool { position == bytes.count }

  init?(_ bytes: [UInt8], version: UInt8) {
    guard bytes.first == version else { return nil }
    self.bytes = bytes
    position = 1
  }

  mutating func fixed() -> UInt64? {
    guard bytes.count - position >= 8 else { return nil }
    defer { position += 8 }
    return (0..<8).reduce(0) { $0 | UInt64(bytes[position + $1]) << UInt64($1 * 8) }
  }

  private mutating func number() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      if shift == 63, byte > 1 { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  private mutating func content() -> ArraySlice<UInt8>? {
    guard let count = number(), count <= UInt64(bytes.count - position) else { return nil }
    defer { position += Int(count) }
    return bytes[position..<position + Int(count)]
  }

  private mutating func text() -> String? {
    content().flatMap { String(validating: $0, as: UTF8.self) }
  }

  mutating func value(depth: Int) -> StoredValue? {
    guard position < bytes.count else { return nil }
    let tag = bytes[position]
    position += 1
    switch tag {
    case 0: return .null
    case 1: return .bool(false)
    case 2: return .bool(true)
    case 3:
      return number().map { .int(Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1)) }
    case 4: return number().map { .unsigned($0) }
    case 5: return fixed().map { .double(Double(bitPattern: $0)) }
    case 6: return text().map { .string($0) }
    case 7: return content().map { .data(Data($0)) }
    case 8:
      return fixed().map { .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0))) }
    case 9: return uuid().map { .uuid($0) }
    case 10: return text().flatMap { DecimalText.decimal(from: $0) }.map { .decimal($0) }
    case 11: return text().map { .json($0) }
    case 12:
      // The elements of an array are scalars.
      guard depth == 0, let count = number(), count <= UInt64(bytes.count - position) else {
        return nil
      }
      var elements: [StoredValue] = []
      for _ in 0..<Int(count) {
        guard let element = value(depth: 1) else { return nil }
        elements.append(element)
      }
      return .array(elements)
    default: return nil
    }
  }

  private mutating func uuid() -> UUID? {
    guard bytes.count - position >= 16 else { return nil }
    defer { position += 16 }
    return bytes[position..<position + 16].withUnsafeBytes {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
