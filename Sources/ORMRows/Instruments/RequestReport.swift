internal import ORMStorage

/// Explains a request of a store in a read of its own, which is not reported.
///
/// It gives the plan without values, or nil if the store has no plan.
package typealias RequestExplainer =
  @Sendable (
    any Store, FetchRequest, _ give: @escaping @Sendable (String?) -> Void
  ) -> Void

/// The makers of reports for one reader or writer.
package final class RequestReports {
  let store: any Store
  /// The reader beneath the layers, which counts rows and knows its statements.
  let engine: any StoreReader
  fileprivate let counting: (any CountingReader)?
  fileprivate let statements: (any StatementReader)?
  fileprivate let explain: RequestExplainer
  /// The number of trips to a server before the first request; nil for a store without one.
  private let tripsBefore: Int?

  init(store: any Store, engine: any StoreReader, explain: @escaping RequestExplainer) {
    self.store = store
    self.engine = engine
    self.explain = explain
    counting = engine.counting
    tripsBefore = counting?.trips
    statements =
      store.runtime.monitor?.wantsStatements == true ? engine as? any StatementReader : nil
  }

  /// Adds the trips of the reader or writer, which has ended, to its transaction.
  func end(in span: TransactionSpan?) {
    guard let span, let tripsBefore, let trips = counting?.trips else { return }
    span.add(trips: max(0, trips - tripsBefore))
  }

  /// Begins the report of a request that reads.
  ///
  /// - Parameter values: a hash of the values that are bound.
  func begin(_ shape: FetchShape, values: Int, in span: TransactionSpan) -> RequestReport {
    let entity = store.schema[shape.entity]
    let kind: OperationKind =
      switch shape.output {
      case .rows: entity.map(shape.looksUpKey) == true ? .find : .fetch
      case .values, .joined: .fetch
      case .aggregates: .aggregate
      case .groups: .group
      }
    return begin(
      kind, entity: entity?.modelName ?? shape.entity, shape, values: values, in: span)
  }

  /// True if the store explains a slow request here and now.
  ///
  /// Others may take a trip for it, which the program's transaction is not to make.
  fileprivate var explainsHere: Bool {
    ["memory", "lmdb", "sqlite"].contains(store.runtime.monitor?.store.system)
  }

  /// Begins the report of a request for an entity, by its stored name.
  func begin(
    _ kind: OperationKind, of stored: String, _ shape: FetchShape? = nil, values: Int? = nil,
    in span: TransactionSpan
  ) -> RequestReport {
    begin(
      kind, entity: store.schema[stored]?.modelName ?? stored, shape, values: values, in: span)
  }

  /// Begins the report of a request for an entity, by its name in the program.
  func begin(
    _ kind: OperationKind, entity: String, _ shape: FetchShape? = nil, values: Int? = nil,
    in span: TransactionSpan
  ) -> RequestReport {
    RequestReport(
      span, span.begin(kind, entity: entity, shape: shape), values: values, self)
  }
}

@available(*, unavailable)
extension RequestReports: Sendable {}

/// The report of one request, which ends once.
final class RequestReport {
  private let span: TransactionSpan
  private var operation: OperationSpan
  private let values: Int?
  private let reports: RequestReports
  private let readBefore: Int
  private let tripsBefore: Int
  private var isOver = false

  init(
    _ span: TransactionSpan, _ operation: OperationSpan, values: Int?, _ reports: RequestReports
  ) {
    self.span = span
    self.operation = operation
    self.values = values
    self.reports = reports
    readBefore = reports.counting?.rowsRead ?? 0
    tripsBefore = reports.counting?.trips ?? 0
  }

  /// Ends a request that was released without an end, such as a cursor.
  deinit { end(rows: 0) }

  /// Stops the time of a cursor, and adds the rows that it has passed.
  func pause(rows: Int) {
    operation.facts.rows += rows
    operation.pause()
  }

  /// Notes that the request writes rows, which its kind does not say.
  func noteWrite() { operation.facts.isWrite = true }

  /// Goes on with the time of a cursor.
  func resume() { operation.resume() }

