package import ORMValues

/// A condition ready to be asked of rows, by one cursor.
public struct BoundCondition {
  let root: Node

  indirect enum Node {
    case constant(Bool)
    case not(Node)
    case all([Node])
    case any([Node])
    case isNull(Int)
    case intColumn(Int, Comparator, Int64)
    case intColumnAmong(Int, IntegerList)
    case doubleColumn(Int, Comparator, Double)
    case stringColumn(Int, Comparator, [UInt8])
    case textColumn(Int, TextMatcher)
    case textValue(BoundOperand.Node, TextMatcher)
    case compare(BoundOperand.Node, Comparator, BoundOperand.Node)
    case compareTexts(BoundOperand.Node, Comparator, BoundOperand.Node, TextOptions)
    case isInSet(BoundOperand.Node, ListSet)
    case isIn(BoundOperand.Node, BoundOperand.Node, TextOptions)
    case text(BoundOperand.Node, TextOperator, BoundOperand.Node, TextOptions)
    case exists(BoundRelated)
    case someItem(BoundOperand.Node, ItemSlots, Int, Node)
  }

  /// Returns whether the condition holds for a row whose columns are the entity's.
  public func matches<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> Bool {
    try Self.matches(root, row)
  }

  /// The same for a row in core's own form of bytes, compiled for it.
  package func matches(record: RecordReader) throws -> Bool { try Self.matches(root, record) }

  /// The most parts that are asked of a row without a look at the end of the operation.
  private static var widest: Int { 256 }

  /// Returns whether one of many parts has an answer for a row.
  @inline(never)
  private static func anyMatch<R: RowReader & ~Copyable>(
    _ parts: [Node], _ row: borrowing R, _ answer: Bool
  ) throws -> Bool {
    var check = StopCheck(every: UInt32(widest))
    for part in parts {
      try check.step()
      if try matches(part, row) == answer { return true }
    }
    return false
  }

  static func matches<R: RowReader & ~Copyable>(
    _ node: Node, _ row: borrowing R
  ) throws -> Bool {
    switch node {
    case .constant(let value): return value
    case .not(let inner): return try !matches(inner, row)
    case .all(let parts):
      if parts.count > widest { return try !anyMatch(parts, row, false) }
      for part in parts where try !matches(part, row) { return false }
      return true
    case .any(let parts):
      if parts.count > widest { return try anyMatch(parts, row, true) }
      for part in parts where try matches(part, row) { return true }
      return false
    case .isNull(let column): return try row.isNull(at: column)
    case .intColumn(let column, let comparator, let number):
      if try row.isNull(at: column) { return comparator == .notEqual }
      let stored = try row.int64(at: column)
      return comparator.holds(stored < number ? -1 : (stored == number ? 0 : 1))
    case .intColumnAmong(let column, let list):
      if try row.isNull(at: column) { return list.holdsNull }
      return list.contains(try row.int64(at: column))
    case .doubleColumn(let column, let comparator, let number):
      if try row.isNull(at: column) { return comparator == .notEqual }
      let stored = try row.double(at: column)
      switch comparator {
      case .equal: return stored == number
      case .notEqual: return stored != number
      case .less: return stored < number
      case .lessOrEqual: return stored <= number
      case .greater: return stored > number
      case .greaterOrEqual: return stored >= number
      }
    case .stringColumn(let column, let comparator, let bytes):
      if try row.isNull(at: column) { return comparator == .notEqual }
      return try row.withBytes(at: column) { stored in
        bytes.withUnsafeBytes { comparator.holds(compareUTF8(stored, $0)) }
      }
    case .textColumn(let column, let matcher):
      if try row.isNull(at: column) { return false }
      return try row.withBytes(at: column) { text in try known { matcher.answer(utf8: text) } }
    case .textValue(let operand, let matcher):
      let value = try evaluate(operand, row)
      guard case .string(let text) = value else { return false }
      return try known { matcher.answer(text) }
    case .compare(let left, let comparator, let right):
      return compare(try evaluate(left, row), comparator, try evaluate(right, row))
    case .compareTexts(let left, let comparator, let right, let options):
      return compare(
        try evaluate(left, row).folded(options), comparator,
        try evaluate(right, row).folded(options))
    case .isInSet(let operand, let set): return set.contains(try evaluate(operand, row))
    case .isIn(let operand, let list, let options):
      guard let elements = try evaluate(list, row).elements else { return false }
      let element = try evaluate(operand, row).folded(options)
      var check = StopCheck(every: 1_024)
      return try elements.contains {
        try check.step()
        return StoredValue.equals(element, $0.folded(options))
      }
    case .text(let operand, let symbol, let other, let options):
      guard case .string(let text) = try evaluate(operand, row),
        case .string(let needle) = try evaluate(other, row)
      else { return false }
      let matcher = try symbol.matcher(needle, options)
      return try known { matcher.answer(text) }
    case .exists(let related): return try related.exists(for: row)
    case .someItem(let array, let items, let slot, let condition):
      for element in try evaluate(array, row).elements ?? [] {
        try items.check.step()
        items.values[slot] = element
        if try matches(condition, row) { return true }
      }
      return false
    }
  }

