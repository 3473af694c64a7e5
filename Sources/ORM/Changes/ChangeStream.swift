public import ORMCore

/// The change sets of the commits from an iteration's beginning on.
///
/// ```swift
/// for try await set in store.changes(of: Snack.self) {
///   for change in set[Snack.self].rows { print(change.kind, change.row.key) }
/// }
/// ```
///
/// An iteration begins when its iterator is made, and ends with its task, with its iterator, or when
/// the store is closed. Sets that are not read yet wait in memory. If more than 1,024 wait, they are
/// read from the history of the store later. Without a history, one set replaces them, which
/// reports everything (``/ORMRows/EntityChanges/isEverything``).
public struct ChangeStream: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = ChangeSet

  let store: any Store
  /// The models' entities; nil for all.
  let models: [String]?
  let level: ChangeLevel
  /// The position in the history from which on commits are reported; nil for those from now on.
  let token: HistoryToken?

  /// Begins an iteration: every commit from now on, or after the token, is reported.
  public func makeAsyncIterator() -> Iterator { Iterator(ChangeIteration(self)) }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    private let iteration: ChangeIteration

    init(_ iteration: ChangeIteration) { self.iteration = iteration }

    /// Returns the next change set, or nil at the end.
    ///
    /// - Throws: `closed` if the store was closed before the iteration began, `unknownEntity`; with a
    ///   token, `historyOff`, `wrongStore` and `historyTruncated`.
    public mutating func next() async throws -> ChangeSet? {
      try await iteration.next(isolation: #isolation)
    }

    /// Returns the next change set on the caller's actor, or nil at the end.
    ///
    /// - Throws: `closed` if the store was closed before the iteration began, `unknownEntity`; with a
    ///   token, `historyOff`, `wrongStore` and `historyTruncated`.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> ChangeSet? {
      try await iteration.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension ChangeStream.Iterator: Sendable {}

extension Store {
  /// Makes an asynchronous sequence of the changes of some models, of all without any.
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self, level: .values) {
  ///   for change in set[Snack.self].rows where change.kind == .updated {
  ///     print(try change.oldValue(\.price), try change.value(\.price))
  ///   }
  /// }
  /// ```
  ///
  /// Each element is the net effect of one commit; commits that change none of the models have none.
  /// A model's changes include those of its subentities.
  ///
  /// After a token, the stream begins with the sets of the history, and goes on with the commits as
  /// they are made, without a gap:
  ///
  /// ```swift
  /// for try await set in store.changes(of: Snack.self, after: token) { print(set.commit.number) }
  /// ```
  ///
  /// - Parameters:
  ///   - models: the models whose changes are reported; all if there is none.
  ///   - level: the detail of the sets. Writes cost more while someone asks for it: `keys` costs
  ///     least, and set-based changes and updates read rows for the others.
  ///   - token: the position after which commits are reported; nil for those from now on.
  public func changes(
    of models: any Persistable.Type..., level: ChangeLevel = .keys, after token: HistoryToken? = nil
  ) -> ChangeStream {
    ChangeStream(
      store: self, models: models.isEmpty ? nil : models.map { $0.entityName }, level: level,
      token: token)
  }
}

extension Store {
  /// Makes an asynchronous sequence of the changes of some entities by their names.
  package func changes(
    ofEntities models: [String]?, level: ChangeLevel, after token: HistoryToken?
  ) -> ChangeStream {
    ChangeStream(store: self, models: models, level: level, token: token)
  }

  /// The level at which the store keeps a history; nil if it keeps none.
  package var historyLevel: ChangeLevel? {
    get throws {
      guard let history = try recordedHistory() else { return nil }
      return try read { tx in
        let state = try history.current(tx.engine)
        return state.isRecorded ? state.bounds.level : nil
      }
    }
  }
}

extension Persistable {
  /// The name of the model's entity.
  static var entityName: String { entity.description.name }
}
