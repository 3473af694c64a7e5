internal import ORMStorage

/// A request's shape in terms of the roots: subentities are asked for as their root's rows of some
/// kinds, under the names that the root has for their attributes.
final class ShapeTranslation: Sendable {
  private let shape: FetchShape
  /// The number of bindings the shape's own parameters take; the kinds come after them.
  private let bindings: Int
  private let kinds: [StoredValue]
  /// The translation of the rows of the result; nil if they need none.
  let rows: RowTranslation?

  /// Translates a shape whose requests have `bindings` bindings.
  init(_ shape: FetchShape, bindings: Int, _ subentities: SubentityTable) {
    var translator = SubentityTranslator(subentities: subentities, bindings: bindings)
    let own = subentities[shape.entity]
    var scopes: SubentityTranslator.Scopes = [:]
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

  /// Returns whether it does for requests with `count` bindings.
  func fits(_ count: Int) -> Bool { bindings == count || kinds.isEmpty }

  /// The request as the engine is asked it.
  func request(_ request: FetchRequest) -> FetchRequest {
    FetchRequest(
      shape, bindings: request.bindings + kinds, limit: request.limit, offset: request.offset)
  }
}

/// A cache of translations by shape.
final class TranslationCache: Sendable {
  private let known = Lock<[FetchShape: ShapeTranslation]>([:])
  /// The most translations in the cache.
  ///
  /// When a program uses more shapes, the cache is emptied and shapes are translated again.
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

extension SubentityTranslator {
  /// Returns the translated output and the translation of its rows; nil if the rows need none.
  fileprivate mutating func output(
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
}
