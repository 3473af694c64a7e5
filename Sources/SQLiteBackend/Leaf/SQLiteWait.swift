#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A bounded wait by polling, for locks that other processes hold and that nobody announces.
struct SQLiteWait {
  private let limit: Duration
  private var end = ContinuousClock.now

  /// A wait of at most `limit`; what is longer than thirty years, or negative, is cut.
  init(limit: Duration) { self.limit = min(max(limit, .zero), .seconds(1 << 30)) }

  /// Sleeps a little and gives true, or false when the time is up.
  ///
  /// Attempt 0 starts the clock.
  mutating func again(attempt: Int) -> Bool {
    let now = ContinuousClock.now
    if attempt == 0 { end = now + limit }
    if now >= end { return false }
    // From 50 µs, the length of a small transaction without a sync, doubling up to 5 ms, so that a
    // long wait costs little and ends soon after the lock.
    let pause = min(50 << min(attempt, 7), 5000)
    usleep(UInt32(pause))
    return true
  }
}
