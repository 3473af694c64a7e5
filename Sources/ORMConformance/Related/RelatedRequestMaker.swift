internal import ORM
internal import ORMCore
internal import ORMObservation

/// Makes random requests whose conditions, orders and values name related rows, as they reach a
/// store.
struct RelatedRequestMaker {
  let schema: StoredSchema
  private let edges: [RelatedEdge]
  var random: SeededGenerator
  /// Scopes are numbered so that none is used twice in a request.
  var scopeCount = 0

  init(_ schema: StoredSchema, _ random: SeededGenerator) {
    self.schema = schema
    self.random = random
    edges = RelatedEdge.edges(of: schema)
  }

  /// A row that names lead to.
  struct Scope {
    var number: Int
    var entity: StoredEntity
  }

  /// The kinds of operands that are made.
  enum Kind: CaseIterable {
    case int, text, uuid

    func includes(_ column: StoredColumn) -> Bool {
      switch self {
      case .int: column.type.kind == .int
      case .text: column.type.kind == .string
      case .uuid: column.type.kind == .uuid
      }
    }
  }

  mutating func request() -> (request: FetchRequest, naive: RelatedQuestion) {
    scopeCount = 0
    let entity = random.pick(schema.entities)
    let scopes = [Scope(number: 0, entity: entity)]
    var question = RelatedQuestion(
      entity: entity, condition: condition(scopes, random.number(0...3)))
    for _ in 0..<random.pick([0, 0, 1, 2]) {
      question.sort.append(
        SortTerm(
          operand(random.pick([.int, .text]), scopes, 2), isDescending: random.chance(2)))
    }
    question.sort += entity.keyAttributes.map { SortTerm(.attribute($0)) }
    switch random.number(0...4) {
    case 2:
      if let (rows, _) = rows(scopes, areOne: true) {
        question.output = .joined(
          rows.steps[0], [random.pick(entity.columns).attribute, entity.keyAttributes[0]])
      }
    case 0:
      question.output = .values(
        (0..<random.number(1...2)).map { _ in operand(random.pick(Kind.allCases), scopes, 2) })
    case 1:
      question.sort = []
      let kind = random.pick([Aggregate.Kind.count, .countDistinct, .sum, .minimum, .maximum])
      question.output = .aggregates([
        Aggregate(.count), Aggregate(kind, operand(.int, scopes, 2)),
      ])
    default:
      if random.chance(3) {
        (question.limit, question.offset) = (random.number(0...3), random.number(0...1))
      }
    }
    return (question.request, question)
  }

  /// An assignment of a random attribute that is no part of the key or a unique rule.
  mutating func assignment(of entity: StoredEntity) -> StoreChange.Assignment? {
    let columns = entity.columns.indices.filter {
      !entity.key.contains($0) && !entity.uniqueColumns.contains($0)
    }
    guard !columns.isEmpty else { return nil }
    let column = random.pick(columns)
    guard let kind = Kind.allCases.first(where: { $0.includes(entity.columns[column]) }) else {
      return nil
    }
    return .init(column: column, value: operand(kind, [Scope(number: 0, entity: entity)], 2))
  }

  private mutating func condition(_ scopes: [Scope], _ depth: Int) -> Condition {
    if depth == 0 || random.chance(5) { return leaf(scopes, depth) }
    switch random.number(0...7) {
    case 7: return alternatives(scopes, depth) ?? leaf(scopes, depth)
    case 0: return .not(condition(scopes, depth - 1))
    case 1: return .all([condition(scopes, depth - 1), condition(scopes, depth - 1)])
    case 2: return .any([condition(scopes, depth - 1), condition(scopes, depth - 1)])
    case 3: return leaf(scopes, depth)
    default:
      guard let (rows, inner) = rows(scopes, areOne: false) else { return leaf(scopes, depth) }
      return .exists(rows, condition(inner, depth - 1))
    }
  }

  /// Two conditions, of which one must hold, on the rows that one way leads to.
  private mutating func alternatives(_ scopes: [Scope], _ depth: Int) -> Condition? {
    let before = random
    var parts: [Condition] = []
    for _ in 0..<2 {
      // The same numbers make the same way, in scopes of its own.
      var after = random
      random = before
      guard let (rows, inner) = rows(scopes, areOne: false) else { return nil }
      if parts.isEmpty { after = random }
      random = after
      parts.append(.exists(rows, condition(inner, depth - 1)))
    }
    return .any(parts)
  }

  private mutating func leaf(_ scopes: [Scope], _ depth: Int) -> Condition {
    switch random.number(0...10) {
    case 0: return .constant(true)
    case 8...10: return items(scopes, max(0, depth - 1))
    case 1:
      let symbol = random.pick([TextOperator.contains, .beginsWith, .endsWith])
      return .text(operand(.text, scopes, depth), symbol, operand(.text, scopes, 0), [])
    case 2:
      let list = StoredValue.array([.int(1), .int(3), .null].shuffled(using: &random))
      return .isIn(operand(.int, scopes, depth), list: .value(list), [])
    case 3:
      return .compare(
        operand(.uuid, scopes, depth), random.pick([.equal, .notEqual]),
        operand(.uuid, scopes, 0), [])
    default:
      let kind = random.pick([Kind.int, .int, .text])
      let comparators: [ORMCore.Comparator] = [
        .equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
      ]
      return .compare(
        operand(kind, scopes, depth), random.pick(comparators), operand(kind, scopes, depth), [])
    }
  }

