import Foundation
import ORMCore
import TestSupport

/// Rows, conditions, orders and aggregates over an entity of every kind, full of edge values.
struct RandomRequests {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// Every kind twice: required and optional; indexes of every form.
  static let entity: StoredEntity = {
    let types: [(String, AttributeType)] = [
      ("int", .int64), ("small", .int8), ("unsigned", .uint64), ("double", .double),
      ("bool", .bool), ("string", .string), ("data", .data), ("date", .date), ("uuid", .uuid),
      ("decimal", .decimal), ("array", .array(.string)), ("ints", .array(.int64)),
      ("json", .json),
    ]
    var columns = [StoredColumn("id", .int64)]
    for (name, type) in types {
      columns.append(StoredColumn(name, type))
      columns.append(StoredColumn(name + "Maybe", type, isOptional: true))
    }
    func position(_ name: String) -> Int { columns.firstIndex { $0.name == name } ?? 0 }
    return StoredEntity(
      name: "Every", columns: columns, key: [0],
      indexes: [
        StoredIndex("Every_int", [.init(position("int"))]),
        StoredIndex("Every_intMaybe", [.init(position("intMaybe"), isDescending: true)]),
        StoredIndex("Every_string", [.init(position("string")), .init(position("double"))]),
        StoredIndex("Every_folded", [.init(position("stringMaybe"), form: .caseFolded)]),
        StoredIndex("Every_unsigned", [.init(position("unsignedMaybe"))]),
        StoredIndex("Every_double", [.init(position("double"))]),
        StoredIndex("Every_array", [.init(position("array"), form: .elements)]),
        StoredIndex("Every_ints", [.init(position("intsMaybe"), form: .elements)]),
      ])
  }()
  static let schema = StoredSchema(entities: [entity])

  mutating func pick<C: Collection>(_ values: C) -> C.Element {
    values[
      values.index(values.startIndex, offsetBy: Int.random(in: 0..<values.count, using: &random))]
  }
  mutating func chance(_ n: Int) -> Bool { random.chance(n) }

  static let texts = [
    "", "a", "A", "ab", "abc", "ABC", "b", "ba", "ß", "ss", "SS", "é", "e\u{301}", "É", "\0",
    "a\0b", "a\0", "\0a", "\u{10FFFF}", "a\u{10FFFF}", "\u{D7FF}", "\u{E000}", "ﬁ", "fi", "%", "_",
    "a*", "a?", "\\", "a\\*", "İ", "i̇", "日本", "日", " ", "a ", "'", "\"", "Straße", "STRASSE",
  ]

  mutating func value(_ type: AttributeType) -> StoredValue {
    switch type {
    case .bool: return .bool(chance(2))
    case .int8: return .int(pick([0, 1, -1, 127, -128, 2, 3]))
    case .uint64:
      return .unsigned(
        pick([0, 1, 2, 10, UInt64(Int64.max), UInt64(Int64.max) + 1, .max, 1 << 53]))
    case .double:
      return .double(
        pick([
          0, -0.0, 1, -1, 0.1, 0.5, 1.5, 2, 3, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300,
          9_007_199_254_740_992, 9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 1e19,
        ]))
    case .string: return .string(pick(Self.texts))
    case .data:
      return .data(
        Data(pick([[], [0], [0, 0], [1], [255], [255, 255], [97], [0, 97]] as [[UInt8]])))
    case .date:
      return .date(
        Date(timeIntervalSinceReferenceDate: pick([0, -0.0, 1, -1, 1e9, 0.1, 12345.678])))
    case .uuid:
      return .uuid(
        UUID(uuidString: "0000000\(pick(0..<3))-0000-0000-0000-\(pick(["0000", "FFFF"]))00000000")
          ?? UUID())
    case .decimal:
      return .decimal(
        Decimal(
          string: pick([
            "0", "1", "-1", "0.1", "1.5", "10", "9", "-10", "100000000000000000000", "1e-30",
            "9007199254740993",
          ])) ?? 0)
    case .array(let element):
      return .array((0..<pick([0, 0, 1, 2, 3])).map { _ in value(element) })
    case .json:
      return .json(
        pick([
          "{}", "{\"a\":1}", "{\"a\":1.5}", "{\"a\":\"x\"}", "{\"a\":null}", "{\"a\":true}",
          "[1,2]",
          "{\"a\":9007199254740993}", "{\"a\":[1]}", "{\"a\":9007199254740992.0}",
        ]))
    default:
      return .int(
        pick([
          0, 1, 2, 3, -1, -2, 5, 10, .max, .min, .max - 1, 1 << 53, (1 << 53) + 1, 4_294_967_296,
        ]))
    }
  }

