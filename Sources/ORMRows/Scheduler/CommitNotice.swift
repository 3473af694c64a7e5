internal import ORMStorage

/// Word of a commit that is durable.
public struct CommitNotice: Hashable, Sendable {
  /// Its number: 1 for the first that a scheduler announces, and one more for each that follows.
  ///
  /// Given by the scheduler.
  public internal(set) var sequence: UInt64 = 0
  /// The entities with rows that were changed; empty where that is not known.
  public var entities: Set<String>
  /// True if another process committed, or another store on the same file.
  public var isFromOtherProcess: Bool

  /// Makes a notice, yet without its number.
  public init(entities: Set<String>, isFromOtherProcess: Bool = false) {
    self.entities = entities
    self.isFromOtherProcess = isFromOtherProcess
  }
}

/// The hold on an observer of commits: the observer goes with it.
public final class CommitObservation: Sendable {
  private let notices: CommitNotices
  private let id: UInt64
  private let fork = ForkCheck()

  package init(notices: CommitNotices, id: UInt64) {
    self.notices = notices
    self.id = id
  }

  deinit { cancel() }

  /// Ends the observation; a call of the handler that has begun may still be running.
  public func cancel() {
    // In a child, a thread of its parent may hold the lock.
    if fork.isInherited { return }
    notices.removeObserver(id)
  }
}
