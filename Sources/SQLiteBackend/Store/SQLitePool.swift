internal import ORMCore
internal import SQLEngine

typealias PooledSession = SQLSession

/// The connections of a store: one that writes, and as many that read as were needed at once.
final class SQLitePool: Sendable {
  private let file: SQLiteFile
  private let schema: SQLSchema
  private let options: StoreOptions
  /// The files of the first connection; every other must have the same.
  private let identity: SQLiteFileIdentity?
  private let state: Lock<State>

  /// A session that waits in the pool, or goes to the one view that uses it.
  // Guarded by the pool's `state`: who takes it out has it alone until it is given back.
  private struct Lent: @unchecked Sendable {
    let session: PooledSession
  }

  private struct State: Sendable {
    var readers: [Lent] = []
    var writer: Lent?
    /// The connection that is asked for the commits of others: the writer's, which does not count
    /// its own, or where nothing is written here one that does nothing else.
    var watcher: Lent?
    var isClosed = false
  }

  /// A pool that begins with the connection the store was opened by.
  init(file: SQLiteFile, schema: SQLSchema, options: StoreOptions, first: SQLiteConnection) {
    self.file = file
    self.schema = schema
    self.options = options
    identity = first.identity
    let lent = Lent(session: SQLSession(first, schema, SQLiteDialect(), options))
    state = Lock(
      options.isReadOnly ? State(readers: [lent]) : State(writer: lent, watcher: lent))
  }

  /// A reader on the newest commit.
  func reader() throws -> SQLReader {
    let session = try take { $0.readers.popLast() } ?? open(file.reader)
    do {
      try session.connection.beginSnapshot()
    } catch {
      give(back: session)
      throw error
    }
    return SQLReader(session) { [self] in give(back: $0) }
  }

  /// The write transaction.
  func writer() throws -> SQLWriter {
    if options.isReadOnly {
      throw StoreError(.readOnly, "the store was opened for reading alone")
    }
    let session = try take { $0.writer.take() } ?? open(file.writer)
    do {
      try session.connection.beginWrite()
    } catch {
      give(backWriter: session)
      throw error
    }
    return SQLWriter(session) { [self] in give(backWriter: $0) }
  }

  /// A number that changes when others have committed.
  ///
  /// Asked for where a write transaction could begin, or in the one that is about to commit, so that
  /// nobody else uses the connection.
  func othersCommits() throws -> UInt64 {
    let session: PooledSession
    if let known = try take({ $0.watcher }) {
      session = known
    } else {
      session = try open(file.reader)
      let lent = Lent(session: session)
      state.withLock { $0.watcher = lent }
    }
    guard let connection = session.connection as? SQLiteConnection else { return 0 }
    return UInt64(bitPattern: try connection.dataVersion())
  }

  /// Closes the connections that wait; those in use close when they are given back.
  func close() {
    var (readers, writer, watcher) = state.withLock { state -> ([Lent], Lent?, Lent?) in
      defer {
        state.readers = []
        state.writer = nil
        state.watcher = nil
        state.isClosed = true
      }
      return (state.readers, state.writer, state.watcher)
    }
    // The writer last, when the readers are gone with their cached statements, which hold a
    // connection open: the last connection moves the log into the file.
    for lent in readers { lent.session.connection.close() }
    readers = []
    if options.isReadOnly { watcher?.session.connection.close() }
    watcher = nil
    writer?.session.connection.close()
    writer = nil
  }

  /// A session that waits, taken out of the pool by `remove`; nil when there is none.
  private func take(_ remove: (inout State) -> Lent?) throws -> PooledSession? {
    let lent = try state.withLock { state throws -> Lent? in
      if state.isClosed { throw StoreError(.closed, "the store was closed") }
      return remove(&state)
    }
    return lent?.session
  }

  private func open(_ make: () throws -> SQLiteConnection) throws -> PooledSession {
    let connection = try make()
    if let identity, connection.identity != identity {
      connection.close()
      throw identity.replaced()
    }
    try connection.registerFunctions()
    return SQLSession(connection, schema, SQLiteDialect(), options)
  }

  private func give(back session: PooledSession) {
    let lent = Lent(session: session)
    let isKept = state.withLock { state -> Bool in
      guard !state.isClosed, state.readers.count < options.readers else { return false }
      state.readers.append(lent)
      return true
    }
    if !isKept { session.connection.close() }
  }

  private func give(backWriter session: PooledSession) {
    let lent = Lent(session: session)
    let isKept = state.withLock { state -> Bool in
      guard !state.isClosed, state.writer == nil else { return false }
      state.writer = lent
      return true
    }
    if !isKept { session.connection.close() }
  }
}
