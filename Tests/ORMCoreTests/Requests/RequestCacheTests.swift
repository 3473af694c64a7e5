import Foundation
import ORMCore
import TestSupport
import Testing

/// A question that is asked again with other values gives the request that it gives when it is
/// lowered from scratch.
@Suite("Requests remembered by their shape")
struct RequestCacheTests {
  private let remembering: RequestLowering
  private let forgetful: RequestLowering

  init() throws {
    (remembering, forgetful) = try Self.lowerings("Snack", Schema(Snack.self).stored)
  }

  /// Two lowerings for an entity, one that remembers and one that does not; `taste` is kept in NFC.
  private static func lowerings(
    _ name: String, _ schema: StoredSchema
  ) throws -> (RequestLowering, RequestLowering) {
    var entity = try #require(schema.entity(named: name))
    for column in entity.columns.indices where entity.columns[column].attribute == "taste" {
      entity.columns[column].isNormalized = true
    }
    var options = StoreOptions()
    options.conditionLimits.listItems = 5
    return (
      RequestLowering(entity: entity, schema: schema, options: options, remembers: true),
      RequestLowering(entity: entity, schema: schema, options: options)
    )
  }

  /// What a lowering makes of a question: shape and bindings to the last bit, or the error.
  private static func outcome(
    _ lowering: RequestLowering, _ condition: Condition, order: [SortTerm] = [],
    output: FetchShape.Output = .rows, paging: Paging = .all
  ) -> String {
    do {
      let request = try lowering.request(
        output: output, condition: condition, order: order, paging: paging, start: nil)
      return "\(request.shape.condition) \(request.shape.sort) \(request.shape.output) "
        + "\(request.shape.isLimited) \(request.bindings.map(bits)) "
        + "\(String(describing: request.limit)) \(request.offset)"
    } catch {
      return "\(error)"
    }
  }

  private static func bits(_ value: StoredValue) -> String {
    switch value {
    case .double(let number): "double \(number.bitPattern)"
    case .string(let text): "string \(Array(text.utf8))"
    case .array(let elements): "array \(elements.map(bits))"
    default: "\(value)"
    }
  }

