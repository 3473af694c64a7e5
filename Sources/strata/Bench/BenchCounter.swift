#if Command
  import ORM

  /// The requests of a step to its store.
  struct BenchCounts: Codable {
    var requests = 0
    /// The rows that the library read; nil if the store counted none.
    var rowsRead: Int?
    /// The trips to a server; nil for a store without one.
    var trips: Int?

    static let titles = ["requests", "rows read", "trips"]

    var texts: [String] {
      ["\(requests)", rowsRead.map { "\($0)" } ?? "-", trips.map { "\($0)" } ?? "-"]
    }
  }

  /// The instrument that counts them.
  final class BenchCounter: StoreInstrument {
    private let counts = Lock(BenchCounts())

    /// The counts since the last call.
    func take() -> BenchCounts {
      counts.withLock { counts in
        defer { counts = BenchCounts() }
        return counts
      }
    }

    func ended(_ transaction: TransactionFacts, _ state: (any Sendable)?) {
      counts.withLock { counts in
        counts.requests += transaction.operations
        if let trips = transaction.trips { counts.trips = (counts.trips ?? 0) + trips }
      }
    }

    func ended(_ operation: OperationFacts, _ state: (any Sendable)?) {
      guard let rows = operation.rowsRead else { return }
      counts.withLock { $0.rowsRead = ($0.rowsRead ?? 0) + rows }
    }
  }
#endif
