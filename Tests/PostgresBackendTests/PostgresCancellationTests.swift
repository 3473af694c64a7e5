import Foundation
import ORM
import PostgresBackend
import TestSupport
import Testing

/// Statements that run long, and calls that are cancelled meanwhile: clause 9.8.
@Suite(.enabled(if: PostgresServer.isThere, PostgresServer.comment))
struct PostgresCancellationTests {
  private let namespace = PostgresNamespace()
  /// A query that runs longer than any test.
  private var endless: String {
    """
    SELECT /* \(namespace.name) */ count(*) AS n FROM generate_series(1, 1000000) AS a, \
    generate_series(1, 1000000) AS b
    """
  }

  /// Opens a store with one reader, whose tables have rows from a key on that take their time.
  ///
  /// - Parameter opened: called before that, since no other store opens such tables.
  private func open(
    _ postgres: PostgresOptions = PostgresOptions(), opened: () throws -> Void = {}
  ) throws -> PostgresStore {
    var options = StoreOptions()
    options.readers = 1
    let settings = "&options=-c%20enable_sort%3Doff%20-c%20enable_seqscan%3Doff"
    let store = try PostgresStore(
      namespace.location() + settings, schema: Schema(Word.self, Tally.self), options: options,
      postgres: postgres)
    try store.save((1...300).map { Word(id: $0, text: "w\($0)", weight: 1) })
    try opened()
    let name = namespace.name
    try PostgresServer.psql(
      """
      ALTER TABLE \(name)."Word" RENAME TO words; CREATE VIEW \(name)."Word" AS
      SELECT * FROM \(name).words WHERE CASE WHEN id > 80 THEN pg_sleep(120)::text = '' ELSE true END
      """)
    return store
  }

  /// The number of statements that run in the namespace.
  private func running(_ condition: String = "true") throws -> Int? {
    try PostgresServer.psql(
      """
      SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid()
      AND query LIKE '%\(namespace.name)%' AND \(condition)
      """
    ).first.flatMap { Int($0) }
  }

  /// Cancels a call once its statement runs, and expects the outcome that cancellation has.
  private func cancel<Value: Sendable>(
    _ condition: String = "true", _ body: @escaping @Sendable () async throws -> Value
  ) async throws {
    let task = Task { try await body() }
    #expect(try await eventually { try running(condition) == 1 })
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // Each of the statements would run for 120 seconds at least.
    let hasEnded = try await eventually(atMost: .seconds(15)) { try running() == 0 }
    #expect(hasEnded)
  }

  private func process(_ store: PostgresStore) throws -> [DynamicRow] {
    try store.query(sql: "SELECT pg_backend_pid() AS pid")
  }

  @Test("6.4, 9.8: A read that is cancelled cancels its statement, and the connection goes on")
  func reads() async throws {
    let store = try open()
    let before = try process(store)
    let request = SQLRequest(words: endless)
    try await cancel { try await store.query(sql: request) }
    try await cancel { try await store.count(Word.all.where { $0.weight > 0 }) }
    try await cancel { try await store.fetch(Word.all.where { $0.weight > 0 }) }
    try await cancel { try await store.find(Word.self, 100) }
    try await cancel {
      try await store.read { transaction in
        _ = try transaction.find(Word.self, 1)
        // Whatever the body makes of the error, the read is cancelled, and begins no other statement.
        _ = try? transaction.count(Word.all.where { $0.weight > 0 })
        #expect(throws: CancellationError.self) { try transaction.find(Word.self, 2) }
        return 1
      }
    }
    #expect(try await store.find(Word.self, 1)?.text == "w1")
    #expect(try process(store) == before)
    try await store.close()
  }

  @Test("6.4: Tasks that are cancelled at any time leave the connections usable")
  func anyTime() async throws {
    let store = try open()
    let query = SQLRequest(words: "SELECT count(*) AS n FROM generate_series(1, 300000) AS a")
    var cancelled = 0
    for number in 0..<60 {
      let task = Task { try await store.query(sql: query).count }
      try await Task.sleep(for: .milliseconds(number))
      task.cancel()
      do {
        #expect(try await task.value == 1)
      } catch is CancellationError {
        cancelled += 1
      }
      #expect(try await store.find(Word.self, 1)?.text == "w1")
    }
    #expect(cancelled > 0)
    try await store.close()
  }

  @Test("6.4, 6.7: A stream that is cancelled cancels the search for its next rows")
  func stream() async throws {
    let store = try open()
    let task = Task {
      var count = 0
      for try await _ in store.stream(Word.all) { count += 1 }
      return count
    }
    let isSearching = try await eventually {
      try !PostgresServer.psql(
        """
        SELECT 1 FROM pg_stat_activity a JOIN pg_locks l USING (pid)
        WHERE a.state = 'active' AND a.wait_event = 'PgSleep'
        AND l.relation = '\(namespace.name).words'::regclass
        """
      ).isEmpty
    }
    #expect(isSearching)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await store.find(Word.self, 1)?.text == "w1")
    try await store.close()
  }

  @Test("6.4, 9.8: A write that is cancelled in a statement is undone, also where others share it")
  func writes() async throws {
    var opened: PostgresStore?
    let store = try open {
      opened = try PostgresStore(namespace.location(), schema: Schema(Tally.self))
    }
    let other = try #require(opened)
    try await cancel {
      try await store.write { transaction in
        try transaction.save(Tally(id: 1, value: 1))
        return try transaction.count(Word.all.where { $0.weight > 0 })
      }
    }
    try await cancel {
      try await store.write { transaction in
        try transaction.save(Tally(id: 1, value: 1))
        try? transaction.savepoint { _ = try $0.count(Word.all.where { $0.weight > 0 }) }
        #expect(throws: CancellationError.self) { try transaction.save(Tally(id: 2, value: 1)) }
      }
    }
    #expect(try await store.count(Tally.self) == 0)
    // A writer that waits for one of another program.
    let isHeld = DispatchSemaphore(value: 0)
    let isCancelled = DispatchSemaphore(value: 0)
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      _ = try? other.write { transaction in
        try transaction.save(Tally(id: 3, value: 3))
        isHeld.signal()
        isCancelled.wait()
      }
      isDone.signal()
    }
    await offThePool { isHeld.wait() }
    try await cancel("wait_event_type = 'Lock'") {
      try await store.write { try $0.save(Tally(id: 4, value: 4)) }
    }
    isCancelled.signal()
    await offThePool { isDone.wait() }
    try await store.save(Tally(id: 5, value: 5))
    #expect(try await store.fetch(Tally.all).map(\.id) == [3, 5])
    try await store.close()
    try await other.close()
  }

  private func offThePool(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }
}
