internal import ORMStorage
internal import Synchronization

/// The point of a block after which a cancellation or a deadline comes too late (clauses 6.4 and 6.10).
///
/// The first of `cancel()`, the deadline and `pass()` decides, so that the outcome reported is the true
/// one. Every job is its own, one object less for each operation.
// Its only state that changes is atomic; a subclass names the lock of its own.
package class CommitPoint: @unchecked Sendable {
  private enum Mark {
    static let ahead: UInt8 = 0
    static let cancelled: UInt8 = 1
    static let passed: UInt8 = 2
    static let expired: UInt8 = 3
    /// Cancelled after it was passed, for a commit that is refused.
    static let passedThenCancelled: UInt8 = 4
  }

  private let mark = Atomic<UInt8>(Mark.ahead)
  /// The time by which the point must be passed; the greatest number for any time.
  package final let deadline: UInt64

  init(deadline: UInt64 = .max) { self.deadline = deadline }

  /// The reason to end before the point is passed; nil if there is none, or it was passed.
  final var stop: RunningOperation.Stop? {
    switch mark.load(ordering: .acquiring) {
    case Mark.cancelled: return .cancelled
    case Mark.expired: return .deadline
    case Mark.passed, Mark.passedThenCancelled: return nil
    default:
      if deadline == .max || RunningOperation.now < deadline { return nil }
      return leave(for: Mark.expired) == Mark.cancelled ? .cancelled : stopAfterLeaving
    }
  }

  /// True once the point was passed.
  final var isPassed: Bool {
    let mark = mark.load(ordering: .acquiring)
    return mark == Mark.passed || mark == Mark.passedThenCancelled
  }

  /// The task was cancelled.
  final func cancel() {
    while true {
      let seen = leave(for: Mark.cancelled)
      guard seen == Mark.passed else { return }
      // It holds if the commit is refused; the point may have been reopened meanwhile.
      if leave(Mark.passed, for: Mark.passedThenCancelled) == Mark.passed { return }
    }
  }

  /// The commit was refused, and the block runs again: a cancellation or deadline that came meanwhile
  /// takes effect now.
  final func reopen() {
    if leave(Mark.passed, for: Mark.ahead) == Mark.passedThenCancelled {
      _ = leave(Mark.passedThenCancelled, for: Mark.cancelled)
    }
  }

  /// The block is about to commit; false when it was stopped and must not.
  final func pass() -> Bool {
    if stop != nil { return false }
    let seen = leave(for: Mark.passed)
    return seen == Mark.ahead || isPassed
  }

  private var stopAfterLeaving: RunningOperation.Stop? {
    isPassed ? nil : .deadline
  }

  /// Sets the mark, unless another was set before, and returns the one that was there.
  private func leave(_ expected: UInt8 = Mark.ahead, for next: UInt8) -> UInt8 {
    mark.compareExchange(expected: expected, desired: next, ordering: .acquiringAndReleasing)
      .original
  }
}
