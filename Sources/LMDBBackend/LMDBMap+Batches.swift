internal import ORMStorage

/// The writer: lent to a batch, and taken back.
extension LMDBMap {
  /// Begins the write transaction.
  ///
  /// A batch of this process that is still open is `busy` at once. Writers of other processes are
  /// excluded by the lock file's lock, which is asked for again and again up to `wait` seconds: the
  /// library's own lock would be waited for without end.
  package func batch(wait: Double) throws -> LMDBBatch {
    try checkProcess()
    if options.isReadOnly {
      throw StoreError(.readOnly, "\(file.path) was opened read-only.")
    }
    try state.withLock { state in
      if state.phase == .closed || state.phase == .unmapped { throw error(of: state.phase) }
      if state.isWriting {
        throw StoreError(.busy, "\(file.path) is being written by another batch of this process.")
      }
      state.isWriting = true
    }
    do {
      try file.beginWriting(wait: wait)
      do {
        try environment.freeDeadReaders()
        try growIfNeeded(wait: wait)
        try beginWriting()
      } catch {
        file.endWriting()
        throw error
      }
    } catch {
      state.withLock { $0.isWriting = false }
      throw error
    }
    return LMDBBatch(map: self, transaction: writer)
  }

  /// Begins the library's transaction, with a handle for every keyspace there is.
  private func beginWriting() throws {
    for _ in 0..<Self.attempts {
      let table = state.withLock { $0.table }
      do {
        try writer.beginWriting(table)
      } catch let error as StoreError where error.isLMDBMapResized {
        try adoptMapSize()
        continue
      }
      do {
        let isComplete = try writer.keyspaceCount() == table.count
        let hasBegun = handleLock.withLock { _ in
          state.withLock { state in
            // A snapshot may have opened handles since.
            state.hasBegunWriting = isComplete && state.table === table
            return state.hasBegunWriting
          }
        }
        if hasBegun { return }
        writer.abort()
        if !isComplete { try handleLock.withLock { _ in try openMissingHandles() } }
      } catch {
        if writer.pointer != nil { writer.abort() }
        throw error
      }
    }
    throw keyspaceCountError
  }

  /// Commits for a batch, which has ended then.
  ///
  /// Throws `fileReplaced` when the file was removed or replaced, so that the commit went to one without a
  /// name; `forked` in a child, where the transaction, and the lock of the library, are the parent's.
  func commit(_ transaction: LMDBTransaction) throws {
    try checkProcess()
    let committed = Result { try publish(transaction) }
    let noted = Result { try file.noteWritten(environment) }
    endWriting()
    try committed.get()
    try noted.get()
  }

  private func publish(_ transaction: LMDBTransaction) throws {
    let table = transaction.table
    if table === state.withLock({ $0.table }) { return try transaction.commit() }
    // The library publishes the handles a little after the commit is visible. A snapshot that finds
    // a keyspace without a handle waits for the lock.
    try handleLock.withLock { _ in
      try transaction.commit()
      state.withLock { $0.table = table }
    }
  }

  /// Rolls back for a batch.
  func abandon(_ transaction: LMDBTransaction) {
    // After a fork the transaction, and the lock of the library, are the parent's.
    if ForkGeneration.current != forkGeneration { return }
    transaction.abort()
    // The next batch finds that a file was replaced; a large one has written pages before its end.
    try? file.noteWritten(environment)
    endWriting()
  }

  private func endWriting() {
    handleLock.withLock { _ in state.withLock { $0.hasBegunWriting = false } }
    file.endWriting()
    state.withLock { $0.isWriting = false }
  }
}
