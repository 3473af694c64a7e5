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
/// the store is closed. Sets that are not read yet wait in memory. If more than 1,024 wait, one set
/// takes their place, which reports everything (``EntityChanges/isEverything``).
public struct ChangeStream: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = ChangeSet

  let store: any Store
  /// The models' entities; nil for all.
  let models: [String]?
  let level: ChangeLevel

  /// Begins an iteration: every commit from now on is reported.
  public func makeAsyncIterator() -> Iterator { Iterator(ChangeIteration(self)) }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    private let iteration: ChangeIteration

    init(_ iteration: ChangeIteration) { self.iteration = iteration }

    /// Returns the next change set, or nil at the end.
    ///
    /// - Throws: `closed` if the store was closed before the iteration began, `unknownEntity`.
    public mutating func next() async throws -> ChangeSet? {
      try await iteration.next(isolation: #isolation)
    }

    /// Returns the next change set on the caller's actor, or nil at the end.
    ///
    /// - Throws: `closed` if the store was closed before the iteration began, `unknownEntity`.
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
  /// - Parameter level: the detail of the sets. Writes cost more while someone asks for it: `keys`
  ///   costs least, and set-based changes and updates read rows for the others.
  public func changes(
    of models: any Persistable.Type..., level: ChangeLevel = .keys
  ) -> ChangeStream {
    ChangeStream(
      store: self, models: models.isEmpty ? nil : models.map { $0.entityName }, level: level)
  }
}

extension Persistable {
  fileprivate static var entityName: String { entity.description.name }
}

/// The sets that an iteration has not read yet.
private final class ChangeBuffer: Sendable {
  private struct Guarded {
    var sets: [ChangeSet] = []
    /// The number of sets at the front that were read.
    var read = 0
    var waiters: [(id: UInt64, continuation: CheckedContinuation<ChangeSet?, Never>)] = []
    var lastWaiter: UInt64 = 0
    var isEnded = false
  }

  /// The most sets that wait.
  private static let capacity = 1_024
  private let guarded = Lock(Guarded())
  private let everything: [EntityChanges]

  init(everything: [EntityChanges]) { self.everything = everything }

  func add(_ set: ChangeSet) {
    let waiter = guarded.withLock { guarded -> CheckedContinuation<ChangeSet?, Never>? in
      if guarded.isEnded { return nil }
      if !guarded.waiters.isEmpty { return guarded.waiters.removeFirst().continuation }
      guarded.sets.append(set)
      if guarded.sets.count - guarded.read > Self.capacity {
        guarded.sets = [ChangeSet(commit: set.commit, entities: everything)]
        guarded.read = 0
      }
      return nil
    }
    waiter?.resume(returning: set)
  }

  /// Ends the iteration once the sets that wait are read.
  func end() {
    let waiters = guarded.withLock { guarded in
      guarded.isEnded = true
      defer { guarded.waiters = [] }
      return guarded.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }

  func next(isolation actor: isolated (any Actor)?) async -> ChangeSet? {
    let id = guarded.withLock { guarded in
      guarded.lastWaiter += 1
      return guarded.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: actor) { continuation in
        let (isReady, set) = guarded.withLock { guarded -> (Bool, ChangeSet?) in
          if Task.isCancelled { return (true, nil) }
          if guarded.read < guarded.sets.count { return (true, Self.take(&guarded)) }
          if guarded.isEnded { return (true, nil) }
          guarded.waiters.append((id, continuation))
          return (false, nil)
        }
        if isReady { continuation.resume(returning: set) }
      }
    } onCancel: {
      let waiter = guarded.withLock { guarded in
        guarded.waiters.firstIndex { $0.id == id }.map { guarded.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: nil)
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

/// An iteration over changes; its listener goes with it.
final class ChangeIteration: Sendable {
  private let begun: Result<(buffer: ChangeBuffer, observation: ChangeObservation), any Error>

  init(_ stream: ChangeStream) {
    begun = Result {
      let schema = try stream.store.recordedSchema()
      let names = stream.models.map { models in
        Set(
          schema.names.filter { name in
            models.contains(name) || schema.parents[name]?.contains(where: models.contains) == true
          })
      }
      let buffer = ChangeBuffer(everything: schema.unknown(names))
      let observation = try stream.store.observeChanges(
        of: stream.models, level: stream.level, onEnd: { [weak buffer] in buffer?.end() }
      ) { [weak buffer] in buffer?.add($0) }
      return (buffer, observation)
    }
  }

  func next(isolation actor: isolated (any Actor)?) async throws -> ChangeSet? {
    let (buffer, observation) = try begun.get()
    let set = await buffer.next(isolation: actor)
    if set == nil { observation.cancel() }
    return set
  }
}
