public import ORMCore

/// The results of a query as an asynchronous sequence, from one snapshot.
///
/// ```swift
/// for try await snack in store.stream(Snack.all) { print(snack.name) }
/// for try await (name, price) in store.stream(Snack.all.select(\.name, \.price)) { print(name, price) }
/// ```
///
/// Models and the rows of a projection take constant memory, groups that of the groups.
///
/// Each iteration pins a snapshot on a reader of its own from its first element on, and takes one of the
/// store's `streams` slots; it waits until one is free. An iteration that is idle for longer than
/// `streamExpiry` loses its snapshot, and its next element throws `snapshotExpired`. Rows are fetched in
/// batches off the cooperative pool.
public struct StoreStream<Element: Sendable>: AsyncSequence, Sendable {
  let store: any Store
  let source: StreamFeed<Element>.Source

  /// Begins an iteration; the snapshot is taken when its first element is requested.
  public func makeAsyncIterator() -> Iterator {
    Iterator(feed: StreamFeed(store: store, source: source))
  }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var elements: StreamElements<Element>

    init(feed: StreamFeed<Element>) { elements = StreamElements(feed: feed) }

    /// Returns the next element, or nil at the end.
    ///
    /// - Throws: `busy`, `snapshotExpired`, `closed`, the errors of `read`, `CancellationError`.
    @inlinable
    public mutating func next() async throws -> Element? {
      try await elements.next(isolation: #isolation)
    }

    /// Returns the next element on the caller's actor, or nil at the end.
    ///
    /// - Throws: `busy`, `snapshotExpired`, `closed`, the errors of `read`, `CancellationError`.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      try await elements.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension StoreStream.Iterator: Sendable {}

extension Store {
  /// Makes an asynchronous sequence of the models of a query.
  ///
  /// ```swift
  /// for try await snack in store.stream(Snack.where { $0.price < 3 }) { print(snack.name) }
  /// ```
  public func stream<Model: Persistable>(_ query: Query<Model>) -> StoreStream<Model> {
    StoreStream(store: self, source: .models(of: query))
  }

  /// Makes an asynchronous sequence of the rows of a projection or of groups.
  ///
  /// ```swift
  /// for try await name in store.stream(Snack.all.select(\.name)) { print(name) }
  /// ```
  public func stream<Question: ResultQuery>(_ question: Question) -> StoreStream<Question.Row>
  where Question.Row: Sendable {
    StoreStream(store: self, source: .rows(of: question))
  }

  /// Calls `body` with the models in chunks of at most `size`, from one snapshot, in constant memory.
  ///
  /// ```swift
  /// try store.chunks(Snack.all, size: 500) { snacks in print(snacks.count) }
  /// ```
  ///
  /// - Throws: `invalidPage` if the size is not above 0; the errors of `read`.
  public func chunks<Model: Persistable>(
    _ query: Query<Model>, size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    let isAlone = runtime.transactions.currentBlock() == nil
    try read { transaction in
      try transaction.chunks(query, size: size) { rows in
        if isAlone { transaction.hasGivenRows = true }
        try body(rows)
      }
    }
  }

  /// Calls `body` with the models in chunks of at most `size`, off the calling thread.
  ///
  /// ```swift
  /// try await store.chunks(Snack.all, size: 500) { snacks in print(snacks.count) }
  /// ```
  ///
  /// - Throws: `invalidPage` if the size is not above 0; the errors of `read`.
  public func chunks<Model: Persistable>(
    _ query: Query<Model>, size: Int, _ body: sending @escaping ([Model]) throws -> Void
  ) async throws {
    try await read { transaction in
      try transaction.chunks(query, size: size) { rows in
        transaction.hasGivenRows = true
        try body(rows)
      }
    }
  }

  /// Calls `body` with the rows in chunks of at most `size`, from one snapshot.
  ///
  /// ```swift
  /// try store.chunks(Snack.all.select(\.name), size: 500) { names in print(names.count) }
  /// ```
  ///
  /// - Throws: `invalidPage` if the size is not above 0; the errors of `read`.
  public func chunks<Question: ResultQuery>(
    _ question: Question, size: Int, _ body: ([Question.Row]) throws -> Void
  ) throws {
    let isAlone = runtime.transactions.currentBlock() == nil
    try read { transaction in
      try transaction.chunks(question, size: size) { rows in
        if isAlone { transaction.hasGivenRows = true }
        try body(rows)
      }
    }
  }

  /// Calls `body` with the rows in chunks of at most `size`, off the calling thread.
  ///
  /// ```swift
  /// try await store.chunks(Snack.all.select(\.name), size: 500) { names in print(names.count) }
  /// ```
  ///
  /// - Throws: `invalidPage` if the size is not above 0; the errors of `read`.
  public func chunks<Question: ResultQuery>(
    _ question: Question, size: Int, _ body: sending @escaping ([Question.Row]) throws -> Void
  ) async throws {
    try await read { transaction in
      try transaction.chunks(question, size: size) { rows in
        transaction.hasGivenRows = true
        try body(rows)
      }
    }
  }
}
