internal import ORMCore

/// A reader of the history whose position is stored, under a name.
///
/// ```swift
/// let consumer = try await store.historyConsumer("search index", of: Snack.self)
/// try await consumer.handle { set, tx in
///   for change in set[Snack.self].rows { print(change.kind, try change.id) }
/// }
/// ```
///
/// The history keeps the commits that a consumer has not handled, up to the bounds for consumers of
/// the store's policy. A consumer of an entity should not change that entity, or it handles its own
/// changes too.
///
/// As an asynchronous sequence, it gives the change sets one by one, for ever. A set is handled once the
/// next one is asked for. After a crash, the last one may therefore come again.
public struct HistoryConsumer: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = ChangeSet

  /// The name, under which the store keeps the position.
  public let name: String
  let store: any Store
  let history: StoreHistory
  /// The models' entities; nil for all.
  let models: [String]?

  /// The position: right after the last commit that was handled.
  ///
  /// ```swift
  /// print(try consumer.token)
  /// ```
  ///
  /// - Throws: `notFound` if the consumer was removed, `historyOff`, and the errors of `read`.
  public var token: HistoryToken {
    get throws {
      try store.read { tx in
        HistoryToken(store: history.store, number: try tx.position(of: self))
      }
    }
  }

  /// Handles every commit that was not handled yet, each in a transaction of its own.
  ///
  /// ```swift
  /// let count = try consumer.handlePending { set, tx in
  ///   print(set.commit.number, set[Snack.self].rows.count)
  /// }
  /// ```
  ///
  /// The writes of the body are committed together with the new position: each commit is handled exactly
  /// once, even if the process is killed. If the body throws, its transaction is undone, and the commit
  /// is handled again by the next call.
  ///
  /// - Returns: the number of change sets that were handled.
  /// - Throws: the body's error; `historyTruncated` if a commit that was not handled is no longer
  ///   retained; `historyOff`, `notFound`, and the errors of `write`.
  @discardableResult
  public func handlePending(
    _ body: (ChangeSet, WriteTransaction) throws -> Void
  ) throws -> Int {
    var count = 0
    while try store.read({ try $0.hasPending(self) }),
      try store.write({ try $0.handleNext(self, body) })
    {
      count += 1
    }
    return count
  }

  /// Handles every commit that was not handled yet, off the cooperative pool.
  ///
  /// ```swift
  /// let count = try await consumer.handlePending { set, tx in print(set.commit.number) }
  /// ```
  ///
  /// - Returns: the number of change sets that were handled.
  /// - Throws: as the synchronous function; `CancellationError`.
  @discardableResult
  public func handlePending(
    _ body: @escaping @Sendable (ChangeSet, WriteTransaction) throws -> Void
  ) async throws -> Int {
    var count = 0
    while try await store.read({ try $0.hasPending(self) }),
      try await store.write({ try $0.handleNext(self, body) })
    {
      count += 1
    }
    return count
  }

  /// Handles every commit, those that are there and those that come, until the task is cancelled or the
  /// store is closed.
  ///
  /// ```swift
  /// try await consumer.handle { set, tx in print(set.commit.number) }
  /// ```
  ///
  /// Each commit is handled exactly once, as by `handlePending`, also if several processes handle the
  /// consumer's commits.
  ///
  /// - Throws: as `handlePending`; `CancellationError`.
  public func handle(
    _ body: @escaping @Sendable (ChangeSet, WriteTransaction) throws -> Void
  ) async throws {
    // It listens before the first look, so that no commit is missed.
    let commits = ChangeIteration(
      ChangeStream(store: store, models: models, level: .entities, token: nil))
    repeat {
      do {
        try await handlePending(body)
      } catch let error as StoreError where error.code == .closed { return }
      try Task.checkCancellation()
    } while try await commits.next(isolation: #isolation) != nil
    try Task.checkCancellation()
  }

  /// Moves the position, after a `historyTruncated` for example.
  ///
  /// ```swift
  /// let token = try store.read { tx in
  ///   print(try tx.count(Snack.self))                   // read everything once
  ///   return try tx.historyToken
  /// }
  /// try consumer.move(to: token)
  /// ```
  ///
  /// - Throws: `wrongStore`, `historyTruncated`, `historyOff`, and the errors of `write`.
  public func move(to token: HistoryToken) throws {
    try store.operation { tx in
      let (history, state) = try tx.recordedHistory()
      try history.check(token, state)
      tx.setPosition(of: name, token.number)
    }
  }

  /// Removes the consumer from the store: the history keeps nothing for it any longer.
  ///
  /// ```swift
  /// try consumer.remove()
  /// ```
  ///
  /// - Throws: the errors of `write`.
  public func remove() throws { try store.operation { $0.setPosition(of: name, nil) } }

  /// Begins an iteration at the position of the consumer.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    private let consumer: HistoryConsumer
    private var iteration: ChangeIteration?
    /// The number of the set that was returned last.
    private var returned: UInt64?

    init(_ consumer: HistoryConsumer) { self.consumer = consumer }

    /// Notes the last set as handled, and returns the next one, or nil at the end.
    ///
    /// - Throws: `historyTruncated` if a commit that was not handled is no longer retained;
    ///   `historyOff`, `notFound`, and the errors of `write`.
    public mutating func next() async throws -> ChangeSet? {
      try await next(isolation: #isolation)
    }

    /// Notes the last set as handled, and returns the next one on the caller's actor, or nil at the end.
    ///
    /// - Throws: as ``next()``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> ChangeSet? {
      let consumer = consumer
      if let number = returned {
        returned = nil
        try await consumer.store.writeOperation(rows: .max) { tx in
          try tx.advance(consumer, to: number)
        }
      }
      if iteration == nil {
        let token = try await consumer.store.read { tx in
          let token = HistoryToken(
            store: consumer.history.store, number: try tx.position(of: consumer))
          return (token, try tx.recordedHistory().1.bounds.level)
        }
        iteration = ChangeIteration(
          ChangeStream(
            store: consumer.store, models: consumer.models, level: token.1, token: token.0))
      }
      let set = try await iteration?.next(isolation: actor)
      returned = set?.commit.number
      return set
    }
  }
}

@available(*, unavailable)
extension HistoryConsumer.Iterator: Sendable {}
