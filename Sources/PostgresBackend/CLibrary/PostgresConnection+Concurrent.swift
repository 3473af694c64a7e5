internal import CPostgres
internal import ORMStorage
internal import SQLEngine

/// Write transactions that run beside others: their commits and their keys.
extension PostgresConnection: ConcurrentConnection {
  var isContended: Bool { handle.contention != nil }

  func beginConcurrentWrite() throws {
    if !counters.concurrentCommits.isCounting { try makeCommitCounter() }
    try beginWrite(isConcurrent: true)
  }

  /// Commits, and counts the commit for other programs.
  ///
  /// The counter is a sequence, since a row that every commit changes would make all of them wait for one
  /// another. It is raised after the commit, when others can see the changes.
  func commitConcurrently() throws {
    let isChanged = totalChanges != concurrentChanges
    let count =
      isChanged ? ["SELECT pg_catalog.nextval(\(dialect.string(dialect.commits)))::text"] : []
    let commit = counters.concurrentCommits.begin()
    var number: UInt64?
    defer { counters.concurrentCommits.end(commit, number) }
    do {
      let after = try self.commit(with: takePending() + ["COMMIT"] + count)
      number = after.first?.text(0, 0).flatMap { UInt64($0) }
      // Only the counter can be missing or forbidden: the statements before it are committed.
      if isChanged, number == nil { counters.concurrentCommits.isCounting = false }
      notePositionOfCommit()
    } catch let error as StoreError where error.code == .connectionLost || handle.isLost {
      phase = .none
      counters.positions.didCommit(at: nil)
      try learnOutcome()
    } catch {
      rollback()
      throw error
    }
  }

  /// Makes the sequence that counts commits, once for the namespace.
  private func makeCommitCounter() throws {
    let known = try begin(
      "SELECT pg_catalog.to_regclass(\(dialect.string(dialect.commits))) IS NULL")
    if known.last?.text(0, 0) == "t" {
      do {
        try handle.run(
          "BEGIN; \(lockTimeout(options.writerWait)); \(lock(false)); "
            + "CREATE SEQUENCE IF NOT EXISTS \(dialect.commits); COMMIT")
      } catch {
        _ = try? handle.run("ROLLBACK")
        throw error
      }
    }
    counters.concurrentCommits.isCounting = true
  }

  // MARK: Keys

  func reserveKeys(_ reservation: SQLKeyReservation) throws -> Int64? {
    let count = "\(reservation.count)::numeric"
    let key = dialect.quoted(reservation.column)
    let table = dialect.quoted(table: reservation.table)
    let known = "greatest(m.value::numeric, excluded.value::numeric - \(count))"
    let results = try runAside(
      """
      INSERT INTO \(dialect.meta) AS m (name, value) \
      SELECT \(dialect.string(reservation.name)), (g + \(count))::text FROM (SELECT greatest(\
      coalesce((SELECT max(\(key)) FROM \(table)), 0), \(reservation.least))::numeric AS g) AS x \
      WHERE g + \(count) <= \(Int64.max) ON CONFLICT (name) DO UPDATE \
      SET value = (\(known) + \(count))::text WHERE \(known) + \(count) <= \(Int64.max) \
      RETURNING value
      """, after: reservation.isAlone ? [lockTimeout(options.writerWait), lock(true)] : [])
    return results.lazy.compactMap { $0.text(0, 0) }.first.flatMap { Int64($0) }
  }

  func giveBackKeys(
    _ name: String, from greatest: Int64, to key: Int64, isAlone: Bool
  ) throws {
    _ = try runAside(
      "UPDATE \(dialect.meta) SET value = '\(key)' WHERE name = \(dialect.string(name)) "
        + "AND value = '\(greatest)'", after: isAlone ? ["\(lock(true)) NOWAIT"] : [])
  }

