internal import Dispatch
internal import ORMCore
internal import Synchronization

/// A value that was fetched for an observation.
struct ObservedFetch<Value: Sendable>: Sendable {
  let value: Value
  /// The number of the newest commit that the snapshot has.
  let number: UInt64
  let footprint: ReadFootprint
  let digest: ReadDigest
}

/// One iteration of an observation: fetches its value, and holds every commit against it.
///
/// All of it but ``start()`` and ``cancel()`` runs on the queue of the scheduler's notices. A commit
/// changes a kept result in place, or begins a fetch; commits that come during the fetch wait for it.
/// Those that its snapshot has are dropped.
final class ObservationRun<Value: Sendable>: CommitObserver {
  private let store: any Store
  private let question: ObservedQuestion<Value>
  private let delivery: ObservationDelivery
  private let verifies: Bool
  let mailbox: ObservationMailbox<Value>
  private let cancellation = FetchCancellation()
  private let id = Lock<UInt64?>(nil)
  private let state = Lock(State())
  /// The commits that the result has to be held against; nil during a fetch, when all are.
  private let interest = Lock<ObservedInterest?>(nil)
  private let fetches = Atomic(0)
  /// The default store and the author of the task that began the observation, for blocks.
  private let bound = Persistence.bound

  /// A value with the digest of the rows that it was fetched from.
  private struct Candidate {
    let value: Value
    let digest: ReadDigest?
  }

  private struct State {
    var isEnded = false
    var isFetching = true
    /// The commits that came during the fetch.
    var waiting: [ObservedCommit] = []
    /// True if more came than wait.
    var isOverrun = false
    /// The newest commit that the result has.
    var number: UInt64 = 0
    var kept: (any MaintainedResult<Value>)?
    /// The digest of the rows that were fetched last.
    var digest: ReadDigest?
    /// The value that the consumer took last, or that waits last if all are delivered.
    var base: Candidate?
    /// The value that waits for the consumer.
    var offered: Candidate?
    /// True if the kept result says how it differs from `base`.
    var isKeptBased = false
    /// The number of values that the consumer had taken when `base` was set.
    var taken = 0
  }

  /// The next step after a commit.
  private enum Step { case none, fetch, fail(any Error) }

  /// The most commits that wait during a fetch.
  private static var waitingCapacity: Int { 1_024 }

  init(
    _ store: any Store, _ question: ObservedQuestion<Value>, _ delivery: ObservationDelivery
  ) {
    self.store = store
    self.question = question
    self.delivery = delivery
    verifies = store.runtime.options.verifiesObservations
    mailbox = ObservationMailbox(delivery, repeats: question.repeats)
  }

  deinit { cancel() }

  private var scheduler: TransactionScheduler { store.runtime.transactions }

  /// Begins to observe: every commit from now on is in a value, or changes none.
  ///
  /// - Throws: `closed`, `forked`.
  func start() throws {
    let number = try scheduler.observers.add(self, in: scheduler)
    id.withLock { $0 = number }
    beginFetch(consistency: .afterPendingWrites)
  }

  /// Ends the observation, and frees what it holds.
  func cancel() {
    cancellation.cancel()
    mailbox.cancel()
    leave()
  }

  func close() {
    mailbox.end()
    leave()
  }

  private func end(_ error: any Error) {
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
    scheduler.submitRead(consistency: consistency, on: scheduler.notices.queue) {
      [store, question, cancellation, bound] admission in
      try Persistence.rebinding(bound) {
        try store.observed(question, cancellation, in: admission)
      }
    } completion: { [weak self] result in
      self?.didFetch(result)
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
      state.kept = try question.keep?(store, fetched.value, fetched.footprint)
      let isKept = state.kept != nil
      try interest.withLock { $0 = try ObservedInterest(fetched.footprint, isKept: isKept) }
      offer(Candidate(value: fetched.value, digest: fetched.digest), &state)
      if isOverrun { return beginningFetch(&state) }
      for commit in waiting {
        // As for later commits, what cannot be evaluated here is the fetch's to report.
        let step = (try? apply(commit, &state)) ?? .fetch
        if case .fetch = step { return beginningFetch(&state) }
      }
      return .none
    } catch {
      return .fail(error)
    }
  }

  private func beginningFetch(_ state: inout State) -> Step {
    state.isFetching = true
    state.kept = nil
    interest.withLock { $0 = nil }
    return .fetch
  }

  private func perform(_ step: Step) {
    switch step {
    case .none: break
    case .fetch: beginFetch()
    case .fail(let error): end(error)
    }
  }

  // MARK: - Commits

  func take(_ commit: ObservedCommit) {
    // Most commits end here, whatever type the value has.
    if !verifies, (try? interest.withLock { try $0?.includes(commit) }) == false { return }
    let step = state.withLock { state -> Step in
      if state.isEnded { return .none }
      if state.isFetching {
        if state.waiting.count == Self.waitingCapacity {
          state.waiting = []
          state.isOverrun = true
        }
        if !state.isOverrun { state.waiting.append(commit) }
        return .none
      }
      do {
        if case .fetch = try apply(commit, &state) { return beginningFetch(&state) }
        return .none
      } catch {
        // A value that cannot be evaluated here is the fetch's to report.
        return beginningFetch(&state)
      }
    }
    if verifies, case .none = step {
      verify(commit.number)
    } else {
      perform(step)
    }
  }

