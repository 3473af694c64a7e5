// The delivery of values to the consumer.
extension ObservationRun {
  /// Takes the value that the consumer took meanwhile for the one to compare with; to be called
  /// before the maintained result changes.
  func syncBase(_ state: inout State) {
    guard delivery != .onEveryCommit else { return }
    let taken = mailbox.taken
    if taken == state.taken { return }
    state.taken = taken
    state.base = state.offered
    state.offered = nil
    state.maintained?.rebase()
    state.isBaseMaintained = true
  }

  /// Delivers a value, unless it equals the one before it.
  func offer(_ candidate: Candidate, _ state: inout State) {
    var knows = candidate.digest == nil && state.isBaseMaintained
    if delivery == .onEveryCommit {
      let isSame = isEqual(candidate, state, knows)
      if !isSame {
        _ = mailbox.offer(candidate.value, after: 0)
        state.base = candidate
      }
      if !isSame || !knows { state.maintained?.rebase() }
      state.isBaseMaintained = true
      return
    }
    while true {
      let isSame = isEqual(candidate, state, knows)
      if mailbox.offer(isSame ? nil : candidate.value, after: state.taken) {
        state.offered = isSame ? nil : candidate
        if knows { return }
        if isSame { state.maintained?.rebase() }
        state.isBaseMaintained = isSame
        return
      }
      // The consumer took a value since, and the maintained result is beyond that one.
      syncBase(&state)
      knows = false
    }
  }

  /// Returns whether a value equals the one before it.
  ///
  /// - Parameter knows: whether the maintained result says how it differs from that one.
  private func isEqual(_ candidate: Candidate, _ state: State, _ knows: Bool) -> Bool {
    guard let base = state.base else { return false }
    if knows, let differs = state.maintained?.differsFromBase { return !differs }
    if let a = candidate.digest, let b = base.digest {
      if a == b { return true }
      // Nothing but the rows is in the value.
      if question.wantsKeys { return false }
    }
    return question.areEqual?(candidate.value, base.value) ?? false
  }
}
