internal import ORMPlatform
internal import ORMStorage

/// A wait by polling, for events that are not announced: ever longer pauses up to a deadline, or to the end
/// of the running operation.
struct LMDBPause {
  /// 1 ms, the most by which a waiting writer exceeds the time it must wait.
  ///
  /// A commit takes about as long.
  private static let longest = 1_000_000

  private let deadline: ContinuousClock.Instant
  private var nanoseconds = 20_000

  init(seconds: Double) {
    // About a century stands for ever; infinity and NaN cannot be converted.
    let finite = seconds < 3e9 ? max(seconds, 0) : 3e9
    deadline = .now + .seconds(finite)
  }

  /// Waits a little.
  ///
  /// False, at once, when the time is over.
  mutating func next() -> Bool {
    if ContinuousClock.now >= deadline || RunningOperation.current?.isStopped == true {
      return false
    }
    var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
    _ = nanosleep(&time, nil)
    nanoseconds = min(nanoseconds * 2, Self.longest)
    return true
  }
}
