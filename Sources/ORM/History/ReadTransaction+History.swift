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
  /// than `limit`, no more are retained; else the next come after the ``CommitStamp/token`` of the
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
      HistoryQuestion(names: nil, level: nil), after: token.number, limit: limit, history
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

/// A reader's question to the history.
struct HistoryQuestion: Sendable {
  /// The entities that are asked for; nil for all that are recorded.
  var names: Set<String>?
  /// The level that is asked for; nil for the recorded one.
  var level: ChangeLevel?

  /// The set of a commit; nil if it changed nothing of the entities.
  func set(of commit: StoreHistory.StoredCommit, _ history: StoreHistory) -> ChangeSet? {
    let content = commit.content
    let entities: [EntityChanges]
    if let level {
      entities = content.changes(of: names, at: level, history.schema)
    } else {
      let recorded = Set(content.entities.map(\.entity))
      entities = content.changes(
        of: names.map { $0.intersection(recorded) } ?? recorded, at: content.level, history.schema)
    }
    if entities.isEmpty { return nil }
    return ChangeSet(
      commit: CommitStamp(
        number: commit.number, token: HistoryToken(store: history.store, number: commit.number),
        timestamp: commit.timestamp, author: content.author,
        isFromOtherProcess: content.origin != history.origin), entities: entities)
  }
}

extension StoreHistory {
  /// The most commits that are read at once.
  static let chunk = 256

  static var off: StoreError {
    StoreError(.historyOff, "the store keeps no history; see `StoreOptions.history`")
  }

  /// Throws unless every commit after a token is retained.
  func check(_ token: HistoryToken, _ state: HistoryState) throws {
    guard token.store == store else {
      throw StoreError(
        .wrongStore, "the token \(token) is of the history of another store",
        values: [.string(token.description)])
    }
    if token.number > state.number {
      throw truncated(
        state, "the token \(token) stands after the newest commit: the file may be an older copy")
    }
    if token.number < state.oldest {
      throw truncated(
        state, "the history no longer has every commit after the token \(token)")
    }
  }

  func truncated(_ state: HistoryState, _ message: String) -> StoreError {
    let oldest = HistoryToken(store: store, number: state.oldest)
    return StoreError(
      .historyTruncated, "\(message); the oldest token is \(oldest)",
      values: [.string(oldest.description)])
  }

  /// Throws unless the history has some entities in a detail.
  func check(_ question: HistoryQuestion, _ state: HistoryState) throws {
    if let level = question.level, level > state.bounds.level {
      throw StoreError(
        .historyOff,
        "the history is recorded at level \(state.bounds.level), and level \(level) was asked for")
    }
    guard let recorded = names(state.bounds) else { return }
    for name in schema.names
    where question.names?.contains(name) ?? true && !recorded.contains(name) {
      throw StoreError(.historyOff, "the history of this entity is not recorded", entity: name)
    }
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
