internal import FoundationEssentials
internal import ORMStorage

/// Writes the history of one write transaction, in that transaction.
package final class HistoryRecorder {
  package let history: StoreHistory
  private let engine: any StoreWriter
  /// The state as the transaction leaves it.
  package private(set) var state: HistoryState
  /// The positions of consumers, which savepoints restore.
  package var consumers: [ExactText: HistoryState.Consumer] {
    get { state.consumers }
    set { state.consumers = newValue }
  }
  private let consumersBefore: [ExactText: HistoryState.Consumer]
  /// True if the commits so far are to be removed.
  private let isRemoving: Bool
  private var isWritten = false

  /// The most rows that one commit looks at to remove them.
  private static let batch = 1_000

  package init(_ history: StoreHistory, _ engine: any StoreWriter) throws {
    self.history = history
    self.engine = engine
    var state = try history.state(engine)
    consumersBefore = state.consumers
    isRemoving = history.apply(to: &state)
    self.state = state
  }

  /// The levels at which changes are recorded for the history; nil if there is none.
  package var asked: (names: Set<String>?, level: ChangeLevel)? {
    state.isRecorded ? (history.names(state.bounds), state.bounds.level) : nil
  }

  /// The token of the commit at hand; nil if there is no history.
  package var token: HistoryToken? {
    state.isRecorded ? HistoryToken(store: history.store, number: state.number + 1) : nil
  }

  /// Writes the changes of the transaction, right before its commit.
  ///
  /// - Parameters:
  ///   - commit: the changes; nil if no rows were changed.
  ///   - written: the entities with rows that were changed.
  package func finish(_ commit: RecordedCommit?, written: Set<String>) throws {
    guard commit != nil || state.consumers != consumersBefore else { return }
    if isRemoving {
      try history.remove(upTo: state.number, by: engine)
      state.oldest = state.number
      state.changes = 0
      state.oldestTimestamp = nil
    } else if let commit, state.isRecorded {
      state.number += 1
      try write(commit, written)
      try clean(now: commit.timestamp)
    } else if commit != nil {
      return
    }
    try history.write(state, by: engine)
    isWritten = true
  }

  /// Notes that the transaction was committed.
  package func didCommit() { if isWritten { history.didApply() } }

  private func write(_ commit: RecordedCommit, _ written: Set<String>) throws {
    let names = history.names(state.bounds)
    let entities = commit.changes(
      of: names, at: state.bounds.level, written: written, history.schema)
    let others = names.map { names in written.filter { !names.contains($0) }.sorted() } ?? []
    if entities.isEmpty, others.isEmpty { return }
    let content = HistoryCommit(
      author: commit.author, origin: history.origin, level: state.bounds.level,
      entities: entities, others: others)
    try history.write(
      content, number: state.number, timestamp: commit.timestamp, by: engine)
    state.changes += content.count
    if state.oldestTimestamp == nil { state.oldestTimestamp = commit.timestamp }
  }

  // MARK: Cleaning

  /// Removes commits that are past the bounds, some at a time.
  private func clean(now: Date) throws {
    let bounds = state.bounds
    guard let oldest = state.oldestTimestamp else { return }
    // Commits after it are needed by a consumer.
    let needed = state.consumers.values.map(\.number).min() ?? .max
    func isPast(_ changes: Int, _ timestamp: Date, _ count: Int, _ age: Double) -> Bool {
      changes > count || now.timeIntervalSince(timestamp) >= age
    }
    let isPastHardLimit = isPast(
      state.changes, oldest, bounds.consumerCount, bounds.consumerAge)
    guard
      isPastHardLimit
        || (needed > state.oldest
          && isPast(
            state.changes, oldest, bounds.count + min(bounds.count / 64, Self.batch),
            bounds.age + bounds.age / 64))
    else { return }
    var changes = state.changes
    var cut = state.oldest
    var next: Date?
    for size in try history.sizes(after: state.oldest, limit: Self.batch, engine) {
      if size.number == cut { continue }
      next = size.timestamp
      if size.number == state.number { break }
      let mayGo =
        size.number <= needed
        ? isPast(changes, size.timestamp, bounds.count, bounds.age)
        : isPast(changes, size.timestamp, bounds.consumerCount, bounds.consumerAge)
      if !mayGo { break }
      cut = size.number
      changes -= size.changes
    }
    if cut == state.oldest { return }
    try history.remove(upTo: cut, by: engine)
    state.oldest = cut
    state.changes = max(0, changes)
    state.oldestTimestamp = next
  }
}

@available(*, unavailable)
extension HistoryRecorder: Sendable {}
