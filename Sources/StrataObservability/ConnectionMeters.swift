#if Observability
  internal import Metrics
  internal import ORM
  internal import ORMStorage

  /// The meters of a store's connections to its database.
  struct ConnectionMeters: Sendable {
    private let store: any Store
    private let used: Meter
    private let idle: Meter
    private let maximum: Meter
    private let waiting: Meter

    /// Makes the meters; nil for a store without connections.
    init?(of store: any Store, factory: (any MetricsFactory)?) {
      if store.connections == nil { return nil }
      let factory = factory ?? MetricsSystem.factory
      let pool = [
        (ConventionName.system, store.runtime.system),
        (ConventionName.poolName, store.runtime.name),
      ]
      func meter(_ label: String, _ state: String? = nil) -> Meter {
        let dimensions = state.map { pool + [(ConventionName.connectionState, $0)] } ?? pool
        return Meter(label: label, dimensions: dimensions, factory: factory)
      }
      self.store = store
      used = meter(ConventionName.connectionCount, "used")
      idle = meter(ConventionName.connectionCount, "idle")
      maximum = meter(ConventionName.connectionMaximum)
      waiting = meter(ConventionName.connectionPendingRequests)
    }

    /// Sets the meters to the connections at this time.
    func sample() {
      guard let connections = store.connections else { return }
      used.set(connections.inUse)
      idle.set(connections.idle)
      maximum.set(connections.maximum)
      waiting.set(connections.waiting)
    }
  }
#endif
