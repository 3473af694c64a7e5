internal import Synchronization

/// The point of an async block after which a cancellation comes too late (semantics 6.4).
///
/// Whichever of `cancel()` and `pass()` comes first holds, so that what is reported is what
/// happened. Every job is its own, one object less for each verb.
// `task` is set once, before anybody else has this; of a task, `isCancelled` may be read from
// anywhere, and it is kept alive here. The rest is atomic.
class CommitPoint: @unchecked Sendable {
  private enum Mark {
    static let ahead: UInt8 = 0
    static let cancelled: UInt8 = 1
    static let passed: UInt8 = 2
  }

  private let mark = Atomic<UInt8>(Mark.ahead)
  /// The task that called: it may be cancelled after its block was sent on its way and before it
  /// could set up its cancellation handler.
  private let task: UnsafeCurrentTask?

  /// The commit point of a block that belongs to this task, or to none.
  init(of task: UnsafeCurrentTask?) { self.task = task }

  /// Whether the task was cancelled in time.
  final var isCancelled: Bool {
    if task?.isCancelled == true { cancel() }
    return mark.load(ordering: .acquiring) == Mark.cancelled
  }

  /// The task was cancelled.
  final func cancel() {
    _ = mark.compareExchange(
      expected: Mark.ahead, desired: Mark.cancelled, ordering: .acquiringAndReleasing)
  }

  /// The block is about to commit; false when it was cancelled and must not.
  final func pass() -> Bool {
    if task?.isCancelled == true { cancel() }
    let (passes, seen) = mark.compareExchange(
      expected: Mark.ahead, desired: Mark.passed, ordering: .acquiringAndReleasing)
    return passes || seen == Mark.passed
  }
}
