/// Verbs of several callers that share one write block, and so one commit.
///
/// The first to get the writer's place leads. When its own verb has succeeded it takes in those who
/// wait next in line and commits for all of them. Nobody waits for company: only who stands in line
/// already joins.
///
/// What a follower throws is its own outcome and undoes its own writes. Where it has not undone
/// them it breaks the company up: nothing is committed, and all run once more together, each so that
/// it can be undone.
struct CommitCompany {
  /// The most operations that may join one leader, whose own answer waits for the commit.
  private static var mostMembers: Int { 1_024 }
  /// How many join at once, so that the gate's lock is not passed for each; as many only while they
  /// are quick, since those that have joined run whatever time it is.
  private static var handful: (members: Int, time: UInt64) { (16, 200_000) }

  /// The gate, whose line they come from.
  let gate: TransactionGate
  /// Those who joined, in their order.
  var followers: [any SharingJob] = []
  /// Whether each runs alone when the shared commit fails.
  var repeatsAlone = true
  /// Whether nothing is committed, since a follower left behind what it wrote.
  var isBrokenUp = false
  /// Whether it runs once more, after it was broken up; then nobody joins.
  private(set) var isRepeated = false
  /// When the first and the last joined.
  private var joined: (first: UInt64, last: UInt64)?
  /// How many joined last.
  private var lastCount = 0

  init(gate: TransactionGate) { self.gate = gate }

  /// The same that was broken up, to run once more.
  init(repeating company: CommitCompany) {
    gate = company.gate
    followers = company.followers
    isRepeated = true
  }

  /// Those who come to run now: the next of a line of sharing writers; none when there are none, or
  /// the company is full.
  mutating func grow() -> [any SharingJob] {
    let now = TransactionGate.now
    let (first, last) = joined ?? (now, now)
    if isRepeated { return joined == nil ? begin(followers, now, now) : [] }
    guard followers.count < Self.mostMembers, now &- first < gate.options.joiningTime else {
      return []
    }
    let isQuick = now &- last < Self.handful.time
    let next = gate.takeFollowers(
      atMost: isQuick ? min(max(1, 2 * lastCount), Self.handful.members) : 1)
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
  /// 2. Those who joined last are among them, and came no sooner than the first.
  /// 3. Before anybody joined it has no followers, unless it runs once more.
  func checkInvariants() {
    assert(followers.count < Self.mostMembers + Self.handful.members, "1: too many followers")
    assert(Set(followers.map { ObjectIdentifier($0) }).count == followers.count, "1: one twice")
    assert(lastCount <= followers.count, "2: more who joined last than are here")
    assert(joined.map { $0.first <= $0.last } ?? true, "2: the last came before the first")
    assert(joined != nil || isRepeated || followers.isEmpty, "3: followers that did not join")
  }

  /// What the leader's block throws when the company is broken up; seen only by those who must not
  /// run twice.
  static var brokenUp: StoreError {
    StoreError(.engine, "a verb that shared this commit failed and could not be undone alone")
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
  /// committed; then body and followers first run once more together (``isRepeated``).
  package func admitFollowers(repeatsAlone: Bool) throws {
    guard isRunning, slot.company != nil else { return }
    slot.company?.repeatsAlone = repeatsAlone
    while let followers = slot.company?.grow(), !followers.isEmpty {
      for follower in followers { follower.follow(in: self) }
      if slot.company?.isBrokenUp == true { throw CommitCompany.brokenUp }
    }
  }

  /// Whether the company of this block was broken up and runs once more: each follower must now
  /// undo what it wrote when it throws.
  package var isRepeated: Bool { isRunning && slot.company?.isRepeated == true }

  /// Says that what a follower has written is not undone though it throws: nothing is committed, and
  /// the company runs once more.
  ///
  /// For those who may run again (`repeatsAlone`); where they may not, all fail.
  package func breakUp() {
    guard isRunning else { return }
    slot.company?.isBrokenUp = true
  }
}
