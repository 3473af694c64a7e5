import Foundation
import ORMCore
import TestSupport
import Testing

@Suite struct FilterTests {
  let plain = Snack(id: 1, "Chips", taste: "salty", price: 2.5, amount: 7, tags: ["hot", "new"])
  let empty = Snack(id: 2, "straße")

  private func check(
    _ filter: Filter<Snack>, _ plainHolds: Bool, _ emptyHolds: Bool,
    location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try filter.matches(plain) == plainHolds, "\(filter)", sourceLocation: location)
    #expect(try filter.matches(empty) == emptyHolds, "\(filter)", sourceLocation: location)
    #expect(try (!filter).matches(plain) == !plainHolds, "NOT", sourceLocation: location)
    #expect(try (!filter).matches(empty) == !emptyHolds, "NOT", sourceLocation: location)
    let copy = try JSONDecoder().decode(
      Filter<Snack>.self, from: JSONEncoder().encode(filter))
    #expect(copy == filter, sourceLocation: location)
    #expect(copy.hashValue == filter.hashValue, sourceLocation: location)
  }

  private func made(_ body: (Fields<Snack>) -> Filter<Snack>) -> Filter<Snack> { body(Fields()) }

  @Test("2.1: nil equals nil alone, has no order, and NOT is plain negation")
  func nils() throws {
    try check(made { $0.taste == nil }, false, true)
    try check(made { $0.taste != nil }, true, false)
    try check(made { $0.taste == "salty" }, true, false)
    try check(made { $0.taste != "salty" }, false, true)
    try check(made { $0.taste < "z" }, true, false)
    try check(made { $0.taste >= "a" }, true, false)
    try check(made { $0.amount > 3 }, true, false)
    try check(made { $0.amount <= 3 }, false, false)
    try check(made { $0.amount.isBetween(7, 9) }, true, false)
    try check(made { $0.taste.contains("alt") }, true, false)
    try check(made { $0.taste.isIn(["salty", nil]) }, true, true)
    try check(made { $0.taste.isIn([nil]) }, false, true)
    try check(made { $0.taste.isIn([]) }, false, false)
    try check(made { !$0.taste.isIn(["salty"]) }, false, true)
    try check(made { $0.amount.isNil() }, false, true)
  }

  @Test("2.2: int and double compare exactly")
  func numbers() throws {
    let big = Snack(id: 1 << 53 + 1, "", price: 9_007_199_254_740_992)
    let filter = Filter<Snack>(
      .compare(.attribute("id"), .equal, .attribute("price"), []))
    #expect(try filter.matches(big) == false)
    #expect(
      try Filter<Snack>(.compare(.attribute("id"), .greater, .attribute("price"), [])).matches(big))
    try check(made { $0.price == -0.0 }, false, true)
    #expect(try made { $0.price == .nan }.matches(plain) == false)
    #expect(try made { $0.price != .nan }.matches(plain))
    #expect(try made { $0.price < .nan }.matches(plain) == false)
    try check(made { 2 < $0.price }, true, false)
  }

  @Test("2.3, 2.4, 2.5: texts by scalars, options, patterns")
  func texts() throws {
    try check(made { $0.name == "chips" }, false, false)
    try check(made { $0.name.equals("cHIPS", .caseInsensitive) }, true, false)
    try check(made { $0.name.equals("STRASSE", .caseInsensitive) }, false, true)
    try check(made { $0.name.isIn(["CHIPS"], .caseInsensitive) }, true, false)
    try check(made { $0.name.beginsWith("Ch") }, true, false)
    try check(made { $0.name.endsWith("") }, true, true)
    try check(made { $0.name.contains("SS", .caseInsensitive) }, false, true)
    try check(made { $0.name.like("?h*s") }, true, false)
    try check(made { $0.name.like("Chip") }, false, false)
    try check(made { $0.name.length() == 6 }, false, true)
    try check(made { $0.name.uppercased() == "STRASSE" }, false, true)
    try check(made { $0.name < "a" }, true, false)
    let composed = Snack("\u{E9}")
    #expect(try made { $0.name == "e\u{301}" }.matches(composed) == false)
    #expect(try made { $0.name.equals("e\u{301}", .normalized) }.matches(composed))
  }

  @Test("2.6: arithmetic truncates, gives nil for zero, nil and overflow")
  func arithmetic() throws {
    try check(made { $0.amount / 2 == 3 }, true, false)
    try check(made { $0.amount / 0 == nil }, true, true)
    try check(made { $0.amount + .max == nil }, true, true)
    try check(made { $0.price * 2 == 5 }, true, false)
    try check(made { -$0.price < 0 }, true, false)
    try check(made { $0.price.power(2) == 6.25 }, true, false)
    try check(made { $0.price.floor() == 2 }, true, false)
  }

  @Test("arrays: contains, count, element out of range")
  func arrays() throws {
    try check(made { $0.tags.contains("hot") }, true, false)
    try check(made { $0.tags.count() == 0 }, false, true)
    try check(made { $0.tags.element(at: 1) == "new" }, true, false)
    try check(made { $0.tags.element(at: 5) == nil }, true, true)
    try check(made { $0.tags.element(at: -1) == nil }, true, true)
  }

  @Test("a filter that makes no sense, or is too deep, throws before anything is asked")
  func faults() throws {
    func refused(_ condition: Condition) -> String {
      fault { _ = try Filter<Snack>(condition).matches(plain) }
    }
    let name = Operand.attribute("name")
    #expect(
      refused(.compare(.attribute("nope"), .equal, .value(.null), []))
        == "unknownAttribute Snack.nope")
    #expect(refused(.compare(name, .equal, .value(.int(1)), [])) == "invalidCondition Snack")
    #expect(
      refused(.compare(.attribute("tags"), .less, .attribute("tags"), []))
        == "invalidCondition Snack")
    #expect(
      refused(.compare(.attribute("id"), .equal, .value(.int(1)), .caseInsensitive))
        == "invalidCondition Snack")
    #expect(refused(.isIn(name, list: .value(.string("a")), [])) == "invalidCondition Snack")
    #expect(
      refused(.text(.attribute("id"), .like, .value(.string("a")), [])) == "invalidCondition Snack")
    var deep = Condition.constant(true)
    for _ in 0..<300 { deep = .not(deep) }
    #expect(refused(deep) == "tooComplex Snack")
    let long = StoredValue.array(Array(repeating: .int(1), count: 100_001))
    #expect(refused(.isIn(.attribute("id"), list: .value(long), [])) == "tooComplex Snack")
    #expect(
      fault { _ = try made { $0.isSelected == true }.matches(plain) } == "unknownAttribute Snack")
    #expect(fault { _ = try Filter.equal(plain, on: []) } == "invalidCondition Snack")
  }

  @Test("a chain of a thousand conditions is not deep")
  func longChains() throws {
    let filter = (0..<1000).reduce(made { $0.id == -1 }) { filter, number in
      filter || made { $0.id == Int64(number) }
    }
    #expect(try filter.matches(plain))
    #expect(
      try (0..<1000).reduce(Filter<Snack>.all) { filter, _ in filter && made { $0.id > 0 } }
        .matches(plain))
  }

  @Test("closures, key-path operators and chained words make one tree")
  func frontEnds() throws {
    let closure = Snack.all.where { $0.price > 1 && !($0.id == 3) }
    #expect(Snack.all.where(\.price > 1 && !(\.id == 3)) == closure)
    #expect(
      Snack.all.whose(\.price).greaterThan(1).and(\.name).like("a*")
        == Snack.all.where { $0.price > 1 && $0.name.like("a*") })
    #expect(
      Snack.all.whose(\.price).greaterThan(1).and(\.id).equal(to: 1)
        .or(\.taste).isNil().and(\.amount).atLeast(2)
        == Snack.all.where { $0.price > 1 && $0.id == 1 || $0.taste == nil && $0.amount >= 2 })
    #expect(
      Snack.all.where { $0.id == 1 || $0.id == 2 }.whose(\.price).greaterThan(1)
        .or(\.taste).isNil()
        == Snack.all.where { ($0.id == 1 || $0.id == 2) && ($0.price > 1 || $0.taste == nil) })
    #expect(
      Snack.all.where { $0.id == 1 || $0.id == 2 }.and(\.price).greaterThan(1)
        == Snack.all.where { ($0.id == 1 || $0.id == 2) && $0.price > 1 })
    #expect(
      Snack.all.where(attribute: "name", equals: "Chips") == Snack.all.where { $0.name == "Chips" })
    #expect(
      try Filter.equal(plain, on: \.name, \.taste)
        == made { $0.name == "Chips" && $0.taste == "salty" })
    #expect(
      Enrolment.all.where { $0.id.classNumber == 3 }.description
        == "Enrolment where classNumber == 3")
  }

  @Test("filters and queries print as predicate formats")
  func printing() {
    #expect(
      made { $0.price > 1 && ($0.name.like("a*") || $0.isHot) }.description
        == #"price > 1.0 AND (name LIKE "a*" OR isHot == TRUE)"#)
    #expect(
      made { !($0.name.beginsWith("a", .caseInsensitive)) }.description
        == #"NOT (name BEGINSWITH[c] "a")"#)
    #expect(made { $0.amount.isIn([1, nil]) }.description == "amount IN {1, nil}")
    #expect(
      Snack.all.sorted(by: .descending(\.price), .ascending(\.name, .caseInsensitive, nils: .last))
        .limit(20).offset(40).description
        == "Snack sorted by price descending, name[c] nils last limit 20 offset 40")
  }

  @Test("normalising and taking values out keep the meaning of random trees")
  func normalisation() throws {
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    let entity = Snack.entity.description.lowered()
    let schema = StoredSchema(entities: [entity])
    for _ in 0..<2_000 {
      let condition = RandomTree.condition(4, &random)
      var bindings: [StoredValue] = []
      let shape = condition.normalized().parameterized(into: &bindings)
      for snack in [plain, empty, Snack(id: 3, "a", taste: "", price: -1, amount: 0, isHot: true)] {
        let row = BufferedRow(try Mapper.values(of: snack))
        let first = try CompiledCondition(condition, entity: entity, schema: schema)
          .bound(to: []).matches(row)
        let second = try CompiledCondition(shape, entity: entity, schema: schema)
          .bound(to: bindings).matches(row)
        #expect(first == second, "seed \(seed): \(condition)")
      }
    }
  }
}

