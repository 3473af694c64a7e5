public import ORMValues

/// A bottom layer: anything that keeps rows of a schema and answers requests exactly as
/// `Documentation/Semantics.md` says.
///
/// The whole seam between core and an engine.
///
/// ## Promises of a store
/// - The same result, bit for bit, as every other store. Conditions that its engine cannot
///   answer exactly are left to core's evaluator over the engine's rows.
/// - A reader's snapshot is fixed when `reader(_:)` returns. Readers never block the writer, nor the
///   writer readers.
/// - `commit()` is durable on return, unless weaker durability was asked for.
/// - Nothing a caller or a file can do ends in a trap; errors are `StoreError`.
///
/// ## Promises of core
/// - One writer at a time in this process, used on one thread from `writer(_:)` to its end; readers
///   may move between threads, used by one at a time. The order of writers, waiting, reentrancy,
///   cancellation and commit notices are those of the scheduler of its ``StoreRuntime``.
/// - Every request was checked against `schema`: names exist, kinds fit, values are in range.
///
/// Programs cannot call the requirements that open or close: each takes a turn that only the library
/// makes. They use the operations of the module `ORM`.
public protocol Store: Sendable {
  /// The declared schema in the form of stores. Entities and columns that a file has beyond it stay.
  var schema: StoredSchema { get }
  /// The scheduler, the limits and the caches that core keeps for this store; one, made at opening.
  var runtime: StoreRuntime { get }
  /// Opens a reader on the newest commit. Its snapshot is fixed when this returns.
  func reader(_ turn: borrowing ReadTurn) throws -> any StoreReader
  /// True if core may restart a ``RestartableReader`` instead of calling ``reader(_:)`` again; false by
  /// default.
  ///
  /// A store that wraps another leaves it false, or its own ``reader(_:)`` is passed by.
  var keepsReaders: Bool { get }
  /// Begins the write transaction; `busy` when another process holds it past `writerWait`.
  func writer(_ turn: borrowing WriteTurn) throws -> any StoreWriter
  /// Frees everything. No reader or writer is open; afterwards both throw `closed`.
  func close(_ turn: borrowing CloseTurn) throws
}

extension Store {
  /// Always false.
  public var keepsReaders: Bool { false }
}

/// A view of a store on one snapshot.
public protocol StoreReader: AnyObject {
  /// Opens a cursor over the rows, values or aggregates asked for, in the request's order.
  ///
  /// Rows are produced as the cursor is visited. Several cursors may be open at once; each ends at
  /// the latest with its reader. In a writer, a cursor that was opened before a write may or may not show
  /// that write; core finishes cursors first.
  func cursor(_ request: FetchRequest) throws -> any StoreCursor
  /// Visits everything asked for at once: the same as a cursor visited to its end, and the cheapest form for
  /// single rows.
  func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws
  /// Visits the rows of a shape whose one binding is an integer, as a find by such a key asks for
  /// them: the same as a request made of both.
  func visit<V: RowVisitor>(_ shape: FetchShape, binding: Int64, _ visitor: inout V) throws
  /// Returns an explanation of how the request would be answered.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - analyze: true to run the request and count `rowsRead`. A store that does not count rows leaves
  ///     it nil.
  func explain(_ request: FetchRequest, analyze: Bool) throws -> Explanation
  /// The greatest key that an entity, by its stored name, ever generated or was given, of rows that
  /// were deleted since too; 0 when there was none, nil where the store does not report it.
  func greatestKey(of entity: String) throws -> Int64?
  /// Compares data that the engine stores twice, such as rows and index entries, in both directions, and
  /// reports every difference.
  ///
  /// - Throws: an error of `found`; `corrupt` if damage keeps the engine from reading rows.
  func verify(_ found: (StoreError) throws -> Void) throws
  /// Ends the view; a writer that has not committed rolls back. Safe to call twice.
  func end()
  /// Finds the row of a shape whose one binding is an integer, where it lies in core's own form of
  /// bytes.
  ///
  /// It is for a caller that can decode the row on the spot: valid until the reader ends, or writes.
  ///
  /// - Parameter found: Nil before the call, and after it where the row is to be visited; the row,
  ///   or the nil inside where there is no such row.
  @_spi(Records)
  func find(_ shape: FetchShape, binding: Int64, into found: inout RecordReader??) throws
}

extension StoreReader {
  /// A cursor visited to its end, or until the visitor stops.
  public func visit<V: RowVisitor>(_ request: FetchRequest, _ visitor: inout V) throws {
    _ = try cursor(request).visit(&visitor)
  }

  /// Visits the rows of a shape whose one binding is an integer.
  public func visit<V: RowVisitor>(
    _ shape: FetchShape, binding: Int64, _ visitor: inout V
  ) throws {
    try visit(FetchRequest(shape, bindings: [.int(binding)]), &visitor)
  }

  /// Finds nothing: the row is to be visited.
  public func find<Found>(_ shape: FetchShape, binding: Int64, into found: inout Found) throws {}

  /// Returns an explanation of how the request would be answered, without running it.
  public func explain(_ request: FetchRequest) throws -> Explanation {
    try explain(request, analyze: false)
  }

  /// Returns nil: the key is unknown.
  public func greatestKey(of entity: String) throws -> Int64? { nil }

  /// Finds nothing, since nothing is stored twice.
  public func verify(_ found: (StoreError) throws -> Void) throws {}
}

