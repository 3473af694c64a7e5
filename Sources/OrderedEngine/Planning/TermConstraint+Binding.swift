internal import ORMStorage

extension TermConstraint {
  /// The keys it leaves among those that begin with a prefix and go on with a term.
  func ranges(
    of term: KeyTerm, after prefix: [UInt8], _ bindings: [StoredValue]
  ) throws -> RangeSet {
    try test.ranges(TermKeys(term, prefix, bindings))
  }

  /// The keys of the single values it leaves, each once and in order.
  func points(
    of term: KeyTerm, after prefix: [UInt8], _ bindings: [StoredValue]
  ) throws -> [[UInt8]] {
    Self.distinct(try test.points(TermKeys(term, prefix, bindings)))
  }

  /// Keys in order, each once.
  private static func distinct(_ points: [[UInt8]]) -> [[UInt8]] {
    // Lists of keys mostly come in order.
    let areRising = zip(points, points.dropFirst()).allSatisfy(RangeSet.precedes)
    if areRising { return points }
    var distinct: [[UInt8]] = []
    for point in points.sorted(by: RangeSet.precedes) where distinct.last != point {
      distinct.append(point)
    }
    return distinct
  }

  /// The keys of the arrays of which the constraints of several terms are parts, each once and in
  /// order.
  static func points(
    of terms: [KeyTerm], _ parts: [TermConstraint], after prefix: [UInt8],
    _ bindings: [StoredValue]
  ) throws -> [[UInt8]] {
    guard case .part(_, _, let list)? = parts.first?.test,
      case .array(let arrays) = try TermKeys(terms[0], [], bindings).value(of: list)
    else { return [] }
    var points: [[UInt8]] = []
    for case .array(let values) in arrays {
      var key: [UInt8]? = prefix
      for (term, constraint) in zip(terms, parts) {
        guard case .part(let index, _, _) = constraint.test, values.indices.contains(index) else {
          return []
        }
        key = key.flatMap { TermKeys(term, $0, bindings).point(values[index]) }
      }
      if let key { points.append(key) }
    }
    return distinct(points)
  }

  /// Appends the bytes of the one value it leaves, for the term; false when no value is left.
  func appendPoint(
    of term: KeyTerm, _ bindings: [StoredValue], to bytes: inout ByteBuffer
  ) throws -> Bool {
    let keys = TermKeys(term, [], bindings)
    switch test {
    case .isNull:
      if term.isTagged { bytes.append(term, value: .null) }
      return term.isTagged
    case .equal(let operand), .hasElement(let operand):
      return keys.append(try keys.value(of: operand), to: &bytes)
    default: return false
    }
  }
}

extension TermConstraint.Test {
  fileprivate func ranges(_ keys: TermKeys) throws -> RangeSet {
    switch self {
    case .isNull, .equal, .hasElement, .isIn, .part:
      return RangeSet(try points(keys).map { KeyRange(prefix: $0) })
    case .isPresent: return RangeSet([keys.present])
    case .begins(let operand):
      guard case .string(let text) = try keys.value(of: operand) else { return .nothing }
      return RangeSet([KeyRange(prefix: keys.beginning(text))])
    case .beginsLike(let operand, let options):
      guard case .string(let pattern) = try keys.value(of: operand) else { return .nothing }
      return keys.beginning(with: LikePattern(pattern, options: options).foldedPrefix)
    case .beginsMatching(let operand):
      guard case .string(let pattern) = try keys.value(of: operand) else { return .nothing }
      return keys.beginning(with: try TextPattern(pattern).literalPrefix ?? "")
    case .bound(let comparator, let operand):
      return keys.beyond(comparator, try keys.value(of: operand))
    case .all(let tests):
      var found: RangeSet?
      for test in tests {
        let ranges = try test.ranges(keys)
        found = found?.intersection(ranges) ?? ranges
      }
      return found ?? .nothing
    case .any(let tests): return RangeSet(try tests.flatMap { try $0.ranges(keys).ranges })
    }
  }
}

extension TermConstraint.Test {
  fileprivate func points(_ keys: TermKeys) throws -> [[UInt8]] {
    switch self {
    case .isNull: return [keys.null].compactMap { $0 }
    case .equal(let operand), .hasElement(let operand):
      return [keys.point(try keys.value(of: operand))].compactMap { $0 }
    case .isIn(let list):
      guard case .array(let elements) = try keys.value(of: list) else { return [] }
      return keys.points(elements)
    case .any(let tests): return try tests.flatMap { try $0.points(keys) }
    // Parts are bound together with those of other terms.
    case .isPresent, .bound, .begins, .beginsLike, .beginsMatching, .part, .all: return []
    }
  }
}

