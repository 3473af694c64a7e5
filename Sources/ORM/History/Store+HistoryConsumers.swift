public import ORMCore

extension Store {
  /// Returns the consumer of the history with a name, and adds it to the store if it is new.
  ///
  /// ```swift
  /// let consumer = try await store.historyConsumer("search index", of: Snack.self)
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name, under which the store keeps the position.
  ///   - models: the models whose changes are handled; all without any.
  ///   - token: the position of a new consumer; the newest commit unless it is given.
  /// - Throws: `historyOff`, `unknownEntity`, `wrongStore`, `historyTruncated`, and the errors of
  ///   `write`.
  public func historyConsumer(
    _ name: String, of models: any Persistable.Type..., after token: HistoryToken? = nil
  ) throws -> HistoryConsumer {
    let consumer = try consumer(name, models.map { $0.entityName })
    let isKnown = try read { try $0.recordedHistory().1.consumers[name] != nil }
    if !isKnown { try operation { try $0.add(consumer, after: token) } }
    return consumer
  }

  /// Returns the consumer of the history with a name, and adds it to the store if it is new, off the
  /// cooperative pool.
  ///
  /// ```swift
  /// let consumer = try await store.historyConsumer("search index", of: Snack.self)
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name, under which the store keeps the position.
  ///   - models: the models whose changes are handled; all without any.
  ///   - token: the position of a new consumer; the newest commit unless it is given.
  /// - Throws: as the synchronous function.
  public func historyConsumer(
    _ name: String, of models: any Persistable.Type..., after token: HistoryToken? = nil
  ) async throws -> HistoryConsumer {
    let consumer = try consumer(name, models.map { $0.entityName })
    let isKnown = try await read { try $0.recordedHistory().1.consumers[name] != nil }
    if !isKnown { try await writeOperation(rows: .max) { try $0.add(consumer, after: token) } }
    return consumer
  }

  private func consumer(_ name: String, _ models: [String]) throws -> HistoryConsumer {
    guard let history = try recordedHistory() else { throw StoreHistory.off }
    for model in models where history.schema.names(of: model).isEmpty {
      throw StoreError(
        .unknownEntity, "the store's schema has no entity of this name", entity: model)
    }
    return HistoryConsumer(
      name: name, store: self, history: history, models: models.isEmpty ? nil : models)
  }

  /// The consumers of the history by their names, with their positions.
  ///
  /// Names that Swift holds equal share an entry, such as two spellings of one text.
  ///
  /// ```swift
  /// for (name, token) in try store.historyConsumers { print(name, token) }
  /// ```
  ///
  /// - Throws: `historyOff`, and the errors of `read`.
  public var historyConsumers: [String: HistoryToken] {
    get throws {
      try read { tx in
        let (history, state) = try tx.recordedHistory()
        return state.consumers.reduce(into: [:]) {
          $0[$1.key.text] = HistoryToken(store: history.store, number: $1.value.number)
        }
      }
    }
  }
}
