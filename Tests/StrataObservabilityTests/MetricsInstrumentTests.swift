#if Observability
  import CoreMetrics
  import MetricsTestKit
  import ORMStorage
  import StrataObservability
  import Testing

  @Suite struct MetricsInstrumentTests {
    private let metrics = TestMetrics()
    private var instrument: MetricsInstrument { MetricsInstrument(factory: metrics) }
    private let pool = [
      ("db.system.name", "sqlite"), ("db.client.connection.pool.name", "snacks.sqlite"),
    ]

    @Test("A request is timed in seconds, with entity, operation and error")
    func duration() throws {
      let instrument = instrument
      instrument.ended(Facts.operation(milliseconds: 2), nil)
      instrument.ended(Facts.operation(milliseconds: 3), nil)
      instrument.ended(Facts.operation(.insert, rows: 0, milliseconds: 4, error: .duplicate), nil)
      let fetches = try metrics.expectTimer(
        "db.client.operation.duration",
        [
          ("db.system.name", "sqlite"), ("db.collection.name", "Snack"),
          ("db.operation.name", "fetch"),
        ])
      #expect(fetches.values == [2_000_000, 3_000_000])
      #expect(fetches.displayUnit == .seconds)
      let failed = try metrics.expectTimer(
        "db.client.operation.duration",
        [
          ("db.system.name", "sqlite"), ("db.collection.name", "Snack"),
          ("db.operation.name", "insert"), ("error.type", "duplicate"),
        ])
      #expect(failed.values == [4_000_000])
      #expect(metrics.timers(label: "db.client.operation.duration").count == 2)
    }

    @Test("Returned rows are recorded, and rows that were read in vain counted")
    func rows() throws {
      let instrument = instrument
      instrument.ended(Facts.operation(rows: 3, rowsRead: 10), nil)
      instrument.ended(Facts.operation(rows: 2, rowsRead: 2), nil)
      instrument.ended(Facts.operation(.insert, rows: 5), nil)
      let returned = try metrics.expectRecorder(
        "db.client.response.returned_rows",
        [
          ("db.system.name", "sqlite"), ("db.collection.name", "Snack"),
          ("db.operation.name", "fetch"),
        ])
      #expect(returned.values == [3, 2])
      #expect(metrics.counterTotal(label: "strata.residue.rows") == 7)
    }

    @Test("Reads and writes have waits of their own, and a repetition is counted")
    func transactions() throws {
      let instrument = instrument
      instrument.ended(Facts.transaction(.read, waited: 1, ran: 5), nil)
      instrument.ended(Facts.transaction(.write, waited: 2, ran: 6, attempts: 3), nil)
      #expect(
        try metrics.expectTimer("db.client.connection.wait_time", pool).values == [1_000_000])
      #expect(try metrics.expectTimer("strata.writer.wait", pool).values == [2_000_000])
      #expect(
        try metrics.expectTimer("db.client.connection.use_time", pool).values
          == [5_000_000, 6_000_000])
      #expect(metrics.counterTotal(label: "strata.retries") == 2)
      #expect(metrics.counterTotal(label: "db.client.connection.timeouts") == 0)
    }

    @Test("A transaction whose wait for a turn ended is a timeout, and used nothing")
    func timeouts() throws {
      let instrument = instrument
      instrument.ended(Facts.transaction(attempts: 0, error: .busy), nil)
      instrument.ended(Facts.transaction(attempts: 0, error: .deadlineExceeded), nil)
      instrument.ended(Facts.transaction(attempts: 0, error: .closed), nil)
      #expect(metrics.counterTotal(label: "db.client.connection.timeouts", dimensions: pool) == 2)
      #expect(try metrics.expectTimer("db.client.connection.use_time", pool).values.isEmpty)
    }

    @Test("Beyond 1,000 combinations the collection is left out")
    func bounds() {
      let instrument = instrument
      for number in 1...1_005 {
        instrument.ended(Facts.operation(.fetch, "Entity\(number)"), nil)
      }
      let timers = metrics.timers(label: "db.client.operation.duration")
      #expect(timers.count == 1_001)
      let rest = timers.first { timer in
        !timer.dimensions.contains { $0.0 == "db.collection.name" }
      }
      #expect(rest?.values.count == 5)
    }
  }
#endif
