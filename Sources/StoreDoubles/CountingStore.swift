public import ORMCore

/// A store that records the requests and counts the steps of transactions, and forwards them.
///
/// ```swift
/// let counting = CountingStore(store)
/// let requests = try counting.requests { store in _ = try store.fetch(Team.all.prefetch(\.players)) }
/// #expect(requests.count == 2)
/// ```
///
/// It shares the runtime of the wrapped store: use it instead, and close one of both. Requests
/// inside write transactions count as well.
public final class CountingStore: Store {
  private let base: any Store
  private let seen = Lock(Seen())
  private let before: @Sendable (StoreStep, Int) throws -> Void

  private struct Seen {
    var requests: [FetchRequest] = []
    var counts: [StoreStep: Int] = [:]
  }

  /// Wraps a store.
  public convenience init(_ base: any Store) { self.init(base) { _, _ in } }

  /// Wraps a store; a closure gets each step with its number, from 1, and may let it fail.
  init(_ base: any Store, before: @escaping @Sendable (StoreStep, Int) throws -> Void) {
    self.base = base
    self.before = before
  }

  /// The requests so far.
  public var requests: [FetchRequest] { seen.withLock { $0.requests } }

  /// Returns the number of steps of a kind so far, those that failed among them.
  public func count(of step: StoreStep) -> Int { seen.withLock { $0.counts[step] ?? 0 } }

  /// Begins all counts again, and forgets the requests.
  public func reset() { seen.withLock { $0 = Seen() } }

  /// Runs a body with the store, and returns the requests that the body makes.
  public func requests(during body: (any Store) throws -> Void) throws -> [FetchRequest] {
    reset()
    try body(self)
    return requests
  }

  /// Runs a body with the store, and returns the requests that the body makes.
  public func requests(
    during body: (any Store) async throws -> Void
  ) async throws -> [FetchRequest] {
    reset()
    try await body(self)
    return requests
  }

  /// The schema of the wrapped store.
  public var schema: StoredSchema { base.schema }
  /// The runtime of the wrapped store.
  public var runtime: StoreRuntime { base.runtime }
  /// Opens a reader whose requests are recorded.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    try begun(.reader, CountingReader(base.reader(turn), of: self))
  }
  /// Opens a writer whose requests and writes are recorded.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    try begun(.writer, CountingWriter(base.writer(turn), of: self))
  }
  /// Closes the wrapped store.
  public func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }

  /// Counts a step, which may fail.
  fileprivate func take(_ step: StoreStep, _ request: FetchRequest? = nil) throws {
    let number = seen.withLock { seen in
      if let request { seen.requests.append(request) }
      seen.counts[step, default: 0] += 1
      return seen.counts[step] ?? 0
    }
    try before(step, number)
  }

  /// Counts the opening of a reader; one whose step fails is ended.
  private func begun<Reader: StoreReader>(_ step: StoreStep, _ reader: Reader) throws -> Reader {
    do { try take(step) } catch {
      reader.end()
      throw error
    }
    return reader
  }
}

/// A reader that reports its requests to its store.
private class CountingReader: ForwardingReader {
  final let forwardedReader: any StoreReader
  private let store: CountingStore
  /// True once a step failed since others came in the way.
  private var isRefused = false

  init(_ base: any StoreReader, of store: CountingStore) {
    forwardedReader = base
    self.store = store
  }

  final var isContended: Bool { isRefused || forwardedReader.metContention }

  final func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    try take(.read, request)
    return CountingCursor(try forwardedReader.cursor(request), of: self)
  }

  final func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    try take(.read, request)
    try forwardedReader.visit(request, &visitor)
  }

  fileprivate final func take(_ step: StoreStep, _ request: FetchRequest? = nil) throws {
    do { try store.take(step, request) } catch let error as StoreError
      where error.code == .contended
    {
      isRefused = true
      throw error
    }
  }
}

/// A writer that reports its requests and its writes to its store.
private final class CountingWriter: CountingReader, ForwardingWriter {
  let forwardedWriter: any StoreWriter

  init(_ base: any StoreWriter, of store: CountingStore) {
    forwardedWriter = base
    super.init(base, of: store)
  }

  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    try take(.write)
    try forwardedWriter.put(request, from: &source, to: &visitor)
  }

  func apply(_ change: StoreChange) throws -> Int {
    try take(.write)
    return try forwardedWriter.apply(change)
  }

  func commit() throws {
    do { try take(.commit) } catch {
      forwardedWriter.end()
      throw error
    }
    try forwardedWriter.commit()
    try take(.committed)
  }
}

/// A cursor that reports its batches to its reader.
private final class CountingCursor: StoreCursor {
  private let base: any StoreCursor
  private let reader: CountingReader

  init(_ base: any StoreCursor, of reader: CountingReader) {
    self.base = base
    self.reader = reader
  }

  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool {
    try reader.take(.batch)
    return try base.visit(&visitor)
  }
}
