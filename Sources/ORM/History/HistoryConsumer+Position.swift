internal import ORMCore

// The positions of consumers, in the transactions that read and move them.
extension HistoryConsumer {
  /// The question that the consumer has to the history.
  var question: HistoryQuestion {
    HistoryQuestion(of: models, level: nil, in: history.schema)
  }
}

extension ReadTransaction {
  /// The number of the last commit that a consumer has handled.
  ///
  /// - Throws: `notFound`, `historyOff`.
  func position(of consumer: HistoryConsumer) throws -> UInt64 {
    let (_, state) = try recordedHistory()
    guard let stored = state.consumers[consumer.name] else {
      throw StoreError(.notFound, "the history has no consumer \"\(consumer.name)\"")
    }
    return stored.number
  }

  /// Returns whether there are commits that a consumer has not handled.
  func hasPending(_ consumer: HistoryConsumer) throws -> Bool {
    let (history, state) = try recordedHistory()
    let number = try position(of: consumer)
    try history.check(HistoryToken(store: history.store, number: number), state)
    let found = try historySets(consumer.question, after: number, limit: 1, history)
    // Passing over others' commits is written down now and then, so that they can be removed.
    return !found.sets.isEmpty || state.number - number > UInt64(StoreHistory.chunk)
  }
}

extension WriteTransaction {
  func setPosition(of name: String, _ number: UInt64?) {
    history?.consumers[name] = number.map { HistoryState.Consumer(number: $0) }
  }

  func add(_ consumer: HistoryConsumer, after token: HistoryToken?) throws {
    let (history, state) = try recordedHistory()
    if state.consumers[consumer.name] != nil { return }
    if let token { try history.check(token, state) }
    setPosition(of: consumer.name, token?.number ?? state.number)
  }

  /// Moves a consumer forward, if it is still there and not past the number.
  func advance(_ consumer: HistoryConsumer, to number: UInt64) throws {
    let now = try position(of: consumer)
    if now < number { setPosition(of: consumer.name, number) }
  }

  /// Handles the next commit of a consumer; returns false if there was none.
  func handleNext(
    _ consumer: HistoryConsumer, _ body: (ChangeSet, WriteTransaction) throws -> Void
  ) throws -> Bool {
    let (history, state) = try recordedHistory()
    // Another commit of this very transaction may have moved it.
    let number = Swift.max(
      try position(of: consumer), self.history?.consumers[consumer.name]?.number ?? 0)
    try history.check(HistoryToken(store: history.store, number: number), state)
    let found = try historySets(consumer.question, after: number, limit: 1, history)
    guard let set = found.sets.first else {
      setPosition(of: consumer.name, Swift.max(found.last, number))
      return false
    }
    try body(set, self)
    setPosition(of: consumer.name, set.commit.number)
    return true
  }
}