  mutating func operand(_ kind: Kind, _ scopes: [Scope], _ depth: Int) -> Operand {
    if depth > 0 {
      switch random.number(0...7) {
      case 0 where kind == .int:
        return .arithmetic(
          random.pick([.add, .subtract]), operand(.int, scopes, depth - 1),
          operand(.int, scopes, depth - 1))
      case 1 where kind == .int:
        return .function(.length, operand(.text, scopes, depth - 1))
      case 0 where kind == .text:
        return .function(
          random.pick([.uppercase, .lowercase, .foldC, .foldCD]), operand(.text, scopes, depth - 1))
      case 1 where kind == .text: return greatest(.text, scopes, depth - 1)
      case 7 where kind == .int: return greatest(.int, scopes, depth - 1)
      case 2, 3:
        if let (rows, inner) = rows(scopes, areOne: true) {
          return .relatedValue(operand(kind, inner, depth - 1), rows)
        }
      case 4, 5, 6:
        guard kind != .uuid, let (rows, inner) = rows(scopes, areOne: false) else { break }
        return aggregate(kind, rows, inner, depth - 1)
      default: break
      }
    }
    return plain(kind, scopes)
  }

  private mutating func aggregate(
    _ kind: Kind, _ rows: RelatedRows, _ inner: [Scope], _ depth: Int
  ) -> Operand {
    let condition = random.chance(2) ? .constant(true) : condition(inner, depth)
    if kind == .text {
      return .relatedAggregate(
        random.pick([.minimum, .maximum]), operand(.text, inner, depth), rows, condition)
    }
    switch random.pick([Aggregate.Kind.count, .count, .countDistinct, .sum, .minimum, .maximum]) {
    case .count where random.chance(2):
      return .relatedAggregate(.count, nil, rows, condition)
    case let function:
      return .relatedAggregate(function, operand(.int, inner, depth), rows, condition)
    }
  }

  /// Makes an attribute of a row in scope, most often of the innermost, or a value.
  private mutating func plain(_ kind: Kind, _ scopes: [Scope]) -> Operand {
    let scope = random.chance(2) ? scopes[scopes.count - 1] : random.pick(scopes)
    let columns = scope.entity.columns.filter { kind.includes($0) }
    if columns.isEmpty || random.chance(4) {
      if random.chance(6) { return .value(.null) }
      switch kind {
      case .int: return .value(RelatedContent.value(of: .int64, &random))
      case .text: return .value(RelatedContent.value(of: .string, &random))
      case .uuid: return .value(RelatedContent.value(of: .uuid, &random))
      }
    }
    return .path(.init([random.pick(columns).attribute], scope: scope.number))
  }

  /// Makes a path from a row in scope, and the rows in scope inside.
  private mutating func rows(
    _ scopes: [Scope], areOne: Bool
  ) -> (RelatedRows, [Scope])? {
    var inner = scopes
    var steps: [RelatedRows.Step] = []
    var scope = random.chance(2) ? scopes[scopes.count - 1] : random.pick(scopes)
    for _ in 0..<random.pick([1, 1, 1, 2, 3]) {
      let ways = edges.filter { $0.from == scope.entity.name && ($0.isToOne || !areOne) }
      guard !ways.isEmpty else { break }
      for hop in random.pick(ways).hops {
        guard let entity = schema[hop.entity] else { return nil }
        scopeCount += 1
        let links = hop.links.map {
          RelatedRows.Link($0.attribute, equals: .init([$0.before], scope: scope.number))
        }
        let optional = entity.columns.filter(\.isOptional)
        let isCut = !optional.isEmpty && random.chance(6)
        steps.append(
          .init(
            entity: entity.name, scope: scopeCount, links: links,
            nullAttribute: isCut ? random.pick(optional).attribute : nil))
        scope = Scope(number: scopeCount, entity: entity)
        inner.append(scope)
      }
    }
    return steps.isEmpty ? nil : (RelatedRows(steps), inner)
  }
}

/// A request in words, for a store and for the naive loops.
struct RelatedQuestion {
  var entity: StoredEntity
  var output = FetchShape.Output.rows
  var condition: Condition
  var sort: [SortTerm] = []
  var limit: Int?
  var offset = 0

  /// The request for a store.
  var request: FetchRequest {
    FetchRequest(
      entity: entity.name, output: output, condition: condition, sort: sort, limit: limit,
      offset: offset)
  }
}

extension RelatedQuestion: CustomStringConvertible {
  var description: String {
    "\(entity.name) where \(condition) by \(sort) giving \(output), \(offset), \(limit ?? -1)"
  }
}
