internal import CSQLite
internal import ORMStorage

extension SQLiteConnection {
  /// The means by which the snapshot of a read is held.
  enum ReadState {
    case none
    /// A statement that stays at its row: the cheapest for one or two statements.
    case held
    /// A transaction too, which makes every further statement cheaper.
    case explicit
  }

  // MARK: Reading

  /// Fixes a snapshot: everything read until `endRead` is as of now.
  ///
  /// A plain BEGIN would fix it only at the first statement. Gives the connection's data version, a
  /// number that differs between two calls on the *same* connection when anything was committed in
  /// between through another, of this process or any other.
  package func beginRead() throws -> Int64 {
    try handle.check()
    interrupter.forget()
    handle.stoppable = .reads
    let snapshot = try snapshot ?? transactions.statement(.snapshot)
    self.snapshot = snapshot
    do {
      return try hold(snapshot)
    } catch {
      return try handle.retry(after: error) { try hold(snapshot) }
    }
  }

  /// Fixes a snapshot if locks allow it at once.
  private func hold(_ snapshot: SQLiteStatement) throws -> Int64 {
    guard try snapshot.step() else {
      throw StoreError(.engine, "the file gave no data version")
    }
    readState = .held
    return snapshot.int64(at: 0)
  }

  /// Says that more than two statements are going to be run in this read.
  package func expectManyStatements() throws {
    guard case .held = readState else { return }
    try transactions.run(.begin)
    readState = .explicit
  }

  /// Ends the read.
  ///
  /// Statements still on a row keep the snapshot open until they are rewound.
  package func endRead() {
    let state = readState
    if state == .none || handle.isForked { return }
    readState = .none
    handle.stoppable = .nothing
    if state == .explicit { rollback() }
    snapshot?.reset()
  }

  // MARK: Writing

  /// Begins the write transaction; waits at most the connection's wait for writers of other
  /// processes, then throws `busy`.
  ///
  /// Never call it in a read: a snapshot cannot become a writer.
  package func beginWrite() throws {
    try handle.check()
    knownSchema = nil
    interrupter.forget()
    handle.stoppable = .reads
    do {
      do {
        try transactions.run(.beginImmediate)
      } catch {
        try handle.retry(after: error) { try transactions.run(.beginImmediate) }
      }
    } catch {
      // Also where the statement was stopped after it had begun.
      rollback()
      throw error
    }
    // The library undoes the whole transaction with a statement that is stopped.
    handle.stoppable = .writes(of: RunningOperation.current)
  }

  /// Makes the transaction durable, as the settings say.
  ///
  /// When it throws, it has rolled back: `fileReplaced` before anything was written, where another
  /// file has taken the name of one that is open here, or none has it. Where the database lost its name
  /// meanwhile, `fileReplaced` too: the commit is in a file without a name.
  package func commit() throws {
    try handle.check()
    handle.stoppable = .nothing
    do {
      try identity?.check()
      try transactions.run(.commit)
    } catch {
      rollback()
      throw error
    }
    try identity?.checkDatabase()
  }

  /// Undoes the transaction; without effect when there is none, as after a failure of the disk, by
  /// which the engine rolls back by itself.
  package func rollback() {
    handle.stoppable = .nothing
    if handle.isForked || handle.isClosed || !isInTransaction { return }
    // A failure to roll back leaves the file as before the transaction all the same; the engine
    // then refuses everything else on this connection, which reports it.
    try? transactions.run(.rollback)
  }

  /// True if a transaction was begun and neither committed nor rolled back, not even by the engine.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle.database) == 0 }

  /// Begins a savepoint within the write transaction; they nest.
  package func beginSavepoint() throws { try runToTheEnd(.savepoint) }

  /// Ends the innermost savepoint and keeps its writes.
  package func releaseSavepoint() throws { try runToTheEnd(.release) }

  /// Undoes the writes in the innermost savepoint and ends it; without effect when the engine has already
  /// rolled back everything.
  package func rollbackSavepoint() throws {
    if !isInTransaction { return }
    try runToTheEnd(.rollbackTo)
    try runToTheEnd(.release)
  }

  /// Runs a statement of savepoints, which no deadline stops: the number of open ones would not be known, and
  /// the next undoing would end another than it should.
  private func runToTheEnd(_ text: SQLiteTransactionStatements.Text) throws {
    let stoppable = handle.stoppable
    handle.stoppable = .nothing
    defer { handle.stoppable = stoppable }
    try transactions.run(text)
  }
}
