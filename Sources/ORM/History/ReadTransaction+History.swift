public import ORMCore

extension ReadTransaction {
  /// The position in the history right after the newest commit of the snapshot.
  ///
  /// ```swift
  /// let (snacks, token) = try store.read { tx in
  ///   (try tx.fetch(Snack.all), try tx.historyToken)      // every later commit comes after the token
  /// }
  /// ```
  ///
  /// In a write transaction, it is the position before the transaction.
  ///
  /// - Throws: `historyOff`.
  public final var historyToken: HistoryToken {
    get throws {
      let (history, state) = try recordedHistory()
      return HistoryToken(store: history.store, number: state.number)
    }
  }

  /// Returns the change sets of the first commits after a token, in their order.
  ///
  /// ```swift
  /// let sets = try store.read { tx in try tx.history(after: token, limit: 100) }
  /// ```
  ///
  /// Commits that changed nothing of the recorded entities have no set. If there are fewer sets
  /// than `limit`, no more are retained; else the next come after the ``/ORMRows/CommitStamp/token`` of the
  /// last one.
  ///
  /// - Parameters:
  ///   - token: the position after which commits are returned.
  ///   - limit: the most sets that are returned.
  /// - Throws: `historyOff`; `wrongStore` for a token of another store; `historyTruncated` if a commit
  ///   after the token is no longer retained; `invalidPage` for a negative limit.
  public final func history(after token: HistoryToken, limit: Int = 1_000) throws -> [ChangeSet] {
    guard limit >= 0 else {
      throw StoreError(.invalidPage, "the limit of change sets is negative")
    }
    let (history, state) = try recordedHistory()
    try history.check(token, state)
    return try historySets(
      HistoryQuestion(of: nil, level: nil, in: history.schema), after: token.number, limit: limit,
      history
    ).sets
  }

  /// The history and its state.
  ///
  /// - Throws: `historyOff`.
  final func recordedHistory() throws -> (StoreHistory, HistoryState) {
    try checkRunning()
    guard let history = try store.recordedHistory() else { throw StoreHistory.off }
    let state = try history.current(engine)
    guard state.isRecorded else { throw StoreHistory.off }
    return (history, state)
  }

  /// Returns sets after a number, and the number of the last commit that was read; commits without
  /// a set count too.
  final func historySets(
    _ question: HistoryQuestion, after number: UInt64, limit: Int, _ history: StoreHistory
  ) throws -> (sets: [ChangeSet], last: UInt64) {
    var sets: [ChangeSet] = []
    var last = number
    while sets.count < limit {
      let commits = try history.commits(
        after: last, limit: Swift.min(limit - sets.count, StoreHistory.chunk), engine)
      for commit in commits {
        last = commit.number
        if let set = question.set(of: commit, history) { sets.append(set) }
      }
      if commits.isEmpty { break }
    }
    return (sets, last)
  }
}

extension Store {
  /// The position in the history right after the newest commit.
  ///
  /// ```swift
  /// let token = try store.historyToken
  /// ```
  ///
  /// Within a read block it is that of the block's snapshot.
  ///
  /// - Throws: `historyOff`, and the errors of `read`.
  public var historyToken: HistoryToken {
    get throws { try read { try $0.historyToken } }
  }
}
