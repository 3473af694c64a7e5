internal import ORM
internal import ORMCore

// Commits as they reach an observation.
extension ObservationRun {
  func take(_ commit: ObservedCommit) {
    // Most commits end here, for values of every type.
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
  func apply(_ commit: ObservedCommit, _ state: inout State) throws -> Step {
    guard commit.number > state.number else { return .none }
    state.number = commit.number
    guard let maintained = state.maintained else {
      return try interest.withLock { try $0?.includes(commit) ?? true } ? .fetch : .none
    }
    syncBase(&state)
    switch try maintained.apply(commit.changes(of: maintained.entity)) {
    case .same: return .none
    case .lost: return .fetch
    case .changed:
      offer(Candidate(value: try maintained.value, digest: nil), &state)
      return .none
    }
  }

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
      if let maintained = state.maintained {
        guard let value = try? maintained.value else { return true }
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
