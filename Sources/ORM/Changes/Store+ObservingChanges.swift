internal import ORMCore

extension Store {
  /// Calls the handler with the change set of every commit from now on, one after another, on a
  /// queue of the store's scheduler.
  ///
  /// A commit that changes none of the models in the end has no change set.
  ///
  /// - Parameters:
  ///   - models: the entities of the program; nil for all.
  ///   - end: called once if the store is closed.
  /// - Throws: `closed`, `unknownEntity`.
  package func observeChanges(
    of models: [String]?, level: ChangeLevel, onEnd end: @escaping @Sendable () -> Void = {},
    _ handler: @escaping @Sendable (ChangeSet) -> Void
  ) throws -> ChangeObservation {
    let schema = try recordedSchema()
    var names: Set<String>?
    if let models {
      names = []
      for model in models { try names?.formUnion(self.names(of: model, in: schema)) }
    }
    // Read before the listener is added: commits between the two are found in the history.
    let reader = try historyReader(HistoryQuestion(of: models, level: level, in: schema))
    let first = try reader?.newest()
    let follower = reader.map { HistoryFollower($0, after: first ?? 0, handler) }
    let clock = runtime.options.now
    return try runtime.transactions.observeChanges(
      of: names, level: level, first: first ?? 0, onEnd: end
    ) { [names] notice, commit in
      if let follower {
        if notice.isFromOtherProcess { return follower.takeOther() }
        if let token = commit?.token, !follower.takeOwn(token.number) { return }
      }
      let entities: [EntityChanges]
      if let commit, !notice.isFromOtherProcess {
        entities = commit.changes(of: names, at: level, written: notice.entities, schema)
      } else {
        let known = notice.entities.isEmpty ? nil : notice.entities
        entities = schema.unknown(known.map { names?.intersection($0) ?? $0 } ?? names)
      }
      if entities.isEmpty { return }
      handler(ChangeSet(commit: CommitStamp(notice, commit, clock: clock), entities: entities))
    }
  }

  /// The entities whose rows are objects of a model, by its name.
  ///
  /// - Throws: `unknownEntity`.
  package func names(of model: String, in schema: RecordedSchema) throws -> [String] {
    let names = schema.names(of: model)
    if names.isEmpty {
      throw StoreError(
        .unknownEntity, "the store's schema has no entity of this name", entity: model)
    }
    return names
  }
}
