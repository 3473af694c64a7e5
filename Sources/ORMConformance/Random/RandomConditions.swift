internal import Foundation
internal import ORM
internal import ORMCore
internal import ORMObservation

/// Makes operands, conditions and orders for one entity that pass the checks of conditions.
struct RandomConditions {
  let entity: EntityDescription
  var random: SeededGenerator

  /// Kinds of numbers that go together in arithmetic.
  enum Family {
    case whole
    case floating
    case exact
  }

  func attributes(_ matches: (AttributeType) -> Bool) -> [AttributeDescription] {
    entity.attributes.filter { matches($0.type) }
  }

  private func kinds(of family: Family) -> [AttributeType.Kind] {
    switch family {
    case .whole: [.int, .unsigned]
    case .floating: [.int, .unsigned, .double]
    case .exact: [.int, .unsigned, .decimal]
    }
  }

  /// Makes a number of a family: an attribute, a value, a path into JSON, arithmetic on them.
  mutating func number(_ family: Family, depth: Int) -> Operand {
    if depth > 0, random.chance(2) {
      switch random.number(0...6) {
      case 6:
        return .choice(
          condition(depth: 0), number(family, depth: depth - 1), number(family, depth: depth - 1))
      case 0: return .negated(number(family, depth: depth - 1))
      case 1:
        var functions: [Operand.Function] = [.abs, .ceiling, .floor, .trunc, .round]
        if family == .whole { functions.append(.onesComplement) }
        if family == .floating { functions += [.sqrt, .exp, .ln, .log] }
        return .function(random.pick(functions), number(family, depth: depth - 1))
      default:
        var symbols: [ArithmeticOperator] = [.add, .subtract, .multiply, .divide]
        if family == .floating { symbols.append(.power) }
        if family == .whole {
          symbols += [
            .remainder, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .shiftLeft, .shiftRight,
          ]
        }
        return .arithmetic(
          random.pick(symbols), number(family, depth: depth - 1), number(family, depth: depth - 1))
      }
    }
    let kinds = kinds(of: family)
    let fitting = attributes { kinds.contains($0.kind) }
    if !fitting.isEmpty, !random.chance(3) { return .attribute(random.pick(fitting).name) }
    if family == .whole, random.chance(2), let counted = counted() { return counted }
    if family != .whole, random.chance(12) {
      let inner = number(family == .exact ? .floating : .exact, depth: 0)
      return .function(.cast(family == .exact ? .decimal : .double), inner)
    }
    if family == .floating, random.chance(3), hasDocument {
      return random.chance(3) ? found() : .json(.attribute("doc"), ["n"])
    }
    let type: AttributeType =
      switch family {
      case .whole: random.pick([.int64, .int8, .uint64])
      case .floating: random.pick([.int64, .double, .double])
      case .exact: random.pick([.int64, .decimal, .decimal])
      }
    return .value(RandomValue.value(type, &random))
  }

  var hasDocument: Bool { entity.position(of: "doc") != nil }

  /// A time zone of a fixed offset.
  mutating func zone() -> DateZone {
    random.pick([.gmt, .gmt, .fixed(7200), .fixed(-12_600), .fixed(45_900)])
  }

  /// A part of a timestamp that is an integer.
  mutating func part() -> Operand {
    let part = random.pick([
      DatePart.year, .month, .day, .hour, .minute, .second, .weekday,
    ])
    return .function(.part(part, zone()), timestamp(depth: 0))
  }

  /// A length, a count, a part of a date, or a text that is read as an integer.
  private mutating func counted() -> Operand? {
    if random.chance(3) { return part() }
    if random.chance(6) {
      return .function(.cast(.int), random.chance(2) ? text() : timestamp(depth: 0))
    }
    let texts = attributes { $0 == .string }
    if !texts.isEmpty, random.chance(2) {
      return .function(.length, .attribute(random.pick(texts).name))
    }
    return entity.position(of: "list").map { _ in .function(.count, .attribute("list")) }
  }

  /// Makes a timestamp: an attribute, a value, or one some seconds away.
  mutating func timestamp(depth: Int) -> Operand {
    if depth > 0, random.chance(6) {
      let part = random.pick([DatePart.startOfDay, .startOfMonth, .startOfYear])
      return .function(.part(part, zone()), timestamp(depth: depth - 1))
    }
    if depth > 0, random.chance(3) {
      let date = timestamp(depth: depth - 1)
      let seconds = number(.floating, depth: 0)
      return random.chance(3)
        ? .arithmetic(.add, seconds, date)
        : .arithmetic(random.pick([.add, .subtract]), date, seconds)
    }
    let dates = attributes { $0 == .date }
    return dates.isEmpty || random.chance(3)
      ? .value(RandomValue.value(.date, &random)) : .attribute(random.pick(dates).name)
  }

  /// Makes a text: an attribute, a path into JSON, or either in upper or lower case.
  mutating func text() -> Operand {
    if random.chance(12) {
      return .function(.cast(.string), number(random.pick([.whole, .exact]), depth: 0))
    }
    if random.chance(6) {
      return .function(random.pick([.uppercase, .lowercase, .foldC, .foldCD, .foldN]), text())
    }
    let texts = attributes { $0 == .string }
    if hasDocument, random.chance(4) || texts.isEmpty { return .json(.attribute("doc"), ["t"]) }
    return texts.isEmpty
      ? .value(.string(RandomText.text(&random))) : .attribute(random.pick(texts).name)
  }

  /// Makes an operand for the value at some path of a JSON attribute.
  mutating func found() -> Operand {
    let paths: [[JSONStep]] = [
      ["n"], ["t"], ["x"], ["x", "y"], ["x", "y", "z"], ["l", 0], ["l", 1], ["l", 1, "n"], ["none"],
      [1], [], ["\u{E9}"], ["e\u{301}"],
    ]
    return .json(.attribute("doc"), random.pick(paths))
  }
}
