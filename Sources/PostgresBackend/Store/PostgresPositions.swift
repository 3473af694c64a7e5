internal import ORMStorage

/// The positions in a server's log that a store knows of: those of its own commits, and those where the log
/// ended at certain times.
///
/// A standby that has replayed the log to a position shows everything that was committed before it. No
/// two clocks are compared: a standby that has replayed the log up to some time is as new as that time.
final class PostgresPositions: Sendable {
  private struct State {
    /// The position after the last commit; 0 if nothing was committed.
    var own: UInt64 = 0
    /// True if a commit was made, or may have been, whose position is not known.
    var isOwnUnknown = false
    /// Positions with times at which the log had not passed them, ascending.
    var samples: [(time: ContinuousClock.Instant, position: UInt64)] = []
  }

  private let state = Lock(State())
  /// The most recorded samples.
  private static var capacity: Int { 64 }

  /// The position that contains every commit of the store; nil if that is not known.
  var own: UInt64? { state.withLock { $0.isOwnUnknown ? nil : $0.own } }

  /// Notes the position after a commit; nil if it is not known.
  ///
  /// Commits of many writers are not noted in the order of the log, so no later position contains one
  /// that is not known: reads that are to see the store's own commits use the server from then on.
  func didCommit(at position: UInt64?) {
    state.withLock { state in
      if let position { state.own = max(state.own, position) }
      if position == nil { state.isOwnUnknown = true }
    }
  }

  /// Notes the end of the log, which was asked for at a time.
  func note(_ position: UInt64, askedAt time: ContinuousClock.Instant) {
    state.withLock { state in
      if let last = state.samples.last, last.time >= time { return }
      state.samples.append((time, position))
      if state.samples.count > Self.capacity { state.samples.removeFirst() }
    }
  }

  /// The time of the newest sample.
  var newest: ContinuousClock.Instant? { state.withLock { $0.samples.last?.time } }

  /// The position of the newest sample.
  var end: UInt64? { state.withLock { $0.samples.last?.position } }

  /// Returns the newest time whose commits a server shows that has replayed the log to a position.
  func time(at position: UInt64) -> ContinuousClock.Instant? {
    state.withLock { $0.samples.last { $0.position <= position }?.time }
  }

  /// A position by the text that the server writes.
  static func position(_ text: String?) -> UInt64? {
    let parts = text?.split(separator: "/") ?? []
    guard parts.count == 2, let high = UInt64(parts[0], radix: 16),
      let low = UInt64(parts[1], radix: 16), high <= UInt32.max, low <= UInt32.max
    else { return nil }
    return high << 32 | low
  }
}
