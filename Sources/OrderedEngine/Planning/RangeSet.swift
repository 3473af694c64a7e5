internal import ORMStorage

/// Ranges of keys that lie apart from each other, in order.
struct RangeSet {
  private(set) var ranges: [KeyRange]

  /// No key.
  static let nothing = RangeSet([])

  /// The keys that are in any of the ranges.
  init(_ ranges: [KeyRange]) {
    self.ranges = []
    let sorted = ranges.filter { !$0.isEmpty }.sorted { Self.precedes($0.lower, $1.lower) }
    for range in sorted {
      guard let last = self.ranges.last, let end = last.upper else {
        if self.ranges.isEmpty { self.ranges.append(range) }
        continue
      }
      if Self.precedes(end, range.lower) {
        self.ranges.append(range)
      } else if let upper = range.upper {
        if Self.precedes(end, upper) { self.ranges[self.ranges.count - 1].upper = upper }
      } else {
        self.ranges[self.ranges.count - 1].upper = nil
      }
    }
  }

  /// The keys that are in both.
  func intersection(_ other: RangeSet) -> RangeSet {
    var shared: [KeyRange] = []
    var (i, j) = (0, 0)
    while i < ranges.count && j < other.ranges.count {
      let (a, b) = (ranges[i], other.ranges[j])
      let lower = Self.precedes(a.lower, b.lower) ? b.lower : a.lower
      let endsFirst = Self.ends(a, before: b)
      shared.append(KeyRange(lower: lower, upper: endsFirst ? a.upper : b.upper))
      if endsFirst { i += 1 } else { j += 1 }
    }
    return RangeSet(shared)
  }

  /// Returns whether a key is in one of the ranges.
  func contains(_ key: [UInt8]) -> Bool {
    ranges.contains { range in
      !Self.precedes(key, range.lower) && (range.upper.map { Self.precedes(key, $0) } ?? true)
    }
  }

  private static func ends(_ a: KeyRange, before b: KeyRange) -> Bool {
    guard let end = a.upper else { return false }
    guard let other = b.upper else { return true }
    return precedes(end, other)
  }

  static func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.withUnsafeBytes { a in b.withUnsafeBytes { b in ByteOrder.compare(a, b) == .less } }
  }
}

extension KeyRange {
  /// True if no key can be in it.
  var isEmpty: Bool {
    guard let upper else { return false }
    return lower.withUnsafeBytes { lower in
      upper.withUnsafeBytes { ByteOrder.compare(lower, $0) != .less }
    }
  }

  /// The keys that begin with these bytes.
  init(prefix: [UInt8]) {
    self.init(lower: prefix, upper: Self.end(of: prefix))
  }

  /// Makes it the keys that begin with these bytes, in the memory that it has.
  mutating func begin(with prefix: UnsafeRawBufferPointer) {
    // Mostly there are as many bytes as before, the last of which can be counted up.
    if lower.count == prefix.count, upper?.count == prefix.count, let last = prefix.last,
      last < 0xFF
    {
      lower.withUnsafeMutableBytes { $0.copyMemory(from: prefix) }
      upper?.withUnsafeMutableBytes {
        $0.copyMemory(from: prefix)
        $0[prefix.count - 1] = last + 1
      }
      return
    }
    lower.removeAll(keepingCapacity: true)
    lower.append(contentsOf: prefix)
    var end = upper ?? []
    upper = nil
    end.removeAll(keepingCapacity: true)
    end.append(contentsOf: prefix)
    while let last = end.last, last == 0xFF { end.removeLast() }
    guard let last = end.last else { return }
    end[end.count - 1] = last + 1
    upper = end
  }

  /// The least bytes that are greater than all that begin with these; nil when there are none.
  static func end(of prefix: [UInt8]) -> [UInt8]? {
    var end = prefix
    while let last = end.last {
      if last < 0xFF {
        end[end.count - 1] = last + 1
        return end
      }
      end.removeLast()
    }
    return nil
  }
}
