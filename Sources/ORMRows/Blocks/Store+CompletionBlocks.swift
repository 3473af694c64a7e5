public import Dispatch
public import ORMStorage

/// Read and write blocks with a completion handler.
///
/// The block runs off the calling thread, on the snapshot or in the turn that it got at the call; its
/// result goes to the handler on a queue, the main queue unless one is named.
extension Store {
  /// Runs a block on one snapshot, and hands its result to a handler on the main queue.
  ///
  /// ```swift
  /// store.read { tx in
  ///   (try tx.count(Snack.self), try tx.average(Snack.all, \.price))
  /// } completion: { result in
  ///   show(result)
  /// }
  /// ```
  ///
  /// Errors: the body's error; the errors of `read`, `deadlineExceeded` after the time `within`.
  public func read<Value: Sendable>(
    consistency: ReadConsistency = .afterPendingWrites, freshness: ReadFreshness = .newest,
    within: Duration? = nil, _ body: sending @escaping (ReadTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    read(
      consistency: consistency, freshness: freshness, within: within, on: .main, body,
      completion: completion)
  }

  /// Runs a block on one snapshot, and hands its result to a handler on a queue.
  ///
  /// Returns at once. Without a handler, errors go to `onError`.
  ///
  /// ```swift
  /// store.read(on: .global()) { tx in try tx.fetch(Snack.all) } completion: { show($0) }
  /// ```
  ///
  /// Errors: the body's error; the errors of `read`, `deadlineExceeded` after the time `within`.
  public func read<Value: Sendable>(
    consistency: ReadConsistency = .afterPendingWrites, freshness: ReadFreshness = .newest,
    within: Duration? = nil, on queue: DispatchQueue,
    _ body: sending @escaping (ReadTransaction) throws -> Value,
    completion: (@Sendable (Result<Value, any Error>) -> Void)? = nil
  ) {
    let bound = Persistence.bound
    submitRead(
      consistency: consistency, freshness: freshness, within: within, on: queue, completion
    ) { transaction in
      try Persistence.rebinding(bound) { try body(transaction) }
    }
  }

  /// Runs a block that changes the store, and hands its result to a handler on the main queue.
  ///
  /// The write is pending from the call on: every read issued afterwards, on any thread, sees it.
  ///
  /// ```swift
  /// store.write { tx in
  ///   try tx.save(team)
  ///   return try tx.count(Team.self)
  /// } completion: { result in
  ///   show(result)
  /// }
  /// ```
  ///
  /// A block that says how many `rows` it writes at most, 64 or fewer, shares one durable commit with
  /// others that wait at the same time. Each has its own outcome, but if the commit fails, all fail:
  ///
  /// ```swift
  /// store.write(rows: 1) { tx in try tx.save(snack) } completion: { result in show(result) }
  /// ```
  ///
  /// Errors: the body's error, with everything undone; the errors of `write`, `deadlineExceeded` after
  /// the time `within`.
  public func write<Value: Sendable>(
    rows: Int? = nil, within: Duration? = nil,
    _ body: sending @escaping (WriteTransaction) throws -> Value,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    write(rows: rows, within: within, on: .main, body, completion: completion)
  }

  /// Runs a block that changes the store, and hands its result to a handler on a queue.
  ///
  /// Returns at once. Without a handler, errors go to `onError`. The write is pending from the call
  /// on: every read issued afterwards, on any thread, sees it. With `rows`, it may share a commit.
  ///
  /// ```swift
  /// store.write(on: .global()) { tx in try tx.save(snacks) } completion: { show($0) }
  /// ```
  ///
  /// Errors: the body's error, with everything undone; the errors of `write`, `deadlineExceeded` after
  /// the time `within`.
  public func write<Value: Sendable>(
    rows: Int? = nil, within: Duration? = nil, on queue: DispatchQueue,
    _ body: sending @escaping (WriteTransaction) throws -> Value,
    completion: (@Sendable (Result<Value, any Error>) -> Void)? = nil
  ) {
    let bound = Persistence.bound
    submitWrite(rows: rows, isBlock: true, within: within, on: queue, completion) { transaction in
      try Persistence.rebinding(bound) { try body(transaction) }
    }
  }
}
