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
    /// The value that was handed over last, where it can be asked for again.
    var last: Value?
    /// True if the last value was asked for again.
    var isAskedAgain = false

    /// Notes that a value is handed over.
    mutating func take(_ value: Value, repeats: Bool) {
      taken += 1
      isAskedAgain = false
      if repeats { last = value }
    }
  }

  /// The most values that wait.
  private static var capacity: Int { 1_024 }
  private let guarded = Lock(Guarded())
  private let keepsAll: Bool
  private let repeats: Bool

  /// Makes an empty mailbox.
  ///
  /// - Parameter repeats: true if the last value can be asked for again.
  init(_ delivery: ObservationDelivery, repeats: Bool = false) {
    keepsAll = delivery == .onEveryCommit
    self.repeats = repeats
  }

  /// The number of values that the consumer took.
  var taken: Int { guarded.withLock { $0.taken } }

  /// Adds a value, replacing those that wait, unless all are buffered; without one, those that wait
  /// are dropped.
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
        guarded.take(value, repeats: repeats)
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

  /// Lets the consumer have the value again that it had last, unless a newer one waits.
  func askAgain() {
    let (waiter, last) = guarded.withLock { guarded -> (Waiter?, Value?) in
      guard !guarded.isEnded, let last = guarded.last else { return (nil, nil) }
      guarded.isAskedAgain = guarded.waiters.isEmpty
      return (guarded.waiters.isEmpty ? nil : guarded.waiters.removeFirst(), last)
    }
    waiter?.continuation.resume(returning: last)
  }

  /// Takes the value that waits first, if any.
  func takeWaiting() -> Value? {
    guarded.withLock { guarded in
      guard !guarded.values.isEmpty else { return nil }
      let value = guarded.values.removeFirst()
      guarded.take(value, repeats: repeats)
      return value
    }
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
      guarded.last = nil
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
            let value = guarded.values.removeFirst()
            guarded.take(value, repeats: repeats)
            return .success(value)
          }
          if guarded.isAskedAgain, !guarded.isEnded, let last = guarded.last {
            guarded.isAskedAgain = false
            return .success(last)
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
