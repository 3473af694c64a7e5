public import ORM
internal import ORMCore
internal import Testing

/// Expects that a body makes at most a number of requests for rows, values or counts.
///
/// ```swift
/// @Test(.store(schema)) func page() throws {
///   try expectRequests(atMost: 2) {
///     for team in try Team.all.prefetch(\.players).fetch() { print(team.players.ids ?? []) }
///   }
/// }
/// ```
///
/// Requests count of the default store, and of every store that a trait, ``StoreTestCase``,
/// `StoreKind.withTestStore` or ``Fake/store(_:)`` opened. Those that the library makes for a save
/// count as well. A failure lists the shapes of the requests, the most frequent first, without values.
///
/// - Returns: the result of the body.
/// - Throws: the errors of the body.
@discardableResult
public func expectRequests<Result>(
  atMost limit: Int, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  column: Int = #column, _ body: () throws -> Result
) throws -> Result {
  let record = RequestRecord()
  let result = try RequestListener.$record.withValue(record) {
    guard let store = RequestListener.unheardStore else { return try body() }
    return try Persistence.with(RequestCount(store, record), body)
  }
  record.check(
    limit, SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  return result
}

/// Expects that a body makes at most a number of requests for rows, values or counts.
@discardableResult
public func expectRequests<Result>(
  atMost limit: Int, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  column: Int = #column, _ body: () async throws -> Result
) async throws -> Result {
  let record = RequestRecord()
  let result = try await RequestListener.$record.withValue(record) {
    guard let store = RequestListener.unheardStore else { return try await body() }
    return try await Persistence.with(RequestCount(store, record), body)
  }
  record.check(
    limit, SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  return result
}

/// Expects that a body makes at most a number of requests to a store.
///
/// ```swift
/// try expectRequests(atMost: 2, to: store) { store in
///   for team in try store.fetch(Team.all.prefetch(\.players)) { print(team.players.ids ?? []) }
/// }
/// ```
///
/// The body uses the store that it is given, which is its default store too. A failure lists the shapes of
/// the requests, the most frequent first, without values. Requests inside write transactions count as well.
///
/// - Returns: the result of the body.
/// - Throws: the errors of the body.
@discardableResult
public func expectRequests<Result>(
  atMost limit: Int, to store: any Store, fileID: String = #fileID, filePath: String = #filePath,
  line: Int = #line, column: Int = #column, _ body: (any Store) throws -> Result
) throws -> Result {
  let record = RequestRecord()
  let counting = RequestCount(store, record)
  let result = try Persistence.with(counting) { try body(counting) }
  record.check(
    limit, SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  return result
}

/// Expects that a body makes at most a number of requests to a store.
@discardableResult
public func expectRequests<Result>(
  atMost limit: Int, to store: any Store, fileID: String = #fileID, filePath: String = #filePath,
  line: Int = #line, column: Int = #column, _ body: (any Store) async throws -> Result
) async throws -> Result {
  let record = RequestRecord()
  let counting = RequestCount(store, record)
  let result = try await Persistence.with(counting) { try await body(counting) }
  record.check(
    limit, SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  return result
}

/// A store that records the requests to its readers and forwards them.
///
/// It shares the runtime of the wrapped store, which is closed by its own owner.
public final class RequestCount: Store {
  private let base: any Store
  private let asked = Lock<[FetchRequest]>([])
  private let record: RequestRecord

  /// Wraps a store.
  public convenience init(_ base: any Store) { self.init(base, RequestRecord()) }

  init(_ base: any Store, _ record: RequestRecord) {
    self.base = base
    self.record = record
  }

  /// The requests so far.
  public var requests: [FetchRequest] { asked.withLock { $0 } }

  /// Forgets the requests so far.
  public func reset() {
    asked.withLock { $0 = [] }
    record.reset()
  }

  /// The shapes of the requests so far with their numbers, the most frequent first, without values.
  public var summary: String { record.summary }

  fileprivate func note(_ request: FetchRequest) {
    asked.withLock { $0.append(request) }
    record.add(request.shape)
  }

  /// The schema of the wrapped store.
  public var schema: StoredSchema { base.schema }
  /// The runtime of the wrapped store.
  public var runtime: StoreRuntime { base.runtime }
  /// Opens a reader whose requests are recorded.
  public func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader {
    RecordingReader(try base.reader(turn), store: self)
  }
  /// Opens a writer whose requests are recorded.
  public func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter {
    RecordingWriter(try base.writer(turn), store: self)
  }
  /// Closes the wrapped store.
  public func close(_ turn: borrowing CloseTurn) throws { try base.close(turn) }
}

/// A reader that reports its requests to its store.
private class RecordingReader: ForwardingReader {
  private let base: any StoreReader
  fileprivate let store: RequestCount

  init(_ base: any StoreReader, store: RequestCount) {
    self.base = base
    self.store = store
  }

  func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    store.note(request)
    return try base.cursor(request)
  }

  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    store.note(request)
    try base.visit(request, &visitor)
  }

  var forwardedReader: any StoreReader { base }
}

/// A writer that reports its requests to its store.
private final class RecordingWriter: RecordingReader, ForwardingWriter {
  private let base: any StoreWriter

  init(_ base: any StoreWriter, store: RequestCount) {
    self.base = base
    super.init(base, store: store)
  }

  var forwardedWriter: any StoreWriter { base }
}
