internal import ORMCore
internal import Synchronization

/// A request's shape in terms of the roots: subentities are asked for as their root's rows of some
/// kinds, under the names that the root has for their attributes.
final class ShapeTranslation: Sendable {
  private let shape: FetchShape
  /// How many bindings the shape's own parameters take; the kinds come after them.
  private let bindings: Int
  private let kinds: [StoredValue]
  /// What becomes of the rows of the result; nil where they are as they were.
  let rows: RowTranslation?

  /// Translates a shape whose requests have so many bindings.
  init(_ shape: FetchShape, bindings: Int, _ subentities: Subentities) {
    var translator = Translator(subentities: subentities, bindings: bindings)
    let own = subentities[shape.entity]
    var scopes: Translator.Scopes = [:]
    scopes[0] = own
    var condition = translator.condition(shape.condition, scopes)
    if let own { condition = condition.joined(with: [translator.kinds(of: own, scope: 0)]) }
    let (output, rows) = translator.output(shape.output, scopes, of: own)
    let sort = shape.sort.map { term in
      var term = term
      term.operand = translator.operand(term.operand, scopes)
      return term
    }
    self.shape = FetchShape(
      entity: own?.root.name ?? shape.entity, output: output, condition: condition, sort: sort,
      isLimited: shape.isLimited)
    self.bindings = bindings
    self.rows = rows
    kinds = translator.values
  }

  /// Whether it does for requests with so many bindings.
  func fits(_ count: Int) -> Bool { bindings == count || kinds.isEmpty }

  /// The request as the engine is asked it.
  func request(_ request: FetchRequest) -> FetchRequest {
    FetchRequest(
      shape, bindings: request.bindings + kinds, limit: request.limit, offset: request.offset)
  }
}

/// What was translated, by shape.
final class TranslationCache: Sendable {
  private let known = Mutex<[FetchShape: ShapeTranslation]>([:])
  /// So many are kept; a program that asks for more shapes has them translated again.
  private static let capacity = 1_000

  /// The translation of a request's shape, made now where it is not known.
  func translation(
    of request: FetchRequest, _ make: () -> ShapeTranslation
  ) -> ShapeTranslation {
    if let known = known.withLock({ $0[request.shape] }), known.fits(request.bindings.count) {
      return known
    }
    let made = make()
    known.withLock { known in
      if known.count >= Self.capacity { known.removeAll() }
      known[request.shape] = made
    }
    return made
  }
}

/// Puts the names of the roots in the place of those of subentities.
struct Translator {
  /// The subentities by the scope of their rows; rows of other entities have none.
  typealias Scopes = [Int: Subentity]

  let subentities: Subentities
  /// How many bindings there are before `values`.
  let bindings: Int
  /// The bindings that were added: kinds.
  private(set) var values: [StoredValue] = []
  private var operands: [String: Operand] = [:]

  init(subentities: Subentities, bindings: Int) {
    self.subentities = subentities
    self.bindings = bindings
  }

  /// That the rows of a scope are a subentity's.
  mutating func kinds(of subentity: Subentity, scope: Int) -> Condition {
    subentity.condition(scope: scope, kinds: kinds(of: subentity))
  }

  private mutating func kinds(of subentity: Subentity) -> Operand {
    if let known = operands[subentity.entity.name] { return known }
    let slot = bindings + values.count
    let kinds = subentity.kinds.map { StoredValue.string($0) }
    let operand: Operand
    if kinds.count == 1 {
      values.append(kinds[0])
      operand = .parameter(slot, .string)
    } else {
      var capacity = 1
      while capacity < kinds.count { capacity *= 2 }
      values.append(.array(kinds.sorted { StoredValue.order($0, $1) < 0 }))
      operand = .parameterList(slot, .string, capacity: capacity)
    }
    operands[subentity.entity.name] = operand
    return operand
  }

  mutating func condition(_ condition: Condition, _ scopes: Scopes) -> Condition {
    switch condition {
    case .constant, .invalid, .some: return condition
    case .not(let inner): return .not(self.condition(inner, scopes))
    case .all(let parts): return .all(parts.map { self.condition($0, scopes) })
    case .any(let parts): return .any(parts.map { self.condition($0, scopes) })
    case .compare(let left, let comparator, let right, let options):
      return .compare(operand(left, scopes), comparator, operand(right, scopes), options)
    case .isIn(let element, let list, let options):
      return .isIn(operand(element, scopes), list: operand(list, scopes), options)
    case .text(let text, let symbol, let other, let options):
      return .text(operand(text, scopes), symbol, operand(other, scopes), options)
    case .exists(let rows, let inner):
      let (rows, scopes, kinds) = related(rows, scopes)
      return .exists(rows, self.condition(inner, scopes).joined(with: kinds))
    case .someItem(let array, let scope, let inner):
      return .someItem(of: operand(array, scopes), scope: scope, self.condition(inner, scopes))
    }
  }

