package import ORMStorage

/// A view of a SQL database on one snapshot.
package class SQLReader: ConcurrentReader, ProgramStatementReader {
  let session: SQLSession
  private(set) var isEnded = false
  private var wasContended = false
  private var cursors: [ObjectIdentifier: SQLCursor] = [:]
  /// The number of requests that were run on the view, those of core for related rows among them.
  package private(set) var requestCount = 0
  /// True until the first statement, where that begins the transaction.
  private(set) var isDeferred: Bool
  private var isInFirst = false
  /// Gives the session back when the view ends.
  private let release: (SQLSession) -> Void

  /// Takes a session whose connection has begun the read or write.
  package init(
    _ session: SQLSession, release: @escaping (SQLSession) -> Void
  ) {
    self.session = session
    isDeferred = session.tripSaving?.hasDeferredBegin ?? false
    self.release = release
  }

  deinit { finish() }

  package final func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    let cursor = try SQLCursor(self, request)
    cursors[ObjectIdentifier(cursor)] = cursor
    return cursor
  }

  package final func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    if isDeferred { return try first { try visitNow(request, &visitor) } }
    try visitNow(request, &visitor)
  }

  @inline(__always)
  private func visitNow<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    let fetch = try self.fetch(request.shape)
    guard fetch.givesRows else { return try run(fetch, request, &visitor) }
    // A short page is mostly full.
    if request.shape.isLimited, let limit = request.limit, limit <= 64 {
      visitor.expect(atMost: max(limit, 0))
    }
    try fetch.visit(session.connection, &visitor) { try $0.bind(fetch.plan.query, request, []) }
  }

  package final func visit<V: RowVisitor>(
    _ shape: FetchShape, binding: Int64, _ visitor: inout V
  ) throws {
    if isDeferred { return try first { try visitNow(shape, binding: binding, &visitor) } }
    try visitNow(shape, binding: binding, &visitor)
  }

  @inline(__always)
  private func visitNow<V: RowVisitor>(
    _ shape: FetchShape, binding: Int64, _ visitor: inout V
  ) throws {
    let fetch = try self.fetch(shape)
    if let parameter = fetch.integerParameter {
      try fetch.visit(session.connection, &visitor) { try $0.bind(binding, at: parameter) }
    } else {
      try visit(FetchRequest(shape, bindings: [.int(binding)]), &visitor)
    }
  }

  /// Runs a request whose rows core processes before the visitor sees them.
  @inline(never)
  private func run<V: RowVisitor>(
    _ fetch: PreparedFetch, _ request: FetchRequest, _ visitor: inout V
  ) throws {
    let run = try FetchRun(session, fetch, request, related: batchReader(for: fetch))
    defer { run.close() }
    _ = try run.visit(&visitor)
  }

  /// A reader of related rows for core; nil where the engine calls core's functions.
  final func batchReader(for fetch: PreparedFetch) -> BatchReader? {
    session.evaluatesInEngine && fetch.residual == nil ? nil : batchReader
  }

  /// A reader of related rows for core.
  final var batchReader: BatchReader {
    BatchReader(
      self, schema: session.schema.declared,
      mostKeys: min(session.dialect.limits.listItems, session.dialect.limits.parameters / 4))
  }

  package final func greatestKey(of entity: String) throws -> Int64? {
    try checkOpen()
    let table = try session.schema.table(entity)
    guard table.entity.generatesKeys else { return 0 }
    return try session.greatestKey(table)
  }

  package final func end() { finish() }

  /// The compiled form of a shape, when there still is a transaction to run it in.
  final func fetch(_ shape: FetchShape) throws -> PreparedFetch {
    try checkOpen()
    requestCount += 1
    if requestCount == 3 { try session.connection.expectManyStatements() }
    return try session.fetch(shape)
  }

  /// The compiled form of a page with its linked requests, when there still is a transaction.
  final func linkedFetch(_ shape: LinkedShape) throws -> PreparedLinkedFetch {
    try checkOpen()
    requestCount += 1
    return try session.linkedFetch(shape)
  }

  /// Runs a body that may begin the transaction by its first statement, and repeats it if that was made
  /// for tables as they were before.
  final func first<R>(_ body: () throws -> R) throws -> R {
    if !isDeferred || isInFirst { return try body() }
    isInFirst = true
    defer {
      isInFirst = false
      isDeferred = hasDeferredBegin
    }
    do {
      return try body()
    } catch is SQLLayoutChange {
      try checkSchema()
      return try body()
    }
  }

  /// Takes the layout that others have given the database.
  func checkSchema() throws { try session.checkSchema() }

  /// Begins a transaction that its first statement would begin.
  private func beginNow() throws {
    defer { isDeferred = hasDeferredBegin }
    do {
      try session.tripSaving?.beginNow()
    } catch is SQLLayoutChange {
      try checkSchema()
    }
  }

  /// Throws once the view has ended, by us or by the engine.
  final func checkOpen() throws {
    if isEnded { throw StoreError(.transactionEnded, "the transaction has ended") }
    if isDeferred, !isInFirst { try beginNow() }
    try checkTransaction()
  }

  /// Throws when the engine gave the transaction up.
  func checkTransaction() throws {}

  /// True if the transaction conflicts with others.
  package final var isContended: Bool { isEnded ? wasContended : hasContention }

  /// True if the next statement of the connection begins the transaction.
  final var hasDeferredBegin: Bool { session.tripSaving?.hasDeferredBegin ?? false }

  /// True if the connection says so.
  var hasContention: Bool { session.concurrent?.isContended ?? false }

  /// Ends the engine's transaction for the view.
  func endTransaction() { session.connection.endRead() }

  /// Forgets a cursor that came to its end.
  final func forget(_ cursor: SQLCursor) {
    cursors[ObjectIdentifier(cursor)] = nil
  }

  private func finish() {
    if isEnded { return }
    isEnded = true
    if !cursors.isEmpty {
      for cursor in cursors.values { cursor.close() }
      cursors = [:]
    }
    endTransaction()
    wasContended = hasContention
    isDeferred = false
    release(session)
  }
}
