public import Dispatch
internal import Synchronization

extension StoreObservation {
  /// Calls the handler on a queue with each value, one after another, until the hold is released.
  ///
  /// ```swift
  /// let hold = store.observe(Snack.all).callback(on: .main) { result in
  ///   if case .success(let snacks) = result { show(snacks) }
  /// }
  /// ```
  ///
  /// A value comes once the call with the one before it has returned. A failure is the last call.
  ///
  /// - Returns: the hold on the observation, which ends with it.
  public func callback(
    on queue: DispatchQueue, _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> ObservationHold {
    let iteration = ObservationIteration(self)
    return ObservationHold(on: queue, handler) {
      try await iteration.next(isolation: nil)
    } cancel: {
      iteration.cancel()
    }
  }
}

extension ObservationHold {
  /// Calls a handler with each value of an iteration.
  convenience init<Value: Sendable>(
    on queue: DispatchQueue, _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void,
    next: @escaping @Sendable () async throws -> Value?, cancel: @escaping @Sendable () -> Void
  ) {
    let isCancelled = CancelledFlag()
    let task = Task {
      do {
        while let value = try await next() {
          await withCheckedContinuation { continuation in
            queue.async {
              if !isCancelled.value { handler(.success(value)) }
              continuation.resume()
            }
          }
        }
      } catch {
        queue.async { if !isCancelled.value { handler(.failure(error)) } }
      }
    }
    self.init {
      isCancelled.set()
      task.cancel()
      cancel()
    }
  }
}

/// The hold on an observation that calls a handler: the observation ends with it.
public final class ObservationHold: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { cancel() }

  /// Ends the observation.
  ///
  /// A call of the handler that has begun may still be running. On the queue of the handler, no call
  /// comes after this one.
  public func cancel() { end() }
}

/// A flag that is set once.
private final class CancelledFlag: Sendable {
  private let flag = Atomic(false)

  var value: Bool { flag.load(ordering: .acquiring) }
  func set() { flag.store(true, ordering: .releasing) }
}
