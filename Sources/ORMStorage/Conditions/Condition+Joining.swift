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
        // An error that waits is not passed over.
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
    struct Element: Hashable {
      let operand: Operand
      let options: TextOptions
    }
    var places: [Element: Int] = [:]
    var values: [Int: [StoredValue]] = [:]
    var joined: [Condition] = []
    for part in parts {
      let element: Element
      let own: [StoredValue]
      switch part {
      case .compare(let left, .equal, .value(let value), let options) where value.isListable:
        element = Element(operand: left, options: options)
        own = [value]
      case .isIn(let left, .value(.array(let list)), let options):
        element = Element(operand: left, options: options)
        own = list
      default:
        joined.append(part)
        continue
      }
      if let place = places[element] {
        values[place]?.append(contentsOf: own)
      } else {
        places[element] = joined.count
        values[joined.count] = own
        joined.append(part)
      }
    }
    guard joined.count < parts.count else { return parts }
    for (element, place) in places {
      guard let list = values[place]?.asSet(), list.count > 1 else { continue }
      joined[place] = .isIn(element.operand, list: .value(.array(list)), element.options)
    }
    return joined
  }
}

extension [Condition] {
  /// The conditions, each once, where it first stood.
  fileprivate func withoutDuplicates() -> [Condition] {
    // Few are compared one by one, which is cheaper than their hashes.
    if count <= 8 {
      var kept: [Condition] = []
      for condition in self where !kept.contains(condition) { kept.append(condition) }
      return kept.count == count ? self : kept
    }
    var seen: Set<Condition> = []
    return filter { seen.insert($0).inserted }
  }
}

extension StoredValue {
  /// True if the value can stand in the list of an IN for what an `==` asks.
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

  /// As `asSet`, of integers alone; nil for others.
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

  /// As `asSet`, of texts alone; nil for others.
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
