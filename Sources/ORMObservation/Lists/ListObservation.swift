public import Dispatch
public import ORMCore

/// The changes of a list as an asynchronous sequence that follows the store.
///
/// ```swift
/// let list = store.observeList(
///   Player.all.sorted(by: .ascending { $0.team.name }, .ascending(\.name)),
///   sectionedBy: { $0.team.name })
/// for try await change in list {
///   print(change.list.count, change.batch)
/// }
/// ```
///
/// The first change inserts the whole list. Each later one is the difference between the list that was
/// delivered before and the list after a commit that changed it. For the rest, it is a ``StoreObservation``.
public struct ListObservation<Model: PrimaryKeyed, Section: Sendable>: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = ListChange<Model, Section>

  private let question: ListQuestion<Model>
  private let observation: StoreObservation<ListRows<Model>>
  private let sectioning: ListSectioning<Section>

  init(
    _ store: any Store, _ query: Query<Model>, _ delivery: ObservationDelivery,
    _ sectioning: ListSectioning<Section>
  ) {
    self.sectioning = sectioning
    question = ListQuestion(query: query, operand: sectioning.operand)
    observation = StoreObservation(
      store: store, question: question.observed, delivery: delivery)
  }

  /// Observes the keys of the list instead of its rows, and the rows of a window of it.
  ///
  /// For results whose rows are too large to hold. Rows outside of the window are fetched once they are
  /// looked at; see ``KeyList``.
  ///
  /// ```swift
  /// let all = store.observeList(Snack.all.sorted(by: .ascending(\.name)))
  /// for try await change in all.keysOnly(window: 100) {
  ///   print(change.list.count, change.list[0, 0]?.name ?? "is fetched")
  /// }
  /// ```
  ///
  /// - Parameter window: the most rows that are held, at least 1.
  /// - Returns: the list, of which a slow consumer gets the newest change alone. Its iteration throws
  ///   `invalidCondition` if the query prefetches relationships.
  public func keysOnly(window: Int) -> KeyListObservation<Model, Section> {
    KeyListObservation(observation.store, question, sectioning, window: Swift.max(1, window))
  }

  /// Begins an iteration, which fetches the list.
  public func makeAsyncIterator() -> Iterator {
    Iterator(ListIteration(observation, sectioning))
  }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    private let iteration: ListIteration<Model, Section>

    fileprivate init(_ iteration: ListIteration<Model, Section>) { self.iteration = iteration }

    /// Returns the next change, or nil at the end.
    ///
    /// - Throws: as a ``StoreObservation``; `invalidCondition` if the order does not begin with the
    ///   sections.
    public mutating func next() async throws -> ListChange<Model, Section>? {
      try await iteration.next(isolation: #isolation)
    }

    /// Returns the next change on the caller's actor, or nil at the end.
    ///
    /// The difference is computed off the actor.
    ///
    /// - Throws: as a ``StoreObservation``; `invalidCondition` if the order does not begin with the
    ///   sections.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> ListChange<Model, Section>? {
      try await iteration.next(isolation: actor)
    }
  }

  /// Calls the handler on a queue with each change, one after another, until the hold is released.
  ///
  /// ```swift
  /// let hold = store.observeList(Snack.all.sorted(by: .ascending(\.name)))
  ///   .callback(on: .main) { result in
  ///     if case .success(let change) = result { print(change.batch) }
  ///   }
  /// ```
  ///
  /// The next change comes once the call with the one before it has returned. A failure is the last
  /// call.
  ///
  /// - Returns: the hold on the observation, which ends with it.
  public func callback(
    on queue: DispatchQueue,
    _ handler: @escaping @Sendable (Result<ListChange<Model, Section>, any Error>) -> Void
  ) -> ObservationHold {
    let iteration = ListIteration(observation, sectioning)
    return ObservationHold(on: queue, handler) {
      try await iteration.next(isolation: nil)
    } cancel: {
      iteration.cancel()
    }
  }

  /// Begins an iteration whose first change leads from a list.
  func iterate(after last: SectionedList<Model, Section>?) -> ListIteration<Model, Section> {
    ListIteration(observation, sectioning, after: last)
  }

  /// Begins an iteration whose changes are taken without waiting; for tests.
  ///
  /// - Throws: `closed`.
  package func follow() throws -> FollowedList<Model, Section> {
    FollowedList(
      try observation.follow(), ListDelivery(sectioning, verifies: observation.verifies))
  }
}

@available(*, unavailable)
extension ListObservation.Iterator: Sendable {}

extension StoreObservation {
  var verifies: Bool { store.runtime.options.verifiesObservations }
}

/// The list that was delivered last.
private final class ListDelivery<Model: PrimaryKeyed, Section: Sendable>: Sendable {
  private let sectioning: ListSectioning<Section>
  private let verifies: Bool
  private let last: Lock<SectionedList<Model, Section>?>

  init(
    _ sectioning: ListSectioning<Section>, verifies: Bool,
    after last: SectionedList<Model, Section>? = nil
  ) {
    self.sectioning = sectioning
    self.verifies = verifies
    self.last = Lock(last)
  }

