internal import FoundationEssentials
package import ORMValues

/// The encoding of the elements of an array in a record.
///
/// The number of elements comes first, in 4 bytes. Each element is a byte for its kind, then its
/// value. A value without a fixed width begins with its length in 4 bytes.
package enum ArrayCoding {
  private enum Tag: UInt8 {
    case null, no, yes, int, uint, double, string, data, date, uuid, decimal, json, array
  }

  /// The greatest depth to which arrays may be nested.
  ///
  /// Attributes hold scalars; the defaults of attributes, which are stored as one array, may be
  /// arrays themselves.
  private static let maximumDepth = 2

  /// Appends an array; false, with something appended, when it cannot be stored.
  package static func append(
    _ elements: [StoredValue], to buffer: inout ByteBuffer, depth: Int = 1
  ) -> Bool {
    guard depth <= maximumDepth, let count = UInt32(exactly: elements.count) else {
      return false
    }
    buffer.append(littleEndian: count)
    for element in elements {
      switch element {
      case .null: buffer.append(Tag.null.rawValue)
      case .bool(let value): buffer.append((value ? Tag.yes : Tag.no).rawValue)
      case .int(let value):
        buffer.append(Tag.int.rawValue)
        buffer.append(littleEndian: value)
      case .uint(let value):
        buffer.append(Tag.uint.rawValue)
        buffer.append(littleEndian: value)
      case .double(let value):
        buffer.append(Tag.double.rawValue)
        buffer.append(littleEndian: value.bitPattern)
      case .date(let value):
        buffer.append(Tag.date.rawValue)
        buffer.append(littleEndian: value.timeIntervalSinceReferenceDate.bitPattern)
      case .uuid(let value):
        buffer.append(Tag.uuid.rawValue)
        withUnsafeBytes(of: value.uuid) { buffer.append($0) }
      case .string(let text): guard append(text, .string, to: &buffer) else { return false }
      case .json(let text): guard append(text, .json, to: &buffer) else { return false }
      case .decimal(let value):
        guard append(DecimalText.text(of: value), .decimal, to: &buffer) else { return false }
      case .data(let value):
        guard let count = UInt32(exactly: value.count) else { return false }
        buffer.append(Tag.data.rawValue)
        buffer.append(littleEndian: count)
        value.withUnsafeBytes { buffer.append($0) }
      case .array(let elements):
        buffer.append(Tag.array.rawValue)
        let start = buffer.count
        buffer.append(littleEndian: UInt32(0))
        guard append(elements, to: &buffer, depth: depth + 1),
          let size = UInt32(exactly: buffer.count - start - 4)
        else { return false }
        buffer.store(size, at: start)
      }
    }
    return true
  }

  private static func append(
    _ text: String, _ tag: Tag, to buffer: inout ByteBuffer
  ) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard let count = UInt32(exactly: bytes.count) else { return false }
      buffer.append(tag.rawValue)
      buffer.append(littleEndian: count)
      buffer.append(UnsafeRawBufferPointer(bytes))
      return true
    }
  }

  /// Reads an array; nil when the bytes are not exactly one.
  package static func elements(of bytes: UnsafeRawBufferPointer, depth: Int = 1) -> [StoredValue]? {
    guard depth <= maximumDepth, let count = bytes.integer(UInt32.self, at: 0),
      Int(count) <= bytes.count
    else { return nil }
    var elements: [StoredValue] = []
    elements.reserveCapacity(Int(count))
    var position = 4
    for _ in 0..<count {
      guard let element = element(of: bytes, at: &position, depth: depth) else { return nil }
      elements.append(element)
    }
    return position == bytes.count ? elements : nil
  }

  private static func element(
    of bytes: UnsafeRawBufferPointer, at position: inout Int, depth: Int
  ) -> StoredValue? {
    guard let tag = bytes.integer(UInt8.self, at: position).flatMap(Tag.init) else { return nil }
    position += 1
    func word() -> UInt64? {
      defer { position += 8 }
      return bytes.integer(UInt64.self, at: position)
    }
    func run() -> UnsafeRawBufferPointer? {
      guard let length = bytes.integer(UInt32.self, at: position) else { return nil }
      defer { position += 4 + Int(length) }
      return bytes.part(from: position + 4, to: position + 4 + Int(length))
    }
    func text() -> String? { run().flatMap { String(validating: $0, as: UTF8.self) } }
    switch tag {
    case .null: return .null
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .int: return word().map { .int(Int64(bitPattern: $0)) }
    case .uint: return word().map { .unsigned($0) }
    case .double: return word().map { .double(Double(bitPattern: $0)) }
    case .date:
      return word().map { .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0))) }
    case .uuid:
      defer { position += 16 }
      return bytes.part(from: position, to: position + 16).map {
        .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self)))
      }
    case .string: return text().map { .string($0) }
    case .json: return text().map { .json($0) }
    case .decimal: return text().flatMap(DecimalText.decimal).map { .decimal($0) }
    case .data: return run().map { .data(Data($0)) }
    case .array: return run().flatMap { elements(of: $0, depth: depth + 1) }.map { .array($0) }
    }
  }
}
