internal import Dispatch
public import ORMStorage

extension Store {
  /// Waits until every transaction and stream has ended, then closes the store.
  ///
  /// Afterwards every operation throws `closed`. A closed store may be closed again.
  ///
  /// ```swift
  /// let store = try SQLiteStore(path: "snacks.sqlite", schema: schema)
  /// defer { try? store.close() }
  /// ```
  ///
  /// The calling thread is blocked meanwhile.
  ///
  /// - Throws: `reentrancy` inside a block of this store, `busy` when a block or stream is still open
  ///   after `writerWait`. The store lets nothing new in then, and may be closed again.
  public func close() throws {
    do { try runtime.transactions.close() } catch { throw named(error) }
    try close(CloseTurn())
  }

  /// Waits until every transaction and stream has ended, then closes the store.
  ///
  /// ```swift
  /// try await store.close()
  /// ```
  ///
  /// No thread is held while it waits, and the files or connections are closed off the calling thread.
  /// From the call on, everything new throws `closed`. A closed store may be closed again, and several
  /// tasks may close one at once.
  ///
  /// - Throws: `busy` when a block or stream is still open after `writerWait`; `CancellationError` if the
  ///   task is cancelled before everything has ended. The store lets nothing new in then, and may be
  ///   closed again.
  public func close() async throws {
    do { try await runtime.transactions.closeSuspending() } catch { throw named(error) }
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try self.close(CloseTurn()) })
      }
    }
  }

  /// Reads the first key of an entity, and throws if the store does not answer.
  ///
  /// ```swift
  /// try store.ping(within: .seconds(1))
  /// ```
  ///
  /// On a server this is one trip, and proves that the tables of the store can be read. It does not wait
  /// for pending writes. Inside a block, the block's own transaction reads.
  ///
  /// - Parameter limit: the time in which the store has to answer, its wait for a turn included;
  ///   `StoreOptions.operationLimit` unless given.
  /// - Throws: `deadlineExceeded`; `connectionLost` for a server that is not there to the end of
  ///   `readerWait`; `busy` if no reader gets its turn; `closed`, `forked`, and the errors of a read.
  public func ping(within limit: Duration? = nil) throws {
    try readOperation(consistency: .latestCommit, within: limit) { try $0.ping() }
  }

  /// Reads the first key of an entity, and throws if the store does not answer.
  ///
  /// ```swift
  /// try await store.ping(within: .seconds(1))
  /// ```
  ///
  /// As the blocking form, off the calling thread.
  ///
  /// - Throws: as the blocking form; `CancellationError`.
  public func ping(within limit: Duration? = nil) async throws {
    do {
      try await runtime.transactions.read(consistency: .latestCommit, within: limit) { admission in
        try self.run({ try $0.ping() }, in: admission, isForOperation: true)
      }
    } catch { throw named(error) }
  }
}

extension ReadTransaction {
  /// Reads the first key of the first entity.
  fileprivate func ping() throws {
    let reader = try live()
    guard let entity = store.schema.entities.first, let key = entity.key.first else { return }
    var visitor = RowCounter(atMost: 1)
    try reader.visit(
      FetchRequest(
        of: entity, output: .values([.attribute(entity.columns[key].attribute)]), limit: 1),
      &visitor)
  }
}
