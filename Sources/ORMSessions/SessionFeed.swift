internal import FoundationEssentials
internal import ORM
internal import ORMCore
internal import Synchronization

/// The commits that a session has not looked at yet.
///
/// The committing thread notes a commit of this process before the commit returns, so that a save's own
/// consequences are shown when it returns. Commits of other processes come on the queue of notices.
final class SessionFeed: Sendable {
  private enum News {
    /// A commit of this process, with the entities that were followed then.
    case commit(CommitNotice, RecordedCommit?, names: Set<String>)
    case set(ChangeSet)
  }

  private struct Guarded {
    var news: [News] = []
    /// The commit up to which everything may have changed, after too many were noted.
    var missed: CommitStamp?
    var names: Set<String> = []
    var observations: [String: ChangeObservation] = [:]
    var immediate: CommitObservation?
  }

  /// The most commits that wait.
  private static var capacity: Int { 1_024 }
  private let guarded = Lock(Guarded())
  private let isNew = Atomic(false)

  /// True if commits wait.
  var hasNews: Bool { isNew.load(ordering: .acquiring) }

  /// Begins to take in the changes of an entity.
  ///
  /// - Throws: `closed`, `unknownEntity`.
  func follow(_ entity: String, of store: any Store) throws {
    if guarded.withLock({ $0.observations[entity] != nil }) { return }
    let names = try store.names(of: entity, in: store.recordedSchema())
    if guarded.withLock({ $0.immediate == nil }) {
      let notices = store.runtime.transactions.notices
      let clock = store.runtime.options.now
      let id = notices.nextObserver()
      notices.addImmediate(id) { [weak self] notice, commit in
        if !notice.isFromOtherProcess { self?.note(notice, commit, clock) }
      }
      guarded.withLock { $0.immediate = CommitObservation(notices: notices, id: id) }
    }
    let observation = try store.observeChanges(of: [entity], level: .values) { [weak self] set in
      // The committing thread has noted the others, but for those that a history does not have any more.
      if set.commit.isFromOtherProcess || set.entities.contains(where: \.isEverything) {
        self?.add(.set(set), set.commit)
      }
    }
    guarded.withLock { guarded in
      guarded.observations[entity] = observation
      guarded.names.formUnion(names)
    }
  }

  private func note(
    _ notice: CommitNotice, _ commit: RecordedCommit?, _ clock: (@Sendable () -> Date)?
  ) {
    let names = guarded.withLock { $0.names }
    if !notice.entities.isEmpty, names.isDisjoint(with: notice.entities) { return }
    add(.commit(notice, commit, names: names), CommitStamp(notice, commit, clock: clock))
  }

  private func add(_ news: News, _ stamp: @autoclosure () -> CommitStamp) {
    guarded.withLock { guarded in
      if guarded.news.count == Self.capacity {
        guarded.news = []
        guarded.missed = stamp()
      } else {
        guarded.news.append(news)
      }
    }
    isNew.store(true, ordering: .releasing)
  }

  /// Takes the changes that wait, those of each commit in a set, in the order of the commits.
  func take(of store: any Store) -> [ChangeSet] {
    isNew.store(false, ordering: .releasing)
    let (news, missed, names) = guarded.withLock { guarded in
      defer { (guarded.news, guarded.missed) = ([], nil) }
      return (guarded.news, guarded.missed, guarded.names)
    }
    guard let schema = try? store.recordedSchema() else { return [] }
    var sets: [ChangeSet] = []
    if let missed { sets.append(ChangeSet(commit: missed, entities: schema.unknown(names))) }
    for item in news {
      switch item {
      case .set(let set): sets.append(set)
      case .commit(let notice, let commit, let names):
        let entities =
          commit?.changes(of: names, at: .values, written: notice.entities, schema)
          ?? schema.unknown(names.intersection(notice.entities))
        if !entities.isEmpty {
          sets.append(
            ChangeSet(
              commit: CommitStamp(notice, commit, clock: store.runtime.options.now),
              entities: entities))
        }
      }
    }
    return sets
  }

  /// Takes in no more changes.
  func stop() {
    let old = guarded.withLock { guarded in
      defer { guarded = Guarded() }
      return guarded
    }
    withExtendedLifetime(old) {}
  }
}
