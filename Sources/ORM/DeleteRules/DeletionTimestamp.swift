internal import FoundationEssentials
internal import ORMCore

/// Gives each operation that hides rows a timestamp of its own, by which a restore knows what was hidden
/// together.
enum DeletionTimestamp {
  private static let last = Lock(-Double.infinity)
  /// So close to the last timestamp another operation's is moved behind it: clocks give the same time twice.
  private static let closest = 0.001

  /// Now, or just after the last timestamp that was given.
  static func next() -> Date {
    let now = Date().timeIntervalSinceReferenceDate
    return last.withLock { last in
      last = now <= last && last - now < closest ? last.nextUp : now
      return Date(timeIntervalSinceReferenceDate: last)
    }
  }
}