  /// Returns the answer of a text operator, which has none for an operation that is to end early.
  ///
  /// - Throws: the error of that operation.
  @inline(__always)
  private static func known(_ answer: () -> Bool?) throws -> Bool {
    while true {
      if let answer = answer() { return answer }
      try RunningOperation.check()
    }
  }

  private static func evaluate<R: RowReader & ~Copyable>(
    _ node: BoundOperand.Node, _ row: borrowing R
  ) throws -> StoredValue {
    try BoundOperand.evaluate(node, row, throwsOverflow: false)
  }

  static func compare(
    _ left: StoredValue, _ comparator: Comparator, _ right: StoredValue
  ) -> Bool {
    switch comparator {
    case .equal: return StoredValue.equals(left, right)
    case .notEqual: return !StoredValue.equals(left, right)
    default:
      guard let order = StoredValue.compare(left, right) else { return false }
      return comparator.holds(order.rawValue)
    }
  }
}

extension BoundCondition {
  /// A list looked up by hash, its elements folded once.
  struct ListSet: Sendable {
    private let keys: Set<GroupKey>
    private let options: TextOptions

    init(_ list: StoredValue, options: TextOptions) {
      self.options = options
      guard case .array(let elements) = list else {
        keys = []
        return
      }
      keys = Set(elements.map { GroupKey([$0.folded(options)]) })
    }

    func contains(_ element: StoredValue) -> Bool {
      if case .double(let number) = element, number.isNaN { return false }
      return keys.contains(GroupKey([element.folded(options)]))
    }
  }
}

extension StoredValue {
  /// A text after folding; any other value as it is.
  package func folded(_ options: TextOptions) -> StoredValue {
    guard !options.isEmpty, case .string(let text) = self else { return self }
    return .string(TextFolding.fold(text, options))
  }
}

extension Comparator {
  /// Returns whether the operator holds for the sign of a three-way comparison.
  package func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}

extension TextOperator {
  /// Reads a pattern that a condition writes down, to refuse one that cannot be read or is too long.
  ///
  /// - Throws: `invalidCondition`, `tooComplex`.
  package func checkPattern(_ pattern: String, _ options: TextOptions) throws {
    switch self {
    case .matches: _ = try TextPattern(pattern, options: options)
    case .like: try LikePattern.checkLength(of: pattern)
    case .contains, .beginsWith, .endsWith: break
    }
  }

  /// The operator with its right side made ready.
  func matcher(_ needle: String, _ options: TextOptions) throws -> TextMatcher {
    switch self {
    case .contains: TextMatcher(.contains, needle: needle, options: options)
    case .beginsWith: TextMatcher(.beginsWith, needle: needle, options: options)
    case .endsWith: TextMatcher(.endsWith, needle: needle, options: options)
    case .like: TextMatcher(.like, needle: needle, options: options)
    case .matches: TextMatcher(matching: try TextPattern(needle, options: options))
    }
  }
}
