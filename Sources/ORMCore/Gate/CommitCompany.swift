internal import Synchronization

/// Verbs of several callers that share one write block, and so one commit.
///
/// The first to get the writer's place leads. When its own verb has succeeded it takes in those who
/// wait next in line, each as a savepoint of its own, and commits for all of them. Nobody waits for
/// company: only who stands in line already joins.
struct CommitCompany {
  /// How many may join one leader, and for how long, in nanoseconds: the leader's own answer waits
  /// for the commit.
  private static var limit: (members: Int, time: UInt64) { (1_024, 5_000_000) }

  /// The gate, whose line they come from.
  let gate: TransactionGate
  /// Those who joined, in their order.
  var followers: [any SharingJob] = []
  /// Whether each runs alone when the shared commit fails.
  var repeatsAlone = true

  /// The next of a line of sharing writers; nil when there is none, or the company is full.
  func next(since start: UInt64) -> (any SharingJob)? {
    guard followers.count < Self.limit.members, TransactionGate.now &- start < Self.limit.time
    else {
      return nil
    }
    return gate.takeFollower()
  }
}

/// A waiting verb that may run in the block of one that came before it.
protocol SharingJob: AnyObject, Sendable {
  /// Runs in a block that is another's, and keeps the outcome.
  func follow(in block: TransactionGate.Block)
  /// Runs in a block of its own, in the same slot, and replaces the outcome.
  func runAlone(in slot: BlockSlot, thread: ThreadIdentity)
  /// Replaces the outcome by a failure of the shared commit, unless it had failed by itself.
  func commitFailed(_ error: any Error)
  /// Hands the outcome to the caller; called once, after the block's place was given up.
  func conclude()
}

extension TransactionGate {
  /// Takes the first in the line of writers into the place of the one that runs, if it may.
  func takeFollower() -> (any SharingJob)? {
    guarded.withLock { guarded in
      guard let id = guarded.state.takeFollower() else { return nil }
      guarded.waiters[id] = nil
      return guarded.sharers.removeValue(forKey: id)
    }
  }
}

extension TransactionGate.Block {
  /// Takes in the verbs that wait next in line, to be committed with this block.
  ///
  /// To be called right before the commit, after ``beginCommit()``. Each runs as
  /// ``TransactionGate/Admission/following(_:)`` on this thread; what one throws is its own outcome
  /// and concerns nobody else. Does nothing in a block that does not share. When the block throws
  /// afterwards, its body and theirs run once more, each in a block of its own (`repeatsAlone`), or
  /// all fail with that error.
  public func admitFollowers(repeatsAlone: Bool) {
    guard isRunning, slot.company != nil else { return }
    slot.company?.repeatsAlone = repeatsAlone
    let start = TransactionGate.now
    while let follower = slot.company?.next(since: start) {
      follower.follow(in: self)
      slot.company?.followers.append(follower)
    }
  }
}
