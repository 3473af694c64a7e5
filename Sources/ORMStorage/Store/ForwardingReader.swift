public import ORMValues

/// A reader around another, which forwards all requests that it does not change.
///
/// A wrapper declares the reader that it wraps and the methods that it changes; the rest is forwarded, and so
/// are methods that the protocols gain later:
///
/// ```swift
/// final class LoggingReader: ForwardingReader {
///   let forwardedReader: any StoreReader
///   init(_ base: any StoreReader) { forwardedReader = base }
///
///   func cursor(_ request: FetchRequest) throws -> any StoreCursor {
///     print(request.shape.entity)
///     return try forwardedReader.cursor(request)
///   }
///
///   func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
///     print(request.shape.entity)
///     try forwardedReader.visit(request, &visitor)
///   }
/// }
/// ```
///
/// A wrapper that sees requests or changes answers implements both `cursor(_:)` and `visit(_:_:)`: core
/// visits most rows without a cursor. Finds by an
/// integer key come as requests too, unless ``isTransparent(for:)`` lets them pass. A
/// ``LinkedReading/linkedFetch(of:_:)`` is not passed on, since its rows would pass the wrapper by: its requests
/// come one after another, unless the wrapper is a ``LinkedReading`` reader too.
public protocol ForwardingReader: ConcurrentReader, ProgramStatementReader {
  /// The reader that is wrapped.
  var forwardedReader: any StoreReader { get }
  /// Returns whether the wrapped reader answers finds of a shape as they are.
  ///
  /// False by default. Where it is true, such finds use the wrapped reader's fast path.
  func isTransparent(for shape: FetchShape) -> Bool
}

extension ForwardingReader {
  /// Returns false.
  public func isTransparent(for shape: FetchShape) -> Bool { false }

  /// Opens the wrapped reader's cursor.
  public func cursor(_ request: FetchRequest) throws -> any StoreCursor {
    try forwardedReader.cursor(request)
  }

  /// Visits the wrapped reader's rows.
  public func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    try forwardedReader.visit(request, &visitor)
  }

  /// Visits the wrapped reader's rows where it is transparent, and else those of a request.
  public func visit<V: RowVisitor>(
    _ shape: FetchShape, binding: Int64, _ visitor: inout V
  ) throws {
    if isTransparent(for: shape) {
      try forwardedReader.visit(shape, binding: binding, &visitor)
    } else {
      try visit(FetchRequest(shape, bindings: [.int(binding)]), &visitor)
    }
  }

  /// Finds the wrapped reader's row where it is transparent.
  @_spi(Records)
  public func find(_ shape: FetchShape, binding: Int64, into found: inout RecordReader??) throws {
    if isTransparent(for: shape) {
      try forwardedReader.find(shape, binding: binding, into: &found)
    }
  }

  /// Returns the wrapped reader's explanation.
  public func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation {
    try forwardedReader.explain(request, analyze: analyze)
  }

  /// Returns the wrapped reader's greatest key.
  public func greatestKey(of entity: String) throws -> Int64? {
    try forwardedReader.greatestKey(of: entity)
  }

  /// Verifies the wrapped reader's view.
  public func verify(_ found: (StoreError) throws -> Void) throws {
    try forwardedReader.verify(found)
  }

  /// Visits the rows of the wrapped reader's result; throws `unsupported` if it runs no queries.
  public func visit<V: RowVisitor>(
    sql query: SQLRequest, columns: ([String]) throws -> [StoredColumn?], _ visitor: inout V
  ) throws { try forwardedReader.runningQueries.visit(sql: query, columns: columns, &visitor) }

  /// True if the wrapped reader conflicts with other transactions.
  public var isContended: Bool { forwardedReader.metContention }

  /// Ends the wrapped reader.
  public func end() { forwardedReader.end() }
}

/// A writer around another, which forwards all calls that it does not change, as ``ForwardingReader`` does.
public protocol ForwardingWriter: ForwardingReader, ProgramStatementWriter {
  /// The writer that is wrapped.
  var forwardedWriter: any StoreWriter { get }
}

extension ForwardingWriter {
  /// The writer that is wrapped.
  public var forwardedReader: any StoreReader { forwardedWriter }

  /// Puts the rows by the wrapped writer.
  public func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws { try forwardedWriter.put(request, from: &source, to: &visitor) }

  /// Makes the change by the wrapped writer.
  public func apply(_ change: StoreChange) throws -> Int { try forwardedWriter.apply(change) }

  /// Runs a savepoint of the wrapped writer.
  public func savepoint(_ body: () throws -> Void) throws { try forwardedWriter.savepoint(body) }

  /// Runs the statement by the wrapped writer; throws `unsupported` if it runs none.
  public func execute(sql statement: SQLRequest) throws -> Int {
    try forwardedWriter.runningStatements.execute(sql: statement)
  }

  /// Raises the wrapped writer's greatest key.
  public func raiseGreatestKey(of entity: String, to key: Int64) throws {
    try forwardedWriter.raiseGreatestKey(of: entity, to: key)
  }

  /// The wrapped writer's count of changes.
  public var changeCount: Int? { forwardedWriter.changeCount }

  /// Commits the wrapped writer.
  public func commit() throws { try forwardedWriter.commit() }
}
