internal import ORMStorage
internal import Synchronization

/// The commits of a coordinator in their order, so that the readers of all members are opened between
/// two of them.
///
/// A commit of one member is seen as a whole whenever readers are opened. Two commits that come while
/// they are opened could be seen in another order than theirs, so that the readers are opened again. While
/// several members commit together, no readers are opened. After a few attempts, commits wait for the
/// readers instead.
final class CommitSequence: Sendable {
  /// Changes at the beginning and at the end of each commit.
  private let number = Atomic<UInt64>(0)
  /// True while the lock is held.
  private let isLocked = Atomic<Bool>(false)
  private let lock = Lock<Void>(())
  /// The attempts to open readers without the lock.
  private static let attempts = 4

  /// Runs the commit of one member.
  func single(_ commit: () throws -> Void) throws {
    // A commit that was under way when the lock was taken is noticed by the number.
    if isLocked.load(ordering: .sequentiallyConsistent) { return try several(commit) }
    try counted(commit)
  }

  /// Runs the commits of several members.
  func several(_ commits: () throws -> Void) throws { try locked { try counted(commits) } }

  /// Opens a view of all members between the same commits.
  ///
  /// - Parameters:
  ///   - open: opens the view; called again if a commit came meanwhile.
  ///   - end: ends a view that is not used.
  func betweenCommits<Opened>(_ open: () throws -> Opened, ending end: (Opened) -> Void) throws
    -> Opened
  {
    for _ in 0..<Self.attempts where !isLocked.load(ordering: .sequentiallyConsistent) {
      if let opened = try attempt(open, ending: end) { return opened }
    }
    while true {
      // At most one commit is under way when the lock is taken.
      var opened: Opened?
      try locked { opened = try attempt(open, ending: end) }
      if let opened { return opened }
    }
  }

  private func attempt<Opened>(
    _ open: () throws -> Opened, ending end: (Opened) -> Void
  ) throws -> Opened? {
    let before = number.load(ordering: .sequentiallyConsistent)
    let opened = try open()
    if number.load(ordering: .sequentiallyConsistent) == before { return opened }
    end(opened)
    return nil
  }

  private func counted(_ commit: () throws -> Void) throws {
    number.add(1, ordering: .sequentiallyConsistent)
    defer { number.add(1, ordering: .sequentiallyConsistent) }
    try commit()
  }

  private func locked(_ body: () throws -> Void) throws {
    try lock.withLock { _ in
      isLocked.store(true, ordering: .sequentiallyConsistent)
      defer { isLocked.store(false, ordering: .sequentiallyConsistent) }
      try body()
    }
  }
}
