internal import Synchronization

/// Verbs of several callers that share one write block, and so one commit.
///
/// The first to get the writer's place leads. When its own verb has succeeded it takes in those who
/// wait next in line and commits for all of them. Nobody waits for company: only who stands in line
/// already joins.
///
/// What a follower throws is its own outcome and undoes its own writes. Where it cannot undo these
/// alone, it breaks the company up: nothing is committed, and each runs again by itself.
struct CommitCompany {
  /// How many may join one leader, and for how long, in nanoseconds: the leader's own answer waits
  /// for the commit.
  private static var limit: (members: Int, time: UInt64) { (1_024, 5_000_000) }
  /// How many join at once, so that the gate's lock is not passed for each.
  private static var handful: Int { 16 }

  /// The gate, whose line they come from.
  let gate: TransactionGate
  /// Those who joined, in their order; the last of them may not have run yet.
  var followers: [any SharingJob] = []
  /// Whether each runs alone when the shared commit fails.
  var repeatsAlone = true
  /// Whether nothing is committed, since a follower left behind what it wrote.
  var isBrokenUp = false

  /// Takes in the next of a line of sharing writers; none when there are none, or the company is
  /// full.
  mutating func grow(since start: UInt64) -> [any SharingJob] {
    guard followers.count < Self.limit.members, TransactionGate.now &- start < Self.limit.time
    else {
      return []
    }
    let next = gate.takeFollowers(atMost: Self.handful)
    followers += next
    return next
  }

  /// What the leader's block throws then; nobody sees it.
  struct BrokenUp: Error {}
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
  /// Takes the first in the line of writers into the place of the one that runs, as far as they
  /// may.
  func takeFollowers(atMost count: Int) -> [any SharingJob] {
    guarded.withLock { guarded in
      var jobs: [any SharingJob] = []
      while jobs.count < count, let id = guarded.state.takeFollower() {
        if let job = guarded.waiters.removeValue(forKey: id)?.sharing { jobs.append(job) }
      }
      return jobs
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
  /// all fail with that error. Throws when a follower called ``breakUp()``, for nothing to be
  /// committed.
  public func admitFollowers(repeatsAlone: Bool) throws {
    guard isRunning, slot.company != nil else { return }
    slot.company?.repeatsAlone = repeatsAlone
    let start = TransactionGate.now
    while let followers = slot.company?.grow(since: start), !followers.isEmpty {
      for follower in followers {
        follower.follow(in: self)
        if slot.company?.isBrokenUp == true { throw CommitCompany.BrokenUp() }
      }
    }
  }

  /// Says that what a follower has written is not undone though it throws: nothing of the company
  /// is committed, and each of it runs once more, in a block of its own.
  ///
  /// Only where they may run again (`repeatsAlone`).
  public func breakUp() {
    guard isRunning else { return }
    slot.company?.isBrokenUp = true
  }
}