  mutating func operand(_ operand: Operand, _ scopes: Scopes) -> Operand {
    operand.rewriting { operand in
      switch operand {
      case .path(let path): return .path(Self.path(path, scopes))
      case .relatedAggregate(let kind, let inner, let rows, let condition):
        let (rows, scopes, kinds) = related(rows, scopes)
        return .relatedAggregate(
          kind, inner.map { self.operand($0, scopes) }, rows,
          self.condition(condition, scopes).joined(with: kinds))
      case .relatedValue(let inner, let rows):
        // A link leads to a row of the subentity: that is checked when it is written.
        let (rows, scopes, _) = related(rows, scopes)
        return .relatedValue(self.operand(inner, scopes), rows)
      case .ofItems(let kind, let array, let scope, let condition):
        return .ofItems(
          kind, self.operand(array, scopes), scope: scope, self.condition(condition, scopes))
      default: return nil
      }
    }
  }

  private static func path(_ path: Operand.Path, _ scopes: Scopes) -> Operand.Path {
    guard path.names.count == 1, let name = scopes[path.scope]?.attributes[path.names[0]] else {
      return path
    }
    return Operand.Path([name], scope: path.scope)
  }

  /// Related rows, what their scopes are, and that they are of the right kinds.
  private mutating func related(
    _ rows: RelatedRows, _ scopes: Scopes
  ) -> (RelatedRows, Scopes, [Condition]) {
    var scopes = scopes
    var conditions: [Condition] = []
    let steps = rows.steps.map { step in
      let translated = self.step(step, &scopes)
      if let subentity = scopes[step.scope] {
        conditions.append(kinds(of: subentity, scope: step.scope))
      }
      return translated
    }
    return (RelatedRows(steps), scopes, conditions)
  }

  private func step(_ step: RelatedRows.Step, _ scopes: inout Scopes) -> RelatedRows.Step {
    let subentity = subentities[step.entity]
    scopes[step.scope] = subentity
    let links = step.links.map { link in
      RelatedRows.Link(
        subentity?.attributes[link.attribute] ?? link.attribute,
        equals: Self.path(link.other, scopes))
    }
    var translated = step
    translated.entity = subentity?.root.name ?? step.entity
    translated.links = links
    translated.nullAttribute = step.nullAttribute.map { subentity?.attributes[$0] ?? $0 }
    return translated
  }

  /// What a row of the result holds, and how it is read.
  mutating func output(
    _ output: FetchShape.Output, _ scopes: Scopes, of own: Subentity?
  ) -> (FetchShape.Output, RowTranslation?) {
    switch output {
    case .rows: return (.rows, own.map { RowTranslation($0) })
    case .values(let operands): return (.values(operands.map { operand($0, scopes) }), nil)
    case .joined(let step, let names):
      var scopes = scopes
      let names = names.map { own?.attributes[$0] ?? $0 }
      return (
        .joined(self.step(step, &scopes), names),
        scopes[step.scope].map { RowTranslation($0, beside: names.count) }
      )
    case .aggregates(let aggregates):
      return (.aggregates(aggregates.map { aggregate($0, scopes) }), nil)
    case .groups(let keys, let aggregates, let having):
      return (
        .groups(
          keys: keys.map { operand($0, scopes) },
          aggregates: aggregates.map { aggregate($0, scopes) }, having: condition(having, scopes)),
        nil
      )
    }
  }

  private mutating func aggregate(_ aggregate: Aggregate, _ scopes: Scopes) -> Aggregate {
    Aggregate(aggregate.kind, aggregate.operand.map { operand($0, scopes) })
  }
}

extension Condition {
  /// The condition and others, as one AND without another inside.
  fileprivate func joined(with others: [Condition]) -> Condition {
    if others.isEmpty { return self }
    let parts: [Condition]
    switch self {
    case .constant(true): parts = []
    case .all(let own): parts = own
    default: parts = [self]
    }
    return parts.isEmpty && others.count == 1 ? others[0] : .all(parts + others)
  }
}
