internal import FoundationEssentials
internal import ORMCore

/// A source of timestamps: each operation that hides rows has one of its own, by which a restore finds
/// the rows hidden together.
enum DeletionTimestamp {
  private static let last = Lock(-Double.infinity)
  /// The time, in seconds, below which a lag behind the last timestamp is corrected.
  ///
  /// Clocks may give the same time twice. A time that equals the last timestamp, or lies less than
  /// this before it, is replaced by the next greater timestamp.
  private static let closest = 0.001

  /// The current time, or one just after the last timestamp.
  static func next() -> Date {
    let now = Date().timeIntervalSinceReferenceDate
    return last.withLock { last in
      last = now <= last && last - now < closest ? last.nextUp : now
      return Date(timeIntervalSinceReferenceDate: last)
    }
  }
}
