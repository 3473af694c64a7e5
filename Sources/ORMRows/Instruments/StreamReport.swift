internal import ORMStorage

/// The report of one stream to instruments: a transaction with one operation, from its first batch to its
/// end.
///
/// Its functions are called without the lock of the stream. Batches come one after another, but the end of
/// an idle stream may come from another thread.
package final class StreamReport: Sendable {
  private let runtime: StoreRuntime
  private let entity: String
  private let state = Lock(State())

  private struct State {
    var span: TransactionSpan?
    var operation: OperationSpan?
    var began: UInt64 = 0
  }

  /// Makes the report of a stream that has not begun; nil for a store without instruments.
  package init?(_ runtime: StoreRuntime, entity: String) {
    guard runtime.monitor != nil else { return nil }
    self.runtime = runtime
    self.entity = entity
  }

  /// Begins the transaction, before the stream waits for its slot.
  package func begin() {
    guard let span = runtime.monitor?.begin(.stream) else { return }
    let now = RunningOperation.now
    state.withLock { state in
      state.span = span
      state.began = now
    }
  }

  /// Begins the operation: the stream has its slot and its snapshot.
  package func didOpen() {
    guard let span = state.withLock({ $0.span }) else { return }
    span.enter()
    span.note(isOperation: true)
    let operation = span.begin(.fetch, entity: entity)
    state.withLock { $0.operation = operation }
  }

  /// Goes on with the time of the operation, which is the time in which batches are read.
  package func willRead() { state.withLock { $0.operation?.resume() } }

  /// Reports a batch, and the end of the stream after the last.
  package func read(rows: Int, isLast: Bool) {
    let began = state.withLock { state -> UInt64? in
      state.operation?.facts.rows += rows
      state.operation?.pause()
      return state.span == nil ? nil : state.began
    }
    if isLast {
      end(nil)
    } else if let began {
      runtime.monitor?.heldSnapshot(entity: entity, age: Self.age(since: began), isLost: false)
    }
  }

  /// Reports that the stream was idle for too long, and has lost its snapshot.
  package func didExpire() {
    let began = state.withLock { $0.began }
    runtime.monitor?.heldSnapshot(entity: entity, age: Self.age(since: began), isLost: true)
    end(StoreError(.snapshotExpired, "the stream was idle for too long", entity: entity))
  }

  /// Ends the operation and the transaction; does nothing if they have ended.
  package func end(_ error: (any Error)?) {
    let (span, ended) = state.withLock { state -> (TransactionSpan?, OperationSpan?) in
      defer {
        state.span = nil
        state.operation = nil
      }
      return (state.span, state.operation)
    }
    guard let span else { return }
    if var operation = ended {
      operation.pause()
      if let error { operation.fail(error) }
      span.end(operation, schema: StoredSchema(entities: []))
    }
    span.end(error)
  }

  private static func age(since began: UInt64) -> Duration {
    let now = RunningOperation.now
    return .nanoseconds(Int64(clamping: now > began ? now - began : 0))
  }
}
