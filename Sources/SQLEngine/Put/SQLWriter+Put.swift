package import ORMStorage

/// A strategy of putting rows.
///
/// A put begins with the first strategy of this table whose condition holds. If it fails with a code that
/// names another, its writes are undone, the source begins again, and the other follows.
///
/// | strategy | taken if | statements | undone by | then, by code |
/// |---|---|---|---|---|
/// | `batches` | `PreparedPut.batch` | one for up to `BatchPut.mostRows` rows | a savepoint from the second statement on | `direct` or `rows` if the database refused a batch |
/// | `direct` | the plan is `SQLPutPlan.direct` | one a row | a savepoint if another strategy may follow | `rows` for `SQLPutPlan.Direct.retries` |
/// | `rows` | always | a read and a write a row | a savepoint if another strategy may follow | `deferred` for `duplicate`, with a unique index |
/// | `deferred` | after `rows` | as `rows`; a removal of each changed row before the writes | a savepoint | |
/// | `overflow` | after `tooLarge` in any strategy, if `PreparedPut.mayOverflow` | those that give the table overflow keys, and the first strategy again | a savepoint | |
///
/// If the dialect has no `ON CONFLICT`, upserts and inserts of missing rows have no plan of one statement.
/// A batch of a single row without a key may be `BatchPut.generating`, which makes the key.
enum PutStrategy { case batches, direct, rows, deferred, overflow }

extension PreparedPut {
  /// The strategy that is tried first.
  fileprivate var firstStrategy: PutStrategy { batch == nil ? oneByOne : .batches }

  private var oneByOne: PutStrategy { if case .direct = plan { .direct } else { .rows } }

  /// Returns the strategy that follows a failed one; nil if the error is that of the put.
  fileprivate func strategy(after strategy: PutStrategy, failed code: StoreError.Code)
    -> PutStrategy?
  {
    switch strategy {
    case .overflow: nil
    case _ where mayOverflow && code == .tooLarge: .overflow
    case .batches: oneByOne
    case .direct: retries.contains(code) ? .rows : nil
    case .rows: hasUniqueIndex && code == .duplicate ? .deferred : nil
    case .deferred: nil
    }
  }

  /// Returns whether a strategy runs in a savepoint of its own.
  fileprivate func hasSavepoint(_ strategy: PutStrategy) -> Bool {
    switch strategy {
    case .batches: false
    case .direct: mayOverflow || !retries.isEmpty
    case .rows: mayOverflow || hasUniqueIndex
    case .deferred, .overflow: true
    }
  }
}

