internal import ORMCore

/// What is wrong with a row of a put besides its attributes, by the row's position.
typealias RowFailures = (Int) throws -> [StoreError]

/// The writer that the operations use where entities have rules, hooks or managed attributes: each put and
/// change of such an entity is looked at before it reaches the writer beneath.
///
/// It is the outermost layer, so it sees rows as models write them.
final class GuardedWriter: ForwardingWriter {
  let base: any StoreWriter
  let guards: StoreGuards
  /// The layer beneath that keeps derived attributes, around which `base` may be; nil where there are
  /// none.
  let derived: DerivedWriter?
  /// The transaction around, which hooks are given; set by it.
  weak var transaction: WriteTransaction? {
    didSet { derived?.transaction = transaction }
  }
  /// Whether rows are taken as they are: those of a copy were guarded where they come from.
  private var isOpen = false
  /// How many writes with hooks are inside each other.
  private var depth = 0
  /// What is wrong with the rows of the next put besides their attributes: it is told with the
  /// rules that a row breaks.
  ///
  /// The put takes it.
  var rowFailures: RowFailures?

  init(_ base: any StoreWriter, guards: StoreGuards, derived: DerivedWriter? = nil) {
    self.base = base
    self.guards = guards
    self.derived = derived
  }

  /// Takes rows as they are for the length of a body.
  func unguarded<Result>(_ body: () throws -> Result) rethrows -> Result {
    let wasOpen = isOpen
    isOpen = true
    derived?.isOpen = true
    defer {
      isOpen = wasOpen
      derived?.isOpen = wasOpen
    }
    return try body()
  }

  /// The guard of an entity, where it is to be asked.
  private func entityGuard(_ name: String, columns: [Int]?) -> EntityGuard? {
    guard !isOpen, let found = guards[name], !found.isIdle, found.concerns(columns) else {
      return nil
    }
    return found
  }

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    guard !isOpen, let entityGuard = guards[request.entity] else {
      return try base.put(request, from: &source, to: &visitor)
    }
    guard let stripped = entityGuard.stripped(request) else {
      return try put(entityGuard, request, from: &source, to: &visitor)
    }
    var dropping = DroppingSource(source, entityGuard.derived, of: entityGuard.entity)
    defer { source = dropping.base }
    try put(entityGuard, stripped, from: &dropping, to: &visitor)
  }

  private func put<S: RowSource, O: PutVisitor>(
    _ entityGuard: EntityGuard, _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    let more = rowFailures
    rowFailures = nil
    if entityGuard.isIdle || !entityGuard.concerns(request.columns) {
      return try base.put(request, from: &source, to: &visitor)
    }
    if entityGuard.checksInPassing(request) {
      var checked = try CheckedSource(source, entityGuard, request, more: more)
      defer { source = checked.base }
      return try base.put(request, from: &checked, to: &visitor)
    }
    // Only the visitor of the attempt that counts is kept.
    var told = visitor
    try nested { transaction in
      var put = try GuardedPut(
        entityGuard, request, rows: &source, writer: base, transaction: transaction, more: more)
      try put.run(to: &told)
    }
    visitor = told
  }

  func apply(_ change: StoreChange) throws -> Int {
    switch change {
    case .update(let request, let assignments):
      guard let entityGuard = entityGuard(request.shape.entity, columns: assignments.map(\.column))
      else { return try base.apply(change) }
      return try nested { transaction in
        try GuardedUpdate(
          entityGuard: entityGuard, request: request, assignments: assignments, writer: base,
          transaction: transaction
        ).run()
      }
    case .delete(let request):
      guard let entityGuard = entityGuard(request.shape.entity, columns: nil),
        let typed = entityGuard.typed, typed.hasHooks || typed.checksDeletes
      else { return try base.apply(change) }
      return try nested { transaction in
        try GuardedDelete(
          entityGuard: entityGuard, typed: typed, writer: base, transaction: transaction
        ).run(request)
      }
    case .clear(let name):
      guard let entityGuard = entityGuard(name, columns: nil), let typed = entityGuard.typed,
        typed.hasHooks || typed.checksDeletes
      else { return try base.apply(change) }
      return try nested { transaction in
        let request = FetchRequest(
          entity: name, sort: SortTerm.total([], entity: entityGuard.entity))
        return try GuardedDelete(
          entityGuard: entityGuard, typed: typed, writer: base, transaction: transaction
        ).run(request)
      }
    }
  }

  /// Runs a guarded write inside a savepoint: what hooks wrote goes with it.
  private func nested<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    guard let transaction else {
      throw StoreError(.transactionEnded, "the transaction of this writer has ended")
    }
    guard depth < 64 else {
      throw StoreError(.tooComplex, "hooks set one another off more than 64 levels deep")
    }
    depth += 1
    defer { depth -= 1 }
    return try transaction.savepoint(body)
  }

  var forwardedWriter: any StoreWriter { base }
  func isTransparent(for shape: FetchShape) -> Bool { true }
}
