public import ORMCore

/// The rows of a projection or of groups, one after another, from one snapshot.
///
/// ```swift
/// for try await (name, price) in store.stream(Snack.all.select(\.name, \.price)) { … }
/// ```
///
/// As ``ModelStream``; a projection takes constant memory, groups that of the groups.
public struct ResultStream<Question: ResultQuery>: AsyncSequence, Sendable
where Question.Row: Sendable {
  /// A row.
  public typealias Element = Question.Row

  let store: any Store
  let question: Question

  /// Begins an iteration; the snapshot is taken when its first element is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(feed: StreamFeed(store: store, source: .rows(of: question)))
  }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var elements: StreamElements<Question.Row>

    init(feed: StreamFeed<Question.Row>) { elements = StreamElements(feed: feed) }

    /// Returns the next row; nil at the end.
    ///
    /// - Throws: `busy`, `snapshotExpired`, `closed`, what reading throws, `CancellationError`.
    @inlinable
    public mutating func next() async throws -> Question.Row? {
      try await elements.next(isolation: #isolation)
    }

    /// Returns the next row on the caller's actor; nil at the end.
    ///
    /// - Throws: `busy`, `snapshotExpired`, `closed`, what reading throws, `CancellationError`.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> Question.Row? {
      try await elements.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension ResultStream.Iterator: Sendable {}

extension StreamFeed.Source {
  /// The rows of a projection or of groups.
  static func rows<Question: ResultQuery>(of question: Question) -> Self
  where Question.Row == Element {
    Self(
      request: { store in try ResultPlan(question, in: store).request },
      read: { store, _, cursor, size in
        let plan = try ResultPlan(question, in: store)
        return try plan.rows(of: cursor, size, by: plan.source.decoder)
      }, entity: Question.Model.entity.description.name)
  }
}

extension ResultPlan {
  /// At most so many rows from a cursor, and whether there are more.
  fileprivate func rows<Decoder: ResultDecoder>(
    of cursor: any StoreCursor, _ size: Int, by decoder: Decoder
  ) throws -> (rows: [Row], hasMore: Bool) where Decoder.Row == Row {
    var collector = try collector(decoder)
    collector.batch = size
    let hasMore = try cursor.visit(&collector)
    return (collector.rows, hasMore)
  }
}

extension Store {
  /// The rows of a projection or of groups as an asynchronous sequence.
  public func stream<Question: ResultQuery>(_ question: Question) -> ResultStream<Question>
  where Question.Row: Sendable {
    ResultStream(store: self, question: question)
  }

  /// Calls `body` with the rows in chunks of at most `size`, from one snapshot.
  ///
  /// - Throws: `invalidPage` if the size is not above 0; the errors of `read`.
  public func chunks<Question: ResultQuery>(
    _ question: Question, size: Int, _ body: ([Question.Row]) throws -> Void
  ) throws {
    try read { try $0.chunks(question, size: size, body) }
  }

  /// Calls `body` with the rows in chunks of at most `size`, off the calling thread.
  ///
  /// - Throws: `invalidPage` if the size is not above 0; the errors of `read`.
  public func chunks<Question: ResultQuery>(
    _ question: Question, size: Int, _ body: sending @escaping ([Question.Row]) throws -> Void
  ) async throws {
    try await read { try $0.chunks(question, size: size, body) }
  }
}
