internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

extension RandomConditions {
  mutating func condition(depth: Int = 3) -> Condition {
    if depth > 0, !random.chance(3) {
      switch random.number(0...2) {
      case 0: return .not(condition(depth: depth - 1))
      case 1:
        return .all((0..<random.number(1...3)).map { _ in condition(depth: depth - 1) })
      default:
        return .any((0..<random.number(1...3)).map { _ in condition(depth: depth - 1) })
      }
    }
    return random.chance(40) ? .constant(random.chance(2)) : leaf()
  }

  private mutating func leaf() -> Condition {
    switch random.number(0...13) {
    case 12, 13: return items()
    case 0...4: return plain(random.pick(entity.attributes))
    case 5, 6: return numbers()
    case 7: return .compare(timestamp(depth: 1), comparator(), timestamp(depth: 1), [])
    case 8, 9: return textual()
    default: return hasDocument ? inDocument() : plain(random.pick(entity.attributes))
    }
  }

  mutating func comparator() -> ORMCore.Comparator {
    random.pick([.equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  mutating func options() -> TextOptions {
    random.chance(2) ? [] : TextOptions(rawValue: UInt8(random.number(0...7)))
  }

  /// Makes a comparison of an attribute with values of its type, which indexes answer.
  private mutating func plain(_ attribute: AttributeDescription) -> Condition {
    let operand = Operand.attribute(attribute.name)
    switch attribute.type {
    case .array(let element): return list(operand, element)
    case .json:
      return .compare(
        operand, random.pick([.equal, .notEqual]), value(.json, nilOnceIn: 3), [])
    default: break
    }
    let options = attribute.type == .string ? options() : []
    let kind = attribute.type.kind
    let others = entity.attributes.filter { $0.type.kind == kind && $0.name != attribute.name }
    if !others.isEmpty, random.chance(10) {
      return .compare(operand, comparator(), .attribute(random.pick(others).name), options)
    }
    if random.chance(4) {
      let values = (0..<random.number(0...4)).map { _ in
        random.chance(6) ? .null : RandomValue.value(neighbour(of: attribute.type), &random)
      }
      return .isIn(operand, list: .value(.array(values)), options)
    }
    if random.chance(6) {
      let least = value(attribute.type, nilOnceIn: 20)
      return .all([
        .compare(operand, random.pick([.greater, .greaterOrEqual]), least, options),
        .compare(
          operand, random.pick([.less, .lessOrEqual]), value(attribute.type, nilOnceIn: 20),
          options),
      ])
    }
    let other = value(neighbour(of: attribute.type), nilOnceIn: 8)
    return random.chance(8)
      ? .compare(other, comparator(), operand, options)
      : .compare(operand, comparator(), other, options)
  }

  /// The type, or, for a number, now and then another type of number.
  private mutating func neighbour(of type: AttributeType) -> AttributeType {
    guard type.kind.isNumber, random.chance(3) else { return type }
    return random.pick([.int64, .uint64, .double, .decimal])
  }

  mutating func value(_ type: AttributeType, nilOnceIn chance: Int) -> Operand {
    if random.chance(chance) { return .value(.null) }
    if type == .double, random.chance(30) { return .value(.double(.nan)) }
    return .value(RandomValue.value(type, &random))
  }

  private mutating func list(_ operand: Operand, _ element: AttributeType) -> Condition {
    let options = element == .string ? options() : []
    switch random.number(0...4) {
    case 0:
      return .compare(
        operand, random.pick([.equal, .notEqual]), value(.array(element), nilOnceIn: 3), [])
    case 1:
      return .compare(
        .element(operand, random.number(0...3)), comparator(), value(element, nilOnceIn: 3),
        options)
    case 2:
      return .compare(
        .function(.count, operand), comparator(), .value(.int(Int64(random.number(0...3)))), [])
    default:
      return .isIn(value(neighbour(of: element), nilOnceIn: 10), list: operand, options)
    }
  }

  private mutating func numbers() -> Condition {
    let family = random.pick([Family.whole, .floating, .exact])
    let left = number(family, depth: 2)
    if random.chance(4) {
      let types: [AttributeType] = [.int64, .double, .uint64, .decimal]
      let values = (0..<random.number(1...4)).map { _ in
        RandomValue.value(random.pick(types), &random)
      }
      if random.chance(3) {
        // Some of the list are worked out, and one may be nil.
        let parts = values.map { Operand.value($0) } + [number(family, depth: 1)]
        return .isIn(left, list: .list(random.chance(4) ? parts + [.value(.null)] : parts), [])
      }
      return .isIn(left, list: .value(.array(values)), [])
    }
    let other = random.pick([family, .whole, .floating, .exact])
    return .compare(left, comparator(), number(other, depth: random.number(0...1)), [])
  }

  private mutating func textual() -> Condition {
    let left = text()
    let options = options()
    switch random.number(0...6) {
    case 6:
      return .text(left, .matches, .value(.string(RandomPattern.pattern(&random))), options)
    case 0:
      return .compare(left, comparator(), .value(.string(RandomText.text(&random))), options)
    case 1:
      let values = (0..<random.number(1...3)).map { _ in
        StoredValue.string(RandomText.text(&random))
      }
      return .isIn(left, list: .value(.array(values)), options)
    default:
      let right = random.chance(8) ? text() : .value(.string(RandomText.needle(&random)))
      return .text(
        left, random.pick([.contains, .beginsWith, .beginsWith, .endsWith, .like]),
        random.chance(20) ? .value(.null) : right, options)
    }
  }

  private mutating func inDocument() -> Condition {
    let types: [AttributeType] = [
      .int64, .double, .string, .string, .bool, .decimal, .date, .data,
    ]
    let left = found()
    if random.chance(4) {
      let values = (0..<random.number(1...4)).map { _ in
        random.chance(5) ? .null : RandomValue.value(.int64, &random)
      }
      return .isIn(left, list: .value(.array(values)), [])
    }
    let type = random.pick(types)
    return .compare(
      left, comparator(), value(type, nilOnceIn: 5), type == .string ? options() : [])
  }

  /// Sort terms; the primary key, which always comes last, may be among them.
  mutating func order() -> [SortTerm] {
    (0..<random.number(0...3)).map { _ in
      let scalars = entity.attributes.filter(\.type.isScalar)
      var operand =
        scalars.isEmpty ? number(.whole, depth: 0) : .attribute(random.pick(scalars).name)
      switch random.number(0...11) {
      case 0: operand = number(.floating, depth: 2)
      case 1: operand = text()
      case 2 where hasDocument: operand = found()
      case 3: operand = greatestItem()
      default: break
      }
      var options: TextOptions = []
      if case .path(let path) = operand, random.chance(3),
        entity.attributes.contains(where: { $0.name == path.names[0] && $0.type == .string })
      {
        options = self.options()
      }
      return SortTerm(
        operand, isDescending: random.chance(2), nils: random.pick([nil, nil, nil, .first, .last]),
        options: options)
    }
  }
}