  mutating func row(id: Int64) -> [StoredValue] {
    Self.entity.columns.map { column in
      if column.name == "id" { return .int(id) }
      if column.isOptional, chance(3) { return .null }
      return value(column.type)
    }
  }

  mutating func column(_ fits: (StoredColumn) -> Bool = { _ in true }) -> StoredColumn {
    pick(Self.entity.columns.filter(fits))
  }

  mutating func options() -> TextOptions {
    pick([
      [], [], .caseInsensitive, .caseInsensitive, .diacriticInsensitive, .normalized,
      [.caseInsensitive, .diacriticInsensitive],
    ])
  }

  /// A value that a column may be compared with.
  mutating func comparable(to column: StoredColumn) -> StoredValue {
    if column.type.kind.isNumber, chance(2) {
      return value(pick([.int64, .uint64, .double, .decimal]))
    }
    return value(column.type)
  }

  mutating func number(_ depth: Int) -> Operand {
    let column = column { [.int, .double].contains($0.type.kind) }
    if depth == 0 || chance(2) { return .attribute(column.attribute) }
    return switch pick(0..<4) {
    case 0: .negated(number(depth - 1))
    case 1: .function(pick([.abs, .ceiling, .floor, .trunc]), number(depth - 1))
    default:
      .arithmetic(
        pick([.add, .subtract, .multiply, .divide]), number(depth - 1),
        chance(2) ? number(depth - 1) : .value(value(pick([.int64, .int8, .double]))))
    }
  }

