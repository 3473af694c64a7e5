internal import ORMStorage

/// Primary keys that were collected, each once and in their order.
///
/// A key of eight bytes is stored as a number.
struct SortedKeySet {
  private let hasNumbers: Bool
  private var numbers: [UInt64] = []
  private var bytes: [UInt8] = []
  private var items: [Item] = []

  private struct Item {
    /// The first eight bytes as a number, so that most comparisons need no more.
    var abbreviatedKey: UInt64
    var start: Int
    var end: Int
  }

  /// Creates an empty set of keys of one length; nil when lengths differ.
  init(width: Int?) { hasNumbers = width == 8 }

  /// The number of keys.
  var count: Int { hasNumbers ? numbers.count : items.count }

  /// Adds a key; `finish` sorts it in.
  mutating func append(_ key: UnsafeRawBufferPointer) {
    if hasNumbers {
      numbers.append(key.abbreviatedKey)
    } else {
      let start = bytes.count
      bytes.append(contentsOf: key)
      items.append(Item(abbreviatedKey: key.abbreviatedKey, start: start, end: bytes.count))
    }
  }

  /// Puts the keys in order, each once.
  mutating func finish() throws {
    if hasNumbers {
      try numbers.sortStoppably(by: <)
      var written = 0
      for index in numbers.indices where written == 0 || numbers[written - 1] != numbers[index] {
        numbers[written] = numbers[index]
        written += 1
      }
      numbers.removeLast(numbers.count - written)
      return
    }
    var order = items
    try bytes.withUnsafeBytes { bytes in
      try order.sortStoppably { Self.compare($0, $1, bytes) == .less }
    }
    items = []
    bytes.withUnsafeBytes { bytes in
      for item in order {
        if let last = items.last, Self.compare(last, item, bytes) == .equal { continue }
        items.append(item)
      }
    }
  }

  /// Keeps the keys that are in another set too; both are finished.
  mutating func formIntersection(_ other: SortedKeySet) {
    var index = 0
    var written = 0
    for position in 0..<count {
      while index < other.count, isLess(other, index, position) { index += 1 }
      guard index < other.count, isEqual(other, index, position) else { continue }
      if hasNumbers {
        numbers[written] = numbers[position]
      } else {
        items[written] = items[position]
      }
      written += 1
    }
    if hasNumbers {
      numbers.removeLast(numbers.count - written)
    } else {
      items.removeLast(items.count - written)
    }
  }

  /// Calls `body` with a key.
  func withKey<R>(
    at position: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    if hasNumbers {
      return try withUnsafeBytes(of: numbers[position].bigEndian, body)
    }
    let item = items[position]
    return try bytes.withUnsafeBytes {
      try body(UnsafeRawBufferPointer(rebasing: $0[item.start..<item.end]))
    }
  }

  /// Calls `body` with each key.
  func forEach(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    for position in 0..<count { try withKey(at: position, body) }
  }

  private func isLess(_ other: SortedKeySet, _ index: Int, _ position: Int) -> Bool {
    if hasNumbers { return other.numbers[index] < numbers[position] }
    return other.withKey(at: index) { theirs in
      withKey(at: position) { ByteOrder.compare(theirs, $0) == .less }
    }
  }

  private func isEqual(_ other: SortedKeySet, _ index: Int, _ position: Int) -> Bool {
    if hasNumbers { return other.numbers[index] == numbers[position] }
    return other.withKey(at: index) { theirs in
      withKey(at: position) { theirs.elementsEqual($0) }
    }
  }

  private static func compare(
    _ a: Item, _ b: Item, _ bytes: UnsafeRawBufferPointer
  ) -> StoredValue.Comparison {
    if a.abbreviatedKey != b.abbreviatedKey {
      return a.abbreviatedKey < b.abbreviatedKey ? .less : .greater
    }
    return ByteOrder.compare(
      UnsafeRawBufferPointer(rebasing: bytes[a.start..<a.end]),
      UnsafeRawBufferPointer(rebasing: bytes[b.start..<b.end]))
  }
}
