/// The state of a scheduler's watch for the commits of others, as a value.
///
/// Their commits are recognized by a number that changes with them and not with ours. The
/// comparison begins with the number at the time when somebody began to listen.
struct CommitWatchState: Equatable, Sendable {
  /// True if the number is looked at again and again.
  private(set) var isLooking = false
  /// The number seen last; nil before the first look of those that listen now.
  private(set) var known: UInt64?

  /// Somebody listens; true when looking begins with it.
  mutating func listen() -> Bool {
    defer { isLooking = true }
    return !isLooking
  }

  /// It is time for another look; false when looking has ended, since nobody listens any more.
  mutating func goOn(hasListeners: Bool) -> Bool {
    if hasListeners { return true }
    isLooking = false
    known = nil
    return false
  }

  /// A number was seen; true when somebody else has committed since the last.
  mutating func saw(_ number: UInt64) -> Bool {
    defer { known = number }
    return known.map { $0 != number } ?? false
  }
}
