public import Dispatch
public import ORMCore

/// The changes of a list of keys as an asynchronous sequence that follows the store.
///
/// ```swift
/// let snacks = store.observeList(Snack.all.sorted(by: .ascending(\.name))).keysOnly(window: 100)
/// for try await change in snacks { print(change.list.count, change.batch) }
/// ```
///
/// The first change inserts the whole list, and has the first rows. Each later one follows a commit that
/// changed the keys, the sections or a row of the window, or a look at a row outside of the window. The
/// rows of the window are those of the same commit as the keys.
public struct KeyListObservation<Model: PrimaryKeyed, Section: Sendable>: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = KeyListChange<Model, Section>

  private let store: any Store
  private let question: ListQuestion<Model>
  private let sectioning: ListSectioning<Section>
  private let window: Int

  init(
    _ store: any Store, _ question: ListQuestion<Model>, _ sectioning: ListSectioning<Section>,
    window: Int
  ) {
    self.store = store
    self.question = question
    self.sectioning = sectioning
    self.window = window
  }

  /// Begins an iteration, which fetches the keys.
  public func makeAsyncIterator() -> Iterator { Iterator(iterate()) }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    private let iteration: KeyListIteration<Model, Section>

    fileprivate init(_ iteration: KeyListIteration<Model, Section>) { self.iteration = iteration }

    /// Returns the next change, or nil at the end.
    ///
    /// - Throws: as a ``ListObservation``; `invalidCondition` if the query prefetches relationships.
    public mutating func next() async throws -> KeyListChange<Model, Section>? {
      try await iteration.next(isolation: #isolation)
    }

    /// Returns the next change on the caller's actor, or nil at the end.
    ///
    /// - Throws: as a ``ListObservation``; `invalidCondition` if the query prefetches relationships.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> KeyListChange<Model, Section>? {
      try await iteration.next(isolation: actor)
    }
  }

  /// Calls the handler on a queue with each change, one after another, until the hold is released.
  ///
  /// The next change comes once the call with the one before it has returned. A failure is the last
  /// call.
  ///
  /// - Returns: the hold on the observation, which ends with it.
  public func callback(
    on queue: DispatchQueue,
    _ handler: @escaping @Sendable (Result<KeyListChange<Model, Section>, any Error>) -> Void
  ) -> ObservationHold {
    let iteration = iterate()
    return ObservationHold(on: queue, handler) {
      try await iteration.next(isolation: nil)
    } cancel: {
      iteration.cancel()
    }
  }

  private func iterate() -> KeyListIteration<Model, Section> {
    KeyListIteration(
      StoreObservation(store: store, question: question.observedKeys, delivery: .newest), question,
      sectioning, ListWindow(size: window))
  }
}

@available(*, unavailable)
extension KeyListObservation.Iterator: Sendable {}

/// One iteration of an observed list of keys, which ends when it is released.
private final class KeyListIteration<Model: PrimaryKeyed, Section: Sendable>: Sendable {
  private let store: any Store
  private let question: ListQuestion<Model>
  private let sectioning: ListSectioning<Section>
  private let iteration: ObservationIteration<ListRows<Model.ID>>
  private let window: ListWindow
  private let verifies: Bool
  /// The list that was delivered last.
  private let last = Lock<KeyList<Model, Section>?>(nil)

  /// The most fetches of rows that commits change meanwhile.
  private static var attempts: Int { 100 }

  init(
    _ observation: StoreObservation<ListRows<Model.ID>>, _ question: ListQuestion<Model>,
    _ sectioning: ListSectioning<Section>, _ window: ListWindow
  ) {
    store = observation.store
    verifies = observation.verifies
    self.question = question
    self.sectioning = sectioning
    self.window = window
    iteration = ObservationIteration(observation)
    window.onAsk { [weak iteration] in iteration?.askAgain() }
  }

  deinit { cancel() }

  func cancel() { iteration.cancel() }

  func next(
    isolation actor: isolated (any Actor)?
  ) async throws -> KeyListChange<Model, Section>? {
    while let keys = try await iteration.next(isolation: actor) {
      do {
        if let change = try await change(to: keys) { return change }
      } catch let error as StoreError where error.code == .closed {
        break
      } catch is CancellationError {
        break
      } catch {
        cancel()
        throw error
      }
    }
    cancel()
    return nil
  }

  /// Fetches the rows of the window, and computes the changes to the next list; nil if it shows the same.
  @concurrent
  private func change(
    to keys: ListRows<Model.ID>
  ) async throws -> KeyListChange<Model, Section>? {
    let previous = last.withLock { $0 }
    var keys = keys
    var step = try KeyListStep(keys, after: previous, by: sectioning, window)
    var attempt = 0
    while !step.missing.isEmpty {
      let missing = step.missing
      let found = try await store.read(consistency: .latestCommit) { [question] transaction in
        try question.rows(with: missing, transaction)
      }
      if step.add(found) { break }
      // A commit changed a row since: the list after it will come, unless the change was undone.
      attempt += 1
      if attempt == Self.attempts { break }
      if attempt > 1 { try await Task.sleep(for: .milliseconds(1)) }
      if let newer = iteration.takeWaiting() {
        keys = newer
        step = try KeyListStep(keys, after: previous, by: sectioning, window)
      }
    }
    let change = step.change(hasSections: sectioning.whole == nil)
    if verifies { try change.verify(hasSections: sectioning.whole == nil) }
    last.withLock { $0 = change.list }
    return change.isFirst || !change.steps.isEmpty ? change : nil
  }
}
