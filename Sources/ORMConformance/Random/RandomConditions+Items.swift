internal import ORM
internal import ORMCore
internal import ORMObservation

/// Conditions on the elements of arrays: attributes, arrays found in JSON, and lists of values.
extension RandomConditions {
  /// An array and the type of its elements; nil for those of a JSON text.
  private typealias Elements = (array: Operand, type: AttributeType?)

  /// A condition on the elements of some array.
  mutating func items() -> Condition {
    let source = elements()
    switch random.number(0...7) {
    case 0:
      guard let type = source.type else { break }
      return .compare(
        .function(.last, source.array), comparator(), value(type, nilOnceIn: 4),
        type == .string ? options() : [])
    case 1...2: return aggregate(of: source)
    case 3:
      // Two elements at once. The outer one has a higher number than any inside, also inside a list,
      // which may have conditions on elements of its own.
      let outer = max(1, source.array.highestScope) + 1
      let inner = Condition.someItem(
        of: source.array, scope: 1,
        .all([.compare(.item(1), comparator(), .item(outer), []), test(1, source.type)]))
      return .someItem(of: source.array, scope: outer, random.chance(2) ? inner : .not(inner))
    default: break
    }
    let some = Condition.someItem(of: source.array, scope: 1, tests(1, source.type))
    return random.chance(3) ? .not(some) : some
  }

  /// An aggregate over elements, for an order.
  mutating func greatestItem() -> Operand {
    let source = elements()
    return .ofItems(
      random.pick([.minimum, .maximum, .count]), source.array, scope: 1, tests(1, source.type))
  }

  private mutating func elements() -> Elements {
    let arrays = entity.attributes.filter { if case .array = $0.type { true } else { false } }
    if !arrays.isEmpty, !random.chance(3) {
      let attribute = random.pick(arrays)
      if case .array(let element) = attribute.type { return (.attribute(attribute.name), element) }
    }
    if hasDocument, random.chance(2) { return (.json(.attribute("doc"), ["l"]), nil) }
    let count = random.number(1...3)
    if random.chance(3) { return (.list((0..<count).map { _ in text() }), .string) }
    return (.list((0..<count).map { _ in number(.whole, depth: 1) }), .int64)
  }

  /// Makes a condition on one element.
  private mutating func tests(_ scope: Int, _ type: AttributeType?) -> Condition {
    switch random.number(0...5) {
    case 0: return .constant(true)
    case 1: return .not(test(scope, type))
    case 2: return .all([test(scope, type), test(scope, type)])
    case 3: return .any([test(scope, type), test(scope, type)])
    default: return test(scope, type)
    }
  }

  private mutating func test(_ scope: Int, _ type: AttributeType?) -> Condition {
    let item = Operand.item(scope)
    guard let type else {
      let type = random.pick([.int64, .double, .string] as [AttributeType])
      return .compare(item, comparator(), value(type, nilOnceIn: 4), [])
    }
    let options = type == .string ? options() : []
    // An attribute of the row beside the element.
    let others = entity.attributes.filter { $0.type.kind == type.kind && $0.type.isScalar }
    if !others.isEmpty, random.chance(4) {
      return .compare(item, comparator(), .attribute(random.pick(others).name), options)
    }
    if random.chance(4) {
      let values = (0..<random.number(0...3)).map { _ in RandomValue.value(type, &random) }
      return .isIn(item, list: .value(.array(values)), options)
    }
    if type == .string, random.chance(2) {
      let pattern = StoredValue.string(RandomPattern.pattern(&random))
      let needle = StoredValue.string(RandomText.needle(&random))
      let symbol = random.pick([TextOperator.contains, .beginsWith, .endsWith, .like, .matches])
      return .text(item, symbol, .value(symbol == .matches ? pattern : needle), options)
    }
    if type.kind == .int, random.chance(4) {
      return .compare(
        .arithmetic(random.pick([.add, .multiply, .divide]), item, number(.whole, depth: 0)),
        comparator(), number(.whole, depth: 0), [])
    }
    return .compare(item, comparator(), value(type, nilOnceIn: 6), options)
  }

  private mutating func aggregate(of source: Elements) -> Condition {
    // JSON may hold values that have no sum.
    if case .json = source.array {
      return .someItem(of: source.array, scope: 1, test(1, source.type))
    }
    var kinds: [Aggregate.Kind] = [.count, .countDistinct]
    if source.type != nil { kinds += [.minimum, .maximum] }
    if source.type?.kind.isNumber == true { kinds += [.sum, .average, .sum] }
    let kind = random.pick(kinds)
    let aggregate = Operand.ofItems(kind, source.array, scope: 1, tests(1, source.type))
    switch kind {
    case .count, .countDistinct:
      return .compare(aggregate, comparator(), .value(.int(Int64(random.number(0...3)))), [])
    case .average: return .compare(aggregate, comparator(), number(.whole, depth: 0), [])
    case .sum, .minimum, .maximum:
      let type = source.type ?? .int64
      return .compare(
        aggregate, comparator(), value(type, nilOnceIn: 3), type == .string ? options() : [])
    }
  }
}
