internal import Dispatch
internal import ORMStorage

/// The connections of a store: those that write, one unless the database keeps more apart, and at most
/// `StoreOptions.readers` that read.
final class SQLPool: Sendable {
  private let database: any SQLDatabase
  private let dialect: any SQLDialect
  private let schema: SQLSchema
  private let options: StoreOptions
  private let state: Lock<State>
  /// The keys given out, where writers run together.
  private let reservations: KeyReservations?
  /// The connections to replicas; nil if there are none.
  private let replicas: SQLReplicas?

  /// A session that waits in the pool, or is on its way to the one view that uses it.
  // Guarded by the pool's `state`: a view that takes a session out has it alone until it gives the
  // session back.
  private struct Lent: @unchecked Sendable {
    let session: SQLSession
    /// True if it has waited since the answers to the ends of reads were looked at last.
    var isIdle = false
    /// True if the end of its last read may not have reached the database.
    var awaitsEnd: Bool { session.tripSaving?.awaitsEnd ?? false }
  }

  private struct State: Sendable {
    var readers: [Lent] = []
    /// True while the answers to the ends of reads are looked at every second.
    var takesEnds = false
    /// The idle connections that write; the one used last is taken first.
    var writers: [Lent] = []
    /// The connection that is asked for the commits of others: that of the only writer, which does not
    /// count its own, or else one that does nothing else.
    var watcher: Lent?
    /// The number of connections that are open, the watcher's own among them.
    var open = 1
    /// The number of connections that were made.
    var made = 1
    /// The time that it took to make them.
    var makingTime = Duration.zero
    var isClosed = false

    mutating func didOpen(in time: Duration) {
      open += 1
      made += 1
      makingTime += time
    }
  }

  /// Makes a pool of the connection by which the store was opened.
  ///
  /// - Parameter time: the time that it took to make the connection.
  init(_ database: any SQLDatabase, _ first: SQLSession, madeIn time: Duration) {
    self.database = database
    dialect = first.dialect
    schema = first.schema
    options = first.options
    replicas = SQLReplicas(database, first.options)
    let lent = Lent(session: first)
    let isAlone = !database.keepsWritersApart
    reservations = isAlone ? nil : KeyReservations()
    var state =
      options.isReadOnly
      ? State(readers: [lent]) : State(writers: [lent], watcher: isAlone ? lent : nil)
    state.makingTime = time
    self.state = Lock(state)
  }

  /// True if the watcher's connection does nothing else.
  private var keepsWatcherApart: Bool { options.isReadOnly || reservations != nil }

  /// The connections at this time; nil once the pool is closed.
  var counts: StoreConnections? {
    let writers = options.isReadOnly ? 0 : database.writers
    let maximum = options.readers + options.streams + writers
    return state.withLock { state in
      if state.isClosed { return nil }
      let idle = state.readers.count + state.writers.count
      let watchers = keepsWatcherApart && state.watcher != nil ? 1 : 0
      return StoreConnections(
        inUse: max(0, state.open - idle - watchers), idle: idle, maximum: maximum,
        made: state.made, makingTime: state.makingTime)
    }
  }

  /// Asks every replica how far it is behind.
  func replicaStates() -> [ReplicaHealth] {
    guard let replicas, !state.withLock({ $0.isClosed }) else { return [] }
    return replicas.states {
      SQLSession($0, schema, dialect, options)
    } primary: { body in
      try aside { try body($0.connection) }
    }
  }

  /// A reader on the newest commit, or on a replica.
  ///
  /// - Parameters:
  ///   - defersBegin: true if its first request may fix the snapshot.
  ///   - freshness: how new its state has to be.
  func reader(defersBegin: Bool, _ freshness: ReadFreshness) throws -> SQLReader {
    if freshness != .newest, let reader = try replicaReader(freshness) { return reader }
    let session = try take { $0.readers.popLast() } ?? open(database.reader)
    do {
      if defersBegin, let connection = session.tripSaving,
        try connection.deferSnapshot(of: session.schema.version)
      {
        return SQLReader(session) { [self] in give(back: $0) }
      }
      try session.connection.beginSnapshot()
    } catch {
      give(back: session)
      throw error
    }
    do {
      try session.checkSchema()
    } catch {
      session.connection.endRead()
      give(back: session)
      throw error
    }
    return SQLReader(session) { [self] in give(back: $0) }
  }

  private func replicaReader(_ freshness: ReadFreshness) throws -> SQLReader? {
    guard let replicas else { return nil }
    if state.withLock({ $0.isClosed }) { throw StoreError(.closed, "the store was closed") }
    return replicas.reader(freshness) {
      SQLSession($0, schema, dialect, options)
    } primary: { body in
      try aside { try body($0.connection) }
    }
  }

