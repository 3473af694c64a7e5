internal import ORMCore
internal import Synchronization

/// The change sets that a session has not looked at yet.
final class SessionFeed: Sendable {
  private struct Guarded {
    var sets: [ChangeSet] = []
    var observations: [String: ChangeObservation] = [:]
  }

  /// The most change sets that wait; the newest stands for all before it.
  private static var capacity: Int { 1_024 }
  private let guarded = Lock(Guarded())
  private let isNew = Atomic(false)

  /// True if change sets wait.
  var hasNews: Bool { isNew.load(ordering: .acquiring) }

  /// Begins to take in the changes of an entity.
  ///
  /// - Throws: `closed`, `unknownEntity`.
  func follow(_ entity: String, of store: any Store) throws {
    if guarded.withLock({ $0.observations[entity] != nil }) { return }
    let observation = try store.observeChanges(of: [entity], level: .values) { [weak self] set in
      self?.add(set)
    }
    guarded.withLock { $0.observations[entity] = observation }
  }

  private func add(_ set: ChangeSet) {
    guarded.withLock { guarded in
      if guarded.sets.count == Self.capacity {
        let entities = (guarded.sets + [set]).flatMap(\.entities).map {
          EntityChanges(entity: $0.entity, parents: $0.parents, isEverything: true)
        }
        guarded.sets = [ChangeSet(commit: set.commit, entities: Array(Set(entities)))]
      } else {
        guarded.sets.append(set)
      }
    }
    isNew.store(true, ordering: .releasing)
  }

  /// Takes the change sets that wait.
  func take() -> [ChangeSet] {
    isNew.store(false, ordering: .releasing)
    return guarded.withLock { guarded in
      defer { guarded.sets = [] }
      return guarded.sets
    }
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

/// The temporary keys of inserted objects, shared by a session and its children.
final class TemporaryKeys {
  /// The number of integers above the smallest that are temporary keys.
  private static var count: Int64 { 1 << 32 }
  private var last = Int64.min

  func next() -> Int64 {
    last += 1
    return last
  }

  static func contains(_ key: Int64) -> Bool { key < .min + count }
}
