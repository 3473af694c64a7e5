internal import CPostgres
internal import ORMStorage

/// The rows of a query that come by batches, by a cursor of the server.
///
/// While one batch is read, the next one is on its way. Another statement waits for that batch alone, and a
/// run that stops early asks for no more.
final class PostgresBatches {
  private unowned let connection: PostgresConnection
  /// The number in the cursor's name, which is the least that no other cursor has.
  let number: Int
  /// The number of savepoints that were open when the cursor was opened.
  let depth: Int
  /// Batches that have come and were not asked for yet.
  private var ready: [PostgresResult] = []
  /// The number of rows that were asked for last.
  private var size: Int
  private var isOnItsWay = false
  private var isAtEnd = false
  /// The error of a batch that was on its way when another statement came.
  private var failure: (any Error)?
  /// The rows that have come.
  private(set) var rowCount = 0
  /// The bytes of a row in the last batch that had any.
  private(set) var rowSize: Int

  /// The numbers of rows that are asked for at once.
  private static let sizes = [1, 8, 64, 512]
  /// The bytes that a batch should not exceed, as estimated from the rows before it.
  private static var mostBytes: Int { 256 << 10 }

  /// Opens a cursor, and takes the first batch with the same trip.
  ///
  /// - Parameters:
  ///   - connection: the connection, in a transaction or about to begin one.
  ///   - rowSize: the bytes that a row is expected to have.
  ///   - values: the values of the query's parameters.
  ///   - make: gives the statement that opens a cursor of a name.
  init(
    _ connection: PostgresConnection, rowSize: Int, _ values: PostgresValues,
    _ make: (_ name: String) throws -> PostgresPrepared
  ) throws {
    self.connection = connection
    self.rowSize = rowSize
    number = connection.freeCursorNumber
    depth = connection.savepoints
    size = Self.size(rowSize, most: 64)
    let name = Self.name(number)
    let first = try connection.open({ try make(name) }, values, fetch(size))
    connection.cursors[number] = self
    take(first)
    askForMore()
  }

  private static func name(_ number: Int) -> String { "strata_rows_\(number)" }

  /// The greatest number of rows whose bytes are not too many.
  private static func size(_ rowSize: Int, most: Int) -> Int {
    sizes.last { $0 <= most && $0 * rowSize <= mostBytes } ?? 1
  }

  private func fetch(_ count: Int) -> String { "FETCH \(count) FROM \(Self.name(number))" }

  private func take(_ batch: PostgresResult) {
    isOnItsWay = false
    let count = batch.rowCount
    isAtEnd = count < size
    rowCount += count
    if count > 0 {
      rowSize = max(1, PQresultMemorySize(batch.pointer) / count)
      ready.append(batch)
    }
  }

  /// Asks for the next batch, if nothing else is on its way on the connection.
  private func askForMore() {
    guard !isAtEnd, !isOnItsWay, connection.streaming == nil, connection.isFree else { return }
    size = Self.size(rowSize, most: size * 8)
    do {
      try connection.sendAhead(fetch(size))
      isOnItsWay = true
      connection.streaming = self
    } catch {
      failure = error
    }
  }

  /// The next batch; nil after the last one.
  func next() throws -> PostgresResult? {
    if ready.isEmpty, isOnItsWay { takeRest() }
    if ready.isEmpty, !isAtEnd, failure == nil { takeMore() }
    if let batch = ready.first {
      ready.removeFirst()
      if ready.isEmpty { askForMore() }
      return batch
    }
    if let failure {
      self.failure = nil
      isAtEnd = true
      throw failure
    }
    return nil
  }

  /// Takes all rows that have not come yet, before the server ends the cursor.
  func takeAll() {
    if isOnItsWay { takeRest() }
    while !isAtEnd, failure == nil { takeMore() }
    closeCursor()
  }

  /// Asks for a batch, and waits for it.
  private func takeMore() {
    do {
      try connection.use(sendsPending: false)
      askForMore()
      if !isOnItsWay, failure == nil {
        throw connection.loss
          ?? StoreError(.transactionEnded, "the transaction of the rows has ended")
      }
      takeRest()
    } catch {
      failure = error
    }
  }

