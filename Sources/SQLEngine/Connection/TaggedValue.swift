internal import FoundationEssentials
package import ORMStorage

/// A value of any kind as bytes with a tag for the kind.
///
/// Values whose kind only the row determines pass through the engine in this form.
///
/// They are never stored, and the engine neither compares nor orders them.
package enum TaggedValue {
  private enum Tag: UInt8 {
    case null, bool, int, uint, double, string, data, date, uuid, decimal, array, json
  }

  /// The bytes of a value.
  package static func bytes(of value: StoredValue) -> [UInt8] {
    switch value {
    case .null: [Tag.null.rawValue]
    case .bool(let value): [Tag.bool.rawValue, value ? 1 : 0]
    case .int(let value): bytes(.int, UInt64(bitPattern: value))
    case .uint(let value): bytes(.uint, value)
    case .double(let value): bytes(.double, value.bitPattern)
    case .date(let value): bytes(.date, value.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let value): [Tag.string.rawValue] + value.utf8
    case .json(let value): [Tag.json.rawValue] + value.utf8
    case .decimal(let value): [Tag.decimal.rawValue] + DecimalText.text(of: value).utf8
    case .data(let value): [Tag.data.rawValue] + value
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { [Tag.uuid.rawValue] + $0 }
    case .array(let elements):
      elements.reduce(into: [Tag.array.rawValue]) { bytes, element in
        let inner = Self.bytes(of: element)
        bytes += word(UInt64(inner.count)) + inner
      }
    }
  }

  private static func bytes(_ tag: Tag, _ value: UInt64) -> [UInt8] { [tag.rawValue] + word(value) }

  private static func word(_ value: UInt64) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
  }

  /// The value that `bytes(of:)` was given; nil for other bytes.
  package static func value(of bytes: UnsafeRawBufferPointer) -> StoredValue? {
    guard let first = bytes.first, let tag = Tag(rawValue: first) else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    switch tag {
    case .null: return .null
    case .bool: return rest.first.map { .bool($0 != 0) }
    case .int: return word(of: rest).map { .int(Int64(bitPattern: $0)) }
    case .uint: return word(of: rest).map { .uint($0) }
    case .double: return word(of: rest).map { .double(Double(bitPattern: $0)) }
    case .date:
      return word(of: rest).map {
        .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: $0)))
      }
    case .string: return .string(String(decoding: rest, as: UTF8.self))
    case .json: return .json(String(decoding: rest, as: UTF8.self))
    case .decimal:
      return DecimalText.decimal(from: String(decoding: rest, as: UTF8.self)).map { .decimal($0) }
    case .data: return .data(Data(rest))
    case .uuid:
      guard rest.count == 16 else { return nil }
      return .uuid(UUID(uuid: rest.loadUnaligned(as: uuid_t.self)))
    case .array:
      var elements: [StoredValue] = []
      var offset = 0
      while offset < rest.count {
        guard let count = word(of: UnsafeRawBufferPointer(rebasing: rest[offset...])),
          count <= UInt64(rest.count - offset - 8)
        else { return nil }
        let end = offset + 8 + Int(count)
        guard let element = value(of: UnsafeRawBufferPointer(rebasing: rest[(offset + 8)..<end]))
        else { return nil }
        elements.append(element)
        offset = end
      }
      return .array(elements)
    }
  }

  private static func word(of bytes: UnsafeRawBufferPointer) -> UInt64? {
    bytes.count >= 8 ? bytes.loadUnaligned(as: UInt64.self) : nil
  }
}
