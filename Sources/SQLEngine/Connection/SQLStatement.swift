public import ORMStorage

/// A prepared statement.
///
/// Parameters count from 1 and columns from 0.
///
/// The life of a run is `rewind`, a `bind` for each parameter, `step` until it returns false or
/// enough was seen, `rewind`. Rows change hands in ``visitRows(_:_:)`` and ``bindRow(from:_:_:)``:
/// they are requirements so that the reader and the writer of a row are types of the backend,
/// without a second dispatch for each field.
public protocol SQLStatement: AnyObject {
  /// Binds null.
  func bindNull(at parameter: Int) throws
  /// Binds an integer.
  func bind(_ value: Int64, at parameter: Int) throws
  /// Binds a double, never NaN. The sign of zero stays.
  func bind(_ value: Double, at parameter: Int) throws
  /// Binds a text; an embedded NUL stays. By default binds its bytes.
  func bind(_ value: String, at parameter: Int) throws
  /// Binds a text by its bytes, which need not be valid UTF-8: some are only compared with.
  func bind(text value: UnsafeRawBufferPointer, at parameter: Int) throws
  /// Binds bytes; an empty buffer is not null.
  func bind(blob value: UnsafeRawBufferPointer, at parameter: Int) throws
  /// Binds an array, in the form in which ``SQLRow`` reads it; by default as its JSON text.
  func bind(array value: [StoredValue], at parameter: Int) throws
  /// Binds a bound right after every text that begins with a prefix, for comparisons alone.
  ///
  /// By default binds bytes that need not be valid UTF-8, and for no prefix a blob, which comes after
  /// every text.
  func bind(endOfPrefix prefix: String, at parameter: Int) throws
  /// Binds an object for the functions of ``SQLFunction``, and keeps it until another value is
  /// bound, or the run ends. To SQL it is a value of no meaning.
  func bind(evaluator: SQLEvaluator, at parameter: Int) throws

  /// Announces that the rows of the next run may be asked for with pauses, and not to the end. By default
  /// does nothing.
  func expectPauses()
  /// Moves to the next row; false when there are no more. After an error it is rewound.
  func step() throws -> Bool
  /// Ends the run and discards the bindings.
  func rewind()
  /// Runs the statement to its end without looking at rows, and ends the run. By default steps, and
  /// rewinds.
  func run() throws

  /// Returns whether a column of the current row is null.
  func isNull(at column: Int) -> Bool
  /// Returns an integer of the current row.
  func int64(at column: Int) -> Int64
  /// Returns a text of the current row; nil when it is null or not valid UTF-8.
  func text(at column: Int) -> String?

  /// Steps, handing each row to the visitor, until the visitor pauses or stops, or there are no more
  /// rows; true if it paused.
  ///
  /// ``visit(rows:_:)`` does all of it with a row of the backend:
  ///
  /// <!-- not compiled: MyRow stands for the row of a backend -->
  /// ```swift
  /// func visitRows<V: RowVisitor>(_ layout: SQLRowLayout, _ visitor: inout V) throws -> Bool {
  ///   try visit(rows: MyRow(self, layout), &visitor)
  /// }
  /// ```
  func visitRows<V: RowVisitor>(_ layout: SQLRowLayout, _ visitor: inout V) throws -> Bool
  /// Binds the next row of the source; false when there are no more.
  ///
  /// By default binds through this protocol. A backend that binds millions of rows overrides it with
  /// a ``SQLRowBinder`` of its own and ``bind(from:by:_:)``.
  func bindRow<S: RowSource>(
    from source: inout S, _ parameters: SQLRowParameters, _ key: inout Int64
  ) throws -> Bool
}

extension SQLStatement {
  /// Binds the text's bytes.
  public func bind(_ value: String, at parameter: Int) throws {
    var value = value
    try value.withUTF8 { try bind(text: UnsafeRawBufferPointer($0), at: parameter) }
  }

  /// Does nothing.
  public func expectPauses() {}

  /// Binds the JSON text.
  public func bind(array value: [StoredValue], at parameter: Int) throws {
    try bind(JSONText.encode(array: value), at: parameter)
  }

  /// Binds the prefix with its last byte counted up.
  ///
  /// The last byte of a text in UTF-8 is never 0xFF, so the next one exists.
  public func bind(endOfPrefix prefix: String, at parameter: Int) throws {
    var bytes = Array(prefix.utf8)
    guard let last = bytes.popLast() else {
      return try bind(blob: UnsafeRawBufferPointer(start: nil, count: 0), at: parameter)
    }
    bytes.append(last + 1)
    try bytes.withUnsafeBytes { try bind(text: $0, at: parameter) }
  }

  /// Steps to the end, and rewinds.
  public func run() throws {
    while try step() {}
    rewind()
  }

  /// Binds the next row of the source through this protocol.
  public func bindRow<S: RowSource>(
    from source: inout S, _ parameters: SQLRowParameters, _ key: inout Int64
  ) throws -> Bool {
    try bind(
      from: &source, by: PlainRowBinder(self, parameters), &key)
  }

  /// Steps, handing a row to the visitor for each, as ``visitRows(_:_:)`` does.
  ///
  /// - Parameters:
  ///   - row: the current row of the statement; it reads the current one after each step.
  ///   - visitor: takes the rows.
  /// - Returns: true if the visitor paused.
  @inlinable @inline(__always)
  public func visit<R: SQLRow, V: RowVisitor>(rows row: R, _ visitor: inout V) throws -> Bool {
    let intact = row.layout.intact ?? -1
    while try step() {
      if intact >= 0, int64(at: intact) != 1 { throw row.layout.damageError(in: row) }
      switch try visitor.visit(row) {
      case .next: continue
      case .pause: return true
      case .stop: return false
      }
    }
    return false
  }

  /// Binds the next row of the source by a binder, as ``bindRow(from:_:_:)`` does.
  @inlinable @inline(__always)
  public func bind<S: RowSource, B: SQLRowBinder>(
    from source: inout S, by binder: B, _ key: inout Int64
  ) throws -> Bool {
    var binder = binder
    guard try source.next(into: &binder) else { return false }
    try binder.finish()
    key = binder.progress.key
    return true
  }
}

/// Binds a row to any statement.
private struct PlainRowBinder<Statement: SQLStatement>: SQLRowBinder {
  let statement: Statement
  let parameters: SQLRowParameters
  var progress = SQLRowProgress()

  init(_ statement: Statement, _ parameters: SQLRowParameters) {
    self.statement = statement
    self.parameters = parameters
  }
}