  private func expectSame(
    _ conditions: [Condition], order: [SortTerm] = [], output: FetchShape.Output = .rows,
    paging: Paging = .all, _ place: SourceLocation = #_sourceLocation
  ) {
    // Twice, so that the first is asked of what was remembered as well.
    for condition in conditions + conditions {
      #expect(
        Self.outcome(remembering, condition, order: order, output: output, paging: paging)
          == Self.outcome(forgetful, condition, order: order, output: output, paging: paging),
        "\(condition)", sourceLocation: place)
    }
  }

  private static func amount(
    _ comparator: ORMCore.Comparator, _ value: StoredValue
  ) -> Condition { .compare(.attribute("amount"), comparator, .value(value), []) }

  private static func among(_ attribute: String, _ list: [StoredValue]) -> Condition {
    .isIn(.attribute(attribute), list: .value(.array(list)), [])
  }

  @Test("a shape asked again is the same object, with the new values")
  func sameShape() throws {
    let first = try remembering.request(
      condition: Self.amount(.less, .int(7)), order: [], paging: .all, start: nil)
    let second = try remembering.request(
      condition: Self.amount(.less, .int(9)), order: [], paging: .all, start: nil)
    #expect(first.shape === second.shape)
    #expect(first.bindings == [.int(7)])
    #expect(second.bindings == [.int(9)])
    let limited = try remembering.request(
      condition: Self.amount(.less, .int(9)), order: [], paging: .limit(3, offset: 4), start: nil)
    #expect(limited.shape !== second.shape)
    #expect(limited.shape.isLimited && limited.limit == 3 && limited.offset == 4)
  }

  @Test("2.1, 2.2: nil against a value, NaN, other kinds of numbers")
  func values() {
    for comparator in [ORMCore.Comparator.equal, .notEqual, .less] {
      expectSame(
        [
          .int(7), .null, .int(0), .double(7), .double(.nan), .uint(.max), .decimal(7),
          .decimal(.nan), .bool(true), .string("7"), .int(.min),
        ].map { Self.amount(comparator, $0) })
    }
  }

  @Test("2.4: lists that are empty, have one, duplicates, nil, NaN, mixed kinds, or too many")
  func lists() {
    expectSame(
      [
        [.int(1), .int(2)], [], [.int(2)], [.int(2), .int(2)], [.int(3), .int(1), .int(2)],
        [.int(1), .null], [.null], [.int(1), .double(1)], [.double(.nan), .double(2)],
        [.int(1), .int(2), .int(3), .int(4), .int(5)],
        [.int(1), .int(1), .int(1), .int(1), .int(1), .int(1)], [.int(4), .int(3)],
      ].map { Self.among("amount", $0) })
    expectSame(
      [
        [.string("a"), .string("b")], [.string("e\u{301}"), .string("é")],
        [.string("e\u{301}"), .string("f")],
      ].flatMap { [Self.among("taste", $0), Self.among("name", $0)] })
  }

  @Test("sides that are equal for some values and not for others")
  func overloads() {
    let pairs: [(StoredValue, StoredValue)] = [
      (.int(1), .int(2)), (.int(2), .int(2)), (.int(1), .null), (.null, .null), (.int(3), .int(4)),
    ]
    for pair in pairs {
      for comparator in [ORMCore.Comparator.equal, .notEqual, .greater] {
        let parts = [Self.amount(comparator, pair.0), Self.amount(comparator, pair.1)]
        let other = Condition.compare(.attribute("isHot"), .equal, .value(.bool(true)), [])
        expectSame([
          .all(parts), .any(parts), .not(.all(parts)), .not(.any(parts)),
          .all([parts[0], .any([other, .all([parts[1], other])])]),
          .any([.all([other, parts[0]]), .all([other, parts[1]])]),
          .all([.not(.any([parts[0], other])), parts[1]]),
        ])
      }
    }
  }

  @Test("constants that are worked out, and those that stand on the left")
  func folding() {
    for number in [StoredValue.int(1), .int(2), .int(.max), .null, .double(0.5)] {
      let sum = Operand.arithmetic(.add, .value(number), .value(.int(1)))
      let mixed = Operand.arithmetic(.add, .attribute("amount"), .value(number))
      expectSame([
        .compare(.value(number), .less, .attribute("amount"), []),
        .compare(.value(number), .less, .value(.int(2)), []),
        .compare(sum, .equal, .attribute("amount"), []),
        .compare(mixed, .equal, .value(number), []),
        .compare(mixed, .equal, .negated(.value(number)), []),
        .isIn(.value(number), list: .value(.array([.int(1), .int(2)])), []),
        .compare(.function(.abs, .value(number)), .equal, .attribute("amount"), []),
      ])
    }
  }

  @Test("1.2: texts beside an attribute that is kept in NFC, patterns, options")
  func texts() {
    for text in ["é", "e\u{301}", "", "(", "a*", "it's"] {
      for attribute in ["name", "taste"] {
        for symbol in [TextOperator.contains, .beginsWith, .endsWith, .like, .matches] {
          for options in [TextOptions(), .caseInsensitive, [.caseInsensitive, .normalized]] {
            expectSame([
              .text(.attribute(attribute), symbol, .value(.string(text)), options),
              .compare(.attribute(attribute), .equal, .value(.string(text)), options),
            ])
          }
        }
      }
      expectSame([
        .all([
          .compare(.attribute("taste"), .equal, .value(.string(text)), []),
          .compare(.attribute("name"), .equal, .value(.string(text)), []),
          .compare(.attribute("isHot"), .equal, .value(.bool(text.isEmpty)), []),
          .isIn(.value(.string(text)), list: .attribute("tags"), []),
        ])
      ])
    }
  }

  @Test("3.2, 7.1: orders, outputs, pages and limits are part of what is remembered")
  func parts() {
    let orders: [[SortTerm]] = [
      [], [SortTerm(.attribute("name"))], [SortTerm(.attribute("name"), isDescending: true)],
      [SortTerm(.attribute("name"), nils: .last)],
      [SortTerm(.attribute("name"), options: .caseInsensitive)], [SortTerm(.attribute("tags"))],
      [SortTerm(.arithmetic(.multiply, .attribute("amount"), .value(.int(2))))],
      [SortTerm(.arithmetic(.multiply, .attribute("amount"), .value(.int(3))))],
      [SortTerm(.attribute("id")), SortTerm(.attribute("name"))],
    ]
    let outputs: [FetchShape.Output] = [
      .rows, .values([.attribute("name")]), .values([.attribute("name"), .value(.int(1))]),
      .aggregates([Aggregate(.count)]), .aggregates([Aggregate(.count, .attribute("amount"))]),
      .aggregates([Aggregate(.sum, .attribute("amount"))]),
      .aggregates([Aggregate(.sum, .attribute("name"))]),
    ]
    let pages: [Paging] = [
      .all, .limit(nil, offset: 0), .limit(0, offset: 0), .limit(nil, offset: 2),
      .limit(-1, offset: 0), .page(1, size: 10), .page(-1, size: 1), .page(0, size: .max),
      .page(.max, size: 10),
    ]
    for order in orders {
      for output in outputs {
        for page in pages {
          expectSame(
            [Self.amount(.less, .int(7)), Self.amount(.less, .int(8)), .constant(true)],
            order: order, output: output, paging: page)
        }
      }
    }
  }

  @Test("7.1: conditions too deep, too many or too long are refused as ever")
  func limits() {
    var deep = Self.amount(.equal, .int(1))
    for _ in 0..<500 { deep = .not(deep) }
    expectSame([deep])
    let many = (0..<300).map { Self.amount(.greater, .int($0)) }
    expectSame([.all(many), .any(many)])
    expectSame([
      .compare(.attribute(String(repeating: "x", count: 5000)), .equal, .value(.int(1)), []),
      .invalid(StoreError(.invalidCondition, "never made")),
    ])
  }

  @Test("random questions, each with several sets of values")
  func random() throws {
    var trees = RandomFormatTree(seed: 0)
    trees.random = SeededGenerator.printed("remembered requests")
    for _ in 0..<1_500 {
      let condition = trees.condition(3)
      expectSame([condition] + (0..<3).map { _ in condition.revalued(&trees.random) })
    }
    let (remembering, forgetful) = try Self.lowerings(
      "Team", Schema(Team.self, Coach.self, Player.self, League.self).stored)
    for _ in 0..<500 {
      let condition = trees.team(3)
      for condition in [condition] + (0..<4).map({ _ in condition.revalued(&trees.random) }) {
        #expect(
          Self.outcome(remembering, condition) == Self.outcome(forgetful, condition),
          "\(condition)")
      }
    }
  }
}

extension Condition {
  /// The condition with other values, few of which are different.
  fileprivate func revalued(_ random: inout SeededGenerator) -> Condition {
    let isWild = Int.random(in: 0..<4, using: &random) == 0
    func other(_ value: StoredValue) -> StoredValue {
      if isWild, Int.random(in: 0..<4, using: &random) == 0 {
        return [.null, .double(.nan), .bool(true), .string("é"), .int(1)]
          .randomElement(using: &random) ?? .null
      }
      switch value {
      case .int: return .int(.random(in: -1...2, using: &random))
      case .double: return .double([0, -0.0, 1.5].randomElement(using: &random) ?? 0)
      case .string:
        return .string(["", "a", "e\u{301}", "é"].randomElement(using: &random) ?? "")
      case .array(let elements): return .array(elements.map(other))
      default: return value
      }
    }
    return rewriting { operand in
      if case .value(let value) = operand { .value(other(value)) } else { nil }
    }
  }
}
