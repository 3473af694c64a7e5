import Foundation
import ORMCore
import TestSupport
import Testing

@testable import SQLiteBackend

/// The engine against core's evaluator, in requests about related rows.
@Suite struct RandomRelatedTests {
  /// Two entities of the same columns, so that every condition fits the rows of every scope.
  static let schema: StoredSchema = {
    var other = RandomRequests.entity
    other.name = "Other"
    other.modelName = "Other"
    other.indexes = other.indexes.map {
      var index = $0
      index.name = "Other" + index.name
      return index
    }
    return StoredSchema(entities: [RandomRequests.entity, other])
  }()

  /// Core alone, over rows in memory.
  final class NaiveReader: StoreReader {
    let rows: [String: [[StoredValue]]]
    init(_ rows: [String: [[StoredValue]]]) { self.rows = rows }

    func cursor(_ request: FetchRequest) throws -> any StoreCursor {
      let entity = try #require(schema[request.shape.entity])
      return try ResidualCursor(
        over: RandomRequestTests.Rows(rows[entity.name] ?? []), request: request, entity: entity,
        schema: schema, related: self)
    }
    func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
      Explanation(access: .scan, isOrderFromAccess: true, detail: "")
    }
    func greatestKey(of entity: String) throws -> Int64? { nil }
    func end() {}
  }

  /// Requests whose parts name rows of every scope around.
  struct Requests {
    var random: RandomRequests
    var nextScope = 1

    mutating func rows(_ outer: [Int], isOne: Bool) -> RelatedRows {
      var scopes = outer
      var steps: [RelatedRows.Step] = []
      for _ in 0..<random.pick([1, 1, 1, 2]) {
        let scope = nextScope
        nextScope += 1
        let own: String
        let other: String
        var links: [RelatedRows.Link] = []
        if !isOne, random.chance(4) {
          links = [.init("small", equals: Operand.Path(["smallMaybe"], scope: scopes.last ?? 0))]
        }
        if isOne {
          own = "id"
          other = random.pick(["int", "intMaybe", "small", "smallMaybe"])
        } else {
          let kind = random.pick(["int", "small", "bool", "string", "uuid", "double", "decimal"])
          own = kind + random.pick(["", "Maybe"])
          other = kind + random.pick(["", "Maybe"])
        }
        steps.append(
          .init(
            entity: random.pick(["Every", "Other"]), scope: scope,
            links: links + [
              .init(own, equals: Operand.Path([other], scope: scopes.last ?? 0))
            ]))
        scopes.append(scope)
      }
      return RelatedRows(steps)
    }

    /// A scalar operand of a row, or of rows related to it, and whether it is a number.
    mutating func operand(_ scopes: [Int], _ depth: Int) -> (Operand, AttributeType) {
      let column = random.column { [.int, .double, .string, .uuid, .date].contains($0.type.kind) }
      if depth == 0 || random.chance(2) {
        return (.path(.init([column.attribute], scope: random.pick(scopes))), column.type)
      }
      if random.chance(2) {
        let rows = rows(scopes, isOne: true)
        let (inner, type) = operand(scopes + rows.steps.map(\.scope), depth - 1)
        return (.relatedValue(inner, rows), type)
      }
      let rows = rows(scopes, isOne: false)
      let inside = scopes + rows.steps.map(\.scope)
      let filter =
        random.chance(2) ? Condition.constant(true) : condition(inside, depth - 1)
      switch random.pick(0..<4) {
      case 0: return (.relatedAggregate(.count, nil, rows, filter), .int64)
      case 1:
        let scalar = random.column { $0.type.isScalar }
        return (
          .relatedAggregate(
            random.pick([.minimum, .maximum]),
            .path(.init([scalar.attribute], scope: rows.scope)), rows, filter), scalar.type
        )
      case 2:
        let (inner, _) = operand(inside, depth - 1)
        return (.relatedAggregate(.countDistinct, inner, rows, filter), .int64)
      default:
        let number = random.column { $0.type.kind.isNumber }
        let kind = random.pick([Aggregate.Kind.sum, .average])
        let scope = random.pick(inside)
        return (
          .relatedAggregate(kind, .path(.init([number.attribute], scope: scope)), rows, filter),
          kind == .sum ? number.type : .double
        )
      }
    }

    mutating func condition(_ scopes: [Int], _ depth: Int) -> Condition {
      if depth == 0 {
        return RandomRelatedTests.moved(random.condition(1), to: random.pick(scopes))
      }
      switch random.pick(0..<6) {
      case 0: return .not(condition(scopes, depth - 1))
      case 1: return .all((0..<2).map { _ in condition(scopes, depth - 1) })
      case 2: return .any((0..<2).map { _ in condition(scopes, depth - 1) })
      case 3:
        let rows = rows(scopes, isOne: false)
        if random.chance(2) {
          // A condition on the inner rows alone may be tested first.
          let own = "\(random.pick(["id", "int", "intMaybe", "string", "double"]))"
          let type = RandomRequests.entity.columns.first { $0.attribute == own }?.type ?? .int64
          return .exists(
            rows,
            .compare(
              .path(.init([own], scope: rows.scope)), random.pick([.equal, .less, .greater]),
              .value(random.value(type)), []))
        }
        return .exists(rows, condition(scopes + rows.steps.map(\.scope), depth - 1))
      default:
        let (left, type) = operand(scopes, 2)
        let comparator = random.pick([
          ORMCore.Comparator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
        ])
        let right: Operand =
          random.chance(5)
          ? .value(.null)
          : random.chance(2)
            ? .value(random.value(type)) : .path(.init([own(type)], scope: random.pick(scopes)))
        return .compare(left, comparator, right, [])
      }
    }

    /// An attribute that a value of a type may be compared with.
    private mutating func own(_ type: AttributeType) -> String {
      random.column {
        $0.type.kind == type.kind || (type.kind.isNumber && $0.type.kind.isNumber)
      }.attribute
    }

    mutating func request() -> FetchRequest {
      nextScope = 1
      let (sorted, _) = operand([0], 2)
      let output: FetchShape.Output =
        switch random.pick(0..<4) {
        case 0: .values([operand([0], 3).0, .attribute("id"), operand([0], 2).0])
        case 1:
          .aggregates([
            Aggregate(.count), Aggregate(.minimum, operand([0], 2).0),
            Aggregate(.countDistinct, operand([0], 2).0),
          ])
        default: .rows
        }
      let isAggregate = if case .aggregates = output { true } else { false }
      return FetchRequest(
        entity: "Every", output: output, condition: condition([0], 3),
        sort: isAggregate
          ? []
          : (random.chance(2) ? [SortTerm(sorted, isDescending: random.chance(2))] : [])
            + [SortTerm(.attribute("id"))],
        limit: !isAggregate && random.chance(3) ? random.pick(0..<20) : nil)
    }
  }

  /// A condition with its paths at another row.
  static func moved(_ condition: Condition, to scope: Int) -> Condition {
    func moved(_ operand: Operand) -> Operand {
      switch operand {
      case .path(let path): .path(.init(path.names, scope: scope))
      case .json(let inner, let steps): .json(moved(inner), steps)
      case .element(let inner, let index): .element(moved(inner), index)
      case .negated(let inner): .negated(moved(inner))
      case .function(let function, let inner): .function(function, moved(inner))
      case .arithmetic(let symbol, let left, let right):
        .arithmetic(symbol, moved(left), moved(right))
      default: operand
      }
    }
    switch condition {
    case .not(let inner): return .not(Self.moved(inner, to: scope))
    case .all(let parts): return .all(parts.map { Self.moved($0, to: scope) })
    case .any(let parts): return .any(parts.map { Self.moved($0, to: scope) })
    case .compare(let left, let comparator, let right, let options):
      return .compare(moved(left), comparator, moved(right), options)
    case .isIn(let element, let list, let options):
      return .isIn(moved(element), list: moved(list), options)
    case .text(let text, let symbol, let other, let options):
      return .text(moved(text), symbol, moved(other), options)
    default: return condition
    }
  }

  @Test(arguments: [true, false])
  func `2.7, 4.1: random requests about related rows give what core's evaluator gives`(
    callsCore: Bool
  )
    throws
  {
    let seed = runSeed()
    var requests = Requests(random: RandomRequests(seed: seed))
    let fixture = SQLiteFixture()
    let store = try fixture.store(Self.schema, callsCore: callsCore)
    var rows: [String: [[StoredValue]]] = [:]
    for entity in Self.schema.entities {
      let made = (0..<8).map { requests.random.row(id: Int64($0)) }
      try store.put(entity, .insert, made, reports: [])
      rows[entity.name] = made
    }
    let naive = NaiveReader(rows)
    let reader = try store.reader(ReadTurn())
    defer { reader.end() }
    var answered = 0
    var failed = 0
    for number in 0..<300 {
      let request = requests.request()
      var expected = RowTaker()
      var expectedCode: StoreError.Code?
      do { try naive.visit(request, &expected) } catch {
        expectedCode = (error as? StoreError)?.code
        expected.rows = []
      }
      var found = RowTaker()
      var code: StoreError.Code?
      do { try reader.visit(request, &found) } catch {
        code = (error as? StoreError)?.code
        found.rows = []
      }
      if !expected.rows.isEmpty { answered += 1 }
      if expectedCode != nil { failed += 1 }
      if code != expectedCode || !RandomRequestTests.areIdentical(found.rows, expected.rows) {
        Issue.record(
          """
          seed \(seed), request \(number): \(request.shape.condition) sort \(request.shape.sort) \
          \(request.shape.output) \(request.bindings)
          \((try? reader.explain(request).detail) ?? "")
          found \(code.map { "\($0)" } ?? "\(found.rows)")
          expected \(expectedCode.map { "\($0)" } ?? "\(expected.rows)")
          """)
        return
      }
    }
    #expect(answered > 150 && failed < 30, "seed \(seed): \(answered) answered, \(failed) failed")
  }
}
