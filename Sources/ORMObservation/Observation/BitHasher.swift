internal import FoundationEssentials
internal import ORMCore

/// Hashes stored values by their bits: texts that are canonically equivalent differ, and so do zeros
/// with another sign.
struct BitHasher {
  private var hasher = Hasher()

  mutating func add(tag: UInt8) { hasher.combine(tag) }

  private mutating func add(_ tag: UInt8, _ part: some Hashable) {
    add(tag: tag)
    hasher.combine(part)
  }

  private mutating func add(_ tag: UInt8, bytes: UnsafeRawBufferPointer) {
    add(tag, bytes.count)
    hasher.combine(bytes: bytes)
  }

  mutating func add(_ value: StoredValue) {
    switch value {
    case .null: add(tag: 0)
    case .bool(let value): add(1, value)
    case .int(let value): add(2, value)
    case .uint(let value): add(3, value)
    case .double(let value): add(4, value.bitPattern)
    case .string(var text): text.withUTF8 { add(5, bytes: UnsafeRawBufferPointer($0)) }
    case .json(var text): text.withUTF8 { add(6, bytes: UnsafeRawBufferPointer($0)) }
    case .data(let data): data.withUnsafeBytes { add(7, bytes: $0) }
    case .date(let date): add(8, date.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let uuid): add(9, uuid)
    case .decimal(let decimal): add(10, decimal)
    case .array(let elements):
      add(11, elements.count)
      for element in elements { add(element) }
    }
  }

  func finalize() -> Int { hasher.finalize() }
}
