public import ORMCore

/// A reader of the history whose position is kept in the store, under a name.
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
  /// What the body writes is committed together with the new position: each commit is handled exactly
  /// once, whatever happens to the process. If the body throws, its transaction is undone, and the
  /// commit is handled again by the next call.
  ///
  /// - Returns: the number of change sets that were handled.
  /// - Throws: what the body throws; `historyTruncated` if a commit that was not handled is no longer
  ///   kept; `historyOff`, `notFound`, and the errors of `write`.
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
  /// Each commit is handled exactly once, as `handlePending` does it, in whatever process
  /// handles the consumer's commits.
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
    try store.write { tx in
      let (history, state) = try tx.keptHistory()
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
  public func remove() throws { try store.write { $0.setPosition(of: name, nil) } }

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
    /// - Throws: `historyTruncated` if a commit that was not handled is no longer kept; `historyOff`,
    ///   `notFound`, and the errors of `write`.
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
        try await consumer.store.write { tx in try tx.advance(consumer, to: number) }
      }
      if iteration == nil {
        let token = try await consumer.store.read { tx in
          let token = HistoryToken(
            store: consumer.history.store, number: try tx.position(of: consumer))
          return (token, try tx.keptHistory().1.bounds.level)
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

extension Store {
  /// Returns the consumer of the history with a name, and adds it to the store if it is new.
  ///
  /// ```swift
  /// let consumer = try await store.historyConsumer("search index", of: Snack.self)
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name, under which the store keeps the position.
  ///   - models: the models whose changes are handled; all without any.
  ///   - token: the position of a new consumer; the newest commit unless it is given.
  /// - Throws: `historyOff`, `unknownEntity`, `wrongStore`, `historyTruncated`, and the errors of
  ///   `write`.
  public func historyConsumer(
    _ name: String, of models: any Persistable.Type..., after token: HistoryToken? = nil
  ) throws -> HistoryConsumer {
    let consumer = try consumer(name, models.map { $0.entityName })
    let isKnown = try read { try $0.keptHistory().1.consumers[name] != nil }
    if !isKnown { try write { try $0.add(consumer, after: token) } }
    return consumer
  }

  /// Returns the consumer of the history with a name, and adds it to the store if it is new, off the
  /// cooperative pool.
  ///
  /// ```swift
  /// let consumer = try await store.historyConsumer("search index", of: Snack.self)
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name, under which the store keeps the position.
  ///   - models: the models whose changes are handled; all without any.
  ///   - token: the position of a new consumer; the newest commit unless it is given.
  /// - Throws: as the synchronous function.
  public func historyConsumer(
    _ name: String, of models: any Persistable.Type..., after token: HistoryToken? = nil
  ) async throws -> HistoryConsumer {
    let consumer = try consumer(name, models.map { $0.entityName })
    let isKnown = try await read { try $0.keptHistory().1.consumers[name] != nil }
    if !isKnown { try await write { try $0.add(consumer, after: token) } }
    return consumer
  }

  private func consumer(_ name: String, _ models: [String]) throws -> HistoryConsumer {
    guard let history = try keptHistory() else { throw StoreHistory.off }
    for model in models where history.schema.names(of: model).isEmpty {
      throw StoreError(
        .unknownEntity, "the store's schema has no entity of this name", entity: model)
    }
    return HistoryConsumer(
      name: name, store: self, history: history, models: models.isEmpty ? nil : models)
  }

  /// The consumers of the history by their names, with their positions.
  ///
  /// ```swift
  /// for (name, token) in try store.historyConsumers { print(name, token) }
  /// ```
  ///
  /// - Throws: `historyOff`, and the errors of `read`.
  public var historyConsumers: [String: HistoryToken] {
    get throws {
      try read { tx in
        let (history, state) = try tx.keptHistory()
        return state.consumers.mapValues {
          HistoryToken(store: history.store, number: $0.number)
        }
      }
    }
  }
}

extension HistoryConsumer {
  /// The question that the consumer has to the history.
  fileprivate var question: HistoryQuestion {
    HistoryQuestion(
      names: models.map { Set($0.flatMap { history.schema.names(of: $0) }) }, level: nil)
  }
}

extension ReadTransaction {
  /// The number of the last commit that a consumer has handled.
  ///
  /// - Throws: `notFound`, `historyOff`.
  fileprivate func position(of consumer: HistoryConsumer) throws -> UInt64 {
    let (_, state) = try keptHistory()
    guard let kept = state.consumers[consumer.name] else {
      throw StoreError(.notFound, "the history has no consumer \"\(consumer.name)\"")
    }
    return kept.number
  }

  /// Returns whether there are commits that a consumer has not handled.
  fileprivate func hasPending(_ consumer: HistoryConsumer) throws -> Bool {
    let (history, state) = try keptHistory()
    let number = try position(of: consumer)
    try history.check(HistoryToken(store: history.store, number: number), state)
    let found = try historySets(consumer.question, after: number, limit: 1, history)
    // Passing over others' commits is written down now and then, so that they can be removed.
    return !found.sets.isEmpty || state.number - number > UInt64(StoreHistory.chunk)
  }
}

extension WriteTransaction {
  fileprivate func setPosition(of name: String, _ number: UInt64?) {
    history?.consumers[name] = number.map { HistoryState.Consumer(number: $0) }
  }

  fileprivate func add(_ consumer: HistoryConsumer, after token: HistoryToken?) throws {
    let (history, state) = try keptHistory()
    if state.consumers[consumer.name] != nil { return }
    if let token { try history.check(token, state) }
    setPosition(of: consumer.name, token?.number ?? state.number)
  }

  /// Moves a consumer forward, if it is still there and not past the number.
  fileprivate func advance(_ consumer: HistoryConsumer, to number: UInt64) throws {
    let now = try position(of: consumer)
    if now < number { setPosition(of: consumer.name, number) }
  }

  /// Handles the next commit of a consumer; returns false if there was none.
  fileprivate func handleNext(
    _ consumer: HistoryConsumer, _ body: (ChangeSet, WriteTransaction) throws -> Void
  ) throws -> Bool {
    let (history, state) = try keptHistory()
    // Another commit of this very transaction may have moved it.
    let number = Swift.max(
      try position(of: consumer), self.history?.consumers[consumer.name]?.number ?? 0)
    try history.check(HistoryToken(store: history.store, number: number), state)
    let found = try historySets(consumer.question, after: number, limit: 1, history)
    guard let set = found.sets.first else {
      setPosition(of: consumer.name, Swift.max(found.last, number))
      return false
    }
    try body(set, self)
    setPosition(of: consumer.name, set.commit.number)
    return true
  }
}
