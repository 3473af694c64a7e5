internal import ORMStorage

/// The writer that the operations use where entities have rules, hooks or managed attributes: each put and
/// change of such an entity is looked at before it reaches the writer beneath.
///
/// It is the outermost layer, so it sees rows as models write them.
final class InterceptingWriter: ForwardingWriter, RowInterceptor {
  let base: any StoreWriter
  let interceptors: StoreInterceptors
  /// The layer beneath that keeps derived attributes, around which `base` may be; nil where there are
  /// none.
  let derived: DerivedWriter?
  /// The transaction around, which hooks are given; set by it.
  weak var transaction: WriteTransaction? {
    didSet { derived?.transaction = transaction }
  }
  /// True if rows are taken as they are: those of a copy were checked by the store that they come from.
  private var isOpen = false
  var hasHooks: Bool { interceptors.hasHooks }
  /// The number of writes with hooks that are inside each other.
  private var depth = 0

  /// The rows of changes that layers have read.
  private let deltas: RowDeltas

  init(
    _ base: any StoreWriter, interceptors: StoreInterceptors, derived: DerivedWriter? = nil,
    deltas: RowDeltas
  ) {
    self.base = base
    self.deltas = deltas
    self.interceptors = interceptors
    self.derived = derived
  }

  /// Takes rows as they are for the length of a body.
  func bypassingRules<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasOpen = isOpen
    isOpen = true
    derived?.isOpen = true
    defer {
      isOpen = wasOpen
      derived?.isOpen = wasOpen
    }
    return try body()
  }

  /// The interceptor of an entity, where it is to be asked.
  private func interceptor(_ name: String, columns: [Int]?) -> EntityInterceptor? {
    guard !isOpen, let found = interceptors[name], !found.isIdle, found.concerns(columns) else {
      return nil
    }
    return found
  }

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    try put(request, from: &source, to: &visitor, failures: nil)
  }

  /// Puts rows.
  ///
  /// - Parameter failures: finds failures of a row besides those of its attributes, which are reported
  ///   together with the rules that the row breaks.
  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O, failures: RowFailures?
  ) throws {
    guard !isOpen, let interceptor = interceptors[request.entity] else {
      return try base.put(request, from: &source, to: &visitor)
    }
    guard let stripped = interceptor.stripped(request) else {
      return try put(interceptor, request, from: &source, to: &visitor, failures)
    }
    var dropping = DroppingSource(source, interceptor.derived, of: interceptor.entity)
    defer { source = dropping.base }
    try put(interceptor, stripped, from: &dropping, to: &visitor, failures)
  }

  private func put<S: RowSource, O: PutVisitor>(
    _ interceptor: EntityInterceptor, _ request: PutRequest, from source: inout S,
    to visitor: inout O, _ more: RowFailures?
  ) throws {
    if interceptor.isIdle || !interceptor.concerns(request.columns) {
      return try base.put(request, from: &source, to: &visitor)
    }
    if interceptor.checksInPassing(request) {
      var checked = try CheckedSource(source, interceptor, request, more: more)
      defer { source = checked.base }
      return try base.put(request, from: &checked, to: &visitor)
    }
    // Only the visitor of the last attempt counts.
    var copy = visitor
    try nested { transaction in
      var put = try InterceptedPut(
        interceptor, request, rows: &source, writer: base, transaction: transaction, more: more)
      try put.run(to: &copy)
    }
    visitor = copy
  }

  func apply(_ change: StoreChange) throws -> Int {
    switch change {
    case .update(let request, let assignments):
      guard let interceptor = interceptor(request.shape.entity, columns: assignments.map(\.column))
      else { return try base.apply(change) }
      return try nested { transaction in
        try InterceptedUpdate(
          interceptor: interceptor, request: request, assignments: assignments, writer: base,
          transaction: transaction, deltas: deltas
        ).run()
      }
    case .delete(let request):
      guard let interceptor = interceptor(request.shape.entity, columns: nil),
        let typed = interceptor.typed, typed.hooks != nil || typed.checksDeletes
      else { return try base.apply(change) }
      return try nested { transaction in
        try InterceptedDelete(
          interceptor: interceptor, typed: typed, writer: base, transaction: transaction
        ).run(request)
      }
    case .clear(let name):
      guard let interceptor = interceptor(name, columns: nil), let typed = interceptor.typed,
        typed.hooks != nil || typed.checksDeletes
      else { return try base.apply(change) }
      return try nested { transaction in
        let request = FetchRequest(
          entity: name, sort: SortTerm.total([], entity: interceptor.entity))
        return try InterceptedDelete(
          interceptor: interceptor, typed: typed, writer: base, transaction: transaction
        ).run(request)
      }
    }
  }

  /// Runs an intercepted write inside a savepoint, which undoes the writes of hooks too.
  private func nested<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    guard let transaction else {
      throw StoreError(
        .transactionEnded,
        "the writer of a hook was used after its transaction ended")
    }
    guard depth < 64 else {
      throw StoreError(
        .tooComplex,
        "hooks trigger one another more than 64 levels deep; break the cycle")
    }
    depth += 1
    defer { depth -= 1 }
    return try transaction.savepoint(body)
  }

  var forwardedWriter: any StoreWriter { base }
  func isTransparent(for shape: FetchShape) -> Bool { true }
}
