/// The state of a scheduler's watch for the commits of others, as a value.
///
/// Their commits are recognized by a number that changes with them and not with ours. The comparison
/// begins with the number at the time of the first listener.
struct CommitWatchState: Equatable, Sendable {
  /// True if the number is looked at again and again.
  private(set) var isLooking = false
  /// The number seen last; nil before the first look of those that listen now.
  private(set) var known: UInt64?

  /// Notes a listener; true if it is the first, with which looking begins.
  mutating func listen() -> Bool {
    defer { isLooking = true }
    return !isLooking
  }

  /// Returns whether to look again; false, which ends the looking, if there are no listeners any more.
  mutating func goOn(hasListeners: Bool) -> Bool {
    if hasListeners { return true }
    isLooking = false
    known = nil
    return false
  }

  /// Notes the number of a look; true if others have committed since the last look.
  mutating func saw(_ number: UInt64) -> Bool {
    defer { known = number }
    return known.map { $0 != number } ?? false
  }
}
