/// The Unicode data behind folding, normalisation and case mapping: one version, for every store.
///
/// Read once, at the first text that is not ASCII, from the packed literals that
/// `Scripts/make-unicode-tables.py` writes. Scalars that the version does not know map to
/// themselves, have class 0, and are neither marks nor cased.
final class UnicodeTables: Sendable {
  /// The one instance.
  static let shared = UnicodeTables()

  /// The properties of a scalar.
  struct Properties: Sendable {
    let bits: UInt16

    /// Canonical combining class.
    @inline(__always) var combiningClass: UInt8 { UInt8(truncatingIfNeeded: bits) }
    /// General category Mn.
    @inline(__always) var isMark: Bool { bits & Self.mark != 0 }
    /// Cased, and not Case_Ignorable.
    @inline(__always) var isCased: Bool { bits & Self.cased != 0 }
    /// The scalars with the property Case_Ignorable.
    @inline(__always) var isCaseIgnorable: Bool { bits & Self.ignorable != 0 }
    /// Class 0, and NFC_Quick_Check is Yes: a text of such scalars is in NFC in any order.
    @inline(__always) var isSettled: Bool { bits & (0xFF | Self.unsettled) == 0 }

    fileprivate static let mark: UInt16 = 1 << 8
    fileprivate static let cased: UInt16 = 1 << 9
    fileprivate static let ignorable: UInt16 = 1 << 10
    fileprivate static let unsettled: UInt16 = 1 << 11
  }

  /// A mapping from a scalar to one or more.
  struct Mapping: Sendable {
    /// 0 for a scalar that maps to itself, or where in `targets` its scalars are.
    fileprivate var table = ScalarTable()
    /// The length of each mapping, then its scalars.
    private var targets: [UInt32] = [0]

    /// Calls `body` with each scalar that `scalar` maps to.
    @inline(__always)
    func forEach(_ scalar: UInt32, _ body: (UInt32) -> Void) {
      let start = Int(table[scalar])
      guard start != 0 else { return body(scalar) }
      for i in start + 1..<start + 1 + Int(targets[start]) { body(targets[i]) }
    }

    /// Maps `scalar`, of which nothing was said before, to `mapped`.
    mutating func insert(_ scalar: UInt32, _ mapped: [UInt32]) {
      let start = UInt16(targets.count)
      table.update(scalar) { $0 = start }
      targets.append(UInt32(mapped.count))
      targets += mapped
    }
  }

  private let properties: ScalarTable
  /// Full case foldings.
  let folds: Mapping
  /// Full uppercase mappings.
  let uppers: Mapping
  /// Full lowercase mappings, without the one for a final sigma.
  let lowers: Mapping
  /// Full canonical decompositions, without Hangul.
  let decompositions: Mapping
  /// The primary composites and their two parts, in the order of the parts.
  private let pairs: [UInt64]
  private let composites: [UInt32]

  /// Returns the properties of `scalar`.
  @inline(__always)
  func properties(of scalar: UInt32) -> Properties { Properties(bits: properties[scalar]) }

  /// Calls `body` once with each scalar that has properties, or is not its own fold or NFD;
  /// but not with Hangul syllables.
  func forEachNotPlain(_ body: (UInt32) -> Void) {
    properties.forEachScalar(body)
    folds.table.forEachScalar { if properties[$0] == 0 { body($0) } }
    decompositions.table.forEachScalar {
      if properties[$0] == 0, folds.table[$0] == 0 { body($0) }
    }
  }

  /// The primary composite of two scalars, without Hangul.
  func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
    let pair = Self.pair(first, second)
    var low = 0
    var high = pairs.count
    while low < high {
      let middle = (low + high) / 2
      if pairs[middle] < pair { low = middle + 1 } else { high = middle }
    }
    return low < pairs.count && pairs[low] == pair ? composites[low] : nil
  }

  private static func pair(_ first: UInt32, _ second: UInt32) -> UInt64 {
    UInt64(first) << 32 | UInt64(second)
  }

  private init() {
    folds = Self.caseMapping(Self.folds, long: Self.foldsLong)
    uppers = Self.caseMapping(Self.uppers, long: Self.uppersLong)
    lowers = Self.caseMapping(Self.lowers, long: Self.lowersLong)

    let levels = Self.decompositionLevels()
    var full = Mapping()
    for level in levels.values { full.insert(level.scalar, Self.expand(level.scalar, levels)) }
    decompositions = full

    let known = levels.values.compactMap { level in
      level.isRecomposed
        ? (pair: Self.pair(level.parts[0], level.parts[1]), scalar: level.scalar) : nil
    }.sorted { $0.pair < $1.pair }
    pairs = known.map(\.pair)
    composites = known.map(\.scalar)

    properties = Self.readProperties(levels.values)
  }
}

