internal import ORMValues

extension Condition {
  /// The parts of a normalized condition that must all hold.
  package var parts: [Condition] {
    switch self {
    case .constant(true): []
    case .all(let parts): parts
    default: [self]
    }
  }

  /// Joins normalized conditions by AND (`neutral` true) or OR (`neutral` false).
  static func join(_ conditions: [Condition], neutral: Bool) -> Condition {
    var parts: [Condition] = []
    for condition in conditions {
      switch condition {
      case .constant(let value):
        // A pending error is not dropped.
        if value != neutral, !conditions.contains(where: { $0.firstError != nil }) {
          return .constant(value)
        }
      case .all(let inner) where neutral: parts += inner
      case .any(let inner) where !neutral: parts += inner
      case let part: parts.append(part)
      }
    }
    parts = parts.withoutDuplicates()
    if !neutral, parts.count > 1 { parts = equalitiesAsLists(parts) }
    switch parts.count {
    case 0: return .constant(neutral)
    case 1: return parts[0]
    default: return neutral ? .all(parts) : .any(parts)
    }
  }

  /// The sides of an OR with one list for all that an operand may equal, where its first stood.
  private static func equalitiesAsLists(_ parts: [Condition]) -> [Condition] {
    var positions: [EqualityList.Element: Int] = [:]
    var lists: [Int: EqualityList] = [:]
    var joined: [Condition] = []
    for part in parts {
      guard let list = EqualityList(part) else {
        joined.append(part)
        continue
      }
      if let position = positions[list.element] {
        lists[position]?.append(list)
      } else {
        positions[list.element] = joined.count
        lists[joined.count] = list
        joined.append(part)
      }
    }
    guard joined.count < parts.count else { return parts }
    for (position, list) in lists {
      if let condition = list.condition { joined[position] = condition }
    }
    return joined
  }
}

/// The values that an operand may equal on the sides of an OR.
private struct EqualityList {
  struct Element: Hashable {
    let operand: Operand
    let options: TextOptions
  }

  let element: Element
  private var values: [StoredValue] = []
  private var literals: [Operand] = []

  /// The list of an equality or of an `IN`; nil for any other condition.
  init?(_ condition: Condition) {
    switch condition {
    case .compare(let left, .equal, .value(let value), let options) where value.isListable:
      element = Element(operand: left, options: options)
      values = [value]
    case .isIn(let left, .value(.array(let list)), let options):
      element = Element(operand: left, options: options)
      values = list
    case .compare(let left, .equal, let literal, let options)
    where literal.numberedLiteral != nil:
      element = Element(operand: left, options: options)
      literals = [literal]
    case .isIn(let left, let list, let options) where list.numberedLiteral != nil:
      element = Element(operand: left, options: options)
      literals = [list]
    case .isIn(let left, .list(let parts), let options) where parts.allSatisfy(\.isLiteral):
      element = Element(operand: left, options: options)
      literals = parts
    default: return nil
    }
  }

  mutating func append(_ other: EqualityList) {
    values += other.values
    literals += other.literals
  }

  /// The condition for the list; nil if it holds one value.
  var condition: Condition? {
    if !literals.isEmpty {
      let parts = literals + values.map { .value($0) }
      return .isIn(element.operand, list: .list(parts), element.options)
    }
    let list = values.asSet()
    guard list.count > 1 else { return nil }
    return .isIn(element.operand, list: .value(.array(list)), element.options)
  }
}

extension [Condition] {
  /// The conditions, each once, where it first stood.
  fileprivate func withoutDuplicates() -> [Condition] {
    // Few are compared one by one, which is cheaper than their hashes.
    if count <= 8 {
      var distinct: [Condition] = []
      for condition in self where !distinct.contains(condition) { distinct.append(condition) }
      return distinct.count == count ? self : distinct
    }
    var seen: Set<Condition> = []
    return filter { seen.insert($0).inserted }
  }
}

extension StoredValue {
  /// True if an IN whose list holds the value asks the same as an `==` with it.
  fileprivate var isListable: Bool {
    switch self {
    case .null, .array, .json: false
    default: !isNaN
    }
  }
}

extension [StoredValue] {
  /// The values in order, each once; without nil, which the lists of stores do not hold, and NaN,
  /// which equals nothing.
  package func asSet() -> [StoredValue] {
    switch first {
    case .int: if let integers = integersAsSet() { return integers }
    case .string: if let texts = textsAsSet() { return texts }
    default: break
    }
    let values = filter { !$0.isNull && !$0.isNaN }.sorted { a, b in
      let order = StoredValue.order(a, b)
      return order == 0 ? a.rank < b.rank : order < 0
    }
    return values.indices.compactMap {
      $0 > 0 && StoredValue.equals(values[$0 - 1], values[$0]) ? nil : values[$0]
    }
  }

  /// Returns the result of `asSet` for integers alone; nil for others.
  private func integersAsSet() -> [StoredValue]? {
    var integers: [Int64] = []
    integers.reserveCapacity(count)
    for value in self {
      guard case .int(let number) = value else { return nil }
      integers.append(number)
    }
    if zip(integers, integers.dropFirst()).allSatisfy(<) { return self }
    integers.sort()
    return integers.indices.compactMap {
      $0 > 0 && integers[$0 - 1] == integers[$0] ? nil : .int(integers[$0])
    }
  }

  /// Returns the result of `asSet` for texts alone; nil for others.
  private func textsAsSet() -> [StoredValue]? {
    var texts: [String] = []
    texts.reserveCapacity(count)
    for value in self {
      guard case .string(let text) = value else { return nil }
      texts.append(text)
    }
    // Swift's order is the quicker one; texts that it takes for equal are put in order by their
    // bytes.
    texts.sort()
    var start = 0
    while start < texts.count {
      var end = start + 1
      while end < texts.count, texts[end] == texts[start] { end += 1 }
      if end > start + 1 {
        texts[start..<end].sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      }
      start = end
    }
    return texts.indices.compactMap {
      $0 > 0 && texts[$0 - 1].utf8.elementsEqual(texts[$0].utf8) ? nil : .string(texts[$0])
    }
  }
}

extension StoredValue {
  /// The rank among equal values, of which the lowest comes first.
  fileprivate var rank: Int {
    switch self {
    case .int: 0
    case .uint: 1
    case .decimal: 2
    // Minus zero equals zero.
    case .double(let value): value.sign == .minus ? 4 : 3
    default: 5
    }
  }
}