/// A position in the result of a request.
public protocol StoreCursor: AnyObject {
  /// Passes rows to the visitor, in order, until it pauses or stops, or there are no more.
  ///
  /// True when the visitor paused: the next call goes on with the following row. False at the end
  /// and after a stop; later calls then give false at once. An error ends the cursor.
  func visit<V: RowVisitor>(_ visitor: inout V) throws -> Bool
}

/// A consumer of the rows of a cursor.
///
/// Generic in the row, so that a model decodes itself from it without a boxed value on the way.
public protocol RowVisitor {
  /// Takes one row, valid during the call.
  mutating func visit<R: RowReader & ~Copyable>(_ row: borrowing R) throws -> VisitStep
  /// Announces, before the first row and where the store knows, that at most `count` rows come, and
  /// about as many will: a visitor that keeps rows can reserve capacity for all of them at once.
  mutating func expect(atMost count: Int)
  /// Takes one row that lies in core's own form of bytes, as any other row.
  @_spi(Records)
  mutating func visit(record: RecordReader) throws -> VisitStep
  /// Takes the rows of a block one after another, up to one after which it pauses or stops; returns the
  /// step that it wants after the last.
  @_spi(Records)
  mutating func visit(block: inout RecordBlock) throws -> VisitStep
}

extension RowVisitor {
  /// Reserves nothing.
  public mutating func expect(atMost count: Int) {}
  /// Takes one row.
  public mutating func visit<R: RowReader & ~Copyable>(
    record: borrowing R
  ) throws -> VisitStep { try visit(record) }
  /// Takes rows one after another, up to one after which it pauses or stops.
  public mutating func visit<I: IteratorProtocol>(
    block: inout I
  ) throws -> VisitStep where I.Element: RowReader {
    while let record = block.next() {
      let step = try visit(record)
      guard case .next = step else { return step }
    }
    return .next
  }
}

/// The step that a visitor requests after a row.
public enum VisitStep: Sendable {
  /// The next row.
  case next
  /// A pause; the visit continues later.
  case pause
  /// No more.
  case stop
}

/// The write transaction of a store: a view that sees its own writes.
public protocol StoreWriter: StoreReader {
  /// Writes rows by primary key, as many as the source gives. One operation: unique rules hold at its
  /// end. A put of a single row that throws has changed nothing; one of several rows may have, and
  /// the caller undoes it by the savepoint around it, or ends the transaction.
  func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O) throws
  /// Changes many rows at once; gives the number of rows concerned. One operation, as a put: one that throws
  /// may have changed some rows, and the caller undoes it by the savepoint around it, or ends the
  /// transaction.
  func apply(_ change: StoreChange) throws -> Int
  /// Runs `body`; when it throws, undoes its writes and rethrows the error. Nests.
  func savepoint(_ body: () throws -> Void) throws
  /// Generates no key up to this one for an entity, as if it had had a row with the key.
  func raiseGreatestKey(of entity: String, to key: Int64) throws
  /// The number of changes to rows in this transaction so far; nil if the store does not count.
  ///
  /// A write that leaves a row as it was does not count. A savepoint that is undone restores the
  /// number from its beginning. A failed write still counts if it left changes. If `changeCount` is
  /// unchanged, so is the store. The number is compared only with an earlier one.
  var changeCount: Int? { get }
  /// Makes the writes durable and visible, and ends the view. When it throws, nothing was stored. A
  /// transaction that changed nothing leaves the file as it is, and syncs nothing.
  func commit() throws
}

extension StoreWriter {
  /// Ignored: a store that reports no greatest key is given none.
  public func raiseGreatestKey(of entity: String, to key: Int64) throws {}

  /// Returns nil: changes are not counted.
  public var changeCount: Int? { nil }
}

/// A source of the rows of a put, which gives them one at a time.
public protocol RowSource {
  /// Writes the next row's columns; false, with nothing written, when there are no more.
  ///
  /// Columns are positions of the entity, those of `PutRequest.columns` in ascending order. A row
  /// whose generated key is 0 is given one. The store may ask for the same row again after a
  /// call to `rewind`.
  mutating func next<W: RowWriter & ~Copyable>(into row: inout W) throws -> Bool
  /// Goes back to the first row. A store that met a broken unique rule between the rows of an operation
  /// repeats the operation in a form that allows it.
  mutating func rewind()
  /// Writes the next row in core's own form of bytes, as any other row; a source that reads the row
  /// again has it there.
  @_spi(Records)
  mutating func next(record: inout RecordWriter) throws -> Bool
}

extension RowSource {
  /// Writes the next row's columns.
  @inlinable
  public mutating func next<W: RowWriter & ~Copyable>(record: inout W) throws -> Bool {
    try next(into: &record)
  }
}

/// A receiver of the outcomes of a put.
public protocol PutVisitor {
  /// A row was put; `key` is its primary key if that is one integer of kind `int`, else 0.
  mutating func didPut(_ outcome: PutOutcome, key: Int64) throws
  /// The put starts over: all reports so far are void.
  mutating func didRewind()
  /// A row is about to be replaced; only if the request reports old rows.
  mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws
}

extension PutVisitor {
  /// Ignores the old row.
  public mutating func willReplace<R: RowReader & ~Copyable>(_ old: borrowing R) throws {}
}
