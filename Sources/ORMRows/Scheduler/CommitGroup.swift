/// Operations of several callers that share one write block, and so one commit.
///
/// The first to get the writer slot leads. When its own operation has succeeded, it takes in the
/// operations that wait next in the queue and commits all of them. No operation waits for a group:
/// only those that are in the queue already join.
///
/// An error of a follower is its own outcome and undoes its own writes. Where it has not undone
/// them it rolls the group back: nothing is committed, and all run once more together, each so that
/// it can be undone.
///
/// Blocks of the program may lead and join too. Unless the store runs blocks again anyway, they never run
/// twice: from the first block on, each member undoes its own writes when it throws, and if the commit
/// fails, all fail.
struct CommitGroup {
  /// The most operations that may join one leader, whose own answer waits for the commit.
  private static var mostMembers: Int { 1_024 }
  /// The most followers that join at once, and the time in nanoseconds in which the last must have
  /// run.
  ///
  /// Joining several at once saves acquisitions of the scheduler's lock. If the last ones were slower,
  /// one joins at a time, since followers that have joined run even after the time is over.
  private static var handful: (members: Int, time: UInt64) { (16, 200_000) }

  /// The scheduler, from whose queue they come.
  let scheduler: TransactionScheduler
  /// The slot of the leader.
  let slot: SchedulerState.Slot
  /// The operations that joined, in their order.
  var followers: [any SharingJob] = []
  /// True if each runs alone when the shared commit fails.
  var repeatsAlone: Bool {
    get { mayRepeat && membersRepeat }
    set { membersRepeat = newValue }
  }
  private var membersRepeat = true
  /// False once a block of the program has run in it.
  var mayRepeat = true
  /// True if nothing is committed, since a follower left its writes behind.
  var isRolledBack = false
  /// True if it runs once more, after it was broken up; then no operation joins.
  private(set) var isRepeated = false
  /// The times at which the first and the last joined.
  private var joined: (first: UInt64, last: UInt64)?
  /// The number of followers that joined last.
  private var lastCount = 0

  init(scheduler: TransactionScheduler, slot: SchedulerState.Slot = .writer) {
    self.scheduler = scheduler
    self.slot = slot
  }

  /// The same that was broken up, to run once more.
  init(repeating group: CommitGroup) {
    scheduler = group.scheduler
    slot = group.slot
    followers = group.followers
    isRepeated = true
  }

  /// The operations that run now: the next sharing writers in the queue; none if there are none, or the
  /// group is full.
  mutating func takeFollowers() -> [any SharingJob] {
    let now = TransactionScheduler.now
    let (first, last) = joined ?? (now, now)
    if isRepeated { return joined == nil ? begin(followers, now, now) : [] }
    guard followers.count < Self.mostMembers, now &- first < scheduler.options.joiningTime else {
      return []
    }
    let isQuick = now &- last < Self.handful.time
    let next = scheduler.takeFollowers(
      of: slot, atMost: isQuick ? min(max(1, 2 * lastCount), Self.handful.members) : 1)
    followers += next
    defer { checkInvariants() }
    return begin(next, first, now)
  }

  private mutating func begin(
    _ followers: [any SharingJob], _ first: UInt64, _ now: UInt64
  ) -> [any SharingJob] {
    joined = (first, now)
    lastCount = followers.count
    return followers
  }

  /// Checks the numbered invariants; release builds drop it.
  ///
  /// 1. It has no more followers than may join, each once.
  /// 2. The followers that joined last are among them, and came no sooner than the first.
  /// 3. Before the first joined it has no followers, unless it runs once more.
  func checkInvariants() {
    assert(followers.count < Self.mostMembers + Self.handful.members, "1: too many followers")
    assert(Set(followers.map { ObjectIdentifier($0) }).count == followers.count, "1: one twice")
    assert(lastCount <= followers.count, "2: more who joined last than are here")
    assert(joined.map { $0.first <= $0.last } ?? true, "2: the last came before the first")
    assert(joined != nil || isRepeated || followers.isEmpty, "3: followers that did not join")
  }

