#if Observability
  import InMemoryLogging
  import InMemoryTracing
  import Logging
  import MemoryBackend
  import MetricsTestKit
  import ORM
  import ORMCore
  import ORMStorage
  import ORMValues
  import StrataObservability
  import Testing
  import Tracing

  /// A store with all three instruments.
  @Suite struct StoreInstrumentsTests {
    private struct Snack: Persistable, PrimaryKeyed, Codable {
      var id: Int64
      var name: String

      static let entity = Entity<Snack>("Snack") {
        .key("id", \.id)
          .attribute("name", \.name)
      }
    }

    private let metrics = TestMetrics()
    private let tracer = InMemoryTracer()
    private let handler = InMemoryLogHandler()

    private func store() throws -> MemoryStore {
      var logger = Logger(label: "test") { _ in handler }
      logger.logLevel = .trace
      var options = StoreOptions()
      options.instruments = [
        .log(logger), .metrics(factory: metrics), .tracing(tracer, recordsQueryText: true),
      ]
      return try MemoryStore(schema: Schema(Snack.self), options: options)
    }

    @Test("13.5: Each operation is in the log, the metrics and the traces once")
    func operations() throws {
      let store = try store()
      try store.save(Snack(id: 1, name: "Chips"))
      #expect(try store.fetch(Snack.all).count == 1)

      let requests = handler.entries.filter { $0.level == .trace }
      #expect(requests.compactMap { $0.metadata["db.operation.name"] } == ["save", "fetch"])
      #expect(requests.allSatisfy { $0.metadata["db.collection.name"] == "Snack" })
      #expect(handler.entries.filter { $0.level == .debug }.count == 2)

      #expect(tracer.finishedSpans.map(\.operationName) == ["save Snack", "fetch Snack"])
      #expect(tracer.activeSpans.isEmpty)

      let timers = metrics.timers(label: "db.client.operation.duration")
      #expect(timers.map(\.values.count) == [1, 1])
      #expect(metrics.timers(label: "strata.writer.wait").map(\.values.count) == [1])
    }

    @Test("13.6: No value is in a log, a metric or a span, also where an operation fails")
    func values() throws {
      let marker = "zanzibar"
      let store = try store()
      try store.save(Snack(id: 1, name: marker))
      _ = try store.fetch(Snack.all.where { $0.name == marker })
      _ = try store.count(Snack.all.where { $0.name.beginsWith(marker) })
      _ = try? store.insert(Snack(id: 1, name: marker))
      #expect(tracer.finishedSpans.count == 4)
      var texts = handler.entries.map { "\($0.message) \($0.metadata) \($0.error as Any)" }
      for span in tracer.finishedSpans {
        texts.append(span.operationName)
        span.attributes.forEach { texts.append("\($0) \($1)") }
        texts += span.errors.map { "\($0.error)" }
      }
      let timers = metrics.timers.map { "\($0.label) \($0.dimensions)" }
      let counters = metrics.counters.map { "\($0.label) \($0.dimensions)" }
      let recorders = metrics.recorders.map { "\($0.label) \($0.dimensions)" }
      #expect((texts + timers + counters + recorders).filter { $0.contains(marker) } == [])
      // The search would find one.
      #expect("name is \(marker)".contains(marker))
    }

    @Test("The span of an async call has the caller's span as its parent")
    func parent() async throws {
      let store = try store()
      try await tracer.withSpan("request") { _ in
        _ = try await store.fetch(Snack.all)
        try await store.write { try $0.save(Snack(id: 1, name: "Chips")) }
      }
      let spans = tracer.finishedSpans
      // An async read is a block of one request.
      #expect(
        spans.map(\.operationName) == ["fetch Snack", "read", "save Snack", "write", "request"])
      #expect(spans[0].parentSpanID == spans[1].spanID)
      #expect(spans[1].parentSpanID == spans[4].spanID)
      #expect(spans[2].parentSpanID == spans[3].spanID)
      #expect(spans[3].parentSpanID == spans[4].spanID)
    }

    @Test("13.5: A logger that writes into the store ends")
    func loggingIntoTheStore() throws {
      let box = StoreBox()
      var options = StoreOptions()
      var logger = Logger(label: "test") { _ in StoringHandler(box: box) }
      logger.logLevel = .debug
      options.instruments = [.log(logger)]
      let store = try MemoryStore(schema: Schema(Snack.self), options: options)
      box.store.withLock { $0 = store }
      try store.save(Snack(id: 1, name: "Chips"))
      box.store.withLock { $0 = nil }
      #expect(try store.fetch(Snack.all).map(\.name) == ["Chips", "logged"])
    }

    private final class StoreBox: Sendable {
      let store = Lock<MemoryStore?>(nil)
    }

    /// A handler that keeps an entry as a row of the store that it logs.
    private struct StoringHandler: LogHandler {
      let box: StoreBox
      var metadata: Logger.Metadata = [:]
      var metadataProvider: Logger.MetadataProvider?
      var logLevel = Logger.Level.debug

      subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
      }

      func log(event: LogEvent) {
        let store = box.store.withLock { $0 }
        _ = try? store?.save(Snack(id: 2, name: "logged"))
      }
    }
  }
#endif
