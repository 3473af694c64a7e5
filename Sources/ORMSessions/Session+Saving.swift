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
      finish(try await store.saveSession(changes))
    }
    return true
  }

  /// Saves all changes up to the store: to the parent, with its changes to the parent above, and so
  /// on, at last in one transaction.
  ///
  /// ```swift
  /// let draft = session.child()
  /// try draft.find(Team.self, 7)?.name = "Greens"
  /// try draft.saveToStore()
  /// ```
  ///
  /// The store has all of it or nothing. If a session above throws, those below have saved to it, and
  /// nothing is lost: the error's message says how many levels above the session is, and it holds the
  /// changes, of which the last to come are one level of undo.
  ///
  /// - Returns: false if there was nothing to save in the last session; then no transaction was made.
  /// - Throws: as `save()` of each session; `reentrancy`, with nothing changed, if a save of one
  ///   of them runs.
  @discardableResult
  public func saveToStore() throws -> Bool {
    var hasSaved = false
    for (level, session) in try levels().enumerated() {
      do { hasSaved = try session.save() } catch let error as StoreError {
        throw error.thrown(above: level)
      }
    }
    return hasSaved
  }

  /// Saves all changes up to the store, off the calling thread.
  ///
  /// ```swift
  /// let draft = session.child()
  /// try await draft.find(Team.self, 7)?.name = "Greens"
  /// try await draft.saveToStore()
  /// ```
  ///
  /// - Returns: false if there was nothing to save in the last session; then no transaction was made.
  /// - Throws: as the synchronous one; `CancellationError` if the task was cancelled before the commit.
  @discardableResult
  public func saveToStore() async throws -> Bool {
    var hasSaved = false
    for (level, session) in try levels().enumerated() {
      do { hasSaved = try await session.save() } catch let error as StoreError {
        throw error.thrown(above: level)
      }
    }
    return hasSaved
  }

  /// The session and those above it, none of which is being saved.
  private func levels() throws -> [Session] {
    var levels = [self]
    while let parent = levels.last?.parent { levels.append(parent) }
    if levels.contains(where: \.isSaving) { throw Self.isBeingSaved }
    return levels
  }

  private static var isBeingSaved: StoreError {
    StoreError(.reentrancy, "a save of the session is running already")
  }

  private func beginSave() throws -> SessionChanges? {
    if isSaving { throw Self.isBeingSaved }
    settle()
    savedTables = []
    var plans: [@Sendable () -> any TableRun] = []
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
    let saved = zip(savedTables, changes.tables).map { ($0, $1()) }
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

extension StoreError {
  /// The error of a session that is some levels above the one that a program saved.
  fileprivate func thrown(above level: Int) -> StoreError {
    if level == 0 { return self }
    var copy = self
    copy.message =
      "the session \(level == 1 ? "1 level" : "\(level) levels") above, to which those below have "
      + "saved, could not be saved: \(message)"
    return copy
  }
}

extension Store {
  /// Saves the changes of a session in a transaction of its own.
  ///
  /// - Throws: `reentrancy` in a block, whose end would decide over the save.
  fileprivate func saveSession(_ changes: SessionChanges) throws -> SessionOutcome {
    do {
      let scheduler = runtime.transactions
      return try scheduler.write { admission in
        guard case .outer = admission else {
          throw StoreError(.reentrancy, "a session cannot be saved in a block of its store")
        }
        return try run({ try $0.save(changes) }, in: admission)
      }
    } catch let error as StoreError { throw runtime.named(error) }
  }

  /// Saves the changes of a session in a transaction of its own, off the cooperative pool.
  fileprivate func saveSession(_ changes: SessionChanges) async throws -> SessionOutcome {
    let bound = Persistence.bound
    do {
      return try await runtime.transactions.write { admission in
        try Persistence.rebinding(bound) {
          try self.run({ try $0.save(changes) }, in: admission)
        }
      }
    } catch let error as StoreError { throw runtime.named(error) }
  }
}
