internal import ORMStorage

/// Puts of many rows by one statement, where the database takes them so.
extension SQLWriter {
  /// The progress of a put by batches.
  private struct Batches {
    let statement: any BatchStatement
    let before: Mark
    /// The keys of the rows that wait, as they are reported.
    var keys: [Int64] = []
    var hasSavepoint = false
  }

  /// Puts all rows by batches.
  ///
  /// - Throws: `BatchRefusal`, with nothing written, where the database refused one. The rows are then to
  ///   be put one by one, which allows more, or names the row at fault.
  func putBatches<S: RowSource, O: PutVisitor>(
    _ put: PreparedPut, _ batch: PreparedBatch, from source: inout S, to visitor: inout O
  ) throws {
    do {
      if try putAlone(put, batch, from: &source, to: &visitor) { return }
    } catch let refusal as BatchRefusal {
      try checkOpen()
      throw refusal
    }
    var batches = Batches(
      statement: try batch.take(session), before: mark)
    do {
      try fill(&batches, put, batch, from: &source, to: &visitor)
      if batches.hasSavepoint { try session.connection.releaseSavepoint() }
      batch.giveBack(batches.statement)
    } catch let refusal as BatchRefusal {
      if batches.hasSavepoint { try undo(to: batches.before) }
      try checkOpen()
      keys.forget(to: batches.before.keys)
      throw refusal
    } catch {
      if batches.hasSavepoint { try undo(to: batches.before) }
      throw error
    }
  }

  /// Puts the only row of a source, which has no key, by a statement that makes the key; returns false, with
  /// nothing written, for other sources.
  ///
  /// Only before the first statement of a transaction: others have to read the greatest key once, and then
  /// count. The statement sees all rows that were ever committed, since the lock is held.
  private func putAlone<S: RowSource, O: PutVisitor>(
    _ put: PreparedPut, _ batch: PreparedBatch, from source: inout S, to visitor: inout O
  ) throws -> Bool {
    guard hasDeferredBegin, keySource == nil, let generating = batch.generating else {
      return false
    }
    let statement = try generating.take(session)
    // Preparing it may have begun the transaction.
    let isAlone =
      try hasDeferredBegin && isAlone(&source, statement, generating.parameters)
    guard isAlone else {
      statement.rewind()
      generating.giveBack(statement)
      source.rewind()
      return false
    }
    try commitWithNextStatement()
    var key: Int64 = 0
    do {
      while try statement.step() { key = statement.int64(at: 1) }
    } catch let error as StoreError where Self.refusals.contains(error.code) {
      throw BatchRefusal(code: error.code)
    }
    statement.rewind()
    generating.giveBack(statement)
    keys.note(key, put.table)
    if put.request.reports.contains(.outcomes) { try visitor.didPut(.inserted, key: key) }
    return true
  }

  /// Binds the rows of a source, and returns whether there is one, without a key.
  private func isAlone<S: RowSource>(
    _ source: inout S, _ statement: any BatchStatement, _ parameters: SQLRowParameters
  ) throws -> Bool {
    var key: Int64 = 0
    guard try statement.bindRow(from: &source, parameters, &key), key == 0, try statement.endRow()
    else { return false }
    do {
      return try !statement.bindRow(from: &source, parameters, &key)
    } catch {
      // The row before comes first, with its fault.
      return false
    }
  }

  private func fill<S: RowSource, O: PutVisitor>(
    _ batches: inout Batches, _ put: PreparedPut, _ batch: PreparedBatch, from source: inout S,
    to visitor: inout O
  ) throws {
    let statement = batches.statement
    let givesKeys = batch.keyParameter != 0 && put.request.mode != .update
    var key: Int64 = 0
    var hasReserved = false
    var check = StopCheck()
    while true {
      try check.step()
      do {
        key = 0
        guard try statement.bindRow(from: &source, batch.parameters, &key) else { break }
      } catch {
        // The rows before it come first, with their faults.
        if !batches.keys.isEmpty { try run(&batches, put, batch, to: &visitor) }
        throw error
      }
      if givesKeys {
        if key == 0 {
          key = try nextKey(put.table)
          hasReserved = keySource != nil
          try statement.bind(key, at: batch.keyParameter)
        } else {
          keys.note(key, put.table)
        }
      }
      if try !statement.endRow() {
        try run(&batches, put, batch, isLast: false, to: &visitor)
        _ = try statement.endRow()
      }
      batches.keys.append(put.table.rowNumber == nil ? 0 : key)
      if batches.keys.count >= BatchPut.mostRows || statement.batchSize >= BatchPut.mostBytes {
        try run(&batches, put, batch, isLast: false, to: &visitor)
      }
    }
    if batches.keys.isEmpty { return }
    // The only statement of the put, unless others were run. Reserved keys are settled with a commit of its own.
    if !hasReserved { try commitWithNextStatement() }
    try run(&batches, put, batch, to: &visitor)
  }

  private func run<O: PutVisitor>(
    _ batches: inout Batches, _ put: PreparedPut, _ batch: PreparedBatch, isLast: Bool = true,
    to visitor: inout O
  ) throws {
    if !isLast, !batches.hasSavepoint {
      try session.connection.beginSavepoint()
      batches.hasSavepoint = true
    }
    let statement = batches.statement
    var outcomes: [PutOutcome] = []
    do {
      if batch.put.givesOutcomes {
        while try statement.step() {
          switch statement.int64(at: 0) {
          case 1: outcomes.append(.inserted)
          case 2: outcomes.append(.updated)
          case 3: outcomes.append(.unchanged)
          default: throw BatchRefusal(code: .notFound)
          }
        }
      } else {
        while try statement.step() {}
      }
      statement.rewind()
    } catch let error as StoreError where Self.refusals.contains(error.code) {
      throw BatchRefusal(code: error.code)
    }
    let keys = batches.keys
    batches.keys.removeAll(keepingCapacity: true)
    guard put.request.reports.contains(.outcomes) else { return }
    for (number, key) in keys.enumerated() {
      try visitor.didPut(batch.put.givesOutcomes ? outcomes[number] : .inserted, key: key)
    }
  }

  /// The codes of errors that may come from one row, or from the form of a batch.
  private static var refusals: Set<StoreError.Code> {
    [.duplicate, .missingValue, .invalidValue, .overflow, .tooLarge]
  }
}

/// A batch that the database did not take.
struct BatchRefusal: Error {
  /// The code of the database's error.
  let code: StoreError.Code
}
