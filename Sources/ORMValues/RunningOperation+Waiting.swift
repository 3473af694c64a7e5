internal import ORMPlatform

extension RunningOperation {
  /// The longest time for which a thread that waits does not ask whether its operation was cancelled.
  private static let look: UInt64 = 10_000_000

  /// Waits, at most until the operation that the calling thread works for is to end early.
  ///
  /// A wait between two attempts uses it, so that it ends with the operation.
  ///
  /// - Throws: `deadlineExceeded` at the deadline, `CancellationError` after a cancellation.
  package static func sleep(for duration: Duration) throws {
    let end = deadline(in: duration)
    while true {
      try check()
      let now = now
      if now >= end { return }
      var rest = end - now
      if let operation = current {
        // A deadline that has passed, and holds no more, bounds nothing.
        let deadline = operation.deadline
        rest = min(rest, look, deadline > now ? deadline - now : look)
      }
      var time = timespec(
        tv_sec: Int(clamping: rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
      _ = nanosleep(&time, nil)
    }
  }
}

extension MutableCollection where Self: RandomAccessCollection {
  // Compiled where the elements are known: the standard library's sort takes several times as long
  // where they are not.
  /// Sorts the elements, and ends with the running operation.
  ///
  /// A comparison of two long texts takes as long as hundreds of numbers, so that no number of elements is
  /// small enough to be sorted without a look. A thread that works for no operation sorts at no cost.
  ///
  /// - Throws: `deadlineExceeded`, `CancellationError`.
  @inlinable
  package mutating func sortStoppably(by isLess: (Element, Element) -> Bool) throws {
    if RunningOperation.current == nil { return sort(by: isLess) }
    var check = StopCheck()
    try sort { left, right in
      try check.step()
      return isLess(left, right)
    }
  }
}
