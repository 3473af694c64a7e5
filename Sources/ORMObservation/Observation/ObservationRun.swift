internal import Dispatch
internal import ORM
internal import ORMCore
internal import Synchronization

/// One iteration of an observation: fetches its value, and holds every commit against it.
///
/// All of it but ``start()`` and ``cancel()`` runs on the queue of the scheduler's notices. A commit
/// updates a maintained result, or begins a fetch; commits that come during the fetch wait for it.
/// Those that its snapshot has are dropped.
final class ObservationRun<Value: Sendable>: CommitObserver {
  let store: any Store
  let question: ObservedQuestion<Value>
  let delivery: ObservationDelivery
  let verifies: Bool
  let mailbox: ObservationMailbox<Value>
  let cancellation = FetchCancellation()
  private let id = Lock<UInt64?>(nil)
  let state = Lock(State())
  /// The commits that the result has to be held against; nil during a fetch, when all are.
  let interest = Lock<ObservedInterest?>(nil)
  private let fetches = Atomic(0)
  /// The fetches that run; to be waited for with `immediate` delivery.
  private let running: DispatchGroup?
  /// The default store and the author of the task that began the observation, for blocks.
  private let bound = Persistence.bound

  /// A value with the digest of the rows that it was fetched from.
  struct Candidate {
    let value: Value
    let digest: ReadDigest?
  }

  struct State {
    var isEnded = false
    var isFetching = true
    /// The commits that came during the fetch.
    var waiting: [ObservedCommit] = []
    /// True if more came than wait.
    var isOverrun = false
    /// The newest commit that the result has.
    var number: UInt64 = 0
    var maintained: (any MaintainedResult<Value>)?
    /// The digest of the rows that were fetched last.
    var digest: ReadDigest?
    /// The value that the consumer took last, or that waits last if all are delivered.
    var base: Candidate?
    /// The value that waits for the consumer.
    var offered: Candidate?
    /// True if the maintained result says how it differs from `base`.
    var isBaseMaintained = false
    /// The number of values that the consumer had taken when `base` was set.
    var taken = 0
  }

  /// The next step after a commit.
  enum Step { case none, fetch, fail(any Error) }

  /// The most commits that wait during a fetch.
  static var waitingCapacity: Int { 1_024 }

  init(
    _ store: any Store, _ question: ObservedQuestion<Value>, _ delivery: ObservationDelivery
  ) {
    self.store = store
    self.question = question
    self.delivery = delivery
    verifies = store.runtime.options.verifiesObservations
    mailbox = ObservationMailbox(delivery, repeats: question.repeats)
    running = delivery == .immediate ? DispatchGroup() : nil
  }

  deinit { cancel() }

  var scheduler: TransactionScheduler { store.runtime.transactions }

  /// Begins to observe: every commit from now on is in a value, or changes none.
  ///
  /// With `immediate` delivery the first value is there when it returns.
  ///
  /// - Throws: `closed`, `forked`.
  func start() throws {
    let number = try scheduler.observers.add(self, in: scheduler)
    id.withLock { $0 = number }
    // The caller may hold the writer, so that a fetch which is waited for waits for no writes.
    beginFetch(consistency: running == nil ? .afterPendingWrites : .latestCommit)
    if scheduler.notices.isOnQueue { return }
    do { try waitForFirstFetch() } catch {
      cancel()
      throw error
    }
  }

  func waitForFetch() { running?.wait() }

  /// Waits for the first value.
  ///
  /// - Throws: `deadlineExceeded`, `CancellationError` where the operation ends first that the thread works
  ///   for.
  private func waitForFirstFetch() throws {
    guard let running, let operation = RunningOperation.current else { return waitForFetch() }
    while running.wait(timeout: .now() + .milliseconds(10)) == .timedOut { try operation.check() }
  }
  var isImmediate: Bool { running != nil }

  /// Ends the observation, and releases its values and its listener.
  func cancel() {
    // In a child, threads of its parent may hold the locks.
    if scheduler.forkCheck.isInherited { return }
    cancellation.cancel()
    mailbox.cancel()
    leave()
  }

  func close() {
    mailbox.end()
    leave()
  }

  func end(_ error: any Error) {
    mailbox.end(error)
    leave()
  }

  private func leave() {
    let number = id.withLock { id in
      defer { id = nil }
      return id
    }
    if let number { scheduler.observers.remove(number, in: scheduler) }
    state.withLock { state in
      state = State()
      state.isEnded = true
    }
    interest.withLock { $0 = nil }
  }

  // MARK: - Fetching

  var isFetching: Bool { state.withLock { $0.isFetching && !$0.isEnded } }

  /// The number of fetches that were begun.
  var fetchCount: Int { fetches.load(ordering: .relaxed) }

  private func beginFetch(consistency: ReadConsistency = .latestCommit) {
    guard let number = id.withLock({ $0 }) else { return }
    scheduler.observers.takeAll(number)
    fetches.add(1, ordering: .relaxed)
    running?.enter()
    scheduler.submitRead(consistency: consistency, on: scheduler.notices.queue) {
      [store, question, cancellation, bound] admission in
      try Persistence.rebinding(bound) {
        try store.observed(question, cancellation, in: admission)
      }
    } completion: { [weak self, running] result in
      self?.didFetch(result)
      running?.leave()
    }
  }

  private func didFetch(_ result: Result<ObservedFetch<Value>, any Error>) {
    switch result {
    case .failure(let error as StoreError) where error.code == .closed: close()
    case .failure(let error):
      end((error as? StoreError).map { store.runtime.named($0) } ?? error)
    case .success(let fetched):
      guard let number = id.withLock({ $0 }) else { return }
      scheduler.observers.set(
        number, names: fetched.footprint.names, takesAll: verifies, in: scheduler)
      perform(state.withLock { take(fetched, &$0) })
    }
  }

  /// Takes a fetched value, and applies the commits that came during the fetch.
  private func take(_ fetched: ObservedFetch<Value>, _ state: inout State) -> Step {
    if state.isEnded { return .none }
    state.isFetching = false
    let waiting = state.waiting
    let isOverrun = state.isOverrun
    state.waiting = []
    state.isOverrun = false
    state.number = fetched.number
    state.digest = fetched.digest
    syncBase(&state)
    do {
      state.maintained = try question.keep?(store, fetched.value, fetched.footprint)
      let isMaintained = state.maintained != nil
      try interest.withLock {
        $0 = try ObservedInterest(fetched.footprint, isMaintained: isMaintained)
      }
      offer(Candidate(value: fetched.value, digest: fetched.digest), &state)
      if isOverrun { return beginningFetch(&state) }
      for commit in waiting {
        // As for later commits, the fetch reports the error of a condition that cannot be evaluated here.
        let step = (try? apply(commit, &state)) ?? .fetch
        if case .fetch = step { return beginningFetch(&state) }
      }
      return .none
    } catch {
      return .fail(error)
    }
  }

  func beginningFetch(_ state: inout State) -> Step {
    state.isFetching = true
    state.maintained = nil
    interest.withLock { $0 = nil }
    return .fetch
  }

  func perform(_ step: Step) {
    switch step {
    case .none: break
    case .fetch: beginFetch()
    case .fail(let error): end(error)
    }
  }
}
