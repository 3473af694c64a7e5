internal import ORMStorage
internal import Synchronization

/// An observation to which commits are reported.
package protocol CommitObserver: AnyObject, Sendable {
  /// Takes the next commit; called on the queue of the scheduler's notices, in the order of commits.
  func take(_ commit: ObservedCommit)
  /// The store was closed.
  func close()
  /// True while a value is fetched.
  var isFetching: Bool { get }
  /// True if writes wait until their changes are in its value.
  var isImmediate: Bool { get }
  /// Waits for the fetch that runs, if writes wait for its values.
  func waitForFetch()
}

/// The observations of a store, and the entities that they read.
///
/// All of them share one listener: a commit is handed to those alone that read an entity that it
/// changed.
package final class ObserverRegistry: Sendable {
  /// An observation, under `guarded`.
  private final class Entry {
    weak var observer: (any CommitObserver)?
    var names: Set<String> = []
    /// True if every commit is handed over, even one that changed none of the entities read.
    var takesAll = true
    let isImmediate: Bool

    init(_ observer: any CommitObserver) {
      self.observer = observer
      isImmediate = observer.isImmediate
    }
  }

  private struct Guarded {
    var entries: [UInt64: Entry] = [:]
    var takingAll: [UInt64: Entry] = [:]
    var byName: [String: [UInt64: Entry]] = [:]

    mutating func set(_ id: UInt64, names: Set<String>, takesAll: Bool) {
      guard let entry = entries[id] else { return }
      for name in entry.names.subtracting(names) {
        byName[name]?[id] = nil
        if byName[name]?.isEmpty == true { byName[name] = nil }
      }
      for name in names.subtracting(entry.names) { byName[name, default: [:]][id] = entry }
      entry.names = names
      entry.takesAll = takesAll
      takingAll[id] = takesAll ? entry : nil
    }

    /// The observations that read some entities, and those that take all commits.
    func observers(of names: Set<String>) -> [any CommitObserver] {
      var found = takingAll
      for name in names {
        guard let entries = byName[name] else { continue }
        if found.isEmpty {
          found = entries
        } else {
          found.merge(entries) { entry, _ in entry }
        }
      }
      return found.values.compactMap(\.observer)
    }
  }

  /// The listener of all observations.
  private struct Listener {
    let id: UInt64
    var names: Set<String> = []
    /// The number of the last observation.
    var last: UInt64 = 0
  }

  private let guarded = Lock(Guarded())
  /// The number of observations for whose values writes wait.
  private let immediates = Atomic(0)
  /// Held while observations are added, removed or read other entities; taken before `guarded`.
  private let listener = Lock<Listener?>(nil)

  /// Adds an observation, which takes all commits from now on, and returns its number.
  ///
  /// - Throws: `closed`, `forked`.
  package func add(_ observer: any CommitObserver, in scheduler: TransactionScheduler) throws
    -> UInt64
  {
    // In a child, another thread of its parent may hold the lock.
    try scheduler.forkCheck.check()
    let id = try listener.withLock { listener in
      var current = try listener ?? begin(in: scheduler)
      // Numbers rise for as long as the scheduler gives them to listeners.
      current.last = scheduler.notices.nextObserver()
      let id = current.last
      listener = current
      guarded.withLock { guarded in
        let entry = Entry(observer)
        guarded.entries[id] = entry
        guarded.takingAll[id] = entry
      }
      if observer.isImmediate { immediates.add(1, ordering: .releasing) }
      return id
    }
    // A store that is closed from here on ends the observation.
    do { try scheduler.checkListening() } catch {
      remove(id, in: scheduler)
      throw error
    }
    return id
  }

  /// Sets the entities that an observation reads; all without any.
  package func set(
    _ id: UInt64, names: Set<String>?, takesAll: Bool = false, in scheduler: TransactionScheduler
  ) {
    listener.withLock { listener in
      guarded.withLock { $0.set(id, names: names ?? [], takesAll: takesAll || names == nil) }
      update(&listener, scheduler)
    }
  }

  /// Lets an observation take all commits, even of entities that it does not read.
  package func takeAll(_ id: UInt64) {
    guarded.withLock { guarded in
      guard let entry = guarded.entries[id], !entry.takesAll else { return }
      guarded.set(id, names: entry.names, takesAll: true)
    }
  }

  /// Removes an observation; the last one takes the listener with it.
  package func remove(_ id: UInt64, in scheduler: TransactionScheduler) {
    listener.withLock { listener in
      let isLast = guarded.withLock { guarded in
        guarded.set(id, names: [], takesAll: false)
        let entry = guarded.entries.removeValue(forKey: id)
        if entry?.isImmediate == true { immediates.subtract(1, ordering: .releasing) }
        return guarded.entries.isEmpty
      }
      guard isLast, let current = listener else { return update(&listener, scheduler) }
      scheduler.notices.removeObserver(current.id)
      scheduler.listeners.remove(current.id)
      listener = nil
    }
  }

  /// Waits until the commits so far are in the values of observations with `immediate` delivery; to be
  /// called by the writer after its commit.
  package func settleImmediates(in scheduler: TransactionScheduler) {
    if immediates.load(ordering: .acquiring) == 0 || scheduler.notices.isOnQueue { return }
    // A fetch that was under way is followed by another.
    while true {
      scheduler.notices.drain()
      let fetching = guarded.withLock { guarded in
        guarded.entries.values.compactMap(\.observer).filter { $0.isImmediate && $0.isFetching }
      }
      if fetching.isEmpty { return }
      for observer in fetching { observer.waitForFetch() }
    }
  }

  private func begin(in scheduler: TransactionScheduler) throws -> Listener {
    let id = try scheduler.beginListening { [weak self] in
      self?.close()
    } handler: { [weak self] notice, commit in
      self?.take(notice, commit)
    }
    return Listener(id: id)
  }

  /// Asks for the changes of the entities that are read now.
  private func update(_ listener: inout Listener?, _ scheduler: TransactionScheduler) {
    guard var current = listener else { return }
    let names = guarded.withLock { Set($0.byName.keys) }
    if names == current.names { return }
    current.names = names
    listener = current
    scheduler.listeners.set(
      current.id, names: names, level: names.isEmpty ? .entities : .values)
  }

  // MARK: - Commits

  private func take(_ notice: CommitNotice, _ commit: RecordedCommit?) {
    let commit = ObservedCommit(notice, commit)
    let names = commit.names
    let observers = guarded.withLock { guarded -> [any CommitObserver] in
      guard let names else { return guarded.entries.values.compactMap(\.observer) }
      return guarded.observers(of: names)
    }
    for observer in observers { observer.take(commit) }
  }

  /// The number of observations.
  package var count: Int { guarded.withLock { $0.entries.count } }

  /// True while an observation fetches a value.
  package var isFetching: Bool {
    let observers = guarded.withLock { $0.entries.values.compactMap(\.observer) }
    return observers.contains { $0.isFetching }
  }

  private func close() {
    let observers = guarded.withLock { $0.entries.values.compactMap(\.observer) }
    for observer in observers { observer.close() }
  }
}

extension TransactionScheduler {
  /// Checks that listeners may come.
  ///
  /// - Throws: `closed`, `forked`.
  fileprivate func checkListening() throws {
    try forkCheck.check()
    guard guarded.withLock({ $0.state.phase == .open }) else {
      throw StoreError(.closed, "the store was closed")
    }
  }

  /// Adds a listener to commits that asks for no changes yet, and returns its number.
  fileprivate func beginListening(
    onEnd end: @escaping @Sendable () -> Void,
    handler: @escaping @Sendable (CommitNotice, RecordedCommit?) -> Void
  ) throws -> UInt64 {
    let id = notices.nextObserver()
    try listeners.add(id, names: [], level: .entities, end: end)
    beginWatching { notices.addObserver(id, handler) }
    return id
  }
}
