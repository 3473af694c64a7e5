internal import FoundationEssentials
internal import ORMCore
internal import Synchronization

/// The levels at which changes of entities are asked for.
package struct ChangeLevels: Sendable {
  /// The level at which all entities are asked for.
  private var all: ChangeLevel?
  private var byName: [String: ChangeLevel] = [:]

  package init(_ asked: some Sequence<(names: Set<String>?, level: ChangeLevel)>) {
    for (names, level) in asked {
      guard let names else {
        all = max(all ?? level, level)
        continue
      }
      for name in names { byName[name] = max(byName[name] ?? level, level) }
    }
  }

  /// The levels with one more that asks.
  func adding(_ asked: (names: Set<String>?, level: ChangeLevel)) -> ChangeLevels {
    var levels = self
    guard let names = asked.names else {
      levels.all = max(all ?? asked.level, asked.level)
      return levels
    }
    for name in names {
      levels.byName[name] = max(byName[name] ?? asked.level, asked.level)
    }
    return levels
  }

  /// The level of an entity of the program; nil if no listener asks for it.
  func level(of name: String) -> ChangeLevel? {
    guard let own = byName[name] else { return all }
    return max(own, all ?? own)
  }

  /// The level at which rows are recorded; nil if no listener asks for their keys.
  func level(of recorded: RecordedEntity) -> ChangeLevel? {
    recorded.entities.compactMap { level(of: $0) }.max().flatMap { $0 < .keys ? nil : $0 }
  }
}

/// The listeners to the changes of a store.
package final class ChangeListeners: Sendable {
  private struct Guarded {
    var asked: [UInt64: (names: Set<String>?, level: ChangeLevel)] = [:]
    var ends: [UInt64: @Sendable () -> Void] = [:]
    var levels: ChangeLevels?
    var isClosed = false
  }

  private let guarded = Lock(Guarded())
  /// The greatest level of all listeners; negative if there are none.
  private let greatest = Atomic<Int>(-1)

  /// True if there are listeners.
  var isListening: Bool { greatest.load(ordering: .acquiring) >= 0 }

  /// The levels at which a transaction that begins now is recorded; nil if it is not.
  ///
  /// Costs one load while no listener asks for more than entities.
  @inline(__always)
  package var recording: ChangeLevels? {
    greatest.load(ordering: .acquiring) >= ChangeLevel.keys.rawValue
      ? guarded.withLock { $0.levels } : nil
  }

  /// Adds a listener under its number.
  ///
  /// - Parameter end: called once if the store is closed before the listener goes.
  /// - Throws: `closed`.
  func add(
    _ id: UInt64, names: Set<String>?, level: ChangeLevel, end: @escaping @Sendable () -> Void
  ) throws {
    try guarded.withLock { guarded in
      if guarded.isClosed { throw StoreError(.closed, "the store was closed") }
      guarded.asked[id] = (names, level)
      guarded.ends[id] = end
      update(&guarded)
    }
  }

  /// Changes the entities and the level that a listener asks for.
  func set(_ id: UInt64, names: Set<String>?, level: ChangeLevel) {
    guarded.withLock { guarded in
      guard guarded.asked[id] != nil else { return }
      guarded.asked[id] = (names, level)
      update(&guarded)
    }
  }

  /// Removes a listener.
  func remove(_ id: UInt64) {
    let end = guarded.withLock { guarded in
      guarded.asked[id] = nil
      update(&guarded)
      return guarded.ends.removeValue(forKey: id)
    }
    withExtendedLifetime(end) {}
  }

  /// Ends every listener, and lets none come any more.
  func close() {
    let ends = guarded.withLock { guarded in
      guarded.isClosed = true
      guarded.asked = [:]
      update(&guarded)
      defer { guarded.ends = [:] }
      return Array(guarded.ends.values)
    }
    for end in ends { end() }
  }

  private func update(_ guarded: inout Guarded) {
    guarded.levels = guarded.asked.isEmpty ? nil : ChangeLevels(guarded.asked.values)
    let greatest = guarded.asked.values.map(\.level).max()
    self.greatest.store(greatest?.rawValue ?? -1, ordering: .releasing)
  }
}

/// The hold on a listener to changes: the listener goes with it.
package final class ChangeObservation: Sendable {
  /// Not the scheduler: its readers keep the file of a released store open.
  private let listeners: ChangeListeners
  private let observation: CommitObservation
  private let id: UInt64
  private let fork = ForkCheck()
  /// The number of the newest commit of the history from before; 0 without one.
  let firstNumber: UInt64

  init(
    _ listeners: ChangeListeners, _ observation: CommitObservation, id: UInt64, first: UInt64
  ) {
    firstNumber = first
    self.listeners = listeners
    self.observation = observation
    self.id = id
  }

  deinit { cancel() }

  /// Ends the observation; a call of the handler that has begun may still be running.
  package func cancel() {
    // In a child, threads of its parent may hold the locks.
    if fork.isInherited { return }
    observation.cancel()
    listeners.remove(id)
  }
}

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
    let reader = try historyReader(HistoryQuestion(names: names, level: level))
    let first = try reader?.newest()
    let follower = reader.map { HistoryFollower($0, after: first ?? 0, handler) }
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
      handler(ChangeSet(commit: CommitStamp(notice, commit), entities: entities))
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

extension CommitStamp {
  package init(_ notice: CommitNotice, _ commit: RecordedCommit?) {
    self.init(
      number: commit?.token?.number ?? notice.sequence, token: commit?.token,
      timestamp: commit?.timestamp ?? Date(), author: commit?.author,
      isFromOtherProcess: notice.isFromOtherProcess)
  }
}

extension TransactionScheduler {
  /// Adds a listener to changes and an observer of commits.
  fileprivate func observeChanges(
    of names: Set<String>?, level: ChangeLevel, first: UInt64,
    onEnd end: @escaping @Sendable () -> Void,
    _ handler: @escaping @Sendable (CommitNotice, RecordedCommit?) -> Void
  ) throws -> ChangeObservation {
    try forkCheck.check()
    guard guarded.withLock({ $0.state.phase == .open }) else {
      throw StoreError(.closed, "the store was closed")
    }
    let id = notices.nextObserver()
    try listeners.add(id, names: names, level: level, end: end)
    beginWatching { notices.addObserver(id, handler) }
    return ChangeObservation(
      listeners, CommitObservation(notices: notices, id: id), id: id, first: first)
  }
}