  /// Ends the request; does nothing if it has ended.
  ///
  /// - Parameters:
  ///   - rows: the rows that were passed since the last pause.
  ///   - statement: the statement of the request, where it is not that of its shape.
  ///   - request: the request to explain if it was slow.
  ///   - reader: the reader that explains it.
  func end(
    rows: Int, _ error: (any Error)? = nil, statement: ((any StatementReader) -> String?)? = nil,
    explained request: FetchRequest? = nil, by reader: (any StoreReader)? = nil
  ) {
    if isOver { return }
    isOver = true
    pause(rows: rows)
    if let error { operation.fail(error) }
    if let counting = reports.counting {
      let read = counting.rowsRead - readBefore
      if read > 0 { operation.facts.rowsRead = read }
      operation.facts.trips = counting.trips.map { max(0, $0 - tripsBefore) }
    }
    if let statements = reports.statements {
      operation.facts.statement =
        statement?(statements) ?? operation.facts.shape.flatMap { statements.statement(for: $0) }
    }
    span.end(
      operation, values: values, schema: reports.store.schema,
      plan: {
        guard let request, let reader else { return nil }
        return (try? reader.explain(request, analyze: false))?.withoutValues
      },
      later: {
        guard !reports.explainsHere, let request else { return false }
        reports.explain(reports.store, request, $0)
        return true
      })
  }

  /// Reports a visit of all rows at once.
  ///
  /// - Parameters:
  ///   - request: the request to explain if it is slow; nil for a find.
  ///   - reader: the reader that explains it.
  func visiting<V: RowVisitor>(
    _ visitor: inout V, explained request: FetchRequest? = nil, by reader: (any StoreReader)? = nil,
    _ body: (inout ReportedVisitor<V>) throws -> Void
  ) throws {
    try withUnsafeMutablePointer(to: &visitor) { pointer in
      var counting = ReportedVisitor(pointer)
      do {
        try body(&counting)
      } catch {
        end(rows: counting.rows, error)
        throw error
      }
      end(rows: counting.rows, explained: request, by: reader)
    }
  }
}

/// A cursor whose request is reported when it has no more rows, fails or is released.
final class ReportedCursor: StoreCursor {
  private let report: RequestReport
  private let base: any StoreCursor

  init(_ report: RequestReport, _ open: () throws -> any StoreCursor) throws {
    self.report = report
    do {
      base = try open()
    } catch {
      report.end(rows: 0, error)
      throw error
    }
    report.pause(rows: 0)
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    report.resume()
    return try withUnsafeMutablePointer(to: &visitor) { pointer in
      var counting = ReportedVisitor(pointer)
      do {
        let hasMore = try base.visit(&counting)
        if hasMore { report.pause(rows: counting.rows) } else { report.end(rows: counting.rows) }
        return hasMore
      } catch {
        report.end(rows: counting.rows, error)
        throw error
      }
    }
  }
}

/// A page and its linked requests, each of which is reported when it is visited.
final class ReportedLinkedFetch: LinkedFetch {
  private let base: any LinkedFetch
  private let shapes: [FetchShape]
  private let reports: RequestReports
  private let span: TransactionSpan

  init(
    _ base: any LinkedFetch, _ shapes: [FetchShape], _ reports: RequestReports,
    _ span: TransactionSpan
  ) {
    self.base = base
    self.shapes = shapes
    self.reports = reports
    self.span = span
  }

  func visit<V: RowVisitor>(_ position: Int, _ visitor: inout V) throws {
    // The rows of one page are one question: it counts as one value.
    let report = reports.begin(shapes[position], values: 0, in: span)
    try report.visiting(&visitor) { try base.visit(position, &$0) }
  }

  func answers(_ position: Int) -> Bool { base.answers(position) }

  func end() { base.end() }
}

extension Explanation {
  /// The access, the indexes and the order, without the values that ranges and conditions hold.
  package var withoutValues: String {
    var parts = [access.rawValue + (index.map { " by \($0)" } ?? "")]
    parts += self.parts.map { $0.access.rawValue + ($0.index.map { " by \($0)" } ?? "") }
    if !coreConditions.isEmpty {
      let count = coreConditions.count
      parts.append("\(count) \(count == 1 ? "condition" : "conditions") tested by the library")
    }
    parts.append(isOrderFromAccess ? "in the order read" : "sorted")
    return parts.joined(separator: ", ")
  }
}
