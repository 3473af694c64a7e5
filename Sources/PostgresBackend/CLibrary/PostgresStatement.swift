internal import CPostgres
internal import ORMStorage
internal import SQLEngine

/// A statement of a connection, and one run of it.
///
/// The rows of a query come one by one. When another statement needs the connection, the rest of them
/// are taken and collected.
final class PostgresStatement: BatchStatement, LinkedReadingStatement, ProgramStatement,
  PostgresRows
{
  let connection: PostgresConnection
  private let sql: String
  private let kind: Kind
  private var prepared: PostgresPrepared?
  /// The text for a batch of one row.
  private let single: String?
  private var preparedSingle: PostgresPrepared?
  private var values: PostgresValues
  /// The columns of a batch; nil for a statement whose parameters take one value.
  let columns: PostgresColumns?
  private var run = Run.idle
  /// The result that holds the current row.
  private var result: PostgresResult? {
    didSet {
      rows = result?.pointer
      rowCount = Int32(clamping: result?.rowCount ?? 0)
    }
  }
  /// The library's address of the result, and the number of its rows.
  private var rows: OpaquePointer?
  private var rowCount: Int32 = 0
  /// The current row of the result.
  private(set) var row: Int32 = 0
  /// The rows that come by batches.
  private var batches: PostgresBatches?
  /// The rows by their parts, where they are of several.
  private var parts: PostgresParts?
  /// The column of the result that is the first of the rows visited.
  private var firstColumn = 0
  /// True if the next run may pause or stop before its last row.
  private var mayPause = false
  /// The rows of the run so far, where they come one by one.
  private var rowsTaken = 0
  /// The rows that were taken before they were asked for, and the error after them.
  private var rest: PostgresResult?
  /// True once a statement that the program wrote has run.
  private var wasRun = false
  private var failure: (any Error)?
  /// Asks at rows that have come whether the operation is to end early.
  private var check = StopCheck()

  /// A kind of statement.
  enum Kind {
    case query, change, definition
    /// One that the program wrote.
    case written(SQLPurpose)
  }

  /// The progress of a run.
  private enum Run { case idle, streaming, batches, collected, parts, ended }

  init(
    _ sql: String, on connection: PostgresConnection, forOneRow single: String? = nil,
    ofRowsWithKey key: [Int]? = nil
  ) throws {
    self.connection = connection
    self.sql = sql
    self.single = single
    kind = key == nil ? Self.kind(of: sql) : .change
    if case .definition = kind { prepared = nil } else { prepared = try connection.prepared(sql) }
    let types = prepared?.parameterTypes ?? []
    columns = key.map { PostgresColumns(types, key: $0) }
    values = PostgresValues(count: types.count)
    values.columns = columns
  }

  /// Prepares a statement that the program wrote.
  init(_ sql: String, on connection: PostgresConnection, writtenFor purpose: SQLPurpose) throws {
    self.connection = connection
    self.sql = sql
    single = nil
    kind = .written(purpose)
    prepared = try connection.prepare(written: sql, insteadOf: nil)
    columns = nil
    values = PostgresValues(count: prepared?.parameterTypes.count ?? 0)
  }

  deinit {
    if case .written = kind, let prepared { connection.retire(prepared) }
  }

  private static func kind(of sql: String) -> Kind {
    switch sql.prefix(6) {
    case "SELECT", "WITH s", "WITH \"": .query
    case "INSERT", "UPDATE", "DELETE": .change
    default: .definition
    }
  }

  // MARK: Runs

  func step() throws -> Bool {
    if connection.handle.stoppable == .byOperation { try check.step() }
    if row + 1 < rowCount, run == .batches || run == .collected {
      row += 1
      return true
    }
    do {
      return try advance()
    } catch {
      try connection.handle.checkStop()
      throw error
    }
  }

  /// Moves to a row that has not come yet.
  private func advance() throws -> Bool {
    switch run {
    case .streaming: return try nextOnItsWay()
    case .batches: return try nextOfBatches()
    case .collected: return try nextCollected()
    case .parts: return nextOfPart()
    case .ended: return false
    case .idle: try connection.handle.checkStop()
    }
    switch kind {
    case .definition:
      try connection.changeTables(sql)
      run = .ended
      return false
    case .change:
      let result: PostgresResult
      do {
        result = try connection.write { .prepared(try current(), values) }
      } catch  where connection.notePooler(error) && connection.isInTransaction {
        result = try connection.write { .prepared(try current(), values) }
      }
      if columns != nil { connection.count(outcomesOf: result) }
      self.result = result
      row = -1
      run = .collected
      return try nextCollected()
    case .written(let purpose):
      let prepared = try currentWritten()
      switch purpose {
      case .query: result = try connection.run(query: prepared, values)
      case .change(let tables):
        result = try connection.run(change: prepared, values, keeping: tables)
      }
      row = -1
      run = .collected
      return try nextCollected()
    case .query:
      if try openBatches() { return try nextOfBatches() }
      rowsTaken = 0
      try connection.stream(values) { try current() }
      connection.streaming = self
      run = .streaming
      return try nextOnItsWay()
    }
  }

  func expectPauses() { mayPause = true }

  /// The rows from which on those of the next run come by batches.
  private static var many: Int { 2_000 }
  /// The bytes that a row of an unknown size may have, if it has data and if not.
  private static var unknownSize: (data: Int, other: Int) { (1 << 30, 1 << 10) }

  /// Opens a cursor of the server for a run whose rows are many, or that may stop early.
  private func openBatches() throws -> Bool {
    let prepared = try current()
    guard mayPause || prepared.rowSize != nil, !PostgresHandle.hasManyParameters(sql) else {
      return false
    }
    let unknown = prepared.givesData ? Self.unknownSize.data : Self.unknownSize.other
    do {
      batches = try PostgresBatches(
        connection, rowSize: prepared.rowSize ?? unknown, values
      ) { [connection, sql] name in
        try connection.prepared(
          "DECLARE \(name) NO SCROLL CURSOR FOR \(sql)", as: try current())
      }
    } catch {
      _ = connection.notePooler(error)
      throw error
    }
    run = .batches
    row = -1
    return true
  }

  /// Goes before the first row of a part; the first time, runs the statement and takes all its rows.
  func begin(_ part: SQLPart) throws {
    if run == .idle {
      try connection.handle.checkStop()
      do {
        let result = try connection.whole { [.prepared(try current(), values)] }
        parts = PostgresParts(result)
        self.result = result
        run = .parts
      } catch {
        _ = connection.notePooler(error)
        try connection.handle.checkStop()
        throw error
      }
    }
    parts?.begin(part.number)
    firstColumn = part.firstColumn
  }

  private func nextOfPart() -> Bool {
    guard let next = parts?.next() else { return false }
    row = next
    return true
  }

  private func nextOfBatches() throws -> Bool {
    do {
      if let next = try batches?.next() {
        result = next
        row = 0
        return true
      }
    } catch {
      _ = connection.notePooler(error)
      endRun()
      throw error
    }
    endBatches(hasAll: true)
    run = .ended
    return false
  }

  /// Ends a run by batches, and notes the size of rows for the next one.
  private func endBatches(hasAll: Bool) {
    guard let batches else { return }
    self.batches = nil
    if batches.rowCount > 0 { prepared?.rowSize = batches.rowSize }
    if hasAll, batches.rowCount < Self.many / 4 { prepared?.rowSize = nil }
    batches.close()
  }

  private func current() throws -> PostgresPrepared {
    if let single, let prepared, columns?.rowCount == 1 {
      if let preparedSingle, connection.isCurrent(preparedSingle) { return preparedSingle }
      let again = try connection.prepared(single, as: prepared)
      preparedSingle = again
      return again
    }
    if let prepared, connection.isCurrent(prepared) { return prepared }
    let again = try connection.prepared(sql)
    prepared = again
    return again
  }

  /// The prepared statement for one run: tables of the program's own may change between two.
  private func currentWritten() throws -> PostgresPrepared {
    if !wasRun, let prepared, connection.isCurrent(prepared) {
      wasRun = true
      return prepared
    }
    let known = columnNames
    let again = try connection.prepare(written: sql, insteadOf: prepared)
    prepared = again
    guard again.columnNames == known else {
      wasRun = false
      throw StoreError(
        .invalidStatement,
        "the columns of the query have changed since it was prepared; run it again")
    }
    wasRun = true
    return again
  }

  var columnNames: [String] { prepared?.columnNames ?? [] }

  private func nextOnItsWay() throws -> Bool {
    do {
      if let next = try takeRow() {
        result = next
        row = 0
        rowsTaken += 1
        return true
      }
    } catch {
      endRun()
      throw error
    }
    if rowsTaken >= Self.many, let result {
      prepared?.rowSize = Int(PQresultMemorySize(result.pointer))
    }
    run = .ended
    return false
  }

  /// The next row from the server; nil after the last, and then the connection is free.
  private func takeRow() throws -> PostgresResult? {
    let handle = connection.handle
    do {
      guard let next = try handle.next() else {
        connection.streaming = nil
        try handle.endPipelines()
        return nil
      }
      if next.status == PGRES_SINGLE_TUPLE { return next }
      connection.streaming = nil
      while try handle.next() != nil {}
      try handle.endPipelines()
      if next.isFailure { throw handle.error(next) }
      return nil
    } catch {
      _ = connection.notePooler(error)
      connection.streaming = nil
      throw error
    }
  }

  private func nextCollected() throws -> Bool {
    row += 1
    if row < rowCount { return true }
    if let rest {
      result = rest
      self.rest = nil
      row = -1
      return try nextCollected()
    }
    if let failure {
      endRun()
      throw failure
    }
    run = .ended
    return false
  }

  /// Takes the rows that are on their way, so that the connection is free.
  func takeRest() throws {
    guard run == .streaming, let first = result else { return }
    do {
      let rest = try first.emptyCopy()
      while let next = try takeRow() { try rest.append(rowOf: next) }
      self.rest = rest
    } catch {
      failure = error
    }
    run = .collected
  }

  func rewind() {
    if run != .idle { endRun() }
    mayPause = false
    values.removeAll()
    columns?.removeRows()
  }

  private func endRun() {
    endBatches(hasAll: false)
    mayPause = false
    if run == .streaming, connection.streaming === self {
      // The remaining rows are discarded; an error among them is ignored.
      do { while try takeRow() != nil {} } catch {}
    }
    run = .idle
    parts = nil
    firstColumn = 0
    result = nil
    rest = nil
    failure = nil
  }

  // MARK: Columns

  /// The bytes of a column of the current row; without an address for null.
  @inline(__always)
  func bytes(at column: Int) -> UnsafeRawBufferPointer {
    let column = Int32(truncatingIfNeeded: firstColumn &+ column)
    let count = PQgetlength(rows, row, column)
    // Null has no bytes, nor has a column that does not exist.
    if count <= 0, PQgetisnull(rows, row, column) != 0 {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: PQgetvalue(rows, row, column), count: Int(count))
  }

  /// The type of a column.
  @inline(__always)
  func type(at column: Int) -> PostgresType {
    PostgresType(rawValue: PQftype(rows, Int32(truncatingIfNeeded: firstColumn &+ column)))
  }

  func isNull(at column: Int) -> Bool { bytes(at: column).baseAddress == nil }

  func int64(at column: Int) -> Int64 {
    let bytes = bytes(at: column)
    if bytes.baseAddress == nil { return 0 }
    return PostgresDecoding.int64(bytes, type(at: column)) ?? 0
  }

  func text(at column: Int) -> String? {
    let bytes = bytes(at: column)
    return bytes.baseAddress == nil ? nil : PostgresDecoding.string(bytes, type(at: column))
  }

  // MARK: Parameters

  /// Binds the bytes that the closure appends for the type of the parameter.
  private func set(
    at parameter: Int, _ append: (PostgresType, inout [UInt8]) throws -> Void
  ) throws {
    guard let prepared, values.contains(parameter) else { throw Self.noParameter(parameter) }
    if let columns { return try columns.set(at: parameter, append) }
    let type = prepared.parameterTypes[parameter - 1]
    try values.set(at: parameter) { try append(type, &$0) }
  }

  func bindNull(at parameter: Int) throws {
    guard values.contains(parameter) else { throw Self.noParameter(parameter) }
    if let columns { columns.setNull(at: parameter) } else { values.setNull(at: parameter) }
  }

  func bind(_ value: Int64, at parameter: Int) throws {
    switch columns?.type(of: parameter) {
    case .int8?: columns?.set(bits: value, at: parameter)
    case .bool?: columns?.set(bits: value == 0 ? 0 : 1 as UInt8, at: parameter)
    default: try set(at: parameter) { PostgresEncoding.append(value, as: $0, to: &$1) }
    }
  }

  func bind(_ value: Double, at parameter: Int) throws {
    if columns?.type(of: parameter) == .float8 {
      columns?.set(bits: value.bitPattern, at: parameter)
    } else {
      try set(at: parameter) { PostgresEncoding.append(value, as: $0, to: &$1) }
    }
  }

  func bind(text value: UnsafeRawBufferPointer, at parameter: Int) throws {
    if columns?.type(of: parameter) == .text, PostgresText.isPlain(value) {
      columns?.set(bytes: value, at: parameter)
    } else {
      try set(at: parameter) { PostgresEncoding.append(text: value, as: $0, to: &$1) }
    }
  }

  func bind(blob value: UnsafeRawBufferPointer, at parameter: Int) throws {
    try bind(raw: value, at: parameter)
  }

  private func bind(raw value: UnsafeRawBufferPointer, at parameter: Int) throws {
    try set(at: parameter) { $1.append(contentsOf: value) }
  }

  func bind(array value: [StoredValue], at parameter: Int) throws {
    if columns != nil {
      var text = PostgresArrayText.text(of: value)
      return try text.withUTF8 { try bind(raw: UnsafeRawBufferPointer($0), at: parameter) }
    }
    try set(at: parameter) { type, bytes in
      guard let element = type.element else {
        throw StoreError(.invalidValue, "a parameter that takes no array was given one")
      }
      PostgresEncoding.append(value, of: element, to: &bytes)
    }
  }

  func bind(endOfPrefix prefix: String, at parameter: Int) throws {
    guard let end = PostgresText.end(ofPrefix: prefix) else { return try bindNull(at: parameter) }
    try bind(end, at: parameter)
  }

  func bind(evaluator: SQLEvaluator, at parameter: Int) throws {
    throw StoreError(.engine, "a statement of PostgreSQL calls no functions of the store")
  }

  private static func noParameter(_ number: Int) -> StoreError {
    StoreError(.engine, "the statement has no parameter \(number)")
  }
}
