internal import ORMStorage

extension ShapeSignature {
  /// Writes a condition.
  mutating func write(_ condition: Condition) {
    guard isPlain else { return }
    depth += 1
    defer { depth -= 1 }
    if depth > Self.deepest { return refuse() }
    switch condition {
    case .constant(let isTrue): byte(isTrue ? 1 : 0)
    case .not(let inner):
      byte(2)
      write(inner)
    case .all(let parts):
      byte(3)
      write(parts)
    case .any(let parts):
      byte(4)
      write(parts)
    case .compare(let left, let comparator, let right, let options):
      byte(5)
      byte(Self.tag(of: comparator))
      byte(options.rawValue)
      refuseFolding(left, right)
      write(left)
      write(right)
    case .isIn(let element, .value(.array(let elements)), let options):
      byte(6)
      byte(options.rawValue)
      if case .value = element { return refuse() }
      write(element)
      write(list: elements)
    case .isIn(let element, let list, let options):
      byte(7)
      byte(options.rawValue)
      if case .value = list { return refuse() }
      write(element)
      write(list)
    case .text(let text, let symbol, let other, let options):
      byte(8)
      byte(Self.tag(of: symbol))
      byte(options.rawValue)
      // A pattern is read before it is asked.
      if symbol == .matches { return refuse() }
      if symbol == .like, case .value(.string(let pattern)) = other,
        pattern.utf8.count > LikePattern.lengthLimit
      {
        return refuse()
      }
      refuseFolding(text, other)
      write(text)
      write(other)
    case .some(let elements, let inner):
      byte(9)
      write(elements)
      write(inner)
    case .someItem(let array, let scope, let inner):
      byte(10)
      writeInner(array)
      write(number: scope)
      write(inner)
    // Requests with other conditions are lowered each time.
    default: refuse()
    }
  }

  private mutating func write(_ parts: [Condition]) {
    write(count: parts.count)
    for part in parts { write(part) }
  }

  /// Refuses a signature if a comparison is computed before a store is asked.
  ///
  /// That is so for a comparison of two constants, and for a test of whether there is an element.
  private mutating func refuseFolding(_ left: Operand, _ right: Operand) {
    switch (left, right) {
    case (.value, .value): refuse()
    case (.value(.int(0...1)), let other), (let other, .value(.int(0...1))):
      switch other {
      case .ofElements, .ofItems: refuse()
      default: break
      }
    default: break
    }
  }

  /// Writes one key of an order.
  mutating func write(_ term: SortTerm) {
    write(term.operand)
    byte(term.isDescending ? 1 : 0)
    byte(term.nils == nil ? 0 : term.nils == .first ? 1 : 2)
    byte(term.options.rawValue)
  }

  /// Writes the output.
  mutating func write(_ output: FetchShape.Output) {
    switch output {
    case .rows: byte(0)
    case .values(let operands):
      byte(1)
      write(count: operands.count)
      for operand in operands { write(operand) }
    case .aggregates(let aggregates):
      byte(2)
      write(count: aggregates.count)
      for aggregate in aggregates {
        byte(Self.tag(of: aggregate.kind))
        byte(aggregate.operand == nil ? 0 : 1)
        if let operand = aggregate.operand { write(operand) }
      }
    case .joined, .groups: refuse()
    }
  }

  private static func tag(of comparator: Comparator) -> UInt8 {
    switch comparator {
    case .equal: 0
    case .notEqual: 1
    case .less: 2
    case .lessOrEqual: 3
    case .greater: 4
    case .greaterOrEqual: 5
    }
  }

  private static func tag(of symbol: TextOperator) -> UInt8 {
    switch symbol {
    case .contains: 0
    case .beginsWith: 1
    case .endsWith: 2
    case .like: 3
    case .matches: 4
    }
  }

  static func tag(of kind: Aggregate.Kind) -> UInt8 {
    switch kind {
    case .count: 0
    case .countDistinct: 1
    case .sum: 2
    case .average: 3
    case .minimum: 4
    case .maximum: 5
    }
  }
}
