package import ORMStorage

/// Puts by one statement a row.
extension SQLWriter {
  package func put<S: RowSource, O: PutVisitor>(
    _ request: PutRequest, from source: inout S, to visitor: inout O
  ) throws {
    if isLate {
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
      let put = try session.put(request)
      var refusal: StoreError.Code?
      if let batch = put.batch {
        refusal = try putBatches(put, batch, from: &source, to: &visitor)
        if refusal == nil { return }
      }
      guard put.mayOverflow else { return try putEach(put, from: &source, to: &visitor) }
      if refusal != .tooLarge {
        do {
          return try undoing { try putEach(put, from: &source, to: &visitor) }
        } catch let error as StoreError where error.code == .tooLarge {
          source.rewind()
          visitor.didRewind()
        }
      }
      try undoing {
        try session.overflow(put.table)
        let put = try session.put(request)
        if let batch = put.batch,
          try putBatches(put, batch, from: &source, to: &visitor) == nil
        {
          return
        }
        try putEach(put, from: &source, to: &visitor)
      }
    } catch {
      // A key that was given to a row that was not written is the next one again.
      keys.forget(to: mark)
      throw error
    }
  }

  /// Puts rows one by one.
  private func putEach<S: RowSource, O: PutVisitor>(
    _ put: PreparedPut, from source: inout S, to visitor: inout O
  ) throws {
    guard case .direct(let direct) = put.plan else {
      return try putRows(put, from: &source, to: &visitor)
    }
    guard direct.retries.isEmpty else {
      return try putOrRetry(put, direct, from: &source, to: &visitor)
    }
    try putDirectly(put, direct, from: &source, to: &visitor)
  }

  /// Puts rows directly, and by the general way if a unique rule is broken between them: it holds at
  /// the end of the operation.
  private func putOrRetry<S: RowSource, O: PutVisitor>(
    _ put: PreparedPut, _ direct: PutPlan.Direct, from source: inout S, to visitor: inout O
  ) throws {
    let before = mark
    try session.connection.beginSavepoint()
    do {
      try putDirectly(put, direct, from: &source, to: &visitor)
    } catch let error as StoreError where direct.retries.contains(error.code) {
      try undo(to: before)
      source.rewind()
      visitor.didRewind()
      return try putRows(put, from: &source, to: &visitor)
    } catch {
      try undo(to: before)
      throw error
    }
    try session.connection.releaseSavepoint()
  }

  /// Undoes what was written in the innermost savepoint, and throws when the engine gave up.
  func undo(to before: Mark) throws {
    try rollbackSavepoint(to: before)
    try checkOpen()
  }

  private func putDirectly<S: RowSource, O: PutVisitor>(
    _ put: PreparedPut, _ direct: PutPlan.Direct, from source: inout S,
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
      case .untold: break
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
          case .untold: false
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
