internal import ORMStorage

/// The signature of a request: its form apart from its values, as bytes.
///
/// Two requests have the same signature if they differ in values alone, and are lowered the same
/// way.
///
/// It is written before anything is checked or normalized, in one pass and without memory of its
/// own. Nil, truth values, the kind of each value, and the number of values that a list has room
/// for are part of the bytes. If more of a value matters there is no signature (``isPlain``):
/// expressions of constants alone, NaN, JSON, the pattern of a `MATCHES`, a count compared with 0
/// or 1.
struct ShapeSignature {
  /// The values that are no part of the bytes, in their order: those of the condition, of the order
  /// and of the output.
  private(set) var values: [StoredValue] = []
  /// The number of elements the lists have, as they were given.
  private(set) var listItems = 0
  /// True if everything could be written.
  private(set) var isPlain = true
  /// True if the request has a limit or an offset.
  private(set) var isLimited = false
  private let buffer: UnsafeMutableRawBufferPointer
  private var end = 0
  /// The depth of the part that is being written.
  var depth = 0
  /// The most levels; a deeper condition is measured against the stack each time.
  static let deepest = 16

  /// The maximum number of bytes, enough for some thirty terms.
  static let capacity = 1024

  /// A signature that is written into a buffer.
  init(into buffer: UnsafeMutableRawBufferPointer) { self.buffer = buffer }

  /// The bytes written.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<end]) }

  /// Writes a whole question.
  mutating func write(
    output: FetchShape.Output, condition: Condition, order: [SortTerm], isLimited: Bool
  ) {
    write(condition)
    write(count: order.count)
    for term in order { write(term) }
    write(output)
    byte(isLimited ? 1 : 0)
    self.isLimited = isLimited
  }

  /// A number that depends on every byte, to find equal ones by.
  var hash: UInt64 {
    // Multiplication carries each bit upwards, the shift brings it down again (Fibonacci hashing,
    // TAOCP 3, 6.4). Equal signatures are compared byte by byte, so that nothing hangs on it.
    var hash = UInt64(truncatingIfNeeded: end)
    var position = 0
    while position < end {
      var word: UInt64 = 0
      if end - position >= 8 {
        word = buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      } else {
        for index in position..<end { word = word << 8 | UInt64(buffer[index]) }
      }
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
      position += 8
    }
    return hash
  }

  // MARK: - Pieces

  /// Gives up.
  mutating func refuse() { isPlain = false }

  mutating func byte(_ byte: UInt8) {
    guard end < buffer.count else { return refuse() }
    buffer[end] = byte
    end &+= 1
  }

  mutating func write(count: Int) {
    if count < 0x80, count >= 0 { return byte(UInt8(count)) }
    byte(0x80)
    write(number: count)
  }

  mutating func write(number: Int) {
    guard buffer.count - end >= 8 else { return refuse() }
    buffer.storeBytes(of: number, toByteOffset: end, as: Int.self)
    end &+= 8
  }

  mutating func write(name: String) {
    let count = name.utf8.count
    write(count: count)
    guard buffer.count - end >= count else { return refuse() }
    let slot = UnsafeMutableRawBufferPointer(rebasing: buffer[end..<end + count])
    // Not by a generic function of another module, which looks types up.
    let isCopied: Void? = name.utf8.withContiguousStorageIfAvailable { bytes in
      slot.copyMemory(from: UnsafeRawBufferPointer(bytes))
    }
    if isCopied == nil { slot.copyBytes(from: name.utf8) }
    end += count
  }

  mutating func write(names: [String]) {
    write(count: names.count)
    for name in names { write(name: name) }
  }

  /// A value that may be another the next time.
  mutating func write(_ value: StoredValue) {
    switch value {
    case .null: byte(0)
    case .bool(let isTrue): byte(isTrue ? 2 : 1)
    case .int, .string, .uint, .uuid, .data:
      byte(Self.tag(of: value))
      values.append(value)
    case .double, .date, .decimal:
      if value.isNaN { return refuse() }
      byte(Self.tag(of: value))
      values.append(value)
    case .array, .json: refuse()
    }
  }

  /// Writes the list of an `IN` as a set, the form in which it is bound.
  mutating func write(list elements: [StoredValue]) {
    listItems += elements.count
    guard isPlain, let first = elements.first else { return refuse() }
    let tag = Self.tag(of: first)
    guard tag > 2, elements.allSatisfy({ Self.tag(of: $0) == tag && !$0.isNaN }) else {
      return refuse()
    }
    let set = elements.asSet()
    // One alone is an equality.
    guard set.count > 1 else { return refuse() }
    byte(tag | 0x80)
    byte(UInt8(Int.bitWidth - (set.count - 1).leadingZeroBitCount))
    values.append(.array(set))
  }

  /// Returns the tag of a value's kind; below 3 for nil, truth values, and kinds that no signature holds.
  private static func tag(of value: StoredValue) -> UInt8 {
    switch value {
    case .null, .array, .json: 0
    case .bool: 1
    case .int: 3
    case .uint: 4
    case .double: 5
    case .string: 6
    case .data: 7
    case .date: 8
    case .uuid: 9
    case .decimal: 10
    }
  }
}
