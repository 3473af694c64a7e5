public import FoundationEssentials
package import ORMValues

extension RecordView {
  // The functions that a model calls are inlined into it; rare ones stay here.

  @inlinable @inline(__always)
  package func bool(_ field: RecordField) throws -> Bool {
    guard field.encoding == .bool, holds(field) else { return try fillingBool(field) }
    return bits(field, UInt8.self) != 0
  }

  @inlinable @inline(__always)
  package func int64(_ field: RecordField) throws -> Int64 {
    guard field.encoding == .int64, holds(field) else { return try narrowInt64(field) }
    return bits(field, Int64.self)
  }

  /// The value of an integer field that the record holds.
  @inlinable @inline(__always)
  package func heldInt64(_ field: RecordField) -> Int64 {
    switch field.encoding {
    case .int64: bits(field, Int64.self)
    case .int32: Int64(bits(field, Int32.self))
    case .int16: Int64(bits(field, Int16.self))
    case .int8: Int64(bits(field, Int8.self))
    case .uint32: Int64(bits(field, UInt32.self))
    case .uint16: Int64(bits(field, UInt16.self))
    default: Int64(bits(field, UInt8.self))
    }
  }

  @inlinable @inline(__always)
  package func uint64(_ field: RecordField) throws -> UInt64 {
    guard field.encoding == .uint64, holds(field) else { return try fillingUInt64(field) }
    return bits(field, UInt64.self)
  }

  @inlinable @inline(__always)
  package func double(_ field: RecordField) throws -> Double {
    guard field.encoding == .double, holds(field) else { return try fillingDouble(field) }
    return Double(bitPattern: bits(field, UInt64.self))
  }

  @inlinable @inline(__always)
  package func date(_ field: RecordField) throws -> Date {
    guard field.encoding == .date, holds(field) else { return try fillingDate(field) }
    return Date(
      timeIntervalSinceReferenceDate: Double(bitPattern: bits(field, UInt64.self)))
  }

  @inlinable @inline(__always)
  package func uuid(_ field: RecordField) throws -> UUID {
    guard field.encoding == .uuid, holds(field) else { return try fillingUUID(field) }
    return UUID(
      uuid: (fixed + Int(field.location)).loadUnaligned(as: uuid_t.self))
  }

  @usableFromInline
  package func string(_ field: RecordField) throws -> String {
    guard field.encoding == .string, holds(field) else {
      guard case .string(let value) = filling(field) else { throw mistaken(field, for: "String") }
      return value
    }
    return try text(field)
  }

  package func json(_ field: RecordField) throws -> String {
    guard field.encoding == .json, holds(field) else {
      guard case .json(let value) = filling(field) else { throw mistaken(field, for: "JSON") }
      return value
    }
    return try text(field)
  }

  @inline(__always)
  private func text(_ field: RecordField) throws -> String {
    let bytes = try bytes(field)
    guard let text = RecordText.string(of: bytes) else {
      throw error(.decoding, "the text is not UTF-8", field)
    }
    return text
  }

  package func data(_ field: RecordField) throws -> Data {
    guard field.encoding == .data, holds(field) else {
      guard case .data(let value) = filling(field) else { throw mistaken(field, for: "Data") }
      return value
    }
    let bytes = try bytes(field)
    guard let start = bytes.baseAddress, bytes.count > 0 else { return Data() }
    return Data(bytes: start, count: bytes.count)
  }

  package func decimal(_ field: RecordField) throws -> Decimal {
    guard field.encoding == .decimal, holds(field) else {
      guard case .decimal(let value) = filling(field) else {
        throw mistaken(field, for: "Decimal")
      }
      return value
    }
    guard let text = String(validating: try bytes(field), as: UTF8.self),
      let value = DecimalText.decimal(from: text)
    else { throw damaged(field) }
    return value
  }

  package func array(_ field: RecordField) throws -> [StoredValue] {
    guard field.encoding == .array, holds(field) else {
      guard case .array(let value) = filling(field) else {
        throw mistaken(field, for: "an array")
      }
      return value
    }
    guard let elements = ArrayCoding.elements(of: try bytes(field)) else { throw damaged(field) }
    return elements
  }

  /// The value of a field of any kind, null included.
  package func value(_ field: RecordField) throws -> StoredValue {
    guard holds(field) else { return filling(field) }
    return switch field.encoding {
    case .bool: .bool(try bool(field))
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: .int(heldInt64(field))
    case .uint64: .unsigned(try uint64(field))
    case .double: .double(try double(field))
    case .date: .date(try date(field))
    case .uuid: .uuid(try uuid(field))
    case .string: .string(try string(field))
    case .data: .data(try data(field))
    case .decimal: .decimal(try decimal(field))
    case .array: .array(try array(field))
    case .json: .json(try json(field))
    }
  }

  /// The bytes of a text, data or JSON field.
  package func withBytes<R>(
    _ field: RecordField, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    switch field.encoding {
    case .string, .data, .json: break
    default: throw mistaken(field, for: "bytes")
    }
    if holds(field) { return try body(try bytes(field)) }
    switch filling(field) {
    case .string(var text), .json(var text):
      return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
    case .data(let data): return try data.withUnsafeBytes(body)
    default: throw mistaken(field, for: "bytes")
    }
  }
}

// Fields that the record does not hold in the type in which they are read.
extension RecordView {
  @inline(never) @usableFromInline
  func fillingBool(_ field: RecordField) throws -> Bool {
    guard case .bool(let value) = filling(field) else { throw mistaken(field, for: "Bool") }
    return value
  }

  /// An integer of another width, or one that is not held.
  @inline(never) @usableFromInline
  func narrowInt64(_ field: RecordField) throws -> Int64 {
    guard field.encoding.isInteger else { throw mistaken(field, for: "an integer") }
    if holds(field) { return heldInt64(field) }
    guard case .int(let value) = filling(field) else {
      throw mistaken(field, for: "an integer")
    }
    return value
  }

  @inline(never) @usableFromInline
  func fillingUInt64(_ field: RecordField) throws -> UInt64 {
    switch filling(field) {
    case .uint(let value): return value
    case .int(let value) where field.encoding == .uint64 && value >= 0: return UInt64(value)
    default: throw mistaken(field, for: "UInt64")
    }
  }

  @inline(never) @usableFromInline
  func fillingDouble(_ field: RecordField) throws -> Double {
    guard case .double(let value) = filling(field) else { throw mistaken(field, for: "Double") }
    return value
  }

  @inline(never) @usableFromInline
  func fillingDate(_ field: RecordField) throws -> Date {
    guard case .date(let value) = filling(field) else { throw mistaken(field, for: "Date") }
    return value
  }

  @inline(never) @usableFromInline
  func fillingUUID(_ field: RecordField) throws -> UUID {
    guard case .uuid(let value) = filling(field) else { throw mistaken(field, for: "UUID") }
    return value
  }
}