  /// The write transaction.
  ///
  /// - Parameter defersBegin: true if its first request may begin it.
  func writer(defersBegin: Bool) throws -> SQLWriter {
    if options.isReadOnly {
      throw StoreError(.readOnly, "the store was opened read-only")
    }
    let session = try take { $0.writers.popLast() } ?? open(database.writer)
    do {
      let isConcurrent = reservations != nil
      if try !(defersBegin && session.deferWrite(isConcurrent: isConcurrent)) {
        try session.beginWrite(isConcurrent: isConcurrent)
        try session.checkSchema()
      }
      if session.schema.refusesWriters { throw StoredSchema.isBeingMigrated }
    } catch {
      session.connection.rollback()
      give(backWriter: session)
      throw error
    }
    let keys = reservations.map { KeySource($0, self, for: session) }
    let release: (SQLSession) -> Void = { [self] in give(backWriter: $0) }
    return session.tripSaving == nil
      ? SQLWriter(session, keys: keys, release: release)
      : TripSavingSQLWriter(session, keys: keys, release: release)
  }

  /// Runs a body on a connection that no transaction uses.
  func aside<R>(_ body: (SQLSession) throws -> R) throws -> R {
    let session = try take { $0.readers.popLast() } ?? open(database.reader)
    defer { give(back: session) }
    return try body(session)
  }

  /// Returns a number that changes when others have committed; nil if the database has none.
  ///
  /// It is asked for by one caller at a time, in a writer's turn or in a transaction that is about to
  /// commit, so that nothing else uses the connection.
  func othersCommits() throws -> UInt64? {
    let session: SQLSession
    if let known = try take({ $0.watcher }) {
      session = known
    } else {
      session = try open(database.reader)
      let lent = Lent(session: session)
      state.withLock { $0.watcher = lent }
    }
    return try session.connection.othersCommits()
  }

  /// Closes the connections that wait; those in use close when they are given back.
  func close() {
    replicas?.close()
    var (readers, writers, watcher) = state.withLock { state -> ([Lent], [Lent], Lent?) in
      defer {
        state.readers = []
        state.writers = []
        state.watcher = nil
        state.isClosed = true
      }
      return (state.readers, state.writers, state.watcher)
    }
    // The writer last, when the readers are gone with their cached statements, which hold a
    // connection open: the last connection moves the log into the file.
    for lent in readers { lent.session.connection.close() }
    readers = []
    if keepsWatcherApart { watcher?.session.connection.close() }
    watcher = nil
    for lent in writers { lent.session.connection.close() }
    writers = []
  }

  /// A session that waits, taken out of the pool by `remove`; nil when there is none.
  private func take(_ remove: (inout State) -> Lent?) throws -> SQLSession? {
    let lent = try state.withLock { state throws -> Lent? in
      if state.isClosed { throw StoreError(.closed, "the store was closed") }
      return remove(&state)
    }
    return lent?.session
  }

  private func open(_ make: () throws -> any SQLConnection) throws -> SQLSession {
    let start = ContinuousClock.now
    let connection = try make()
    let time = start.duration(to: .now)
    state.withLock { $0.didOpen(in: time) }
    return SQLSession(connection, schema, dialect, options)
  }

  private func give(back session: SQLSession) {
    let lent = Lent(session: session)
    let awaitsEnd = lent.awaitsEnd
    let (isPooled, begins) = state.withLock { state -> (Bool, Bool) in
      guard !state.isClosed, state.readers.count < options.readers else {
        state.open -= 1
        return (false, false)
      }
      state.readers.append(lent)
      guard awaitsEnd, !state.takesEnds else { return (true, false) }
      state.takesEnds = true
      return (true, true)
    }
    if !isPooled { session.connection.close() }
    if begins { takeEndsLater() }
  }

  private func give(backWriter session: SQLSession) {
    let lent = Lent(session: session)
    let isPooled = state.withLock { state -> Bool in
      guard !state.isClosed, state.writers.count < database.writers else {
        state.open -= 1
        return false
      }
      state.writers.append(lent)
      return true
    }
    if !isPooled { session.connection.close() }
  }

  // MARK: The ends of reads

  /// Looks in a second at the connections whose last read may not have ended at the database.
  private func takeEndsLater() {
    DispatchQueue(label: "SQLEngine.SQLPool").asyncAfter(deadline: .now() + .seconds(1)) {
      [weak self] in self?.takeEnds()
    }
  }

  /// Takes the answers to the ends of reads on the connections that have waited since the last look.
  ///
  /// A connection in use takes them itself. One that was lost while it waited would not be noticed
  /// before its next use, and until then its read holds locks.
  private func takeEnds() {
    while let lent = state.withLock({ state -> Lent? in
      let index = state.readers.firstIndex { $0.isIdle && $0.awaitsEnd }
      return index.map { state.readers.remove(at: $0) }
    }) {
      lent.session.tripSaving?.takeEnd()
      give(back: lent.session)
    }
    let goesOn = state.withLock { state -> Bool in
      for index in state.readers.indices { state.readers[index].isIdle = true }
      state.takesEnds = state.readers.contains { $0.awaitsEnd }
      return state.takesEnds
    }
    if goesOn { takeEndsLater() }
  }
}
