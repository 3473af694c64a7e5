internal import Foundation
internal import ORM
internal import ORMCore

/// SplitMix64: the same numbers from the same seed, everywhere.
struct RandomSource: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }
}

/// A random entity, and random rows, conditions and orders for it.
struct RandomModel {
  var random: RandomSource
  let entity: EntityDescription
  let schema: Schema

  init(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let types: [AttributeType] = [
      .bool, .int64, .int8, .uint64, .double, .string, .string, .date, .data, .decimal,
    ]
    var attributes: [AttributeDescription] = []
    let keys: [[AttributeDescription]] = [
      [AttributeDescription("id", .int64)], [AttributeDescription("id", .string)],
      [AttributeDescription("id", .double)],
      [AttributeDescription("id", .string), AttributeDescription("part", .int64)],
    ]
    let key = random.pick(keys)
    attributes += key
    for number in 0..<5 {
      attributes.append(
        AttributeDescription("a\(number)", random.pick(types), isOptional: !random.chance(3)))
    }
    attributes.append(AttributeDescription("list", .array(.string), isOptional: true))
    var indexes: [IndexDescription] = []
    for attribute in attributes where attribute.name.hasPrefix("a") && !random.chance(3) {
      let isFolded = attribute.type == .string && random.chance(2)
      indexes.append(
        IndexDescription([
          .init(
            attribute.name, isDescending: random.chance(2), form: isFolded ? .caseFolded : .value)
        ]))
    }
    if random.chance(2) { indexes.append(IndexDescription([.init("list", form: .elements)])) }
    if random.chance(2) { indexes.append(IndexDescription(["a0", "a1"])) }
    if random.chance(2) { indexes.append(IndexDescription(["a2", "a3"], isUnique: true)) }
    entity = EntityDescription(
      name: "Row", attributes: attributes, key: key.map(\.name), indexes: indexes)
    schema = try Schema(entities: [entity])
    self.random = random
  }

  mutating func value(_ type: AttributeType) -> StoredValue {
    switch type {
    case .bool: return .bool(random.chance(2))
    case .int8: return .int(random.pick([-128, -1, 0, 1, 2, 127]))
    case .int64:
      return .int(random.pick([.min, -2, -1, 0, 1, 2, 3, 1 << 53, (1 << 53) + 1, .max]))
    case .uint64: return .unsigned(random.pick([0, 1, 2, 1 << 63, .max]))
    case .double:
      return .double(random.pick([-0.0, 0, 0.1, 1, 2, -1.5, 0x1p53, 1e308, .infinity]))
    case .date:
      return .date(Date(timeIntervalSinceReferenceDate: random.pick([-0.0, 0, 0.5, -1e10])))
    case .data: return .data(Data(random.pick([[], [0], [0, 0], [1], [255]] as [[UInt8]])))
    case .decimal:
      return .decimal(
        random.pick([0, 1, -1, 2.5, Decimal(sign: .plus, exponent: -10, significand: 1)]))
    case .array(let element):
      return .array((0..<Int.random(in: 0...2, using: &random)).map { _ in value(element) })
    default:
      return .string(
        random.pick(["", "a", "A", "b", "ab", "ß", "SS", "é", "e\u{301}", "a\0", "*", "Ba", "😀"]))
    }
  }

  mutating func row() -> DynamicRow {
    var row = DynamicRow("Row")
    for attribute in entity.attributes {
      row[attribute.name] =
        attribute.isOptional && random.chance(4) ? .null : value(attribute.type)
    }
    return row
  }

  mutating func condition(depth: Int = 3) -> Condition {
    if depth > 0, !random.chance(3) {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return .not(condition(depth: depth - 1))
      case 1: return .all((0..<2).map { _ in condition(depth: depth - 1) })
      default: return .any((0..<2).map { _ in condition(depth: depth - 1) })
      }
    }
    let attribute = random.pick(entity.attributes)
    let operand = Operand.attribute(attribute.name)
    let other = Operand.value(random.chance(8) ? .null : value(attribute.type))
    if case .array(let element) = attribute.type {
      return random.chance(2)
        ? .isIn(.value(value(element)), list: operand, [])
        : .compare(operand, random.chance(2) ? .equal : .notEqual, other, [])
    }
    if random.chance(5) {
      return .isIn(
        operand, list: .value(.array((0..<3).map { _ in value(attribute.type) } + [.null])), [])
    }
    let comparators: [ORMCore.Comparator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    guard attribute.type == .string else {
      return .compare(operand, random.pick(comparators), other, [])
    }
    let options = random.pick([[], [], .caseInsensitive, .diacriticInsensitive] as [TextOptions])
    if random.chance(2) { return .compare(operand, random.pick(comparators), other, options) }
    return .text(
      operand, random.pick([.contains, .beginsWith, .endsWith, .like]), other, options)
  }

  mutating func query() -> DynamicQuery {
    let scalars = entity.attributes.filter(\.type.isScalar)
    var query = DynamicQuery("Row", where: condition())
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let attribute = random.pick(scalars)
      query.order.append(
        SortTerm(
          .attribute(attribute.name), isDescending: random.chance(2),
          nils: random.pick([nil, nil, .first, .last]),
          options: attribute.type == .string && random.chance(3) ? .caseInsensitive : []))
    }
    if random.chance(3) { query.limit = Int.random(in: 0...5, using: &random) }
    if random.chance(4) { query.offset = Int.random(in: 0...5, using: &random) }
    return query
  }
}
