internal import ORMPlatform
internal import ORMStorage

/// A bounded wait by polling, for locks of other processes, whose release is not announced.
struct SQLiteWait {
  /// The longest time to wait.
  let limit: Duration
  private var end = ContinuousClock.now
  /// True while several waits end together.
  private var isShared = false

  /// A wait of at most `limit`, which is clamped to 0 and about thirty years.
  init(limit: Duration) { self.limit = min(max(limit, .zero), .seconds(1 << 30)) }

  /// Starts the clock for all waits until ``endSharing()``.
  mutating func beginSharing() {
    end = ContinuousClock.now + limit
    isShared = true
  }

  /// Lets each wait have a clock of its own again.
  mutating func endSharing() { isShared = false }

  /// Sleeps a little and gives true, or false when the time is up.
  ///
  /// Attempt 0 starts the clock, unless it is shared.
  mutating func again(attempt: Int) -> Bool {
    let now = ContinuousClock.now
    if attempt == 0, !isShared { end = now + limit }
    if now >= end { return false }
    // From 50 µs, the length of a small transaction without a sync, doubling up to 5 ms, so that a
    // long wait costs little and ends soon after the lock.
    let pause = min(50 << min(attempt, 7), 5000)
    usleep(UInt32(pause))
    return true
  }

  /// Runs a body that begins a transaction or opens a file, and runs it again as long as locks are refused
  /// (`SQLITE_PROTOCOL`) and the wait is not over.
  ///
  /// - Parameters:
  ///   - failure: the error of a first run; nil if the body has not run.
  ///   - isStopped: whether the caller no longer waits.
  static func retrying<Result>(
    limit: Duration, after failure: (any Error)? = nil, unless isStopped: () -> Bool = { false },
    _ body: () throws -> Result
  ) throws -> Result {
    var wait = SQLiteWait(limit: limit)
    var failure = failure
    var attempt = 0
    while true {
      if let failure {
        guard (failure as? StoreError)?.isSQLiteProtocol == true, !isStopped(),
          wait.again(attempt: attempt)
        else { throw failure }
        attempt += 1
      }
      do {
        return try body()
      } catch {
        failure = error
      }
    }
  }
}
