internal import ORMStorage

/// The holder of the transaction that reports requests, if it is reported.
package protocol SpanHolder: AnyObject {
  /// The transaction that runs; nil if it is not reported.
  var span: TransactionSpan? { get }
}

/// The outermost reader of a store with instruments, which reports every request once.
package class ReportedReader: ForwardingReader, LinkedReading {
  private let base: any StoreReader
  /// The slot of the block, which knows the transaction that runs.
  let slot: any SpanHolder
  let reports: RequestReports

  package init(
    _ base: any StoreReader, engine: any StoreReader, of store: any Store, in slot: any SpanHolder,
    explain: @escaping RequestExplainer
  ) {
    self.base = base
    self.slot = slot
    reports = RequestReports(store: store, engine: engine, explain: explain)
  }

  package var forwardedReader: any StoreReader { base }

  package func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    guard let span = slot.span else { return try base.cursor(request) }
    let report = reports.begin(request.shape, values: request.bindings.hashValue, in: span)
    return try ReportedCursor(report) { try base.cursor(request) }
  }

  package func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    guard let span = slot.span else { return try base.visit(request, &visitor) }
    let report = reports.begin(request.shape, values: request.bindings.hashValue, in: span)
    try report.visiting(&visitor, explained: request, by: base) { try base.visit(request, &$0) }
  }

  package func visit<V: RowVisitor>(_ shape: FetchShape, binding: Int64, _ visitor: inout V) throws
  {
    guard let span = slot.span else {
      return try base.visit(shape, binding: binding, &visitor)
    }
    let report = reports.begin(shape, values: binding.hashValue, in: span)
    try report.visiting(&visitor) { try base.visit(shape, binding: binding, &$0) }
  }

  package func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V
  ) throws {
    guard let span = slot.span else {
      return try base.runningQueries.visit(sql: query, columns: columns, &visitor)
    }
    let report = reports.begin(.sql, entity: query.firstEntity ?? "", in: span)
    try report.visiting(&visitor) {
      try base.runningQueries.visit(sql: query, columns: columns, &$0)
    }
  }

  package func linkedFetch(
    of page: FetchRequest, _ linked: () throws -> [LinkedRequest]
  ) throws -> (any LinkedFetch)? {
    guard let base = base as? any LinkedReading else { return nil }
    guard let span = slot.span else { return try base.linkedFetch(of: page, linked) }
    var shapes = [page.shape]
    let fetch = try base.linkedFetch(of: page) {
      let linked = try linked()
      shapes += linked.map(\.request.shape)
      return linked
    }
    return fetch.map { ReportedLinkedFetch($0, shapes, reports, span) }
  }

  package func end() {
    base.end()
    reports.end(in: slot.span)
  }
}

/// The outermost writer of a store with instruments, which reports every request and every write once.
package final class ReportedWriter: ReportedReader, ForwardingWriter, TripSavingWriter {
  private let writer: any StoreWriter
  private let tripSaving: (any TripSavingWriter)?

  package init(
    _ base: any StoreWriter, engine: any StoreWriter, of store: any Store, in slot: any SpanHolder,
    explain: @escaping RequestExplainer
  ) {
    writer = base
    // A layer may write more than it is asked to, and does not pass the call on.
    tripSaving = base === engine ? store.runtime.tripSaving(base) : nil
    super.init(base, engine: engine, of: store, in: slot, explain: explain)
  }

  package var forwardedWriter: any StoreWriter { writer }

  package func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    guard slot.span != nil else {
      return try writer.put(request, from: &source, to: &visitor)
    }
    try put(request, from: &source, to: &visitor) {
      try writer.put(request, from: &$0, to: &$1)
    }
  }

  /// Reports a put that is made by a body.
  package func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O,
    _ body: (inout ReportedSource<S>, inout O) throws -> Void
  ) throws {
    try withUnsafeMutablePointer(to: &source) { pointer in
      var counting = ReportedSource(pointer)
      guard let span = slot.span else { return try body(&counting, &visitor) }
      let kind: OperationKind =
        switch request.mode {
        case .insert, .insertMissing: .insert
        case .update: .update
        case .upsert: .save
        }
      let report = reports.begin(kind, of: request.entity, in: span)
      do {
        try body(&counting, &visitor)
      } catch {
        report.end(rows: counting.rows, error)
        throw error
      }
      report.end(rows: counting.rows, statement: { $0.statement(for: request) })
    }
  }

  package func apply(_ change: StoreChange) throws -> Int {
    guard let span = slot.span else { return try writer.apply(change) }
    let report: RequestReport
    var explained: FetchRequest?
    switch change {
    case .update(let request, _):
      explained = request
      report = reports.begin(.update, of: request.shape.entity, request.shape, in: span)
    case .delete(let request):
      explained = request
      report = reports.begin(.delete, of: request.shape.entity, request.shape, in: span)
    case .clear(let entity): report = reports.begin(.delete, of: entity, in: span)
    }
    do {
      let count = try writer.apply(change)
      report.end(rows: count, explained: explained, by: writer)
      return count
    } catch {
      report.end(rows: 0, error)
      throw error
    }
  }

  package func execute(sql statement: SQLRequest) throws -> Int {
    guard let span = slot.span else {
      return try writer.runningStatements.execute(sql: statement)
    }
    let report = reports.begin(.sql, entity: statement.firstEntity ?? "", in: span)
    report.noteWrite()
    do {
      let count = try writer.runningStatements.execute(sql: statement)
      report.end(rows: count)
      return count
    } catch {
      report.end(rows: 0, error)
      throw error
    }
  }

  package func commitWithNextWrite() -> Bool { tripSaving?.commitWithNextWrite() ?? false }

  package var isCommitted: Bool { tripSaving?.isCommitted ?? false }
}