  /// Ends the run; nothing is waited for.
  func close() {
    if connection.streaming === self {
      connection.streaming = nil
      connection.hasUnreadRows = true
    }
    isOnItsWay = false
    isAtEnd = true
    ready = []
    closeCursor()
  }

  private func closeCursor() {
    guard connection.cursors[number] === self else { return }
    connection.cursors[number] = nil
    connection.closeCursor(Self.name(number), depth)
  }
}

extension PostgresBatches: PostgresRows {
  func takeRest() {
    guard isOnItsWay else { return }
    if connection.streaming === self { connection.streaming = nil }
    do {
      take(try connection.handle.takeSent())
    } catch {
      isOnItsWay = false
      failure = error
    }
  }
}

/// Rows that are on their way to the client.
protocol PostgresRows: AnyObject {
  /// Takes them, so that the connection is free.
  func takeRest() throws
}

extension PostgresConnection {
  /// The least number that no open cursor has.
  var freeCursorNumber: Int { (1...).first { cursors[$0] == nil } ?? 1 }

  /// True if a batch of rows may be asked for ahead: a transaction has begun, and none conflicts with it.
  var isFree: Bool {
    phase != .none && phase != .beginning && deferredBegin == nil && handle.contention == nil
      && !handle.isLost
  }

  /// Forgets the rows that are on their way, and the cursors, which end with the transaction.
  func forgetRows() {
    streaming = nil
    hasUnreadRows = false
    forgetCursors()
  }

  /// Forgets the cursors, which have ended with their transaction.
  func forgetCursors() {
    cursors = [:]
    closings = []
  }

  func sendAhead(_ sql: String) throws { try handle.sendAhead(repeated(sql)) }

  /// Opens a cursor of the server, and returns its first rows.
  ///
  /// - Parameters:
  ///   - make: gives the statement that opens the cursor, which may be asked for again.
  ///   - values: the values of its parameters.
  ///   - fetch: the statement that fetches the rows.
  func open(
    _ make: () throws -> PostgresPrepared, _ values: PostgresValues, _ fetch: String
  ) throws -> PostgresResult {
    // All rows are wanted, and the plan is that of a query.
    try whole {
      [
        repeated("SET LOCAL cursor_tuple_fraction = 1"), .prepared(try make(), values),
        repeated(fetch),
      ]
    }
  }

  /// Runs statements in one trip, with a deferred beginning of the transaction, and returns all rows of the
  /// last one.
  ///
  /// - Parameter steps: gives the statements, and may be asked again.
  func whole(_ steps: () throws -> [PostgresHandle.Step]) throws -> PostgresResult {
    let results: [PostgresResult]
    if let begun = deferredBegin == nil ? nil : try begin(with: steps(), undoes: false) {
      results = begun
    } else {
      try use(sendsPending: false)
      // A statement that has to be prepared first sends the pending ones too.
      let steps = try steps()
      results = try handle.pipeline(takePending().map(repeated) + steps)
    }
    guard let rows = results.last else { throw PostgresFailure.lost() }
    return rows
  }

  /// Closes a cursor of the server with the next statement that the transaction can run.
  func closeCursor(_ name: String, _ depth: Int) {
    if isFree { closings.append((name, depth)) }
  }

  /// The texts that are to be sent with the next statement, which sends them.
  ///
  /// A transaction that a statement has failed closes no cursors.
  func takePending() -> [String] {
    var texts: [String] = []
    if !closings.isEmpty, handle.transaction != PQTRANS_INERROR {
      texts = closings.map { "CLOSE \($0.name)" }
      closings = []
    }
    texts += pending
    pending = []
    return texts
  }

  /// True if there are texts for the next statement to take along.
  var hasPending: Bool {
    !pending.isEmpty || !closings.isEmpty && handle.transaction != PQTRANS_INERROR
  }

  /// Forgets the cursors that ended with a savepoint that was undone.
  func forgetClosings(in depth: Int) { closings.removeAll { $0.depth >= depth } }

  /// Takes the rows of cursors that end when the innermost savepoint is undone.
  func takeRows(ofCursorsIn depth: Int) {
    for batches in cursors.values where batches.depth >= depth { batches.takeAll() }
  }
}