  /// Applies a commit to the result.
  private func apply(_ commit: ObservedCommit, _ state: inout State) throws -> Step {
    guard commit.number > state.number else { return .none }
    state.number = commit.number
    guard let kept = state.kept else {
      return try interest.withLock { try $0?.includes(commit) ?? true } ? .fetch : .none
    }
    syncBase(&state)
    switch try kept.apply(commit.changes(of: kept.entity)) {
    case .same: return .none
    case .lost: return .fetch
    case .changed:
      offer(Candidate(value: try kept.value, digest: nil), &state)
      return .none
    }
  }

  // MARK: - Delivery

  /// Takes the value that the consumer took meanwhile for the one to compare with; to be called
  /// before the kept result changes.
  private func syncBase(_ state: inout State) {
    guard delivery == .newest else { return }
    let taken = mailbox.taken
    if taken == state.taken { return }
    state.taken = taken
    state.base = state.offered
    state.offered = nil
    state.kept?.rebase()
    state.isKeptBased = true
  }

  /// Hands a value over, unless it equals the one before it.
  private func offer(_ candidate: Candidate, _ state: inout State) {
    var knows = candidate.digest == nil && state.isKeptBased
    if delivery == .onEveryCommit {
      let isSame = isEqual(candidate, state, knows)
      if !isSame {
        _ = mailbox.offer(candidate.value, after: 0)
        state.base = candidate
      }
      if !isSame || !knows { state.kept?.rebase() }
      state.isKeptBased = true
      return
    }
    while true {
      let isSame = isEqual(candidate, state, knows)
      if mailbox.offer(isSame ? nil : candidate.value, after: state.taken) {
        state.offered = isSame ? nil : candidate
        if knows { return }
        if isSame { state.kept?.rebase() }
        state.isKeptBased = isSame
        return
      }
      // The consumer took a value since, and the kept result is beyond that one.
      syncBase(&state)
      knows = false
    }
  }

  /// Returns whether a value equals the one before it.
  ///
  /// - Parameter knows: whether the kept result says how it differs from that one.
  private func isEqual(_ candidate: Candidate, _ state: State, _ knows: Bool) -> Bool {
    guard let base = state.base else { return false }
    if knows, let differs = state.kept?.differsFromBase { return !differs }
    if let a = candidate.digest, let b = base.digest {
      if a == b { return true }
      // Nothing but the rows is in the value.
      if question.wantsKeys { return false }
    }
    return question.areEqual?(candidate.value, base.value) ?? false
  }

  // MARK: - Verification

  /// Fetches the value and compares it with the result, unless another commit came between.
  private func verify(_ number: UInt64) {
    let fetched: ObservedFetch<Value>
    do {
      fetched = try scheduler.read(consistency: .latestCommit) { admission in
        try store.observed(question, cancellation, in: admission)
      }
    } catch { return }
    let isWrong = state.withLock { state -> Bool in
      guard !state.isEnded, !state.isFetching, fetched.number == number else { return false }
      if let kept = state.kept {
        guard let value = try? kept.value else { return true }
        return question.areEqual.map { !$0(value, fetched.value) } ?? false
      }
      return state.digest != fetched.digest
    }
    if isWrong {
      end(
        StoreError(
          .engine, "an observation's value differs from a fetch of the same commit"))
    }
  }
}

extension Store {
  /// Fetches a value for an observation, with what the fetch reads.
  func observed<Value: Sendable>(
    _ question: ObservedQuestion<Value>, _ cancellation: FetchCancellation,
    in admission: TransactionScheduler.Admission
  ) throws -> ObservedFetch<Value> {
    guard case .outer(let block) = admission else {
      throw StoreError(.transactionEnded, "an observation reads outside of other blocks")
    }
    try cancellation.check()
    let collector = try ReadCollector(self, wantsKeys: question.wantsKeys, cancellation)
    var opened: LayeredReader?
    var number: UInt64 = 0
    try runtime.transactions.notices.betweenCommits { newest in
      opened = try observedReader(collector)
      number = newest
    }
    guard let opened else { throw StoreError(.engine, "no reader was opened") }
    defer { opened.reader.end() }
    let transaction = ReadTransaction(
      store: self, reader: opened.reader, engine: opened.engine, block: block)
    block.current = transaction
    let value = try question.fetch(transaction)
    return ObservedFetch(
      value: value, number: number, footprint: collector.footprint, digest: collector.digest)
  }

  /// A reader that tells a collector what it reads.
  private func observedReader(_ collector: ReadCollector) throws -> LayeredReader {
    let reader: any StoreReader
    if let layers = try layers() {
      reader = try layers.reader(of: self) { FootprintReader($0, collector) }.reader
    } else {
      reader = FootprintReader(try self.reader(ReadTurn()), collector)
    }
    let digesting = DigestReader(reader, collector)
    // Finds by key go through it too, whatever layers they could leave out.
    return LayeredReader(reader: digesting, engine: digesting)
  }
}
