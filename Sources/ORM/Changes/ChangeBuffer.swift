internal import ORMCore

/// The sets that an iteration over changes has not read yet.
final class ChangeBuffer: Sendable {
  /// The next element of the iteration.
  enum Step {
    case set(ChangeSet)
    /// Sets were dropped, which are in the history.
    case behind
    case ended
  }

  private struct Guarded {
    var sets: [ChangeSet] = []
    /// The number of sets at the front that were read.
    var read = 0
    var waiters: [(id: UInt64, continuation: CheckedContinuation<Step, Never>)] = []
    var lastWaiter: UInt64 = 0
    var isBehind = false
    var isEnded = false
  }

  /// The most sets that wait.
  private static let capacity = 1_024
  private let guarded = Lock(Guarded())
  /// The changes of the set that replaces many; nil if those are read from the history.
  private let everything: [EntityChanges]?

  init(everything: [EntityChanges]?) { self.everything = everything }

  func add(_ set: ChangeSet) {
    let waiter = guarded.withLock { guarded -> CheckedContinuation<Step, Never>? in
      if guarded.isEnded || guarded.isBehind { return nil }
      if !guarded.waiters.isEmpty { return guarded.waiters.removeFirst().continuation }
      guarded.sets.append(set)
      if guarded.sets.count - guarded.read > Self.capacity {
        guarded.sets = everything.map { [ChangeSet(commit: set.commit, entities: $0)] } ?? []
        guarded.isBehind = everything == nil
        guarded.read = 0
      }
      return nil
    }
    waiter?.resume(returning: .set(set))
  }

  /// Ends the iteration once the sets that wait are read.
  func end() {
    let waiters = guarded.withLock { guarded in
      guarded.isEnded = true
      defer { guarded.waiters = [] }
      return guarded.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: .ended) }
  }

  /// Returns the next step.
  ///
  /// After `behind`, sets are buffered again, so that none is lost between the history that is read
  /// then and them.
  func next(isolation actor: isolated (any Actor)?) async -> Step {
    let id = guarded.withLock { guarded in
      guarded.lastWaiter += 1
      return guarded.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: actor) { continuation in
        let step = guarded.withLock { guarded -> Step? in
          if Task.isCancelled { return .ended }
          if guarded.read < guarded.sets.count { return .set(Self.take(&guarded)) }
          if guarded.isBehind {
            guarded.isBehind = false
            return .behind
          }
          if guarded.isEnded { return .ended }
          guarded.waiters.append((id, continuation))
          return nil
        }
        if let step { continuation.resume(returning: step) }
      }
    } onCancel: {
      let waiter = guarded.withLock { guarded in
        guarded.waiters.firstIndex { $0.id == id }.map { guarded.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: .ended)
    }
  }

  private static func take(_ guarded: inout Guarded) -> ChangeSet {
    let set = guarded.sets[guarded.read]
    guarded.read += 1
    if guarded.read == guarded.sets.count || guarded.read > capacity {
      guarded.sets.removeFirst(guarded.read)
      guarded.read = 0
    }
    return set
  }
}
