internal import ORMStorage

/// The runs of a body, which is repeated after conflicts with other transactions.
@usableFromInline
package struct Rerun {
  /// The number of the run, 1 for the first.
  package private(set) var runs = 1
  /// The time at which the first run failed; nil before.
  private var began: UInt64?

  /// A kind of body.
  package enum Kind {
    /// A write block of the program.
    case block
    /// One operation of the library, or a read.
    case operation
  }

  /// Begins with the first run.
  @usableFromInline
  package init() {}

  /// Waits and returns true if the body is to be run again.
  ///
  /// A block that writes is run again only where writers run together, and a number of times, since it may
  /// have effects outside of the store. An operation is run again until `writerWait` is over. The waits
  /// are random, longer after each run, and between 1 and 200 milliseconds. They end with the operation
  /// that the thread works for.
  ///
  /// - Parameter deadline: the time of `RunningOperation.now` by which a block is to be done that the thread
  ///   has left; nil for any.
  /// - Throws: `deadlineExceeded`, `CancellationError`.
  package mutating func waits(
    as kind: Kind, until deadline: UInt64? = nil, _ runtime: StoreRuntime
  ) throws -> Bool {
    let now = TransactionScheduler.now
    let began = began ?? now
    self.began = began
    switch kind {
    case .block:
      guard let terms = runtime.concurrentWriters, runs < terms.attempts else { return false }
    case .operation:
      if now &- began >= runtime.transactions.limits.writerWait { return false }
    }
    let longest = runs < 8 ? 1 << runs : 200
    let wait = Duration.microseconds(Int.random(in: 1_000...(1_000 * longest)))
    if let deadline {
      try RunningOperation(deadline: deadline, inside: .current).bind {
        try RunningOperation.sleep(for: wait)
      }
    } else {
      try RunningOperation.sleep(for: wait)
    }
    runs += 1
    runtime.monitor?.retried(run: runs)
    return true
  }

  /// Runs a body that changes nothing if it throws, and repeats it after a conflict with others.
  package static func run<Result>(
    _ runtime: StoreRuntime, _ body: () throws -> Result
  ) throws -> Result {
    var rerun = Rerun()
    while true {
      do {
        return try body()
      } catch let error as StoreError where error.code == .contended {
        guard try rerun.waits(as: .operation, runtime) else { throw error }
      }
    }
  }
}

/// The failure of a run by a conflict with other transactions.
package struct Contended: Error {
  /// The error for the caller, if the body is not run again.
  package let error: StoreError
  private let hasHooks: Bool

  /// Takes the error of the run.
  package init(_ error: any Error, hasHooks: Bool) {
    self.hasHooks = hasHooks
    if let error = error as? StoreError, error.code == .contended {
      self.error = error
    } else {
      self.error = StoreError(
        .contended, "other transactions prevented this one from completing; it has changed nothing")
    }
  }

  /// Returns whether the body may be run again: bodies with hooks may only if the store says so.
  package func mayRunAgain(_ runtime: StoreRuntime) -> Bool {
    !hasHooks || runtime.concurrentWriters?.rerunsHooks == true
  }
}
