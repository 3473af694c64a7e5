#if Observability
  import InMemoryLogging
  import Logging
  import ORMStorage
  import StrataObservability
  import Testing

  @Suite struct LogInstrumentTests {
    /// An instrument whose log has a level, and the handler that keeps its entries.
    private func instrument(_ level: Logger.Level) -> (LogInstrument, InMemoryLogHandler) {
      let handler = InMemoryLogHandler()
      var logger = Logger(label: "test") { _ in handler }
      logger.logLevel = level
      return (LogInstrument(logger), handler)
    }

    @Test("A request is an entry of the level trace, by the names of the conventions")
    func request() throws {
      let (log, handler) = instrument(.trace)
      log.ended(
        Facts.operation(rows: 3, rowsRead: 10, statement: "SELECT name FROM snack WHERE price < ?"),
        nil)
      let entry = try #require(handler.entries.first)
      #expect(handler.entries.count == 1)
      #expect(entry.level == .trace)
      #expect(entry.message == "fetch Snack: 3 rows in 2.00 ms, 10 read")
      #expect(
        entry.metadata == [
          "db.system.name": "sqlite", "db.operation.name": "fetch", "db.collection.name": "Snack",
          "db.query.text": "SELECT name FROM snack WHERE price < ?",
          "db.response.returned_rows": "3", "strata.rows_read": "10",
          "strata.store": "snacks.sqlite", "strata.transaction": "1",
        ])
    }

    @Test("A request that failed has the code of its error")
    func failure() throws {
      let (log, handler) = instrument(.trace)
      log.ended(Facts.operation(.insert, rows: 0, error: .duplicate), nil)
      let entry = try #require(handler.entries.first)
      #expect(entry.metadata["error.type"] == "duplicate")
      #expect(entry.metadata["strata.rows_read"] == nil)
    }

    @Test("A transaction is an entry of the level debug, and requests are left out there")
    func transaction() throws {
      let (log, handler) = instrument(.debug)
      log.ended(Facts.operation(), nil)
      log.ended(Facts.transaction(.write, attempts: 2, operations: 4), nil)
      let entry = try #require(handler.entries.first)
      #expect(handler.entries.count == 1)
      #expect(entry.level == .debug)
      #expect(entry.message == "write: 4 requests in 5.00 ms, waited 1.00 ms, 2 runs")
      #expect(entry.metadata["strata.requests"] == "4")
    }

    @Test("A notice has its own level, with plan and remedy")
    func notices() throws {
      let (log, handler) = instrument(.info)
      log.ended(Facts.operation(), nil)
      log.ended(Facts.transaction(), nil)
      log.noticed(StoreNotice(.schemaChanged, store: Facts.store, "the store was migrated"))
      log.noticed(StoreNotice(.retried, store: Facts.store, "a transaction runs again"))
      log.noticed(
        StoreNotice(
          .slowOperation, store: Facts.store, "fetch Snack took 120 ms", remedy: "add an index",
          entity: "Snack", plan: "every row"))
      log.noticed(StoreNotice(.failed, store: Facts.store, "a handler threw"))
      let entries = handler.entries
      #expect(entries.map(\.level) == [.info, .notice, .warning, .error])
      #expect(entries[1].metadata["strata.notice"] == "retried")
      #expect(
        entries[2].metadata == [
          "db.system.name": "sqlite", "db.collection.name": "Snack",
          "strata.store": "snacks.sqlite", "strata.notice": "slowOperation",
          "strata.plan": "every row", "strata.remedy": "add an index",
        ])
    }

    @Test("Statements are asked for at the level trace alone")
    func statements() {
      #expect(instrument(.trace).0.wantsStatements)
      #expect(!instrument(.debug).0.wantsStatements)
      #expect(!instrument(.info).0.wantsStatements)
    }
  }
#endif
