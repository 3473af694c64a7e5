internal import Dispatch
internal import ORMCore

/// The runs of a block or operation that other transactions came in the way of.
struct Rerun {
  /// The number of the run, 1 for the first.
  private(set) var runs = 1
  /// When the first run failed; nil before.
  private var began: UInt64?

  /// A kind of body: a block of the program, or one operation of the library.
  enum Kind { case block, operation }

  /// Begins with a run.
  init(runs: Int = 1) { self.runs = runs }

  /// Waits and returns true if the body is to be run again.
  ///
  /// A block has a number of runs, since it may have effects outside of the store. An operation is
  /// run again until `writerWait` is over. The waits are random, longer after each run, and between 1
  /// and 200 milliseconds.
  mutating func waits(as kind: Kind, _ runtime: StoreRuntime) -> Bool {
    guard let terms = runtime.concurrentWriters else { return false }
    let now = TransactionScheduler.now
    let began = began ?? now
    self.began = began
    switch kind {
    case .block: if runs >= terms.attempts { return false }
    case .operation:
      // A read begins anew with each run, and counts them only.
      let limit = runtime.transactions.limits.writerWait
      if now &- began >= limit || runs >= 1_000 { return false }
    }
    let longest = runs < 8 ? 1 << runs : 200
    let wait = Int.random(in: 1_000...(1_000 * longest))
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(wait))
    runs += 1
    return true
  }
}

/// The failure of a run that other transactions came in the way of.
struct Contended: Error {
  /// The error for the caller, if the body is not run again.
  let error: StoreError
  private let hasHooks: Bool

  /// Takes what the run threw.
  init(_ error: any Error, hasHooks: Bool) {
    self.hasHooks = hasHooks
    if let error = error as? StoreError, error.code == .contended {
      self.error = error
    } else {
      self.error = StoreError(
        .contended, "other transactions kept this one from being completed; it has changed nothing")
    }
  }

  /// Returns whether the body may be run again: bodies with hooks may only if the store says so.
  func mayRunAgain(_ runtime: StoreRuntime) -> Bool {
    !hasHooks || runtime.concurrentWriters?.rerunsHooks == true
  }
}
