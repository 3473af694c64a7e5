#if Observability
  import Logging
  import MemoryBackend
  import MetricsTestKit
  import ORM
  import ORMStorage
  import ORMValues
  import ServiceLifecycle
  import ServiceLifecycleTestKit
  import StrataObservability
  import Testing

  @Suite struct StoreServiceTests {
    private func store() throws -> MemoryStore { try MemoryStore(schema: Schema(entities: [])) }

    private func isClosed(_ store: any Store) -> Bool {
      do {
        try store.ping()
        return false
      } catch {
        return (error as? StoreError)?.code == .closed
      }
    }

    @Test("The store is open while the service runs, and closed at the graceful end")
    func graceful() async throws {
      let store = try store()
      try await testGracefulShutdown { trigger in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await StoreService(store).run() }
          #expect(!isClosed(store))
          trigger.triggerGracefulShutdown()
          try await group.waitForAll()
        }
      }
      #expect(isClosed(store))
    }

    @Test("Connections are sampled while the service runs", .timeLimit(.minutes(1)))
    func connections() async throws {
      let store = try store()
      let counts = Lock(
        StoreConnections(inUse: 2, idle: 1, maximum: 5, made: 3, makingTime: .zero))
      store.runtime.showConnections(
        of: ConnectionSource(counts: { counts.withLock { $0 } }, replicas: { [] }))
      let metrics = TestMetrics()
      let pool = [
        ("db.system.name", "memory"), ("db.client.connection.pool.name", store.runtime.name),
      ]
      func values(_ name: String, _ state: String? = nil) -> [Double] {
        let dimensions = state.map { pool + [("db.client.connection.state", $0)] } ?? pool
        return (try? metrics.expectMeter(name, dimensions).values) ?? []
      }
      try await testGracefulShutdown { trigger in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            try await StoreService(store, samplingEvery: .milliseconds(1), factory: metrics).run()
          }
          while values("db.client.connection.pending_requests").isEmpty {
            try await Task.sleep(for: .milliseconds(1))
          }
          counts.withLock { $0.inUse = 4 }
          while values("db.client.connection.count", "used").last != 4 {
            try await Task.sleep(for: .milliseconds(1))
          }
          trigger.triggerGracefulShutdown()
          try await group.waitForAll()
        }
      }
      #expect(isClosed(store))
      #expect(values("db.client.connection.count", "used").first == 2)
      #expect(values("db.client.connection.count", "idle").first == 1)
      #expect(values("db.client.connection.max").first == 5)
      #expect(values("db.client.connection.pending_requests").first == 0)
    }

    @Test("A store without connections has no meters")
    func noConnections() async throws {
      let store = try store()
      let metrics = TestMetrics()
      try await testGracefulShutdown { trigger in
        trigger.triggerGracefulShutdown()
        try await StoreService(store, factory: metrics).run()
      }
      #expect(isClosed(store))
      #expect(metrics.meters.isEmpty)
    }

    @Test("A cancelled service closes the store too")
    func cancelled() async throws {
      let store = try store()
      let task = Task { try await StoreService(store).run() }
      task.cancel()
      try await task.value
      #expect(isClosed(store))
    }

    @Test("A store that is closed already fails the start")
    func closed() async throws {
      let store = try store()
      try await store.close()
      await #expect(throws: StoreError.self) { try await StoreService(store).run() }
    }

    @Test("In a group the store is closed after the services that use it")
    func order() async throws {
      let store = try store()
      let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
          services: [
            .init(service: StoreService(store)), .init(service: LastUser(store: store)),
            .init(service: End(), successTerminationBehavior: .gracefullyShutdownGroup),
          ], logger: Logger(label: "test")))
      // The last user's request would throw `closed` if the store were closed before.
      try await group.run()
      #expect(isClosed(store))
    }

    /// A service that asks the store for something at its own end.
    private struct LastUser: Service {
      let store: any Store

      func run() async throws {
        try await gracefulShutdown()
        try await store.ping()
      }
    }

    /// A service that ends its group.
    private struct End: Service {
      func run() async throws {}
    }
  }
#endif
