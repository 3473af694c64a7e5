internal import ORMStorage

/// The connections to the replicas of a database, for reads that can do with an older state.
///
/// The replicas are used in turn. One that cannot be reached is skipped, and tried again later by one
/// caller: after ten times as long as the attempt took, and at least a second.
final class SQLReplicas: Sendable {
  private let database: any SQLDatabase
  private let options: StoreOptions
  private let state: Lock<State>

  /// A session that waits, or is on its way to the one view that uses it.
  // Guarded by `state`: a view that takes a session out has it alone until it gives the session back.
  private struct Lent: @unchecked Sendable {
    let session: SQLSession
  }

  private struct State: Sendable {
    var idle: [[Lent]]
    /// The times at which replicas that could not be reached are tried again.
    var retries: [ContinuousClock.Instant?]
    /// The replica that is used first by the next read.
    var next = 0
    var isClosed = false
  }

  /// Makes the pool; nil for a database without replicas.
  init?(_ database: any SQLDatabase, _ options: StoreOptions) {
    let count = database.replicas
    if count == 0 { return nil }
    self.database = database
    self.options = options
    state = Lock(
      State(
        idle: Array(repeating: [], count: count), retries: Array(repeating: nil, count: count)))
  }

  /// Returns a reader on a replica whose state is fresh enough; nil if there is none.
  ///
  /// - Parameters:
  ///   - freshness: how new the state has to be.
  ///   - make: makes a session of a connection.
  ///   - primary: runs a body on a connection to the database itself.
  func reader(
    _ freshness: ReadFreshness, _ make: (any SQLConnection) -> SQLSession,
    primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) -> SQLReader? {
    let (first, count) = state.withLock { state in
      defer { state.next = (state.next + 1) % state.idle.count }
      return (state.next, state.idle.count)
    }
    for number in 0..<count {
      let replica = (first + number) % count
      if let reader = reader(on: replica, freshness, make, primary: primary) { return reader }
    }
    return nil
  }

  private func reader(
    on replica: Int, _ freshness: ReadFreshness, _ make: (any SQLConnection) -> SQLSession,
    primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) -> SQLReader? {
    let start = ContinuousClock.now
    let isUsable = state.withLock { state -> Bool in
      if state.isClosed { return false }
      guard let retry = state.retries[replica] else { return true }
      if start < retry { return false }
      // The others go on without it until this attempt has ended.
      state.retries[replica] = start + .seconds(60)
      return true
    }
    if !isUsable { return nil }
    var session = state.withLock { $0.idle[replica].popLast() }?.session
    do {
      let taken = try session ?? make(database.replica(replica))
      session = taken
      let isFresh =
        try (taken.connection as? any ReplicaConnection)?.beginSnapshot(freshness, primary: primary)
        ?? false
      state.withLock { $0.retries[replica] = nil }
      guard isFresh else {
        give(back: taken, to: replica)
        return nil
      }
      do {
        try taken.checkSchema()
      } catch {
        // It has not heard of the newest tables yet.
        taken.connection.endRead()
        give(back: taken, to: replica)
        return nil
      }
      return SQLReader(taken) { [self] in give(back: $0, to: replica) }
    } catch {
      session?.connection.close()
      let pause = max(Duration.seconds(1), start.duration(to: .now) * 10)
      state.withLock { $0.retries[replica] = .now + pause }
      return nil
    }
  }

  /// Asks every replica how far it is behind, one after another.
  ///
  /// - Parameters:
  ///   - make: makes a session of a connection.
  ///   - primary: runs a body on a connection to the database itself.
  func states(
    _ make: (any SQLConnection) -> SQLSession,
    primary: ((any SQLConnection) throws -> Void) throws -> Void
  ) -> [ReplicaHealth] {
    (0..<database.replicas).map { replica in
      var session = state.withLock { $0.idle[replica].popLast() }?.session
      do {
        let taken = try session ?? make(database.replica(replica))
        session = taken
        let health = try (taken.connection as? any ReplicaConnection)?.health(primary: primary)
        give(back: taken, to: replica)
        return health ?? ReplicaHealth(isReachable: true)
      } catch {
        session?.connection.close()
        return ReplicaHealth(isReachable: false)
      }
    }
  }

  private func give(back session: SQLSession, to replica: Int) {
    let lent = Lent(session: session)
    let isPooled = state.withLock { state -> Bool in
      guard !state.isClosed, state.idle[replica].count < options.readers else { return false }
      state.idle[replica].append(lent)
      return true
    }
    if !isPooled { session.connection.close() }
  }

  /// Closes the connections that wait; those in use close when they are given back.
  func close() {
    let idle = state.withLock { state -> [Lent] in
      state.isClosed = true
      defer { for replica in state.idle.indices { state.idle[replica] = [] } }
      return state.idle.flatMap { $0 }
    }
    for lent in idle { lent.session.connection.close() }
  }
}
