#if Observability
  public import ORMStorage
  public import Tracing

  /// An instrument that makes spans of a store's work in the traces of swift-distributed-tracing.
  ///
  /// ```swift
  /// options.instruments = [.tracing()]
  /// ```
  ///
  /// A single operation is one client span, such as `fetch Snack`. A block is a span with a child for each
  /// request, and so is an async operation that reads. The parent is the span of the task that calls the store, also where the work is done on
  /// another thread. Attributes have the names of OpenTelemetry's conventions. They hold no values of rows.
  public struct TracingInstrument: StoreInstrument {
    private let tracer: (any Tracer)?
    private let recordsQueryText: Bool

    /// Makes an instrument for a tracer.
    ///
    /// ```swift
    /// let instrument = TracingInstrument(recordsQueryText: true)
    /// ```
    ///
    /// - Parameters:
    ///   - tracer: the tracer; that of `InstrumentationSystem` at each beginning unless given.
    ///   - recordsQueryText: true if spans have `db.query.text`: the statement of a SQL store with
    ///     placeholders, elsewhere the request without values.
    public init(tracer: (any Tracer)? = nil, recordsQueryText: Bool = false) {
      self.tracer = tracer
      self.recordsQueryText = recordsQueryText
    }

    /// True if spans have the text of their request.
    public var wantsStatements: Bool { recordsQueryText }

    /// Begins a span whose parent is that of the calling task.
    public func began(_ transaction: TransactionFacts) -> (any Sendable)? {
      let tracer = tracer ?? InstrumentationSystem.tracer
      let span = Self.begin(
        tracer, transaction.access.rawValue, in: .current ?? .topLevel, at: DefaultTracerClock().now
      )
      return TracedTransaction(span, tracer)
    }

    /// Ends the span; that of a single operation gets the operation's name.
    public func ended(_ transaction: TransactionFacts, _ state: (any Sendable)?) {
      guard let state = state as? TracedTransaction else { return }
      let span = state.span
      let first = state.takeFirst()
      if transaction.isOperation {
        if let operation = transaction.operation {
          span.operationName = Self.name(operation, transaction.entity ?? "")
        }
        if let first { describe(first, by: span) }
      } else if let first {
        end(first)
      }
      let facts = transaction
      span.updateAttributes { attributes in
        attributes[ConventionName.system] = facts.store.system
        attributes[ConventionName.store] = facts.store.name
        attributes[ConventionName.wait] = facts.waited.inSeconds
        if facts.isOperation, let operation = facts.operation {
          attributes[ConventionName.operation] = operation.rawValue
          if let entity = facts.entity, !entity.isEmpty {
            attributes[ConventionName.collection] = entity
          }
        } else {
          attributes[ConventionName.requests] = facts.operations
        }
        if facts.attempts > 1 { attributes[ConventionName.attempts] = facts.attempts }
        if facts.rowsWritten > 0 { attributes[ConventionName.rowsWritten] = facts.rowsWritten }
      }
      Self.mark(span, facts.errorCode)
      span.end()
    }

    /// Begins the child span of a request, unless it may turn out to be the transaction's only one.
    public func began(_ operation: OperationFacts, in state: (any Sendable)?) -> (any Sendable)? {
      guard let state = state as? TracedTransaction else { return nil }
      let now = DefaultTracerClock().now
      switch state.beginRequest() {
      case .first: return TracedRequest(state, began: now, span: nil)
      case .later(let waiting):
        if let waiting { end(waiting) }
        let span = Self.begin(
          state.tracer, Self.name(operation.operation, operation.entity), in: state.span.context,
          at: now)
        return TracedRequest(state, began: now, span: span)
      }
    }

    /// Ends the child span of a request.
    public func ended(_ operation: OperationFacts, _ state: (any Sendable)?) {
      guard let request = state as? TracedRequest else { return }
      let ended = EndedRequest(request, operation, DefaultTracerClock().now)
      if request.span != nil || !request.transaction.keep(ended) { end(ended) }
    }

    /// Ends the span of a request, which is made now if it was waited with.
    private func end(_ ended: EndedRequest) {
      let facts = ended.facts
      let span =
        ended.request.span
        ?? Self.begin(
          ended.request.transaction.tracer, Self.name(facts.operation, facts.entity),
          in: ended.request.transaction.span.context, at: ended.request.began)
      describe(ended, by: span)
      Self.mark(span, facts.errorCode)
      span.end(at: ended.end)
    }

    /// Sets the name and the attributes of a request's span.
    private func describe(_ ended: EndedRequest, by span: any Span) {
      let facts = ended.facts
      let name = Self.name(facts.operation, facts.entity)
      span.operationName = name
      span.updateAttributes { attributes in
        attributes[ConventionName.system] = facts.store.system
        attributes[ConventionName.operation] = facts.operation.rawValue
        attributes[ConventionName.querySummary] = name
        attributes[ConventionName.returnedRows] = facts.rows
        if !facts.entity.isEmpty { attributes[ConventionName.collection] = facts.entity }
        if let rows = facts.rowsRead { attributes[ConventionName.rowsRead] = rows }
        if recordsQueryText {
          attributes[ConventionName.queryText] = facts.statement ?? facts.summary
        }
      }
    }

    private static func name(_ operation: OperationKind, _ entity: String) -> String {
      entity.isEmpty ? operation.rawValue : "\(operation.rawValue) \(entity)"
    }

    private static func mark(_ span: any Span, _ code: StoreError.Code?) {
      guard let code else { return }
      span.attributes[ConventionName.errorType] = code.rawValue
      span.setStatus(SpanStatus(code: .error))
    }

    private static func begin(
      _ tracer: some Tracer, _ name: String, in context: InstrumentationContext,
      at instant: DefaultTracerClock.Timestamp
    ) -> any Span {
      tracer.startSpan(
        name, context: context, ofKind: .client, at: instant, function: #function, file: #fileID,
        line: #line)
    }
  }

  extension StoreInstrument where Self == TracingInstrument {
    /// Makes spans of the store's work.
    ///
    /// ```swift
    /// options.instruments = [.tracing()]
    /// ```
    ///
    /// - Parameters:
    ///   - tracer: the tracer; that of `InstrumentationSystem` at each beginning unless given.
    ///   - recordsQueryText: true if spans have the text of their request, without values.
    public static func tracing(
      _ tracer: (any Tracer)? = nil, recordsQueryText: Bool = false
    ) -> TracingInstrument {
      TracingInstrument(tracer: tracer, recordsQueryText: recordsQueryText)
    }
  }
#endif
