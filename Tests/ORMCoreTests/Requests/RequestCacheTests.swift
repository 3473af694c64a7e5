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

  /// Two lowerings for an entity, one that remembers and one that does not; `taste` is stored in NFC.
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
  ///
  /// - Parameter again: True if the values are put back into the request, which is then normalized.
  private static func outcome(
    _ lowering: RequestLowering, _ condition: Condition, order: [SortTerm] = [],
    output: FetchShape.Output = .rows, paging: Paging = .all, again: Bool = false
  ) -> String {
    do {
      var request = try lowering.request(
        output: output, condition: condition, order: order, paging: paging, start: nil)
      if again { request = request.normalizedAgain }
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
      let again = condition.repeatsValues
      #expect(
        Self.outcome(
          remembering, condition, order: order, output: output, paging: paging, again: again)
          == Self.outcome(forgetful, condition, order: order, output: output, paging: paging),
        "\(condition)", sourceLocation: place)
    }
  }

  /// The shapes of a query with different values, each once, and the bindings of each.
  private func shapes(
    _ queries: [Query<Snack>], most: Int? = nil
  ) throws -> (count: Int, bindings: [[StoredValue]]) {
    let requests = try queries.map { try $0.request(most: most, by: remembering) }
    return (Set(requests.map { ObjectIdentifier($0.shape) }).count, requests.map(\.bindings))
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

  @Test("queries that differ in values alone share one shape, whatever they are written with")
  func sharing() throws {
    let forms: [(String, (Int) -> Query<Snack>)] = [
      ("closure", { n in Snack.all.where { $0.amount > n } }),
      ("key path", { n in Snack.all.where(\.amount > n) }),
      ("format", { n in Snack.all.where("amount > %@ AND name BEGINSWITH %@", n, "a\(n)") }),
      ("list", { n in Snack.all.where { $0.amount.isIn([n, n + 1, n + 5]) } }),
      ("limit", { n in Snack.all.where(\.amount > n).limit(n) }),
      ("page", { n in Snack.all.where(\.amount > n).page(n, size: n + 3) }),
      ("arithmetic", { n in Snack.all.where { $0.price * Double(n) > Double(n) + 0.5 } }),
      ("order", { n in Snack.all.where { $0.amount > n }.sorted(by: "price * %@ DESC", n) }),
      ("text", { n in Snack.all.where { $0.taste.equals("e\u{301}\(n)", .caseInsensitive) } }),
      ("element", { n in Snack.all.where { $0.tags.contains("\(n)") } }),
      ("left", { n in Snack.all.where { n < $0.amount } }),
      ("either", { n in Snack.all.where { $0.amount == n || $0.amount == 100 - n } }),
      ("negation", { n in Snack.all.where { !($0.amount == n && $0.isHot) } }),
      ("constant", { n in Snack.all.where { $0.amount > n && $0.isHot == true } }),
    ]
    for (name, form) in forms {
      let shapes = try shapes((5..<9).map(form), most: name == "limit" ? 3 : nil)
      #expect(shapes.count == 1, "\(name)")
      #expect(Set(shapes.bindings).count == 4, "\(name)")
    }
    let either = try shapes([
      Snack.all.where { $0.amount == 3 || $0.isHot || $0.amount == 2 },
      Snack.all.where { $0.amount == 5 || $0.isHot || $0.amount == 7 },
    ])
    #expect(either.count == 1)
    #expect(
      either.bindings == [
        [.array([.int(2), .int(3)]), .bool(true)], [.array([.int(5), .int(7)]), .bool(true)],
      ])
    // One value alone is an equality.
    let same = try remembering.request(
      condition: .any([Self.amount(.equal, .int(4)), Self.amount(.equal, .int(4))]), order: [],
      paging: .all, start: nil)
    #expect(same.shape.condition == .compare(.attribute("amount"), .equal, .parameter(0, .int), []))
    #expect(same.bindings == [.int(4)])
  }

  @Test("texts of a list beside an attribute in NFC, which may be the same one")
  func normalizedLists() throws {
    let requests = try [["e\u{301}", "b"], ["c", "a"], ["e\u{301}", "é"]].map { texts in
      try remembering.request(
        condition: Self.among("taste", texts.map { .string($0) }), order: [], paging: .all,
        start: nil)
    }
    #expect(requests[0].shape === requests[1].shape)
    #expect(
      requests.map { $0.bindings.map(Self.bits) } == [
        [Self.bits(.array([.string("b"), .string("é")]))],
        [Self.bits(.array([.string("a"), .string("c")]))], [Self.bits(.string("é"))],
      ])
  }

  @Test("2.9: relationships, aggregates of related objects and links share their shape")
  func relatedSharing() throws {
    let (remembering, _) = try Self.lowerings(
      "Team", Schema(Team.self, Coach.self, Player.self, League.self).stored)
    let forms: [(Int) -> Query<Team>] = [
      { n in Team.all.where { $0.players.any { $0.age > n } } },
      { n in Team.all.where { $0.players.count > n } },
      { n in Team.all.where { t in t.players.count { $0.age > n && $0.id == t.id } > n } },
      { n in Team.all.where { $0.coach.name == "\(n)" } },
      { n in Team.all.where { $0.leagues.any { $0.teams.any { $0.name == "\(n)" } } } },
    ]
    for (number, form) in forms.enumerated() {
      let requests = try (5..<9).map { try form($0).request(by: remembering) }
      #expect(Set(requests.map { ObjectIdentifier($0.shape) }).count == 1, "\(number)")
      #expect(Set(requests.map(\.bindings)).count == 4, "\(number)")
    }
    let players = try Self.lowerings(
      "Player", Schema(Team.self, Coach.self, Player.self, League.self).stored
    ).0
    for form: (Int64) -> Query<Player> in [
      { n in Player.all.where { $0.team == n } },
      { n in Player.all.where { $0.team != n } },
      { n in Player.all.where { $0.team.isIn([n, n + 1]) } },
    ] {
      let requests = try (5..<9).map { try form($0).request(by: players) }
      #expect(Set(requests.map { ObjectIdentifier($0.shape) }).count == 1)
      #expect(Set(requests.map(\.bindings)).count == 4)
    }
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

  @Test("1.2: texts beside an attribute that is stored in NFC, patterns, options")
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
          Self.outcome(remembering, condition, again: condition.repeatsValues)
            == Self.outcome(forgetful, condition), "\(condition)")
      }
    }
  }
}

