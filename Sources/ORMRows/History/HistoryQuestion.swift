internal import ORMStorage

/// A reader's question to the history.
package struct HistoryQuestion: Sendable {
  /// The entities that are asked for; nil for all that are recorded.
  package let names: Set<String>?
  /// The level that is asked for; nil for the recorded one.
  let level: ChangeLevel?

  /// Asks for the entities whose rows are objects of some models, by their names; nil for all.
  package init(of models: [String]?, level: ChangeLevel?, in schema: RecordedSchema) {
    names = models.map { Set($0.flatMap { schema.names(of: $0) }) }
    self.level = level
  }

  /// The set of a commit; nil if it changed nothing of the entities.
  package func set(of commit: StoreHistory.StoredCommit, _ history: StoreHistory) -> ChangeSet? {
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
  package static let chunk = 256

  package static var off: StoreError {
    StoreError(.historyOff, "the store keeps no history; see `StoreOptions.history`")
  }

  /// Throws unless every commit after a token is retained.
  package func check(_ token: HistoryToken, _ state: HistoryState) throws {
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
  package func check(_ question: HistoryQuestion, _ state: HistoryState) throws {
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
