#if Observability
  import InMemoryTracing
  import ORMStorage
  import StrataObservability
  import Testing
  import Tracing

  @Suite struct TracingInstrumentTests {
    private let tracer = InMemoryTracer()

    /// Reports requests inside of a transaction, one after the other, as a store does.
    private func run(
      _ instrument: TracingInstrument, _ transaction: TransactionFacts,
      _ requests: [OperationFacts]
    ) {
      let state = instrument.began(transaction)
      for request in requests {
        let child = instrument.began(request, in: state)
        instrument.ended(request, child)
      }
      instrument.ended(transaction, state)
    }

    @Test("A single operation of one request is one client span")
    func single() throws {
      run(
        TracingInstrument(tracer: tracer),
        Facts.transaction(isOperation: true, operation: .fetch, entity: "Snack"),
        [Facts.operation(rows: 3, rowsRead: 10, statement: "SELECT 1")])
      #expect(tracer.activeSpans.isEmpty)
      let span = try #require(tracer.finishedSpans.first)
      #expect(tracer.finishedSpans.count == 1)
      #expect(span.operationName == "fetch Snack")
      #expect(span.kind == .client)
      #expect(span.attributes.get("db.system.name") == .string("sqlite"))
      #expect(span.attributes.get("db.operation.name") == .string("fetch"))
      #expect(span.attributes.get("db.collection.name") == .string("Snack"))
      #expect(span.attributes.get("db.query.summary") == .string("fetch Snack"))
      #expect(span.attributes.get("db.response.returned_rows") == .int64(3))
      #expect(span.attributes.get("strata.rows_read") == .int64(10))
      #expect(span.attributes.get("db.query.text") == nil)
      #expect(span.status == nil)
    }

    @Test("A block is a span with a child for each request, also for a single one")
    func block() {
      let instrument = TracingInstrument(tracer: tracer)
      run(
        instrument, Facts.transaction(.write, operations: 2),
        [Facts.operation(.find), Facts.operation(.save)])
      run(instrument, Facts.transaction(.read), [Facts.operation(.fetch)])
      let spans = tracer.finishedSpans
      #expect(
        spans.map(\.operationName)
          == ["find Snack", "save Snack", "write", "fetch Snack", "read"])
      #expect(spans[0].parentSpanID == spans[2].spanID)
      #expect(spans[1].parentSpanID == spans[2].spanID)
      #expect(spans[3].parentSpanID == spans[4].spanID)
      #expect(spans[2].attributes.get("strata.requests") == .int64(2))
      #expect(tracer.activeSpans.isEmpty)
    }

    @Test("A single operation of several requests has the name of the first, and children")
    func graph() {
      run(
        TracingInstrument(tracer: tracer),
        Facts.transaction(
          .write, isOperation: true, operation: .save, entity: "Team", operations: 2),
        [Facts.operation(.save, "Team"), Facts.operation(.save, "Player")])
      let spans = tracer.finishedSpans
      #expect(spans.map(\.operationName) == ["save Team", "save Player", "save Team"])
      #expect(spans[0].parentSpanID == spans[2].spanID)
    }

    @Test("The parent is the span of the calling task")
    func parent() {
      let instrument = TracingInstrument(tracer: tracer)
      tracer.withSpan("request") { _ in
        run(
          instrument, Facts.transaction(isOperation: true, operation: .find, entity: "Snack"),
          [Facts.operation(.find)])
      }
      let spans = tracer.finishedSpans
      #expect(spans.map(\.operationName) == ["find Snack", "request"])
      #expect(spans[0].parentSpanID == spans[1].spanID)
      #expect(spans[0].traceID == spans[1].traceID)
    }

    @Test("An error marks the span of the request and that of the transaction")
    func failure() {
      run(
        TracingInstrument(tracer: tracer), Facts.transaction(.write, error: .duplicate),
        [Facts.operation(.insert, error: .duplicate)])
      for span in tracer.finishedSpans {
        #expect(span.attributes.get("error.type") == .string("duplicate"))
        #expect(span.status?.code == .error)
      }
      #expect(tracer.finishedSpans.count == 2)
    }

    @Test("The text of a request is recorded if it is asked for")
    func text() {
      let instrument = TracingInstrument(tracer: tracer, recordsQueryText: true)
      #expect(instrument.wantsStatements)
      #expect(!TracingInstrument(tracer: tracer).wantsStatements)
      run(
        instrument, Facts.transaction(operations: 2),
        [Facts.operation(statement: "SELECT name FROM snack"), Facts.operation(.find)])
      #expect(
        tracer.finishedSpans.prefix(2).map { $0.attributes.get("db.query.text") }
          == [.string("SELECT name FROM snack"), .string("find Snack")])
    }

    @Test("Requests that overlap, as cursors do, each have a span")
    func overlapping() {
      let instrument = TracingInstrument(tracer: tracer)
      let transaction = Facts.transaction(operations: 2)
      let state = instrument.began(transaction)
      let outer = instrument.began(Facts.operation(.fetch, "Team"), in: state)
      let inner = instrument.began(Facts.operation(.fetch, "Player"), in: state)
      instrument.ended(Facts.operation(.fetch, "Player"), inner)
      instrument.ended(Facts.operation(.fetch, "Team"), outer)
      instrument.ended(transaction, state)
      #expect(
        tracer.finishedSpans.map(\.operationName) == ["fetch Player", "fetch Team", "read"])
      let spans = tracer.finishedSpans
      #expect(
        spans[1].startInstant.nanosecondsSinceEpoch <= spans[0].startInstant.nanosecondsSinceEpoch)
    }
  }
#endif