  /// Runs a statement in a transaction of its own, which need not be durable: its dependents are committed
  /// later, and are durable only with it.
  ///
  /// - Parameter locks: the statements that keep the only writer away. A transaction that has begun does so
  ///   already; behind one that waits for it, another lock would wait for ever.
  private func runAside(_ sql: String, after locks: [String]) throws -> [PostgresResult] {
    let texts =
      ["BEGIN ISOLATION LEVEL READ COMMITTED", "SET LOCAL synchronous_commit = off"] + locks
      + [sql, "COMMIT"]
    do {
      return try begin(texts.joined(separator: "; "), within: writingLimit)
    } catch {
      if handle.transaction != PQTRANS_IDLE { _ = try? handle.run("ROLLBACK") }
      throw error
    }
  }
}

/// The commits of a store's writers that run together, by the numbers that the server's counter gave
/// them, so that those of other programs can be distinguished.
package final class PostgresCommits: Sendable {
  private struct State {
    /// The commits that were begun.
    var begun: UInt64 = 0
    /// The transactions that have not ended.
    var running: Set<UInt64> = []
    /// The number of commits that any later look at the counter includes.
    var count: UInt64 = 0
    /// The numbers of the commits that ended since a look began that is not evaluated yet; nil unless there
    /// is one.
    var recent: [UInt64]?
    /// The outcome of such a look; nil if there is none.
    var look: Look?

    mutating func endLook() {
      count += UInt64(recent?.count ?? 0)
      recent = nil
      look = nil
    }
  }

  /// A look at the counter, which can be evaluated once the commits that ran then have ended.
  private struct Look {
    /// The number of commits of others that are counted elsewhere.
    let others: UInt64
    let counter: UInt64
    /// The last commit that had begun then.
    let last: UInt64
  }

  private let state = Lock(State())
  private let hasCounter = Lock(false)

  package init() {}

  /// True once the counter is known to be there.
  var isCounting: Bool {
    get { hasCounter.withLock { $0 } }
    set { hasCounter.withLock { $0 = newValue } }
  }

  /// The longest time for which a look waits for commits, in steps of `PostgresHandle.nap`.
  private static var mostSteps: Int { 200 }

  /// A commit begins.
  package func begin() -> UInt64 {
    state.withLock { state in
      state.begun += 1
      state.running.insert(state.begun)
      return state.begun
    }
  }

  /// A commit has ended, with a number if the counter has counted it.
  package func end(_ commit: UInt64, _ number: UInt64?) {
    state.withLock { state in
      state.running.remove(commit)
      guard let number else { return }
      if state.recent != nil { state.recent?.append(number) } else { state.count += 1 }
    }
  }

  /// Returns the number of commits of others; nil if it is not known yet.
  ///
  /// A commit under way may be counted, and its number not known yet. A look waits for those that ran a
  /// short time. If they take longer, a later call evaluates it, so that the number is late by no more than
  /// the longest of them. Calls follow one another.
  ///
  /// - Parameter look: returns the number of other commits of others, and the counter.
  package func othersCount(_ look: () throws -> (UInt64, UInt64)) throws -> UInt64? {
    let known = settle()
    if state.withLock({ $0.look != nil }) { return nil }
    state.withLock { $0.recent = [] }
    do {
      let (others, counter) = try look()
      state.withLock { $0.look = Look(others: others, counter: counter, last: $0.begun) }
    } catch {
      state.withLock { $0.endLook() }
      throw error
    }
    for _ in 0..<Self.mostSteps {
      if let found = settle() { return found }
      PostgresHandle.nap()
    }
    return known
  }

  /// Evaluates the last look, if the commits that ran then have ended.
  private func settle() -> UInt64? {
    state.withLock { state in
      guard let look = state.look, !state.running.contains(where: { $0 <= look.last }) else {
        return nil
      }
      let own = state.count + UInt64((state.recent ?? []).count { $0 <= look.counter })
      state.endLook()
      return look.others &+ look.counter &- own
    }
  }
}