extension FetchRequest {
  /// The request with its values put back, normalized once more, so that sides which are equal for
  /// these values are one.
  fileprivate var normalizedAgain: FetchRequest {
    func value(of operand: Operand) -> Operand? {
      switch operand {
      case .parameter(let slot, _), .parameterList(let slot, _, _): .value(bindings[slot])
      default: nil
      }
    }
    let sort = shape.sort.map { term in
      var term = term
      term.operand = term.operand.rewriting(value)
      return term
    }
    let output: FetchShape.Output =
      switch shape.output {
      case .values(let operands): .values(operands.map { $0.rewriting(value) })
      case .aggregates(let aggregates):
        .aggregates(aggregates.map { Aggregate($0.kind, $0.operand?.rewriting(value)) })
      default: shape.output
      }
    return FetchRequest(
      entity: shape.entity, output: output, condition: shape.condition.rewriting(value),
      sort: sort, limit: limit, offset: offset)
  }
}

extension Condition {
  /// Returns whether two of the condition's values may be the same.
  fileprivate var repeatsValues: Bool {
    var values: [StoredValue] = []
    _ = rewriting { operand in
      switch operand {
      // These decide the shape.
      case .value(.null), .value(.bool): break
      case .value(.array(let elements)):
        values.append(.array(elements.sorted { "\($0)" < "\($1)" }))
      case .value(let value): values.append(value)
      default: break
      }
      return nil
    }
    return Set(values).count < values.count
  }

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
