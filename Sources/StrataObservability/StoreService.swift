#if Observability
  public import Metrics
  internal import ORM
  public import ORMStorage
  public import ServiceLifecycle

  /// A service of swift-service-lifecycle that closes a store when the program ends.
  ///
  /// ```swift
  /// let group = ServiceGroup(
  ///   services: [StoreService(store)], gracefulShutdownSignals: [.sigterm],
  ///   logger: Logger(label: "app"))
  /// try await group.run()
  /// ```
  ///
  /// Name it before the services that use the store. A group ends its services in the opposite order, so
  /// the store is closed when no other service asks for anything. Operations that run come to their end,
  /// and new ones throw `closed`.
  ///
  /// While it runs, the service samples the connections of a store that has some:
  ///
  /// | Metric | Kind | Dimensions |
  /// |---|---|---|
  /// | `db.client.connection.count` | meter: connections that are used, and idle ones | system, pool, state |
  /// | `db.client.connection.max` | meter: the most connections that may be used | system, pool |
  /// | `db.client.connection.pending_requests` | meter: transactions that wait for their turn | system, pool |
  ///
  /// Sampling asks the database nothing. ``MetricsInstrument`` measures the other metrics.
  public struct StoreService: Service, CustomStringConvertible {
    private let store: any Store
    private let limit: Duration
    private let interval: Duration?
    private let factory: (any MetricsFactory)?

    /// Makes the service of a store.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - limit: the time within which the store has to answer at the start.
    ///   - interval: the time between two samples of the connections; nil for none.
    ///   - factory: the factory of the meters; that of `MetricsSystem` when the service starts unless given.
    public init(
      _ store: any Store, answeringWithin limit: Duration = .seconds(10),
      samplingEvery interval: Duration? = .seconds(10), factory: (any MetricsFactory)? = nil
    ) {
      self.store = store
      self.limit = limit
      self.interval = interval
      self.factory = factory
    }

    /// The service with the name of its store.
    public var description: String { "StoreService(\(store.runtime.name))" }

    /// Checks that the store answers, samples its connections until the end of the group, and closes the
    /// store.
    ///
    /// The store is closed too if it does not answer, or if the task is cancelled.
    ///
    /// - Throws: the errors of `ping`, such as `deadlineExceeded`; `busy` if an operation is still
    ///   running after the store's `writerWait`, and the store is then still open.
    public func run() async throws {
      do {
        try await store.ping(within: limit)
        try await sampleConnections()
      } catch is CancellationError {
        // The end of the group, in another way.
      } catch {
        try? await close()
        throw error
      }
      try await close()
    }

    /// Samples the connections of the store, if it has some, until the end of the group.
    private func sampleConnections() async throws {
      guard let interval, let meters = ConnectionMeters(of: store, factory: factory) else {
        return try await gracefulShutdown()
      }
      try await cancelWhenGracefulShutdown {
        while !Task.isCancelled {
          meters.sample()
          try await Task.sleep(for: interval)
        }
      }
    }

    /// Closes the store in a task of its own, which is not cancelled with the caller's.
    private func close() async throws {
      let store = store
      try await Task { try await store.close() }.value
    }
  }
#endif
