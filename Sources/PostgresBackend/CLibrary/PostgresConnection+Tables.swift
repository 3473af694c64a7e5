internal import ORMStorage
internal import SQLEngine

extension PostgresConnection {
  /// Runs a statement that changes tables.
  ///
  /// The server lets nobody else read or write a table while a change of it waits for those who have
  /// read it. So a change gives way after a while, and is tried again until `writerWait` is over.
  func changeTables(_ sql: String) throws {
    // The server changes no table that a cursor reads.
    takeRows(ofCursorsIn: 0)
    if concurrentChanges != nil, !hasChangedTables {
      // The statements of other writers are made for the tables as they are.
      try use()
      try handle.run(lock(false))
    }
    try use()
    if phase == .writing {
      let end = ContinuousClock.now + options.writerWait
      while try !change(tables: sql, isLast: .now >= end) {
        PostgresHandle.pause(microseconds: .random(in: 100_000...500_000))
      }
    } else {
      _ = try write { .text(sql) }
    }
    hasChangedTables = true
    forgetStatements()
  }

  /// The time in which a change of a table must get its lock, or give way.
  private static var changeWait: Duration { .seconds(2) }

  /// Runs a statement that changes tables; false if it has given way.
  private func change(tables sql: String, isLast: Bool) throws -> Bool {
    let wait = min(Self.changeWait, options.writerWait)
    let steps =
      [.text(lockTimeout(wait))] + undoable(.text(sql)) + [.text(lockTimeout(options.writerWait))]
    do {
      _ = counted(try handle.pipeline(steps), 2)
      return true
    } catch {
      try undoStep()
      if isLast || PostgresFailure.state(of: error) != PostgresFailure.lockTimeout { throw error }
      return false
    }
  }
}
