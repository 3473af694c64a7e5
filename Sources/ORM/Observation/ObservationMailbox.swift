internal import ORMCore

/// The values of an observation that its consumer has not read yet.
final class ObservationMailbox<Value: Sendable>: Sendable {
  private typealias Waiter = (id: UInt64, continuation: CheckedContinuation<Value?, any Error>)

  private struct Guarded {
    var values: [Value] = []
    /// The number of values that the consumer took.
    var taken = 0
    var waiters: [Waiter] = []
    var lastWaiter: UInt64 = 0
    var isEnded = false
    /// The error that the consumer gets after the values.
    var error: (any Error)?
  }

  /// The most values that wait.
  private static var capacity: Int { 1_024 }
  private let guarded = Lock(Guarded())
  private let keepsAll: Bool

  init(_ delivery: ObservationDelivery) { keepsAll = delivery == .onEveryCommit }

  /// The number of values that the consumer took.
  var taken: Int { guarded.withLock { $0.taken } }

  /// Adds a value in place of those that wait, unless all are kept; without one, those that wait are
  /// dropped.
  ///
  /// - Returns: false if the consumer has taken another number of values; then nothing is done.
  func offer(_ value: Value?, after taken: Int) -> Bool {
    let (isDone, waiter) = guarded.withLock {
      guarded -> (Bool, CheckedContinuation<Value?, any Error>?) in
      if guarded.isEnded { return (true, nil) }
      if !keepsAll, guarded.taken != taken { return (false, nil) }
      guard let value else {
        if !keepsAll { guarded.values = [] }
        return (true, nil)
      }
      if !guarded.waiters.isEmpty {
        guarded.taken += 1
        return (true, guarded.waiters.removeFirst().continuation)
      }
      if !keepsAll {
        guarded.values = [value]
      } else {
        if guarded.values.count == Self.capacity { guarded.values.removeFirst() }
        guarded.values.append(value)
      }
      return (true, nil)
    }
    waiter?.resume(returning: value)
    return isDone
  }

  /// True if no more values come.
  var isEnded: Bool { guarded.withLock { $0.isEnded } }

  /// Takes the values that wait.
  ///
  /// - Throws: the error that ended the sequence, once no values wait.
  func takeAll() throws -> [Value] {
    let (values, error) = guarded.withLock { guarded -> ([Value], (any Error)?) in
      if guarded.values.isEmpty {
        defer { guarded.error = nil }
        return ([], guarded.error)
      }
      defer { guarded.values = [] }
      guarded.taken += guarded.values.count
      return (guarded.values, nil)
    }
    if let error { throw error }
    return values
  }

  /// Ends the sequence after the values that wait.
  func end(_ error: (any Error)? = nil) {
    let waiters = guarded.withLock { guarded -> [Waiter] in
      if guarded.isEnded { return [] }
      guarded.isEnded = true
      if guarded.waiters.isEmpty { guarded.error = error }
      defer { guarded.waiters = [] }
      return guarded.waiters
    }
    for (number, waiter) in waiters.enumerated() {
      if let error, number == 0 {
        waiter.continuation.resume(throwing: error)
      } else {
        waiter.continuation.resume(returning: nil)
      }
    }
  }

  /// Ends the sequence, and drops the values that wait.
  func cancel() {
    end()
    guarded.withLock { guarded in
      guarded.values = []
      guarded.error = nil
    }
  }

  func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
    let id = guarded.withLock { guarded in
      guarded.lastWaiter += 1
      return guarded.lastWaiter
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation(isolation: actor) { continuation in
        let ready = guarded.withLock { guarded -> Result<Value?, any Error>? in
          if Task.isCancelled { return .success(nil) }
          if !guarded.values.isEmpty {
            guarded.taken += 1
            return .success(guarded.values.removeFirst())
          }
          guard guarded.isEnded else {
            guarded.waiters.append((id, continuation))
            return nil
          }
          defer { guarded.error = nil }
          return guarded.error.map { .failure($0) } ?? .success(nil)
        }
        if let ready { continuation.resume(with: ready) }
      }
    } onCancel: {
      let waiter = guarded.withLock { guarded in
        guarded.waiters.firstIndex { $0.id == id }.map { guarded.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: nil)
    }
  }
}