/// Puts, by the strategies of ``PutStrategy``.
extension SQLWriter {
  package func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    if isDeferred {
      var isAgain = false
      return try first {
        try last {
          if isAgain {
            source.rewind()
            visitor.didRewind()
          }
          isAgain = true
          try putNow(request, from: &source, to: &visitor)
        }
      }
    }
    try putNow(request, from: &source, to: &visitor)
  }

  private func putNow<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    try checkOpen()
    let mark = keys.mark
    do {
      try put(try session.put(request), from: &source, to: &visitor)
    } catch {
      // A key that was given to a row that was not written is the next one again.
      keys.forget(to: mark)
      throw error
    }
  }

  private func put<S: RowSource, O: PutVisitor>(
    _ put: PreparedPut, from source: inout S, to visitor: inout O
  ) throws {
    var strategy = put.firstStrategy
    while let next = try attempt(strategy, put, from: &source, to: &visitor) {
      source.rewind()
      visitor.didRewind()
      strategy = next
    }
  }

  /// Puts rows by a strategy; if that fails, undoes its writes and returns the next strategy.
  private func attempt<S: RowSource, O: PutVisitor>(
    _ strategy: PutStrategy, _ put: PreparedPut, from source: inout S, to visitor: inout O
  ) throws -> PutStrategy? {
    do {
      if put.hasSavepoint(strategy) {
        try undoing { try self.put(in: strategy, put, from: &source, to: &visitor) }
      } else {
        try self.put(in: strategy, put, from: &source, to: &visitor)
      }
      return nil
    } catch let refusal as BatchRefusal {
      return put.strategy(after: strategy, failed: refusal.code)
    } catch let error as StoreError where strategy != .batches {
      guard let next = put.strategy(after: strategy, failed: error.code) else { throw error }
      return next
    }
  }

  private func put<S: RowSource, O: PutVisitor>(
    in strategy: PutStrategy, _ put: PreparedPut, from source: inout S, to visitor: inout O
  ) throws {
    switch strategy {
    case .batches:
      if let batch = put.batch { try putBatches(put, batch, from: &source, to: &visitor) }
    case .direct:
      if case .direct(let direct) = put.plan {
        try putDirectly(put, direct, from: &source, to: &visitor)
      }
    case .rows: try putRows(put, from: &source, to: &visitor, deferring: false)
    case .deferred: try putRows(put, from: &source, to: &visitor, deferring: true)
    case .overflow:
      try session.overflow(put.table)
      try self.put(try session.put(put.request), from: &source, to: &visitor)
    }
  }

  /// Runs a body that leaves nothing behind when it throws.
  func undoing(_ body: () throws -> Void) throws {
    let before = mark
    try session.connection.beginSavepoint()
    do {
      try body()
    } catch {
      try undo(to: before)
      throw error
    }
    try session.connection.releaseSavepoint()
  }

  /// Undoes the writes in the innermost savepoint, and throws if the engine has rolled back the
  /// transaction.
  func undo(to before: Mark) throws {
    try rollbackSavepoint(to: before)
    try checkOpen()
  }

  private func putDirectly<S: RowSource, O: PutVisitor>(
    _ put: PreparedPut, _ direct: SQLPutPlan.Direct, from source: inout S,
    to visitor: inout O
  ) throws {
    guard let parameters = put.parameters else { return }
    let connection = session.connection
    let statement = try put.take(connection.statement)
    defer {
      statement.rewind()
      put.giveBack(statement)
    }
    let hasIntegerKey = put.table.rowNumber != nil
    let givesKeys = put.keyParameter != 0 && put.request.mode != .update
    let reports = put.request.reports.contains(.outcomes)
    var row = 0
    var key: Int64 = 0
    var check = StopCheck()
    while try statement.bindRow(from: &source, parameters, &key) {
      try check.step()
      if put.hasConstants { try statement.bindConstants(direct.query) }
      if givesKeys {
        if key == 0 {
          key = try nextKey(put.table)
          try statement.bind(key, at: put.keyParameter)
        } else {
          keys.note(key, put.table)
        }
      }
      switch direct.finding {
      case .unreported: break
      // Any number that is not the row's.
      case .byRowNumber: connection.lastInsertedRow = ~key
      case .byRowCounter: connection.rowCounter = 0
      }
      do {
        try statement.run()
      } catch let error as StoreError
        where !direct.retries.contains(error.code) && error.isAboutTheRow
      {
        throw describe(error, put, row: row, of: &source)
      }
      if put.request.mode == .update && connection.rowCounter == 0 {
        throw describe(
          StoreError(.notFound, "no row has this key"), put, row: row, of: &source)
      }
      if reports {
        let wasFound =
          switch direct.finding {
          case .unreported: false
          case .byRowNumber: connection.lastInsertedRow != key
          case .byRowCounter: connection.rowCounter > 0
          }
        try visitor.didPut(
          outcome(put.request.mode, wasFound: wasFound, connection.changes),
          key: hasIntegerKey ? key : 0)
      }
      row += 1
    }
  }

  private func outcome(
    _ mode: PutRequest.Mode, wasFound: Bool, _ changes: Int
  ) -> PutOutcome {
    if changes == 0 { return .unchanged }
    switch mode {
    case .insert, .insertMissing: return .inserted
    case .update: return .updated
    case .upsert: return wasFound ? .updated : .inserted
    }
  }

  /// A new key for an entity.
  func nextKey(_ table: SQLTable) throws -> Int64 {
    try reserving {
      try keys.next(table) {
        try session.greatestKey(table)
      }
    }
  }
}

extension StoreError {
  /// True if the row is at fault that was being written.
  fileprivate var isAboutTheRow: Bool {
    [.duplicate, .missingValue, .invalidValue, .tooLarge].contains(code)
  }
}
