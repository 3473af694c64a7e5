package import Dispatch
internal import ORMStorage

extension Store {
  /// Queues a read and returns; the result goes to the handler on the queue.
  package func submitRead<Value: Sendable>(
    consistency: ReadConsistency, freshness: ReadFreshness = .newest, within: Duration? = nil,
    on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value, any Error>) -> Void)?,
    _ body: sending @escaping (ReadTransaction) throws -> Value
  ) {
    runtime.transactions.submitRead(consistency: consistency, within: within, on: queue) {
      try self.run(body, in: $0, freshness)
    } completion: {
      self.runtime.finish($0, completion)
    }
  }

  /// Queues a write and returns; the result goes to the handler on the queue.
  ///
  /// An operation states the most rows that it writes, if it knows: with few enough it may share a
  /// commit.
  func submitWrite<Value: Sendable>(
    rows: Int? = nil, isBlock: Bool = false, within: Duration? = nil, on queue: DispatchQueue,
    _ completion: (@Sendable (Result<Value, any Error>) -> Void)?,
    _ body: sending @escaping (WriteTransaction) throws -> Value
  ) {
    let shares =
      isBlock ? blockSharesCommit(rows: rows) : rows.map { sharesCommit(rows: $0) } ?? false
    let author = runtime.transactions.listeners.isListening ? Persistence.author : nil
    runtime.transactions.submitWrite(shares: shares, within: within, on: queue) {
      try self.run(body, in: $0, isBlock: isBlock, author: author)
    } completion: {
      self.runtime.finish($0, completion)
    }
  }
}

extension StoreRuntime {
  /// Passes a result to its handler; a failure without one is reported.
  package func finish<Value>(
    _ result: Result<Value, any Error>,
    _ completion: (@Sendable (Result<Value, any Error>) -> Void)?
  ) {
    let result = result.mapError { ($0 as? StoreError).map(named) ?? $0 }
    if let completion {
      completion(result)
    } else if case .failure(let error) = result {
      report(error)
    }
  }
}