/// Makes the bytes of one term, after those of the terms before it.
private struct TermKeys {
  private let term: KeyTerm
  private let prefix: [UInt8]
  private let bindings: [StoredValue]
  private let domain: KeyDomain

  init(_ term: KeyTerm, _ prefix: [UInt8], _ bindings: [StoredValue]) {
    self.term = term
    self.prefix = prefix
    self.bindings = bindings
    domain = KeyDomain(term.encoding)
  }

  /// The value of an operand that does not depend on a row.
  func value(of operand: Operand) throws -> StoredValue {
    switch operand {
    case .value(let value): return value
    case .parameter(let slot, _), .parameterList(let slot, _, capacity: _):
      guard bindings.indices.contains(slot) else {
        throw StoreError(.invalidCondition, "the request has no value for one of its parameters")
      }
      return bindings[slot]
    default: return .null
    }
  }

  private func bytes(_ append: (inout ByteBuffer) -> Void) -> [UInt8] {
    var buffer = ByteBuffer()
    prefix.withUnsafeBytes { buffer.append($0) }
    append(&buffer)
    return Array(buffer.bytes)
  }

  private func key(_ value: StoredValue) -> [UInt8] { bytes { $0.append(term, value: value) } }

  /// The bytes of null; nil when the term never is.
  var null: [UInt8]? { term.isTagged ? key(.null) : nil }

  /// Every value but null.
  var present: KeyRange {
    guard term.isTagged else { return KeyRange(prefix: prefix) }
    let tag = term.isDescending ? ~KeyTerm.valueTag : KeyTerm.valueTag
    return KeyRange(prefix: prefix + [tag])
  }

  /// Returns the bytes of the key that equals a value; nil when none does.
  func point(_ value: StoredValue) -> [UInt8]? {
    guard case .at(let member, isEqual: true) = domain.position(of: value) else { return nil }
    return key(member)
  }

  /// Returns the bytes of the keys that equal some values, in the values' order.
  func points(_ values: [StoredValue]) -> [[UInt8]] {
    var points: [[UInt8]] = []
    points.reserveCapacity(values.count)
    var buffer = ByteBuffer()
    prefix.withUnsafeBytes { buffer.append($0) }
    for value in values {
      guard case .at(let member, isEqual: true) = domain.position(of: value) else { continue }
      buffer.truncate(to: prefix.count)
      buffer.append(term, value: member)
      points.append(Array(buffer.bytes))
    }
    return points
  }

  /// Appends the bytes of the key that equals a value; returns false when none does.
  func append(_ value: StoredValue, to bytes: inout ByteBuffer) -> Bool {
    guard case .at(let member, isEqual: true) = domain.position(of: value) else { return false }
    bytes.append(term, value: member)
    return true
  }

  /// Returns the bytes with which the keys of all texts that have this beginning begin.
  func beginning(_ text: String) -> [UInt8] { bytes { $0.append(term, beginning: text) } }

  /// The keys of all texts that begin so; of those that begin with nothing, every value.
  func beginning(with text: String) -> RangeSet {
    RangeSet([text.isEmpty ? present : KeyRange(prefix: beginning(text))])
  }

  /// The keys on one side of a value.
  func beyond(_ comparator: Comparator, _ value: StoredValue) -> RangeSet {
    let takesGreater = comparator == .greater || comparator == .greaterOrEqual
    switch domain.position(of: value) {
    case .nowhere: return .nothing
    case .below: return takesGreater ? RangeSet([present]) : .nothing
    case .at(let member, let isEqual):
      // Keys less than the value end before or after the member, which is not greater.
      let takesMember: Bool =
        switch comparator {
        case .greaterOrEqual: isEqual
        case .less: !isEqual
        case .lessOrEqual: true
        default: false
        }
      let bytes = key(member)
      // Keys of greater values come first in a descending term.
      let isUpper = takesGreater == term.isDescending
      let bound = takesMember == isUpper ? KeyRange.end(of: bytes) : bytes
      var range = present
      if isUpper {
        range.upper = bound
      } else if let bound {
        range.lower = bound
      } else {
        return .nothing
      }
      return RangeSet([range])
    }
  }
}
