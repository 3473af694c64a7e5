/// What a scheduler knows of the commits of others, and whether it looks for them: a value.
///
/// Others are known by a number that changes with their commits and not with ours. What it was when
/// somebody began to listen is where the comparing begins.
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