private enum RandomTree {
  static func condition(_ depth: Int, _ random: inout SeededGenerator) -> Condition {
    switch Int.random(in: 0..<(depth == 0 ? 4 : 8), using: &random) {
    case 0: return .constant(.random(using: &random))
    case 1:
      let list = (0..<Int.random(in: 0...3, using: &random)).map { _ in amount(&random) }
      return .isIn(.attribute("amount"), list: .value(.array(list)), [])
    case 2:
      return .compare(
        .attribute("amount"), comparator(&random), .value(amount(&random)), [])
    case 3:
      return .compare(
        .attribute("taste"), comparator(&random),
        .value([.null, .string(""), .string("salty")].randomElement(using: &random) ?? .null), [])
    case 4, 5: return .not(condition(depth - 1, &random))
    case 6: return .all(parts(depth, &random))
    default: return .any(parts(depth, &random))
    }
  }

  private static func parts(_ depth: Int, _ random: inout SeededGenerator) -> [Condition] {
    let count = Int.random(in: 0...3, using: &random)
    var parts: [Condition] = []
    for _ in 0..<count { parts.append(condition(depth - 1, &random)) }
    return parts
  }

  private static func amount(_ random: inout SeededGenerator) -> StoredValue {
    [.null, .int(0), .int(7), .int(8)].randomElement(using: &random) ?? .null
  }

  private static func comparator(_ random: inout SeededGenerator) -> ORMCore.Comparator {
    [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
      .randomElement(using: &random) ?? .equal
  }
}
