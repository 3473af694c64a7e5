internal import ORMCore

extension Session {
  /// Saves all changes in one transaction, and brings keys and managed attributes back.
  ///
  /// ```swift
  /// try session.save()
  /// ```
  ///
  /// A child session saves to its parent, as one group to undo. An error changes neither the store
  /// nor the session.
  ///
  /// - Returns: false if there was nothing to save; then no transaction was made.
  /// - Throws: `conflict`, by the policy; `deletedObject` if a deleted object was edited; the errors of
  ///   a save of objects, as `validationFailed` with the failures of all objects; `reentrancy` while
  ///   another save of the session runs, and in a block of the store.
  @discardableResult
  public func save() throws -> Bool {
    guard let changes = try beginSave() else { return false }
    defer { endSave() }
    if let parent {
      try save(changes, to: parent)
    } else {
      finish(try store.saveSession(changes))
    }
    return true
  }

  /// Saves all changes in one transaction off the calling thread, and brings keys and managed
  /// attributes back.
  ///
  /// ```swift
  /// try await session.save()
  /// ```
  ///
  /// Edits during the save stay to be saved.
  ///
  /// - Returns: false if there was nothing to save; then no transaction was made.
  /// - Throws: as the synchronous save; `CancellationError` if the task was cancelled before the
  ///   commit.
  @discardableResult
  public func save() async throws -> Bool {
    guard let changes = try beginSave() else { return false }
    defer { endSave() }
    if let parent {
      try save(changes, to: parent)
    } else {
      finish(try await store.write { try $0.save(changes) })
    }
    return true
  }

  private func beginSave() throws -> SessionChanges? {
    if isSaving {
      throw StoreError(.reentrancy, "a save of the session is running already")
    }
    settle()
    savedTables = []
    var plans: [any TableSave] = []
    do {
      for table in order {
        guard let plan = try table.pendingSave(in: self) else { continue }
        plans.append(plan)
        savedTables.append(table)
      }
    } catch {
      for table in order { table.forgetSave() }
      savedTables = []
      throw error
    }
    if plans.isEmpty { return nil }
    isSaving = true
    return SessionChanges(tables: plans, policy: conflictPolicy, compared: compared)
  }

  private func endSave() {
    isSaving = false
    for table in savedTables { table.forgetSave() }
    savedTables = []
  }

  private func finish(_ outcome: SessionOutcome) {
    for (table, rows) in zip(savedTables, outcome.tables) { table.take(rows, at: outcome.number) }
    undoStack.endCoalescing()
  }

  private func save(_ changes: SessionChanges, to parent: Session) throws {
    let saved = zip(savedTables, changes.tables).map { ($0, $1.begin()) }
    let conflicts = try saved.flatMap { table, run in
      try table.resolve(run, changes.policy, changes.compared)
    }
    if !conflicts.isEmpty { throw StoreError(conflicts: conflicts) }
    parent.group(nil) {
      for (table, run) in saved { table.write(run, to: parent) }
    }
    undoStack.endCoalescing()
  }
}

extension Store {
  /// Saves the changes of a session in a transaction of its own.
  ///
  /// - Throws: `reentrancy` in a block, whose end would decide over the save.
  fileprivate func saveSession(_ changes: SessionChanges) throws -> SessionOutcome {
    do {
      let scheduler = runtime.transactions
      let admission = try scheduler.enterWrite()
      defer { scheduler.leave(admission) }
      guard case .outer = admission else {
        throw StoreError(.reentrancy, "a session cannot be saved in a block of its store")
      }
      return try run({ try $0.save(changes) }, in: admission)
    } catch let error as StoreError { throw runtime.named(error) }
  }
}
