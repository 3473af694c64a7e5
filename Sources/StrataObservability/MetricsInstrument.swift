#if Observability
  public import Metrics
  public import ORMStorage
  internal import ORMValues

  /// An instrument that counts and times a store's work in the metrics of swift-metrics.
  ///
  /// ```swift
  /// options.instruments = [.metrics()]
  /// ```
  ///
  /// | Metric | Kind | Dimensions |
  /// |---|---|---|
  /// | `db.client.operation.duration` | timer, in seconds | system, collection, operation, error |
  /// | `db.client.response.returned_rows` | recorder | system, collection, operation |
  /// | `db.client.connection.wait_time` | timer: from the request for a turn to a read's turn | system, pool |
  /// | `db.client.connection.use_time` | timer: from the turn to the end | system, pool |
  /// | `db.client.connection.timeouts` | counter: turns that were waited for in vain | system, pool |
  /// | `strata.writer.wait` | timer: from the request for a turn to a write's turn | system, pool |
  /// | `strata.retries` | counter: runs of a transaction after its first | system, pool |
  /// | `strata.residue.rows` | counter: rows that were read and not returned | system, collection |
  ///
  /// Dimensions have the names of OpenTelemetry's conventions. They hold names of the schema, the name of
  /// the store and error codes, and never values of rows. Handlers are made once for each combination of
  /// dimensions, 1,000 combinations at most: later ones lack the collection.
  ///
  /// ``StoreService`` samples the store's connections.
  public struct MetricsInstrument: StoreInstrument {
    private let handlers: Handlers

    /// Makes an instrument for a factory of metrics.
    ///
    /// ```swift
    /// let instrument = MetricsInstrument()
    /// ```
    ///
    /// - Parameter factory: the factory; that of `MetricsSystem` at the first measurement unless given.
    public init(factory: (any MetricsFactory)? = nil) { handlers = Handlers(factory) }

    /// Records the wait and the time of a transaction, and its repetitions.
    public func ended(_ transaction: TransactionFacts, _ state: (any Sendable)?) {
      let pool = handlers.pool(of: transaction.store)
      // A transaction that failed before its turn used nothing.
      guard transaction.attempts > 0 else {
        if [.busy, .deadlineExceeded].contains(transaction.errorCode) { pool.timeouts.increment() }
        return
      }
      let wait = transaction.access == .write ? pool.writerWait : pool.wait
      wait.recordNanoseconds(transaction.waited.nanoseconds)
      pool.use.recordNanoseconds(transaction.ran.nanoseconds)
      if transaction.attempts > 1 { pool.retries.increment(by: transaction.attempts - 1) }
    }

    /// Records the time and the rows of a request.
    public func ended(_ operation: OperationFacts, _ state: (any Sendable)?) {
      let request = handlers.request(of: operation)
      request.duration.recordNanoseconds(operation.ran.nanoseconds)
      guard operation.errorCode == nil, operation.operation.returnsRows else { return }
      request.rows.record(operation.rows)
      if let read = operation.rowsRead, read > operation.rows {
        request.residue.increment(by: read - operation.rows)
      }
    }
  }

  extension StoreInstrument where Self == MetricsInstrument {
    /// Counts and times the store's work.
    ///
    /// ```swift
    /// options.instruments = [.metrics()]
    /// ```
    ///
    /// - Parameter factory: the factory; that of `MetricsSystem` at the first measurement unless given.
    public static func metrics(factory: (any MetricsFactory)? = nil) -> MetricsInstrument {
      MetricsInstrument(factory: factory)
    }
  }

  /// The handlers of metrics, by their dimensions.
  private final class Handlers: Sendable {
    struct Pool: Sendable {
      let wait: Timer
      let writerWait: Timer
      let use: Timer
      let timeouts: Counter
      let retries: Counter
    }

    struct Request: Sendable {
      let duration: Timer
      let rows: Recorder
      let residue: Counter
    }

    private struct RequestKey: Hashable {
      var system: String
      var operation: OperationKind
      var collection: String
      var error: StoreError.Code?
    }

    private struct Tables {
      var pools: [StoreFacts: Pool] = [:]
      var requests: [RequestKey: Request] = [:]
    }

    private static let maximumRequests = 1_000
    private let factory: (any MetricsFactory)?
    private let tables = Lock(Tables())

    init(_ factory: (any MetricsFactory)?) { self.factory = factory }

    func pool(of store: StoreFacts) -> Pool {
      tables.withLock { tables in
        if let pool = tables.pools[store] { return pool }
        let factory = factory ?? MetricsSystem.factory
        let dimensions = [
          (ConventionName.system, store.system), (ConventionName.poolName, store.name),
        ]
        func timer(_ label: String) -> Timer {
          Timer(
            label: label, dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory)
        }
        func counter(_ label: String) -> Counter {
          Counter(label: label, dimensions: dimensions, factory: factory)
        }
        let pool = Pool(
          wait: timer(ConventionName.connectionWaitTime),
          writerWait: timer(ConventionName.writerWait),
          use: timer(ConventionName.connectionUseTime),
          timeouts: counter(ConventionName.connectionTimeouts),
          retries: counter(ConventionName.retries))
        tables.pools[store] = pool
        return pool
      }
    }

    func request(of operation: OperationFacts) -> Request {
      var key = RequestKey(
        system: operation.store.system, operation: operation.operation,
        collection: operation.entity, error: operation.errorCode)
      return tables.withLock { tables in
        if let request = tables.requests[key] { return request }
        if tables.requests.count >= Self.maximumRequests {
          key.collection = ""
          if let request = tables.requests[key] { return request }
        }
        let request = make(key)
        tables.requests[key] = request
        return request
      }
    }

    private func make(_ key: RequestKey) -> Request {
      let factory = factory ?? MetricsSystem.factory
      var dimensions = [(ConventionName.system, key.system)]
      if !key.collection.isEmpty { dimensions.append((ConventionName.collection, key.collection)) }
      let residue = Counter(
        label: ConventionName.residueRows, dimensions: dimensions, factory: factory)
      dimensions.append((ConventionName.operation, key.operation.rawValue))
      let rows = Recorder(
        label: ConventionName.responseRows, dimensions: dimensions, aggregate: true,
        factory: factory)
      if let error = key.error { dimensions.append((ConventionName.errorType, error.rawValue)) }
      return Request(
        duration: Timer(
          label: ConventionName.operationDuration, dimensions: dimensions,
          preferredDisplayUnit: .seconds, factory: factory),
        rows: rows, residue: residue)
    }
  }

  extension OperationKind {
    /// True for a request that reads rows or values.
    fileprivate var returnsRows: Bool {
      switch self {
      case .find, .fetch, .aggregate, .group: true
      default: false
      }
    }
  }

  extension Duration {
    /// The duration in whole nanoseconds; the greatest integer where they do not fit.
    fileprivate var nanoseconds: Int64 {
      let (seconds, attoseconds) = components
      let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      return overflows ? .max : whole + attoseconds / 1_000_000_000
    }
  }
#endif