extension UnicodeTables {
  /// One level of a canonical decomposition.
  private struct Level {
    let scalar: UInt32
    let parts: [UInt32]
    /// True if NFC puts the parts together again.
    let isRecomposed: Bool
  }

  private static func decompositionLevels() -> [UInt32: Level] {
    var levels: [UInt32: Level] = [:]
    var numbers = PackedNumbers(decompositions)
    var scalar: UInt32 = 0
    var first: UInt32 = 0
    while let head = numbers.next() {
      scalar += head >> 2
      first = first &+ numbers.nextDelta()
      var parts = [first]
      if head & 1 != 0, let second = numbers.next() { parts.append(second) }
      levels[scalar] = Level(scalar: scalar, parts: parts, isRecomposed: head & 2 == 0)
    }
    return levels
  }

  private static func expand(_ scalar: UInt32, _ levels: [UInt32: Level]) -> [UInt32] {
    levels[scalar].map { $0.parts.flatMap { expand($0, levels) } } ?? [scalar]
  }

  private static func caseMapping(_ single: StaticString, long: StaticString) -> Mapping {
    var mapping = Mapping()
    var numbers = PackedNumbers(single)
    var scalar: UInt32 = 0
    while let gap = numbers.next(), let shape = numbers.next() {
      let delta = numbers.nextDelta()
      scalar += gap
      mapping.insert(scalar, [scalar &+ delta])
      for _ in 0..<shape >> 1 {
        scalar += shape & 1 + 1
        mapping.insert(scalar, [scalar &+ delta])
      }
    }
    numbers = PackedNumbers(long)
    scalar = 0
    while let gap = numbers.next(), let count = numbers.next() {
      scalar += gap
      mapping.insert(scalar, (0..<count).map { _ in scalar &+ numbers.nextDelta() })
    }
    return mapping
  }

  private static func readProperties(_ levels: some Sequence<Level>) -> ScalarTable {
    var table = ScalarTable()
    for (ranges, bit) in [
      (marks, Properties.mark), (cased, Properties.cased), (ignorable, Properties.ignorable),
    ] {
      var numbers = PackedNumbers(ranges)
      var end: UInt32 = 0
      while let gap = numbers.next(), let more = numbers.next() {
        let start = end + gap
        end = start + more + 1
        for scalar in start..<end { table.update(scalar) { $0 |= bit } }
      }
    }
    var numbers = PackedNumbers(classes)
    var end: UInt32 = 0
    while let gap = numbers.next(), let more = numbers.next(), let number = numbers.next() {
      let start = end + gap
      end = start + more + 1
      for scalar in start..<end { table.update(scalar) { $0 |= UInt16(number) } }
    }
    for level in levels {
      let moved = level.isRecomposed ? level.parts[1] : level.scalar
      table.update(moved) { $0 |= Properties.unsettled }
    }
    for scalar in Hangul.joining { table.update(scalar) { $0 |= Properties.unsettled } }
    return table
  }
}

/// Reads the numbers of a packed literal; the script that writes them says how they are packed.
struct PackedNumbers {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ text: StaticString) {
    bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
  }

  /// The next number, or nil at the end.
  mutating func next() -> UInt32? {
    var value: UInt32 = 0
    var shift: UInt32 = 0
    while position < bytes.count {
      let byte = UInt32(bytes[position])
      position += 1
      guard byte >= 48 else { continue }  // a line's end
      value |= ((byte - 48) & 31) << shift
      if byte - 48 < 32 { return value }
      shift += 5
    }
    return nil
  }

  /// The next number as a signed one, to be added with wrap-around.
  mutating func nextDelta() -> UInt32 {
    let number = next() ?? 0
    return number & 1 == 0 ? number >> 1 : 0 &- (number >> 1) &- 1
  }
}
