internal import Dispatch
public import ORMCore

/// The models of a query, one after another, in constant memory and from one snapshot.
///
/// ```swift
/// for try await snack in store.stream(Snack.all) { … }
/// ```
///
/// Each iteration pins a snapshot on a reader of its own from its first element on, and takes one
/// of the store's `streams` places; beyond them it waits. Left standing longer than
/// `streamExpiry`, it loses its snapshot, and the next element throws `snapshotExpired`. Rows are
/// fetched in batches off the cooperative pool.
public struct ModelStream<Model: Persistable>: AsyncSequence, Sendable {
  /// A model.
  public typealias Element = Model

  let store: any Store
  let query: Query<Model>

  /// Begins an iteration; the snapshot is taken when its first element is asked for.
  public func makeAsyncIterator() -> Iterator {
    Iterator(feed: StreamFeed(store: store, source: .models(of: query)))
  }

  /// One iteration.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var elements: StreamElements<Model>

    init(feed: StreamFeed<Model>) { elements = StreamElements(feed: feed) }

    /// Returns the next model; nil at the end.
    ///
    /// - Throws: `busy`, `snapshotExpired`, `closed`, what reading throws, `CancellationError`.
    @inlinable
    public mutating func next() async throws -> Model? {
      try await elements.next(isolation: #isolation)
    }

    /// Returns the next model on the caller's actor; nil at the end.
    ///
    /// - Throws: `busy`, `snapshotExpired`, `closed`, what reading throws, `CancellationError`.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> Model? {
      try await elements.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension ModelStream.Iterator: Sendable {}

extension StreamFeed.Source where Element: Persistable {
  /// The models of a query.
  static func models(of query: Query<Element>) -> Self {
    Self(
      request: { store in
        let plan = try store.plan(of: Element.self)
        try query.prefetches.check(for: Element.self)
        return try query.request(by: plan.lowering)
      },
      read: { store, reader, cursor, size in
        var visitor = ModelCollector<Element>(try store.plan(of: Element.self))
        visitor.batch = size
        let hasMore = try cursor.visit(&visitor)
        return (
          try ReadTransaction.prefetching(
            query.prefetches, of: visitor.rows, store: store, reader: reader,
            deleted: query.deleted), hasMore
        )
      }, entity: Element.entity.description.name)
  }
}

extension Store {
  /// The models of a query as an asynchronous sequence.
  public func stream<Model: Persistable>(_ query: Query<Model>) -> ModelStream<Model> {
    ModelStream(store: self, query: query)
  }

  /// Hands the models to `body` in chunks of at most `size`, all of one snapshot, in constant
  /// memory.
  public func chunks<Model: Persistable>(
    _ query: Query<Model>, size: Int, _ body: ([Model]) throws -> Void
  ) throws {
    try read { try $0.chunks(query, size: size, body) }
  }

  /// Hands the models to `body` in chunks of at most `size`, all of one snapshot, in constant
  /// memory, off the cooperative pool.
  public func chunks<Model: Persistable>(
    _ query: Query<Model>, size: Int, _ body: sending @escaping ([Model]) throws -> Void
  ) async throws {
    try await read { try $0.chunks(query, size: size, body) }
  }
}
