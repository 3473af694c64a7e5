internal import FoundationEssentials
internal import ORMCore

/// Reads the history of a store for a listener to changes.
struct HistoryReader: Sendable {
  let store: any Store
  let history: StoreHistory
  let question: HistoryQuestion

  /// Some sets of the history.
  struct Part: Sendable {
    var sets: [ChangeSet]
    /// The number of the last commit that was read.
    var last: UInt64
    /// True if there may be more commits.
    var hasMore: Bool
  }

  /// The number of the newest commit; nil if the history was ended.
  func newest() throws -> UInt64? {
    try store.read(consistency: .latestCommit) { tx in
      let state = try history.current(tx.engine)
      return state.isRecorded ? state.number : nil
    }
  }

  /// Reads some commits after a number.
  ///
  /// If some of them are no longer retained, a set that reports everything replaces all.
  ///
  /// - Parameter token: the token that the number is of, where the caller asked for it; it is
  ///   checked.
  func part(
    after number: UInt64, token: HistoryToken?, isolation actor: isolated (any Actor)?
  ) async throws -> Part {
    try await store.read(consistency: .latestCommit) { [self] tx in
      try part(after: number, token: token, until: { _ in false }, tx)
    }
  }

  /// Reads some commits after a number up to the first that `isEnd` holds for.
  func part(
    after number: UInt64, token: HistoryToken?, until isEnd: (StoreHistory.StoredCommit) -> Bool,
    _ tx: ReadTransaction
  ) throws -> Part {
    let state = try history.current(tx.engine)
    if let token {
      guard state.isRecorded else { throw StoreHistory.off }
      try history.check(token, state)
      try history.check(question, state)
    }
    guard state.isRecorded, number >= state.oldest else {
      let stamp = CommitStamp(
        number: state.number, token: HistoryToken(store: history.store, number: state.number),
        timestamp: store.runtime.now, author: nil, isFromOtherProcess: false)
      let set = ChangeSet(commit: stamp, entities: history.schema.unknown(question.names))
      return Part(sets: [set], last: state.number, hasMore: false)
    }
    var part = Part(sets: [], last: number, hasMore: false)
    let commits = try history.commits(after: number, limit: StoreHistory.chunk, tx.engine)
    for commit in commits {
      if isEnd(commit) { return part }
      part.last = commit.number
      if let set = question.set(of: commit, history) { part.sets.append(set) }
    }
    part.hasMore = commits.count == StoreHistory.chunk
    // Commits without changes are counted, and not stored.
    if !part.hasMore { part.last = max(part.last, state.number) }
    return part
  }
}

extension Store {
  /// The history of the store; nil where it has none.
  func recordedHistory() throws -> StoreHistory? { try layers()?.history }

  /// Makes a reader of the history; nil if there is none.
  func historyReader(_ question: HistoryQuestion) throws -> HistoryReader? {
    guard let history = try recordedHistory() else { return nil }
    let reader = HistoryReader(store: self, history: history, question: question)
    return try reader.newest() == nil ? nil : reader
  }
}

/// Puts the commits of other processes into the changes that a listener gets, from the history.
///
/// It is used on the queue of notices alone, but for its making.
final class HistoryFollower: Sendable {
  private let reader: HistoryReader
  private let handler: @Sendable (ChangeSet) -> Void
  /// The number of the last commit that was reported or passed over.
  private let last: Lock<UInt64>

  init(
    _ reader: HistoryReader, after number: UInt64,
    _ handler: @escaping @Sendable (ChangeSet) -> Void
  ) {
    self.reader = reader
    self.handler = handler
    last = Lock(number)
  }

  /// Takes a commit of another process: reports those that are new in the history.
  func takeOther() { report(upTo: nil) }

  /// Takes a commit of this store, and reports those of others before it.
  ///
  /// Returns false if it was reported already.
  func takeOwn(_ number: UInt64) -> Bool {
    let known = last.withLock { $0 }
    if number <= known { return false }
    if number > known + 1 { report(upTo: number - 1) }
    last.withLock { $0 = number }
    return true
  }

  /// Reports commits up to a number, or those of others: those of this store come with their own
  /// notices.
  private func report(upTo end: UInt64?) {
    let store = reader.store
    let origin = reader.history.origin
    do {
      var hasMore = true
      while hasMore {
        let number = last.withLock { $0 }
        var isAtOwn = false
        let part = try store.read(consistency: .latestCommit) { tx in
          try reader.part(
            after: number, token: nil,
            until: { commit in
              isAtOwn = end.map { commit.number > $0 } ?? (commit.content.origin == origin)
              return isAtOwn
            }, tx)
        }
        last.withLock { $0 = end.map { min($0, part.last) } ?? part.last }
        for set in part.sets { handler(set) }
        hasMore = part.hasMore && !isAtOwn
      }
    } catch let error as StoreError where error.code == .closed {
      // The listeners are ended by the store.
    } catch {
      store.runtime.report(error)
      let number = end ?? last.withLock { $0 }
      let stamp = CommitStamp(
        number: number, timestamp: store.runtime.now, author: nil, isFromOtherProcess: true)
      handler(
        ChangeSet(commit: stamp, entities: reader.history.schema.unknown(reader.question.names)))
    }
  }
}
