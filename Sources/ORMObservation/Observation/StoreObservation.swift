public import ORMCore

/// The results of a query as an asynchronous sequence that follows the store.
///
/// ```swift
/// let cheap = Snack.where { $0.price < 3 }.sorted(by: .ascending(\.name))
/// for try await snacks in store.observe(cheap) {
///   print(snacks.count)
/// }
/// ```
///
/// The first value comes at once. Then each value is the result after a commit that changed it, in the
/// order of the commits, and no two neighbours are equal to the bit. An iteration begins when its
/// iterator is made. It ends with its task, with its iterator, with an error, or when the store is
/// closed. It holds no snapshot between values.
///
/// A query without prefetched relationships, whose condition and order each row itself decides, is
/// fetched once. Commits then change its result in memory. Other queries are fetched again after
/// commits that may concern them, at most one fetch at a time.
public struct StoreObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// The type of the elements.
  public typealias Element = Value

  let store: any Store
  let question: ObservedQuestion<Value>
  let delivery: ObservationDelivery

  /// Begins an iteration, which fetches the first value.
  public func makeAsyncIterator() -> Iterator { Iterator(ObservationIteration(self)) }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    private let iteration: ObservationIteration<Value>

    init(_ iteration: ObservationIteration<Value>) { self.iteration = iteration }

    /// Returns the next value, or nil at the end.
    ///
    /// - Throws: the errors of the query and of reading; `closed` if the store was closed before the
    ///   iteration began, `busy` after `readerWait`. The sequence then ends.
    public mutating func next() async throws -> Value? {
      try await iteration.next(isolation: #isolation)
    }

    /// Returns the next value on the caller's actor, or nil at the end.
    ///
    /// - Throws: the errors of the query and of reading; `closed` if the store was closed before the
    ///   iteration began, `busy` after `readerWait`. The sequence then ends.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
      try await iteration.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension StoreObservation.Iterator: Sendable {}

/// The values that an observation delivers to a consumer that is slower than the commits.
public enum ObservationDelivery: Hashable, Sendable {
  /// The newest value alone; values before it that were not read are left out.
  case newest
  /// One value for each commit that changed the result, up to 1,024 that wait; beyond them the oldest
  /// are left out.
  ///
  /// Commits during a fetch share a value if the query has to be fetched again.
  case onEveryCommit
  /// The newest value alone, as with `newest`, and without a wait for it.
  ///
  /// The first value is fetched before the iterator is made. The value of a commit of this store waits
  /// for the consumer before the write returns. Writes therefore wait for the fetches of such an
  /// observation: its block is not to wait for a writer.
  case immediate
}

/// One iteration of an observation, which ends when it is released.
final class ObservationIteration<Value: Sendable>: Sendable {
  private let begun: Result<ObservationRun<Value>, any Error>

  init(_ observation: StoreObservation<Value>) {
    begun = Result {
      let run = ObservationRun(observation.store, observation.question, observation.delivery)
      try run.start()
      return run
    }
  }

  deinit { cancel() }

  func cancel() { if case .success(let run) = begun { run.cancel() } }

  /// Lets the next call of ``next(isolation:)`` have the last value again, unless a newer one waits.
  func askAgain() { if case .success(let run) = begun { run.mailbox.askAgain() } }

  /// Takes a newer value that waits, if any.
  func takeWaiting() -> Value? {
    guard case .success(let run) = begun else { return nil }
    return run.mailbox.takeWaiting()
  }

  func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
    let run = try begun.get()
    let value = try await run.mailbox.next(isolation: actor)
    if value == nil { run.cancel() }
    return value
  }
}

extension Store {
  /// Makes an asynchronous sequence of a query's results, which follows the store.
  ///
  /// ```swift
  /// for try await snacks in store.observe(Snack.all.sorted(by: .ascending(\.name))) { show(snacks) }
  /// ```
  ///
  /// - Parameters:
  ///   - query: the rows that are observed.
  ///   - delivery: the values that a slow consumer gets.
  public func observe<Model: Persistable>(
    _ query: Query<Model>, _ delivery: ObservationDelivery = .newest
  ) -> StoreObservation<[Model]> {
    StoreObservation(store: self, question: .models(of: query), delivery: delivery)
  }

  /// Makes an asynchronous sequence of the rows of a projection or of groups, which follows the store.
  ///
  /// ```swift
  /// for try await names in store.observe(Snack.all.select(\.name)) { print(names) }
  /// ```
  public func observe<Question: ResultQuery>(
    _ question: Question, _ delivery: ObservationDelivery = .newest
  ) -> StoreObservation<[Question.Row]> where Question.Row: Sendable {
    StoreObservation(
      store: self, question: ObservedQuestion { try $0.fetch(question) }, delivery: delivery)
  }

  /// Makes an asynchronous sequence of the number of rows that a query has.
  ///
  /// ```swift
  /// for try await count in store.observe(count: Snack.all.where { $0.stock == 0 }) { print(count) }
  /// ```
  public func observe<Model: Persistable>(
    count query: Query<Model>, _ delivery: ObservationDelivery = .newest
  ) -> StoreObservation<Int> {
    StoreObservation(
      store: self,
      question: .number({ try $0.count(query) }, { Int64($0) }, { Int($0) }), delivery: delivery)
  }

  /// Makes an asynchronous sequence of the sum of an attribute over a query's rows.
  ///
  /// ```swift
  /// for try await stock in store.observe(sum: \.stock, of: Snack.all) { print(stock) }
  /// ```
  ///
  /// - Throws: the iteration throws `overflow` if the sum does not fit.
  public func observe<Model: Persistable, Value: SummableAttribute>(
    sum path: AttributePath<Model, Value>, of query: Query<Model>,
    _ delivery: ObservationDelivery = .newest
  ) -> StoreObservation<Value.Total> {
    StoreObservation(
      store: self,
      question: .number(
        { try $0.sum(query) { $0[path] } },
        { if case .int(let number) = $0.storedValue { number } else { nil } },
        { try Value.Total(storedValue: .int($0)) }), delivery: delivery)
  }

  /// Makes an asynchronous sequence of the results of a block, which follows the store.
  ///
  /// The block runs on one snapshot. It runs again after each commit that may have changed anything that
  /// it read the last time. It must depend on its reads alone.
  ///
  /// ```swift
  /// let totals = store.observe { tx in try (tx.count(Snack.self), tx.sum(Snack.all, \.stock)) }
  /// for try await (count, stock) in totals { print(count, stock) }
  /// ```
  ///
  /// - Parameters:
  ///   - delivery: the values that a slow consumer gets.
  ///   - body: the reads whose result is observed.
  public func observe<Value: Sendable>(
    _ delivery: ObservationDelivery = .newest,
    _ body: @escaping @Sendable (ReadTransaction) throws -> Value
  ) -> StoreObservation<Value> {
    StoreObservation(store: self, question: ObservedQuestion(fetch: body), delivery: delivery)
  }

  /// Makes an asynchronous sequence of the results of a block, which follows the store.
  ///
  /// As for other blocks; and no two neighbours are equal by `==`.
  public func observe<Value: Sendable & Equatable>(
    _ delivery: ObservationDelivery = .newest,
    _ body: @escaping @Sendable (ReadTransaction) throws -> Value
  ) -> StoreObservation<Value> {
    var question = ObservedQuestion(fetch: body)
    question.areEqual = { $0 == $1 }
    return StoreObservation(store: self, question: question, delivery: delivery)
  }
}
