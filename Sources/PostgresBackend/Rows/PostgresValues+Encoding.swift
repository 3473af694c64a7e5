internal import FoundationEssentials
internal import ORMStorage

/// The binary form of values, by the type that the server expects.
enum PostgresEncoding {
  static func append(_ value: Int64, as type: PostgresType, to bytes: inout [UInt8]) {
    switch type {
    case .bool: bytes.append(value == 0 ? 0 : 1)
    case .int4: append(Int32(clamping: value), to: &bytes)
    case .float8: append(Double(value).bitPattern, to: &bytes)
    case .numeric:
      PostgresNumeric.append(value.magnitude, isNegative: value < 0, to: &bytes)
    case .text: bytes += String(value).utf8
    default: append(value, to: &bytes)
    }
  }

  static func append(_ value: Double, as type: PostgresType, to bytes: inout [UInt8]) {
    append(value.bitPattern, to: &bytes)
  }

  /// Appends a text; for a number, that of its digits.
  static func append(
    text value: UnsafeRawBufferPointer, as type: PostgresType, to bytes: inout [UInt8]
  ) {
    switch type {
    case .numeric:
      // A sign alone sorts below every unsigned integer.
      if value.elementsEqual([UInt8(ascii: "-")]) {
        PostgresNumeric.append(1, isNegative: true, to: &bytes)
      } else {
        PostgresNumeric.append(String(decoding: value, as: UTF8.self), to: &bytes)
      }
    case .bytea: bytes.append(contentsOf: value)
    default: PostgresText.append(value, to: &bytes)
    }
  }

  /// Appends an array in one dimension.
  static func append(
    _ elements: [StoredValue], of type: PostgresType, to bytes: inout [UInt8]
  ) {
    append(Int32(elements.isEmpty ? 0 : 1), to: &bytes)
    append(Int32(elements.contains(where: \.isNull) ? 1 : 0), to: &bytes)
    append(type.rawValue, to: &bytes)
    if elements.isEmpty { return }
    append(Int32(clamping: elements.count), to: &bytes)
    append(Int32(1), to: &bytes)
    for element in elements {
      if element.isNull {
        append(Int32(-1), to: &bytes)
        continue
      }
      let offset = bytes.count
      append(Int32(0), to: &bytes)
      append(element, as: type, to: &bytes)
      replace(Int32(clamping: bytes.count - offset - 4), at: offset, in: &bytes)
    }
  }

  private static func append(
    _ value: StoredValue, as type: PostgresType, to bytes: inout [UInt8]
  ) {
    switch value {
    case .null, .array: break
    case .bool(let value): append(value ? 1 : 0 as Int64, as: type, to: &bytes)
    case .int(let value): append(value, as: type, to: &bytes)
    case .uint(let value): PostgresNumeric.append(value, to: &bytes)
    case .double(let value): append(value, as: type, to: &bytes)
    case .date(let value): append(value.timeIntervalSinceReferenceDate, as: type, to: &bytes)
    case .string(let value), .json(let value):
      var value = value
      value.withUTF8 { append(text: UnsafeRawBufferPointer($0), as: type, to: &bytes) }
    case .data(let value): bytes += value
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
    case .decimal(let value): PostgresNumeric.append(DecimalText.text(of: value), to: &bytes)
    }
  }

  /// Writes an integer over bytes that are there.
  static func replace(_ value: Int32, at offset: Int, in bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) {
      for (i, byte) in $0.enumerated() { bytes[offset + i] = byte }
    }
  }

  static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }
}

/// Values read from the server's binary form.
enum PostgresDecoding {
  /// An integer of a column of any type that has integers; nil where it does not fit, or is none.
  static func int64(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> Int64? {
    switch (type, bytes.count) {
    case (.numeric, _): PostgresNumeric.text(of: bytes).flatMap { Int64($0) }
    case (.oid, 4): Int64(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    case (.int2, 2): Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case (.int8, 8): Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case (.int4, 4): Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case (.bool, 1): Int64(bytes[0])
    default: nil
    }
  }

  /// A number of a column of either type of doubles; nil for a value of another type.
  static func double(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> Double? {
    switch (type, bytes.count) {
    case (.float8, 8):
      Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    case (.float4, 4):
      Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))))
    default: nil
    }
  }

  /// The digits of a number of a column of any exact type; nil for a value of another type.
  static func number(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> String? {
    type == .numeric ? PostgresNumeric.text(of: bytes) : int64(bytes, type).map { String($0) }
  }

  static func uuid(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> UUID? {
    guard type == .uuid, bytes.count == 16 else { return nil }
    return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
  }

  /// The elements of an array; nil where the bytes are none of this type.
  static func array(
    _ bytes: UnsafeRawBufferPointer, of element: AttributeType
  ) -> [StoredValue]? {
    func int32(_ offset: Int) -> Int? {
      guard offset + 4 <= bytes.count else { return nil }
      return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
    }
    guard let dimensions = int32(0), let number = int32(8) else { return nil }
    if dimensions == 0 { return [] }
    let type = PostgresType(rawValue: UInt32(truncatingIfNeeded: number))
    guard dimensions == 1, let count = int32(12), count >= 0 else { return nil }
    var offset = 20
    var elements: [StoredValue] = []
    elements.reserveCapacity(min(count, bytes.count / 4))
    for _ in 0..<count {
      guard let length = int32(offset) else { return nil }
      offset += 4
      if length < 0 {
        elements.append(.null)
        continue
      }
      guard offset + length <= bytes.count else { return nil }
      let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length])
      guard let value = value(part, type, as: element.kind) else { return nil }
      elements.append(value)
      offset += length
    }
    return elements
  }

  private static func value(
    _ bytes: UnsafeRawBufferPointer, _ type: PostgresType, as kind: AttributeType.Kind
  ) -> StoredValue? {
    switch kind {
    case .bool: int64(bytes, type).map { .bool($0 != 0) }
    case .int: int64(bytes, type).map { .int($0) }
    case .unsigned: number(bytes, type).flatMap { UInt64($0) }.map { .unsigned($0) }
    case .double: double(bytes, type).map { .double($0) }
    case .date: double(bytes, type).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .string: string(bytes, type).map { .string($0) }
    case .json: string(bytes, type).map { .json($0) }
    case .data: type == .bytea ? .data(Data(bytes)) : nil
    case .uuid: uuid(bytes, type).map { .uuid($0) }
    case .decimal:
      number(bytes, type).flatMap { DecimalText.decimal(from: $0) }.map { .decimal($0) }
    case .array: nil
    }
  }

  /// A text without the escapes in which the store keeps it; nil for a value of another type, and for
  /// bytes that are no UTF-8.
  static func string(_ bytes: UnsafeRawBufferPointer, _ type: PostgresType) -> String? {
    guard type.isText else { return nil }
    return PostgresText.withPlain(bytes) { RecordText.string(of: $0) }
  }
}
