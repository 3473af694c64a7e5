internal import Synchronization

/// The point of an async block after which a cancellation comes too late (clause 6.4).
///
/// Whichever of `cancel()` and `pass()` comes first holds, so that what is reported is what
/// happened. Every job is its own, one object less for each operation.
// Its only state is atomic; a subclass names the lock of its own.
class CommitPoint: @unchecked Sendable {
  private enum Mark {
    static let ahead: UInt8 = 0
    static let cancelled: UInt8 = 1
    static let passed: UInt8 = 2
  }

  private let mark = Atomic<UInt8>(Mark.ahead)

  /// True if the task was cancelled in time.
  final var isCancelled: Bool { mark.load(ordering: .acquiring) == Mark.cancelled }

  /// The task was cancelled.
  final func cancel() {
    _ = mark.compareExchange(
      expected: Mark.ahead, desired: Mark.cancelled, ordering: .acquiringAndReleasing)
  }

  /// The block is about to commit; false when it was cancelled and must not.
  final func pass() -> Bool {
    let (passes, seen) = mark.compareExchange(
      expected: Mark.ahead, desired: Mark.passed, ordering: .acquiringAndReleasing)
    return passes || seen == Mark.passed
  }
}