  mutating func condition(_ depth: Int) -> Condition {
    if depth > 0, chance(2) {
      switch pick(0..<3) {
      case 0: return .not(condition(depth - 1))
      case 1: return .all((0..<pick(1..<4)).map { _ in condition(depth - 1) })
      default: return .any((0..<pick(1..<4)).map { _ in condition(depth - 1) })
      }
    }
    let any: [ORMCore.Comparator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    switch pick(0..<10) {
    case 0:
      return .compare(.attribute(column().attribute), pick([.equal, .notEqual]), .value(.null), [])
    case 1, 2, 3:
      let column = column()
      let comparator = column.type.isScalar ? pick(any) : pick([.equal, .notEqual])
      let value = Operand.value(comparable(to: column))
      let options = column.type.kind == .string ? options() : []
      return chance(3)
        ? .compare(value, comparator, .attribute(column.attribute), options)
        : .compare(.attribute(column.attribute), comparator, value, options)
    case 4:
      let left = column { $0.type.isScalar }
      let right = column {
        $0.type.kind == left.type.kind || ($0.type.kind.isNumber && left.type.kind.isNumber)
      }
      return .compare(
        .attribute(left.attribute), pick(any), .attribute(right.attribute),
        left.type.kind == .string ? options() : [])
    case 5:
      let column = column { $0.type.isScalar }
      var list = (0..<pick(1..<6)).map { _ in comparable(to: column) }
      if chance(4) { list.append(.null) }
      return .isIn(
        .attribute(column.attribute), list: .value(.array(list)),
        column.type.kind == .string ? options() : [])
    case 6:
      let text = column { $0.type.kind == .string }
      return .text(
        .attribute(text.attribute), pick([.contains, .beginsWith, .endsWith, .like]),
        .value(value(.string)), options())
    case 7:
      let array = column { $0.type.kind == .array }
      let isInts = array.name.hasPrefix("ints")
      return .isIn(
        .value(value(isInts ? pick([.int64, .double]) : .string)),
        list: .attribute(array.attribute),
        isInts ? [] : options())
    case 8:
      return .compare(number(2), pick(any), .value(value(pick([.int64, .double]))), [])
    default:
      let json = column { $0.type.kind == .json }
      return .compare(
        .json(.attribute(json.attribute), [.key("a")]), pick(any),
        .value(value(pick([.int64, .double, .string]))), [])
    }
  }

  mutating func sort() -> [SortTerm] {
    var terms: [SortTerm] = []
    for _ in 0..<pick([0, 1, 1, 2]) {
      let column = column { $0.type.kind != .array }
      let operand: Operand =
        switch pick(0..<6) {
        case 0: number(1)
        case 1: .json(.attribute(pick(["json", "jsonMaybe"])), [.key("a")])
        default: .attribute(column.attribute)
        }
      terms.append(
        SortTerm(
          operand, isDescending: chance(2), nils: pick([nil, nil, .first, .last]),
          options: operand == .attribute(column.attribute) && column.type.kind == .string
            ? options() : []))
    }
    return terms + [SortTerm(.attribute("id"), isDescending: terms.last?.isDescending ?? false)]
  }

  mutating func output() -> FetchShape.Output {
    switch pick(0..<4) {
    case 0:
      return .values(
        (0..<pick(1..<4)).map { _ in
          chance(3) ? number(2) : .attribute(column().attribute)
        })
    case 1: return .aggregates(aggregates(pick(1..<4)))
    default: return .rows
    }
  }

  private mutating func aggregates(_ count: Int) -> [Aggregate] {
    (0..<count).map { _ in
      let kind = pick([
        Aggregate.Kind.count, .countDistinct, .sum, .average, .minimum, .maximum,
      ])
      switch kind {
      case .count: return Aggregate(.count, chance(2) ? nil : .attribute(column().attribute))
      case .countDistinct: return Aggregate(kind, .attribute(column().attribute))
      case .sum, .average:
        let column = column { $0.type.kind.isNumber }
        return Aggregate(kind, chance(4) ? number(1) : .attribute(column.attribute))
      case .minimum, .maximum:
        return Aggregate(kind, .attribute(column { $0.type.isScalar }.attribute))
      }
    }
  }

  /// Groups by one or two keys, with a condition on them and an order.
  private mutating func groups() -> FetchRequest {
    let keys = (0..<pick([1, 1, 2])).map { _ -> Operand in
      switch pick(0..<8) {
      case 0: number(1)
      case 1: .json(.attribute(pick(["json", "jsonMaybe"])), [.key("a")])
      default: .attribute(column().attribute)
      }
    }
    let aggregates = aggregates(pick(0..<4))
    var having = Condition.constant(true)
    if chance(3) {
      let column = pick(0..<keys.count + aggregates.count)
      let parts: [Condition] = [
        .compare(.output(column), pick([.equal, .notEqual]), .value(.null), []),
        .compare(.output(column), pick([.less, .greaterOrEqual]), .value(value(.int64)), []),
        .isIn(.output(column), list: .value(.array([value(.int64), value(.string)])), []),
      ]
      having = chance(2) ? pick(parts) : chance(2) ? .any(parts) : .not(.all(parts))
    }
    let sort = (0..<pick([0, 0, 1, 2])).map { _ in
      SortTerm(
        .output(pick(0..<keys.count + aggregates.count)), isDescending: chance(2),
        nils: pick([nil, nil, .first, .last]))
    }
    return FetchRequest(
      entity: "Every", output: .groups(keys: keys, aggregates: aggregates, having: having),
      condition: chance(2) ? .constant(true) : condition(2),
      sort: RequestLowering.total(sort, keyCount: keys.count),
      limit: chance(3) ? pick(0..<10) : nil, offset: chance(4) ? pick(0..<4) : 0)
  }

  mutating func request() -> FetchRequest {
    if chance(5) { return groups() }
    let output = output()
    let isAggregate = if case .aggregates = output { true } else { false }
    return FetchRequest(
      entity: "Every", output: output, condition: chance(4) ? .constant(true) : condition(3),
      sort: isAggregate ? [] : sort(),
      limit: !isAggregate && chance(3) ? pick(0..<20) : nil,
      offset: !isAggregate && chance(4) ? pick(0..<10) : 0)
  }
}
