internal import FoundationEssentials
internal import ORMStorage

extension ByteBuffer {
  @inline(__always)
  mutating func append(key value: Int64) {
    append(bigEndian: UInt64(bitPattern: value) ^ (1 << 63))
  }

  /// Appends a tag and a number, checking the capacity once for both.
  @inline(__always)
  mutating func append(_ tag: UInt8, key value: Int64) {
    reserve(9)
    base.storeBytes(of: tag, toByteOffset: count, as: UInt8.self)
    let bits = UInt64(bitPattern: value) ^ (1 << 63)
    base.storeBytes(of: bits.bigEndian, toByteOffset: count + 1, as: UInt64.self)
    count += 9
  }

  @inline(__always)
  mutating func append(key value: Double) {
    let bits = (value == 0 ? 0 : value).bitPattern
    append(bigEndian: bits >> 63 == 0 ? bits ^ (1 << 63) : ~bits)
  }

  /// Appends bytes with an end that separates them from later parts; without the end, they are a prefix.
  mutating func append(key bytes: UnsafeRawBufferPointer, isWhole: Bool = true) {
    if bytes.contains(0) {
      for byte in bytes {
        append(byte)
        if byte == 0 { append(0xFF) }
      }
    } else {
      append(bytes)
    }
    if isWhole {
      append(0)
      append(1)
    }
  }

  /// Appends a text's bytes after case folding.
  mutating func append(folded text: UnsafeRawBufferPointer, isWhole: Bool = true) {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.count)
    TextFolding.appendFold(of: text, .caseInsensitive, to: &folded)
    folded.withUnsafeBytes { append(key: $0, isWhole: isWhole) }
  }

  /// Appends every part of a key out of a record.
  @inline(__always)
  mutating func append(_ shape: KeyShape, of view: RecordView) throws {
    for term in shape.terms { try append(term, of: view) }
  }

  /// Appends one part of a key out of a record.
  ///
  /// A term of elements takes a value instead.
  @inline(__always)
  mutating func append(_ term: KeyTerm, of view: RecordView) throws {
    guard view.holds(term.field) else {
      return append(term, value: view.filling(term.field))
    }
    let start = count
    if term.isTagged { append(KeyTerm.valueTag) }
    switch term.encoding {
    case .bool: append(view.bits(term.field, UInt8.self) == 0 ? 0 : 1)
    case .uint64: append(bigEndian: view.bits(term.field, UInt64.self))
    case .double, .date:
      append(key: Double(bitPattern: view.bits(term.field, UInt64.self)))
    case .uuid: append(try view.bytes(term.field))
    case .string, .data, .json:
      let bytes = try view.bytes(term.field)
      if term.form == .caseFolded { append(folded: bytes) } else { append(key: bytes) }
    case .decimal:
      if !DecimalKey.append(text: try view.bytes(term.field), to: &self) {
        throw view.damaged(term.field)
      }
    case .array: throw view.mistaken(term.field, for: "a key")
    default: append(key: view.heldInt64(term.field))
    }
    if term.isDescending { complement(from: start) }
  }

  /// Appends one part of a key from a value of the term's kind, or null.
  mutating func append(_ term: KeyTerm, value: StoredValue) {
    let start = count
    if term.isTagged { append(value.isNull ? KeyTerm.nullTag : KeyTerm.valueTag) }
    switch value {
    case .null, .array: break
    case .bool(let value): append(value ? 1 : 0)
    case .int(let value):
      if term.encoding == .uint64 {
        append(bigEndian: UInt64(max(value, 0)))
      } else {
        append(key: value)
      }
    case .uint(let value): append(bigEndian: value)
    case .double(let value): append(key: value)
    case .date(let value): append(key: value.timeIntervalSinceReferenceDate)
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { append($0) }
    case .string(var text), .json(var text):
      text.withUTF8 { bytes in
        let bytes = UnsafeRawBufferPointer(bytes)
        if term.form == .caseFolded { append(folded: bytes) } else { append(key: bytes) }
      }
    case .data(let data): data.withUnsafeBytes { append(key: $0) }
    case .decimal(let value): DecimalKey.append(value, to: &self)
    }
    if term.isDescending { complement(from: start) }
  }

  /// Appends the bytes with which the parts of all texts begin that begin with a text.
  mutating func append(_ term: KeyTerm, beginning text: String) {
    let start = count
    if term.isTagged { append(KeyTerm.valueTag) }
    var text = text
    text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      if term.form == .caseFolded {
        append(folded: bytes, isWhole: false)
      } else {
        append(key: bytes, isWhole: false)
      }
    }
    if term.isDescending { complement(from: start) }
  }

  /// Turns the bytes into the least that are greater than all that begin with them; false when
  /// there are none.
  mutating func advancePastPrefix() -> Bool {
    while count > 0 {
      let last = load(UInt8.self, at: count - 1)
      if last < 0xFF {
        store(last + 1, at: count - 1)
        return true
      }
      truncate(to: count - 1)
    }
    return false
  }
}