  /// The error that the leader's block throws when the group is rolled back.
  ///
  /// Only operations that must not run twice report it.
  static var rolledBack: StoreError {
    StoreError(
      .engine,
      "another operation of the same group commit failed and could not be undone alone; try again")
  }
}

/// A waiting operation that may run in the block of one that came before it.
protocol SharingJob: AnyObject, Sendable {
  /// Runs in the block of another operation, and stores the outcome.
  func follow(in block: TransactionScheduler.Block)
  /// Runs in a block of its own, in the same slot, and replaces the outcome.
  func runAlone(in slot: BlockSlot, thread: ThreadIdentity)
  /// Replaces the outcome by a failure of the shared commit, unless it had failed by itself.
  func commitFailed(_ error: any Error)
  /// Passes the outcome to the caller; called once, after the block's slot was released.
  func conclude()
}

extension TransactionScheduler {
  /// Takes writers from the head of the queue into the running block of a slot, as far as they may join.
  func takeFollowers(
    of slot: SchedulerState.Slot, atMost count: Int
  ) -> [any SharingJob] {
    guarded.withLock { guarded in
      var jobs: [any SharingJob] = []
      while jobs.count < count, let id = guarded.state.takeFollower(of: slot) {
        if let job = guarded.waiters.removeValue(forKey: id)?.sharing { jobs.append(job) }
      }
      return jobs
    }
  }
}

extension TransactionScheduler {
  /// Returns whether an operation waits that may share the commit of a slot's block.
  func hasFollower(of slot: SchedulerState.Slot) -> Bool {
    guarded.withLock { $0.state.hasFollower(of: slot) }
  }
}

extension TransactionScheduler.Block {
  /// True if no operation waits to share the commit of the block.
  package var commitsAlone: Bool {
    guard isRunning, let group = slot.group else { return true }
    return !group.isRepeated && !group.scheduler.hasFollower(of: slot.id)
  }

  /// Takes in the operations that wait next in the queue, to be committed with this block.
  ///
  /// To be called right before the commit, after ``beginCommit()``. Each runs as
  /// ``TransactionScheduler/Admission/following(_:)`` on this thread; an error of one is its own outcome
  /// and no other's. Does nothing in a block that does not share. When the block throws afterwards, its
  /// body and theirs run once more, each in a block of its own (`repeatsAlone`), or all fail with that
  /// error. Throws when a follower called ``breakUp()``, for nothing to be committed; then body and
  /// followers first run once more together (``isRepeated``).
  package func admitFollowers(repeatsAlone: Bool) throws {
    guard isRunning, slot.group != nil else { return }
    slot.group?.repeatsAlone = repeatsAlone
    while let followers = slot.group?.takeFollowers(), !followers.isEmpty {
      for follower in followers {
        follower.follow(in: self)
        // The others run first when the group runs once more.
        if slot.group?.isRolledBack == true { throw CommitGroup.rolledBack }
      }
    }
  }

  /// True if the group of this block was broken up and runs once more: each follower must now undo its
  /// writes when it throws.
  package var isRepeated: Bool { isRunning && slot.group?.isRepeated == true }

  /// False once a block of the program has run in the group; a follower then undoes its writes when it
  /// throws.
  package var mayRepeat: Bool { !isRunning || slot.group?.mayRepeat != false }

  /// Notes that a block of the program runs in the group, which must not run twice.
  package func keepFromRepeating() {
    if isRunning { slot.group?.mayRepeat = false }
  }

  /// Notes that a follower that throws does not undo its writes: nothing is committed, and the group runs
  /// once more.
  ///
  /// For operations that may run again (`repeatsAlone`); where they may not, all fail.
  package func breakUp() {
    guard isRunning else { return }
    slot.group?.isRolledBack = true
  }
}
