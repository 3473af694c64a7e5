internal import ORMStorage

/// The write transaction of a SQL database.
package class SQLWriter: SQLReader, ProgramStatementWriter {
  var keys: GeneratedKeys
  /// The connection's count of changes if this transaction has changed nothing: its count at the beginning,
  /// and the changes undone since.
  private var unchangedCount: Int
  /// The number of statements run that the program wrote itself.
  var statementCount = 0
  /// True if the transaction ends with the view.
  private let ownsTransaction: Bool
  /// The operation in which the transaction began.
  private let beginner = RunningOperation.current.map { ObjectIdentifier($0) }
  /// The layout that the transaction began with.
  private let firstSchema: SQLSchema
  /// The source of generated keys where writers run together; nil in a store with one at a time.
  let keySource: KeySource?
  /// True if the commit was done, false if it was not; nil if that is not known.
  private var outcome: Bool? = false
  /// True if the next write is the last one, and its statement may commit.
  private var commitsNext = false
  /// The error of a row on which another transaction conflicts.
  private var contention: StoreError?

  /// The state to which later writes are undone.
  struct Mark {
    var changes: Int
    var keys: ReservedKeys.Mark?
    var schema: SQLSchema
  }

  /// The state so far.
  var mark: Mark { Mark(changes: changes, keys: keys.mark, schema: session.schema) }

  /// True if rows that an update leaves as they are must not be written; in the transaction of an
  /// opening, nothing asks for the number of changes.
  var comparesRows: Bool { ownsTransaction }

  /// True if the running code may end while the transaction goes on: a block or scope inside of its
  /// block.
  ///
  /// Rows are looked for first then, and changed by their keys. To end a statement that writes ends the
  /// transaction in some engines, so none may look at many rows.
  var mayEndAlone: Bool {
    guard ownsTransaction, let operation = RunningOperation.current else { return false }
    return beginner != ObjectIdentifier(operation)
  }

  /// Takes a session whose connection has begun the write.
  package override convenience init(
    _ session: SQLSession, release: @escaping (SQLSession) -> Void
  ) {
    self.init(session, ownsTransaction: true, release: release)
  }

  /// Takes a session whose connection has begun the write, and a source of keys where writers run
  /// together.
  convenience init(
    _ session: SQLSession, keys: KeySource?, release: @escaping (SQLSession) -> Void
  ) {
    self.init(session, ownsTransaction: true, keys: keys, release: release)
  }

  /// Takes a session whose connection has begun the write.
  ///
  /// Without `ownsTransaction`, the caller ends the transaction.
  init(
    _ session: SQLSession, ownsTransaction: Bool, keys source: KeySource? = nil,
    release: @escaping (SQLSession) -> Void = { _ in }
  ) {
    self.ownsTransaction = ownsTransaction
    keySource = source
    firstSchema = session.schema
    keys = GeneratedKeys(source)
    unchangedCount = session.connection.totalChanges
    super.init(session, release: release)
  }

  package final func savepoint(_ body: () throws -> Void) throws {
    try checkOpen()
    let before = mark
    try session.connection.beginSavepoint()
    do {
      try body()
    } catch {
      try rollbackSavepoint(to: before)
      throw error
    }
    try session.connection.releaseSavepoint()
  }

  /// The number of rows that were changed and not undone, and of statements that the program wrote.
  var changes: Int { session.connection.totalChanges - unchangedCount + statementCount }

  package final var changeCount: Int? { changes }

  /// Undoes the writes in the innermost savepoint, which began at this mark.
  func rollbackSavepoint(to before: Mark) throws {
    keys.forget(to: before.keys)
    unchangedCount += changes - before.changes
    session.restore(before.schema)
    try session.connection.rollbackSavepoint()
  }

  package final func raiseGreatestKey(of entity: String, to key: Int64) throws {
    try checkOpen()
    let table = try session.schema.table(entity)
    guard table.entity.generatesKeys else { return }
    if keySource != nil { return keys.note(key, table) }
    try session.recordKey(key, table)
    keys.forget(to: nil)
  }

  /// Notes a conflict of another transaction on a row, and returns the error.
  func contended() -> StoreError {
    let error = StoreError(.contended, "another transaction has committed a row that this one met")
    contention = error
    return error
  }

  /// True once a statement or the commit has made the writes durable.
  final var hasCommitted: Bool { outcome == true }

  /// Lets the next write commit if the transaction begins with it; returns whether it does.
  final func endWithNextWrite() -> Bool {
    commitsNext = isDeferred && ownsTransaction
    return commitsNext
  }

  /// Lets the statement that runs next commit, if the write that is under way may be the last and has run
  /// no other.
  func commitWithNextStatement() throws {
    guard commitsNext, let connection = session.tripSaving, connection.hasDeferredBegin else {
      return
    }
    try reserving { try keys.settle() }
    connection.commitWithNextStatement()
  }

  /// Runs a write whose only statement may commit, and once more in a new transaction if that statement was
  /// refused: the write then finds out why, or another way.
  func last<R>(_ body: () throws -> R) throws -> R {
    guard commitsNext, let connection = session.tripSaving else { return try body() }
    defer { commitsNext = false }
    let before = changes
    let keysBefore = keys.mark
    do {
      let result = try body()
      if connection.hasCommitted { outcome = true }
      return result
    } catch {
      if let refusal = connection.refusal {
        if refusal.code == .outcomeUnknown { outcome = nil }
        if refusal.endsTransactions { throw refusal }
      } else if !connection.hasCommitted || changes != before {
        throw error
      }
      // No row was changed, even if a commit succeeded.
      commitsNext = false
      keys.forget(to: keysBefore)
      try beginAgain()
      return try body()
    }
  }

  /// Reserves keys.
  ///
  /// - Throws: `SQLLayoutChange` if that fails since others have changed the tables, which a transaction that
  ///   has not begun does not know.
  @inline(__always)
  func reserving<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as StoreError where error.code == .engine && hasDeferredBegin {
      try session.tripSaving?.beginNow()
      throw error
    }
  }

  private func beginAgain() throws {
    let isConcurrent = keySource != nil
    if try session.deferWrite(isConcurrent: isConcurrent) { return }
    try session.beginWrite(isConcurrent: isConcurrent)
    try checkSchema()
  }

  package final func commit() throws {
    // Nothing was asked for, not even by a read; or the write has committed.
    if isDeferred || hasCommitted { return end() }
    try checkOpen()
    defer { end() }
    // Pages that were written and undone would be written to the file all the same.
    guard ownsTransaction, changes > 0 else {
      // A transaction that only read may have seen others in an order that does not exist.
      if keySource != nil, ownsTransaction {
        try keys.settle()
        try session.connection.commit()
      }
      return
    }
    try keys.settle()
    do {
      try session.connection.commit()
      outcome = true
    } catch {
      if (error as? StoreError)?.code == .outcomeUnknown { outcome = nil }
      throw error
    }
  }

  override func checkSchema() throws {
    try super.checkSchema()
    if session.schema.refusesWriters { throw StoredSchema.isBeingMigrated }
  }

  override func checkTransaction() throws {
    if let contention { throw contention }
    if !session.connection.isInTransaction {
      throw session.connection.loss
        ?? StoreError(.transactionEnded, "the engine rolled the transaction back after a failure")
    }
  }

  override func endTransaction() {
    // Keys go back while the transaction still keeps changes of tables away.
    keys.end(outcome)
    if ownsTransaction, outcome != true { session.restore(firstSchema) }
    if ownsTransaction { session.connection.rollback() }
  }

  override var hasContention: Bool { contention != nil || super.hasContention }
}

/// The write transaction of a database whose connections save trips.
final class TripSavingSQLWriter: SQLWriter, TripSavingWriter {
  var isCommitted: Bool { hasCommitted }

  func commitWithNextWrite() -> Bool { endWithNextWrite() }
}

extension StoreError {
  /// True if an error is not about a statement, which would fail in the same way once more.
  fileprivate var endsTransactions: Bool {
    [
      .contended, .busy, .deadlineExceeded, .connectionLost, .outcomeUnknown, .full, .inputOutput,
      .readOnly, .closed,
      .forked,
    ].contains(code)
  }
}