  /// Computes the changes to the next list, which is then the last.
  func change(to rows: ListRows<Model>) throws -> ListChange<Model, Section> {
    let previous = last.withLock { $0 }
    let list = try SectionedList(rows, by: sectioning, after: previous)
    let change = ListChange(list, after: previous, hasSections: sectioning.whole == nil)
    if verifies { try change.verify() }
    last.withLock { $0 = list }
    return change
  }

  /// Computes the changes to the next list off the caller's actor.
  @concurrent
  func changeOffActor(to rows: ListRows<Model>) async throws -> ListChange<Model, Section> {
    try change(to: rows)
  }
}

/// One iteration of an observed list, which ends when it is released.
final class ListIteration<Model: PrimaryKeyed, Section: Sendable>: Sendable {
  private let iteration: ObservationIteration<ListRows<Model>>
  private let delivery: ListDelivery<Model, Section>

  init(
    _ observation: StoreObservation<ListRows<Model>>, _ sectioning: ListSectioning<Section>,
    after last: SectionedList<Model, Section>? = nil
  ) {
    iteration = ObservationIteration(observation)
    delivery = ListDelivery(sectioning, verifies: observation.verifies, after: last)
  }

  func cancel() { iteration.cancel() }

  func next(isolation actor: isolated (any Actor)?) async throws -> ListChange<Model, Section>? {
    guard let rows = try await iteration.next(isolation: actor) else { return nil }
    do {
      return try await delivery.changeOffActor(to: rows)
    } catch {
      cancel()
      throw error
    }
  }
}

/// An iteration of an observed list whose changes are taken without waiting; for tests.
package final class FollowedList<Model: PrimaryKeyed, Section: Sendable>: Sendable {
  private let followed: FollowedObservation<ListRows<Model>>
  private let delivery: ListDelivery<Model, Section>

  fileprivate init(
    _ followed: FollowedObservation<ListRows<Model>>, _ delivery: ListDelivery<Model, Section>
  ) {
    self.followed = followed
    self.delivery = delivery
  }

  /// Waits until all commits so far are in the list, and returns the changes since the last call.
  ///
  /// - Throws: the error that ended the observation, once.
  package func take() throws -> [ListChange<Model, Section>] {
    try followed.take().map { try delivery.change(to: $0) }
  }

  /// The number of fetches that were begun.
  package var fetchCount: Int { followed.fetchCount }

  /// True if the observation has ended.
  package var isEnded: Bool { followed.isEnded }
}

extension Store {
  /// Makes an asynchronous sequence of the changes of a list without sections, which follows the store.
  ///
  /// ```swift
  /// for try await change in store.observeList(Snack.all.sorted(by: .ascending(\.name))) {
  ///   print(change.steps.insertedRows.map { change.list[$0].name })
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: the rows of the list, in its order.
  ///   - delivery: the changes that a slow consumer gets.
  public func observeList<Model: PrimaryKeyed>(
    _ query: Query<Model>, _ delivery: ObservationDelivery = .newest
  ) -> ListObservation<Model, Void> {
    ListObservation(self, query, delivery, .none(()))
  }

  /// Makes an asynchronous sequence of the changes of a list with sections, which follows the store.
  ///
  /// ```swift
  /// let snacks = Snack.all.sorted(by: .ascending(\.taste), .ascending(\.name))
  /// for try await change in store.observeList(snacks, sectionedBy: \.taste) {
  ///   print(change.list.sections.map { "\($0.title): \($0.count)" })
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: the rows of the list, in its order.
  ///   - delivery: the changes that a slow consumer gets.
  ///   - path: the attribute by whose values rows are sectioned. The order begins with it.
  public func observeList<Model: PrimaryKeyed, Section: AttributeValue>(
    _ query: Query<Model>, _ delivery: ObservationDelivery = .newest,
    sectionedBy path: AttributePath<Model, Section>
  ) -> ListObservation<Model, Section> {
    ListObservation(self, query, delivery, ListSectioning(Query<Model>().select(path)))
  }

  /// Makes an asynchronous sequence of the changes of a list with sections, which follows the store.
  ///
  /// ```swift
  /// let players = Player.all.sorted(by: .ascending { $0.team.name }, .ascending(\.name))
  /// for try await change in store.observeList(players, sectionedBy: { $0.team.name }) {
  ///   print(change.list.sections.map(\.title))
  /// }
  /// ```
  ///
  /// If the order compares texts by options, the sections are the texts as these options fold them:
  /// `.ascending(\.name, .caseInsensitive)` goes with `{ $0.name.folded(.caseInsensitive) }`.
  ///
  /// - Parameters:
  ///   - query: the rows of the list, in its order.
  ///   - delivery: the changes that a slow consumer gets.
  ///   - body: the value by which a row is sectioned. The order begins with it.
  public func observeList<Model: PrimaryKeyed, Section: AttributeValue>(
    _ query: Query<Model>, _ delivery: ObservationDelivery = .newest,
    sectionedBy body: (Fields<Model>) -> Field<Model, Section>
  ) -> ListObservation<Model, Section> {
    ListObservation(self, query, delivery, ListSectioning(Query<Model>().select(body)))
  }
}
